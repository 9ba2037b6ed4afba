// The content of Chat Completions messages: text, images, files and audio. Parts of the other dialects, which some clients
// put here too, are read by those who know them; `changed` is told of each, for no server of this dialect takes one.

import type { CacheHint, ResultPart, TextPart, UserPart } from '../../core/request.ts'
import { readCommonBlock } from '../anthropic-messages/parts-in.ts'
import { cacheOf, readCache } from '../cache-hint.ts'
import { array, type Fields, invalid, object, optional, string } from '../decode.ts'
import { mediaSource } from '../media-source.ts'
import { readUserPart as readResponsesPart } from '../openai-responses/parts-in.ts'
import type { Changed } from '../tools-in.ts'

/** Gives the parts that a part stands for: none for what is left out. */
type ReadPart<T> = (part: Fields, path: string, changed: Changed) => readonly T[]

/**
 * The parts of a message's `content`, empty ones left out. `changed` is told when that, or a form that is not OpenAI's,
 * makes the original unfit to be sent on as it is.
 */
export function readContent<T extends object>(
  message: Fields,
  messagePath: string,
  read: ReadPart<T>,
  changed: Changed,
): (T | TextPart)[] {
  const value = message.content
  const path = `${messagePath}.content`
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return withMessageCache([{ type: 'text', text: value }], message)
  const parts: (T | TextPart)[] = []
  for (const [at, part] of array(value, path).entries()) {
    const bare = typeof part === 'string'
    const found = bare ? text(part, {}) : read(object(part, `${path}[${at}]`), `${path}[${at}]`, changed)
    if (bare || found.length === 0) changed()
    for (const entry of found) parts.push(entry)
  }
  if (parts.length === 0) changed()
  return withMessageCache(parts, message)
}

export function readTextPart(part: Fields, path: string, changed: Changed): readonly TextPart[] {
  const type = string(part.type, `${path}.type`)
  switch (type) {
    case 'refusal':
      return text(string(part.refusal, `${path}.refusal`), part)
    case 'input_text':
    case 'output_text':
      changed()
      return text(string(part.text, `${path}.text`), part)
    case 'text':
      return text(string(part.text, `${path}.text`), part)
    default:
      throw invalid(`${path}.type`, `"${type}" cannot stand in this message; use text`)
  }
}

const text = (value: string, part: Fields): readonly TextPart[] =>
  value === '' ? [] : [{ type: 'text', text: value, ...cacheOf(part) }]

export function readResultPart(part: Fields, path: string, changed: Changed): readonly ResultPart[] {
  return readUserPart(part, path, changed).map((found) => {
    if (found.type === 'audio') throw invalid(`${path}.type`, 'audio cannot stand in a tool result')
    return found
  })
}

export function readUserPart(part: Fields, path: string, changed: Changed): readonly UserPart[] {
  const hint = cacheOf(part)
  switch (part.type) {
    case 'text':
      return text(string(part.text, `${path}.text`), part)
    case 'image_url': {
      const image =
        typeof part.image_url === 'string'
          ? { url: part.image_url }
          : object(part.image_url, `${path}.image_url`)
      const detail = optional(image.detail, `${path}.image_url.detail`, string)
      const source = mediaSource(string(image.url, `${path}.image_url.url`), `${path}.image_url.url`)
      return [{ type: 'image', source, ...(detail ? { detail } : {}), ...hint }]
    }
    case 'input_audio': {
      const audio = object(part.input_audio, `${path}.input_audio`)
      const data = string(audio.data, `${path}.input_audio.data`)
      return [{ type: 'audio', data, format: string(audio.format, `${path}.input_audio.format`) }]
    }
    case 'file':
      return [readFile(object(part.file, `${path}.file`), `${path}.file`, hint)]
    default:
      return readForeignPart(part, path, changed)
  }
}

function readForeignPart(part: Fields, path: string, changed: Changed): readonly UserPart[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'input_image':
    case 'input_file': {
      changed()
      const found = readResponsesPart(part, path, changed)
      return found ? [found] : []
    }
  }
  const blocks = readCommonBlock(part, path, changed)
  if (!blocks)
    throw invalid(
      `${path}.type`,
      `${JSON.stringify(part.type)} is not known; use text, image_url, input_audio or file`,
    )
  changed()
  return blocks
}

function readFile(file: Fields, path: string, hint: { cache?: CacheHint }): UserPart {
  const filename = optional(file.filename, `${path}.filename`, string)
  const id = optional(file.file_id, `${path}.file_id`, string)
  const source =
    id === undefined
      ? mediaSource(string(file.file_data, `${path}.file_data`), `${path}.file_data`)
      : { fileId: id }
  return { type: 'file', source, ...(filename ? { filename } : {}), ...hint }
}

/** A breakpoint on the message is one on its last part. */
function withMessageCache<T extends object>(parts: T[], message: Fields): T[] {
  const cache = readCache(message)
  const last = parts.at(-1)
  return cache && last ? [...parts.slice(0, -1), { ...last, cache }] : parts
}
