// The content of Chat Completions messages: text, images, files and audio. Some clients also send parts of the other dialects:
// those dialects' readers read them, and `changed` reports each one, because no server of this dialect takes them.

import { isObject, textOf } from '../../base/json.ts'
import type { CacheHint, OpaquePart, ResultPart, TextPart, UserPart } from '../../core/request.ts'
import { isServerBlock, opaque, readReference } from '../anthropic-messages/messages-in.ts'
import { readCommonBlock } from '../anthropic-messages/parts-in.ts'
import { audioInResultNote, readUserPart as readResponsesPart } from '../openai-responses/parts-in.ts'
import { cacheOf, readCache } from '../requests/cache-hint.ts'
import { array, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import { mediaSource } from '../requests/media-source.ts'
import type { Changed } from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'

/** Returns the canonical parts of one part; none if it is left out. */
type ReadPart<T> = (part: Fields, path: string, changed: Changed) => readonly T[]

/**
 * The parts of a message's `content` without the empty ones. Calls `changed` if the original cannot be forwarded as it is: because of
 * an empty part, or a form that is not OpenAI's.
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
    case 'encrypted_content':
      return readPartOfResponses(part, path, changed) as readonly TextPart[]
    case 'text':
      return text(string(part.text, `${path}.text`), part)
    default:
      throw invalid(`${path}.type`, `"${type}" is not allowed in this message; use text`)
  }
}

const text = (value: string, part: Fields): readonly TextPart[] =>
  value === '' ? [] : [{ type: 'text', text: value, ...cacheOf(part) }]

export function readResultPart(part: Fields, path: string, changed: Changed): readonly ResultPart[] {
  const parts = readReference(part, path)
  if (parts) return withoutOpaque(parts, changed)
  return readUserPart(part, path, changed).flatMap((found): readonly ResultPart[] => {
    if (found.type !== 'audio') return [found]
    changed(audioInResultNote)
    return []
  })
}

export function readUserPart(part: Fields, path: string, changed: Changed): readonly UserPart[] {
  switch (part.type) {
    case 'text':
      return text(string(part.text, `${path}.text`), part)
    case 'image_url':
      return [readImage(part, path, changed)]
    case 'input_audio': {
      const audio = object(part.input_audio, `${path}.input_audio`)
      const data = string(audio.data, `${path}.input_audio.data`)
      return [{ type: 'audio', data, format: string(audio.format, `${path}.input_audio.format`) }]
    }
    case 'file':
      return [readFile(object(part.file, `${path}.file`), `${path}.file`, cacheOf(part))]
    default:
      return readForeignPart(part, path, changed)
  }
}

/** No server of this dialect takes the form of Responses, where `image_url` is the URL itself. */
function readImage(part: Fields, path: string, changed: Changed): UserPart {
  const bare = typeof part.image_url === 'string'
  if (bare) changed()
  const place = bare ? `${path}.image_url` : `${path}.image_url.url`
  const image = bare ? { ...part, url: part.image_url } : object(part.image_url, `${path}.image_url`)
  const detail = optional(image.detail, `${path}.image_url.detail`, string)
  const source = mediaSource(string(image.url, place), place)
  return { type: 'image', source, ...(detail ? { detail } : {}), ...cacheOf(part) }
}

function readPartOfResponses(part: Fields, path: string, changed: Changed): readonly UserPart[] {
  changed()
  const found = readResponsesPart(part, path, changed)
  return found ? [{ ...found, ...cacheOf(part) }] : []
}

function readForeignPart(part: Fields, path: string, changed: Changed): readonly UserPart[] {
  switch (part.type) {
    case 'input_image':
      // Chat's form of `image_url` in a part of Responses: clients mix them up.
      if (!isObject(part.image_url)) return readPartOfResponses(part, path, changed)
      changed()
      return [readImage(part, path, changed)]
    case 'input_text':
    case 'output_text':
    case 'encrypted_content':
    case 'refusal':
    case 'input_file':
      return readPartOfResponses(part, path, changed)
  }
  const blocks =
    readCommonBlock(part, path, changed) ?? (isServerBlock(part.type) ? [opaque(part)] : undefined)
  if (!blocks) return [unknownPart(part, path)]
  changed()
  return withoutOpaque(blocks, changed)
}

/** Servers of this dialect may know it; for others it is an error. */
function unknownPart(value: Fields, path: string): OpaquePart {
  const error = invalid(
    `${path}.type`,
    `${JSON.stringify(value.type)} is not known; use text, image_url, input_audio or file`,
  )
  if (typeof value.type !== 'string') throw error
  return { type: 'opaque', dialect, value, error }
}

/** Parts that only Anthropic's dialect knows become text, or are left out. */
export function withoutOpaque<Part extends { type: string }>(
  parts: readonly (Part | OpaquePart)[],
  changed: Changed,
): (Exclude<Part, OpaquePart> | TextPart)[] {
  return parts.flatMap((part): (Exclude<Part, OpaquePart> | TextPart)[] => {
    if (part.type !== 'opaque') return [part as Exclude<Part, OpaquePart>]
    const { text, value } = part as OpaquePart
    changed(
      text === undefined
        ? `blocks of type ${textOf(value.type)} are not supported and were left out`
        : undefined,
    )
    return text ? [{ type: 'text', text }] : []
  })
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

/** A cache breakpoint on the message applies to its last part. */
function withMessageCache<T extends object>(parts: T[], message: Fields): T[] {
  const cache = readCache(message)
  const last = parts.at(-1)
  return cache && last ? [...parts.slice(0, -1), { ...last, cache }] : parts
}
