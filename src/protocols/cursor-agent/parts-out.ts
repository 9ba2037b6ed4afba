// Parts of messages in Cursor's forms: text, and images as bytes.

import { hash } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { SelectedImageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import type { FilePart, ImagePart, ResultPart, ToolResult, UserPart } from '../../core/request.ts'

export type Note = (text: string) => void

const ignore: Note = () => undefined

/** The text of a message. Other parts, except images, are named in words, so that the model knows of them. */
export function textOf(parts: readonly (UserPart | ResultPart)[], note: Note = ignore): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'image') return imageText(part, note)
      if (part.type === 'file') return fileText(part, note)
      note('audio was left out: this backend takes none')
      return '[audio that cannot be shown here]'
    })
    .filter((text) => text !== '')
    .join('\n\n')
}

function imageText({ source }: ImagePart, note: Note): string {
  if ('data' in source) return ''
  note('an image given by its address was named in the text: this backend takes images as data')
  return 'url' in source ? `[image: ${source.url}]` : '[image that cannot be shown here]'
}

function fileText({ source, filename }: FilePart, note: Note): string {
  const name = filename ?? 'file'
  if ('data' in source && /^(?:text\/|application\/(?:json|xml|yaml))/.test(source.mediaType))
    return `<file name="${name}">\n${Buffer.from(source.data, 'base64').toString('utf8')}\n</file>`
  note('an attached file was named in the text: this backend takes text and images')
  return 'url' in source ? `[file: ${source.url}]` : `[file ${name} that cannot be shown here]`
}

type SelectedImageInit = MessageInitShape<typeof SelectedImageSchema>

export function imageOf(part: UserPart | ResultPart): SelectedImageInit[] {
  if (part.type !== 'image' || !('data' in part.source)) return []
  const data = Buffer.from(part.source.data, 'base64')
  return [
    { uuid: stableUuid(data), mimeType: part.source.mediaType, dataOrBlobId: { case: 'data', value: data } },
  ]
}

export const resultText = (result: ToolResult): string => textOf(result.content)

/** A result as content of an MCP tool, images included. */
export function resultContent(result: ToolResult) {
  const images = result.content.flatMap((part) => {
    if (part.type !== 'image' || !('data' in part.source)) return []
    const { mediaType, data } = part.source
    const value = { mimeType: mediaType, data: Buffer.from(data, 'base64') }
    return [{ content: { case: 'image' as const, value } }]
  })
  const text = resultText(result)
  if (text === '' && images.length > 0) return images
  return [{ content: { case: 'text' as const, value: { text } } }, ...images]
}

/** The text of an earlier message, which can only name its images. */
export function pastText(parts: readonly (UserPart | ResultPart)[], note: Note): string {
  const images = parts.filter((part) => part.type === 'image' && 'data' in part.source)
  if (images.length > 0) note('images of earlier turns are only named to the model')
  return [textOf(parts, note), ...images.map(() => '[image]')].filter((text) => text !== '').join('\n\n')
}

/** Deterministic: the same content gives the same id, and so the same blob. */
export function stableUuid(seed: string | Uint8Array): string {
  const hex = hash('sha256', seed, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
