// The content of Chat Completions messages: text, images, files and audio.

import type { CacheHint, ResultPart, TextPart, UserPart } from '../../core/request.ts'
import { cacheOf, readCache } from '../cache-hint.ts'
import { array, type Fields, invalid, object, optional, string } from '../decode.ts'

/**
 * The parts of a message's `content`, empty ones left out. `changed` is told when that, or a form that is not OpenAI's,
 * makes the original unfit to be sent on as it is.
 */
export function readContent<T extends object>(
  message: Fields,
  messagePath: string,
  read: (part: Fields, path: string) => T | undefined,
  changed: () => void,
): (T | TextPart)[] {
  const value = message.content
  const path = `${messagePath}.content`
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return withMessageCache([{ type: 'text', text: value }], message)
  const parts: (T | TextPart)[] = []
  for (const [at, part] of array(value, path).entries()) {
    const bare = typeof part === 'string'
    const found = bare ? text(part, {}) : read(object(part, `${path}[${at}]`), `${path}[${at}]`)
    if (bare || found === undefined) changed()
    if (found !== undefined) parts.push(found)
  }
  if (parts.length === 0) changed()
  return withMessageCache(parts, message)
}

export function readTextPart(part: Fields, path: string): TextPart | undefined {
  const type = string(part.type, `${path}.type`)
  if (type === 'refusal') return text(string(part.refusal, `${path}.refusal`), part)
  if (type === 'text') return text(string(part.text, `${path}.text`), part)
  throw invalid(`${path}.type`, `"${type}" cannot stand in this message; use text`)
}

function text(value: string, part: Fields): TextPart | undefined {
  if (value === '') return undefined
  return { type: 'text', text: value, ...cacheOf(part) }
}

export function readResultPart(part: Fields, path: string): ResultPart | undefined {
  const found = readUserPart(part, path)
  if (found?.type === 'audio') throw invalid(`${path}.type`, 'audio cannot stand in a tool result')
  return found
}

export function readUserPart(part: Fields, path: string): UserPart | undefined {
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
      return { type: 'image', source, ...(detail ? { detail } : {}), ...hint }
    }
    case 'input_audio': {
      const audio = object(part.input_audio, `${path}.input_audio`)
      const data = string(audio.data, `${path}.input_audio.data`)
      return { type: 'audio', data, format: string(audio.format, `${path}.input_audio.format`) }
    }
    case 'file':
      return readFile(object(part.file, `${path}.file`), `${path}.file`, hint)
    default:
      throw invalid(
        `${path}.type`,
        `${JSON.stringify(part.type)} is not known; use text, image_url, input_audio or file`,
      )
  }
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

const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/

export function mediaSource(
  url: string,
  path: string,
): { url: string } | { mediaType: string; data: string } {
  if (!url.startsWith('data:')) return { url }
  const match = dataUrl.exec(url.slice(0, 256))
  if (!match?.[2]) throw invalid(path, 'is not a base64 data URL (data:MEDIA/TYPE;base64,…)')
  return { mediaType: match[1] ?? '', data: url.slice(match[0].length) }
}

/** A breakpoint on the message is one on its last part. */
function withMessageCache<T extends object>(parts: T[], message: Fields): T[] {
  const cache = readCache(message)
  const last = parts.at(-1)
  return cache && last ? [...parts.slice(0, -1), { ...last, cache }] : parts
}
