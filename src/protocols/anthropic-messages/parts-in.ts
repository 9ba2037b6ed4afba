// The content of Messages requests: texts, images, documents and search results.

import { isObject } from '../../base/json.ts'
import type { FilePart, ImagePart, MediaSource, ResultPart, TextPart } from '../../core/request.ts'
import { cacheOf } from '../requests/cache-hint.ts'
import { array, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import type { Changed } from '../requests/tools-in.ts'

/** Returns the canonical parts of one block; none if it is left out. */
type ReadBlock<T> = (block: Fields, path: string) => readonly T[]

/** The parts of `content`, which may be a string. Empty texts are left out: every upstream refuses them. */
export function readBlocks<T>(
  value: unknown,
  path: string,
  read: ReadBlock<T>,
  changed: Changed,
): (T | TextPart)[] {
  if (typeof value === 'string') return text(value, {}, changed)
  return array(value, path).flatMap((block, at): readonly (T | TextPart)[] => {
    const blockPath = `${path}[${at}]`
    if (typeof block === 'string') {
      changed()
      return text(block, {}, changed)
    }
    return read(object(block, blockPath), blockPath)
  })
}

/** Reads content that may contain only text. */
export function readTexts(value: unknown, path: string, changed: Changed): TextPart[] {
  return readBlocks<TextPart>(
    value,
    path,
    (block, at) => {
      if (block.type === 'text') return readText(block, at, changed)
      throw invalid(`${at}.type`, `${JSON.stringify(block.type)} is not allowed here; use text`)
    },
    changed,
  )
}

export const readText = (block: Fields, path: string, changed: Changed): TextPart[] =>
  text(string(block.text, `${path}.text`), block, changed)

function text(value: string, block: Fields, changed: Changed): TextPart[] {
  // Anthropic's API refuses blank text; other backends may take it.
  if (value.trim() === '') changed()
  return value === '' ? [] : [{ type: 'text', text: value, ...cacheOf(block) }]
}

/** Block types that user messages and tool results share; undefined for any other type. */
export function readCommonBlock(block: Fields, path: string, changed: Changed): ResultPart[] | undefined {
  if (hasOwnSource(block)) return undefined
  switch (block.type) {
    case 'text':
      return readText(block, path, changed)
    case 'image':
      return [readImage(block, path)]
    case 'document':
      return readDocument(block, path, changed)
    case 'search_result':
      return [readSearchResult(block, path, changed)]
    default:
      return undefined
  }
}

const knownSources: ReadonlySet<unknown> = new Set(['base64', 'url', 'file', 'text', 'content', undefined])

/** The content comes from a place that only this dialect knows. */
const hasOwnSource = ({ type, source }: Fields) =>
  (type === 'image' || type === 'document') && isObject(source) && !knownSources.has(source.type)

function readImage(block: Fields, path: string): ImagePart {
  const source = object(block.source, `${path}.source`)
  return { type: 'image', source: readSource(source, `${path}.source`), ...cacheOf(block) }
}

function readSource(source: Fields, path: string): MediaSource {
  switch (source.type) {
    case 'base64':
      return {
        mediaType: string(source.media_type, `${path}.media_type`),
        data: string(source.data, `${path}.data`),
      }
    case 'url':
      return { url: string(source.url, `${path}.url`) }
    case 'file':
      return { fileId: string(source.file_id, `${path}.file_id`) }
    default:
      throw invalid(`${path}.type`, `${JSON.stringify(source.type)} is not known; use base64, url or file`)
  }
}

/** A plain-text document becomes text, which every model takes, with its title and context before it. */
function readDocument(block: Fields, path: string, changed: Changed): ResultPart[] {
  const source = object(block.source, `${path}.source`)
  const title = optional(block.title, `${path}.title`, string) ?? ''
  const context = optional(block.context, `${path}.context`, string) ?? ''
  const heading = (...lines: string[]): TextPart[] => {
    const words = lines.filter((line) => line !== '').join('\n')
    return words === '' ? [] : [{ type: 'text', text: words }]
  }
  switch (source.type) {
    case 'text': {
      const words = text(string(source.data, `${path}.source.data`), block, changed)
      return [...heading(title, context), ...words]
    }
    case 'content': {
      const read: ReadBlock<ResultPart> = (inner, at) => readNested(inner, at, changed)
      const inner = readBlocks(source.content, `${path}.source.content`, read, changed)
      return [...heading(title, context), ...inner]
    }
    default: {
      const file: FilePart = { type: 'file', source: readSource(source, `${path}.source`), ...cacheOf(block) }
      return [...heading(context), { ...file, ...(title === '' ? {} : { filename: title }) }]
    }
  }
}

function readNested(block: Fields, path: string, changed: Changed): ResultPart[] {
  if (block.type === 'text') return readText(block, path, changed)
  if (block.type === 'image') return [readImage(block, path)]
  throw invalid(
    `${path}.type`,
    `${JSON.stringify(block.type)} is not allowed in a document; use text or image`,
  )
}

function readSearchResult(block: Fields, path: string, changed: Changed): TextPart {
  const title = string(block.title, `${path}.title`)
  const source = string(block.source, `${path}.source`)
  const found = readTexts(block.content, `${path}.content`, changed).map((part) => part.text)
  return { type: 'text', text: [title, source, ...found].join('\n'), ...cacheOf(block) }
}
