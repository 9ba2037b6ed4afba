// Texts, images and files → blocks of a user message or a tool result.

import { GatewayError } from '../../core/errors.ts'
import type { CacheHint, FilePart, MediaSource, UserPart } from '../../core/request.ts'

export type Block = Record<string, unknown>

/** The API refuses blank text ("text content blocks must contain non-whitespace text"). */
export function textBlock(text: string, cache: CacheHint | undefined): Block[] {
  if (text.trim() === '') return []
  return [cache === undefined ? { type: 'text', text } : { type: 'text', text, ...cacheControl(cache) }]
}

export function cacheControl(cache: CacheHint | undefined): Block {
  return cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache.ttl ? { ttl: cache.ttl } : {}) } }
}

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** `ownFiles`: file ids are this service's own, because the client speaks its dialect. */
export function userBlocks(parts: readonly UserPart[], { ownFiles }: { ownFiles: boolean }): Block[] {
  const blocks: Block[] = []
  for (const part of parts) blocks.push(...userBlock(part, ownFiles))
  return blocks
}

function userBlock(part: UserPart, ownFiles: boolean): Block[] {
  switch (part.type) {
    case 'text':
      return textBlock(part.text, part.cache)
    case 'image':
      return [{ type: 'image', source: imageSource(part.source, ownFiles), ...cacheControl(part.cache) }]
    case 'file':
      return [fileBlock(part, ownFiles)]
    case 'opaque':
      return [{ ...part.value }]
    case 'audio':
      throw unsupported('Audio input is not supported by Anthropic models.')
  }
}

function imageSource(source: MediaSource, ownFiles: boolean): Block {
  if ('url' in source) {
    if (source.url.startsWith('https://')) return { type: 'url', url: source.url }
    throw unsupported('Image URLs must be https or base64 data URLs for Anthropic models.')
  }
  if ('fileId' in source) {
    if (ownFiles) return { type: 'file', file_id: source.fileId }
    throw unsupported('Image file ids of another service cannot be used with Anthropic models.')
  }
  const mediaType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType
  if (!imageTypes.has(mediaType))
    throw unsupported(
      `Images of type ${mediaType || '(none)'} are not supported; use JPEG, PNG, GIF or WebP.`,
    )
  return { type: 'base64', media_type: mediaType, data: source.data }
}

function fileBlock({ source, filename, cache }: FilePart, ownFiles: boolean): Block {
  const title = filename === undefined ? {} : { title: filename }
  const document = (from: Block): Block => ({
    type: 'document',
    source: from,
    ...title,
    ...cacheControl(cache),
  })
  if ('fileId' in source) {
    if (ownFiles) return document({ type: 'file', file_id: source.fileId })
    throw unsupported(
      'File ids of another service cannot be used with Anthropic models; send the file itself.',
    )
  }
  if ('url' in source) return document({ type: 'url', url: source.url })
  const { mediaType, data } = source
  if (imageTypes.has(mediaType))
    return { type: 'image', source: imageSource(source, ownFiles), ...cacheControl(cache) }
  if (mediaType === 'application/pdf') return document({ type: 'base64', media_type: mediaType, data })
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    const text = Buffer.from(data, 'base64').toString('utf8')
    return document({ type: 'text', media_type: 'text/plain', data: text })
  }
  throw unsupported(`Files of type ${mediaType || '(none)'} are not supported; use PDF or text.`)
}

const unsupported = (message: string) => new GatewayError('unsupported', message, { param: 'messages' })
