// The content of Responses items: text, images, files and audio, in messages and in tool results.

import type { AudioPart, CacheHint, MediaSource, ResultPart, TextPart, UserPart } from '../../core/request.ts'
import { array, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import { mediaSource } from '../requests/media-source.ts'

type Note = (text: string) => void
type ReadPart<T> = (part: Fields, path: string, note: Note) => T | undefined

/** A string or a list of parts; empty text is left out. */
export function readParts<T extends object>(
  value: unknown,
  path: string,
  read: ReadPart<T>,
  note: Note,
): (T | TextPart)[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return array(value, path).flatMap((part, at) => {
    const place = `${path}[${at}]`
    return read(object(part, place), place, note) ?? []
  })
}

export function readTextPart(part: Fields, path: string, note: Note): TextPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return text(string(part.text, `${path}.text`), part)
    case 'refusal':
      return text(string(part.refusal, `${path}.refusal`), part)
    case 'encrypted_content':
      note('encrypted content of another service was left out')
      return undefined
    default:
      throw unknownPart(part, path, 'text')
  }
}

export function readUserPart(part: Fields, path: string, note: Note): UserPart | undefined {
  switch (part.type) {
    case 'input_image':
      return {
        type: 'image',
        source: imageSource(part, path),
        ...detailOf(part, path, note),
        ...cacheOf(part),
      }
    case 'input_file': {
      const filename = optional(part.filename, `${path}.filename`, string)
      const source = fileSource(part, path)
      return { type: 'file', source, ...(filename ? { filename } : {}), ...cacheOf(part) }
    }
    case 'input_audio':
      return readAudio(part, path)
    case 'encrypted_content':
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'refusal':
      return readTextPart(part, path, note)
    default:
      throw unknownPart(part, path, 'input_text, input_image, input_file or input_audio')
  }
}

export const audioInResultNote = 'audio in a tool result is not supported and was left out'

export function readResultPart(part: Fields, path: string, note: Note): ResultPart | undefined {
  const found = readUserPart(part, path, note)
  if (found?.type !== 'audio') return found
  // Not an error: clients resend their whole history, so one refused part would end the conversation.
  note(audioInResultNote)
  return undefined
}

/** Codex sends audio as a data URL. The API reference has data and a format. */
function readAudio(part: Fields, path: string): AudioPart {
  const url = optional(part.audio_url, `${path}.audio_url`, string)
  if (url === undefined) {
    const audio = object(part.input_audio, `${path}.input_audio`)
    const data = string(audio.data, `${path}.input_audio.data`)
    return { type: 'audio', data, format: string(audio.format, `${path}.input_audio.format`) }
  }
  const source = mediaSource(url, `${path}.audio_url`)
  if (!('data' in source)) throw invalid(`${path}.audio_url`, 'must be a data URL')
  return { type: 'audio', data: source.data, format: source.mediaType.replace(/^audio\/(x-)?/, '') }
}

const unknownPart = (part: Fields, path: string, use: string) =>
  invalid(`${path}.type`, `${JSON.stringify(part.type)} is not allowed here; use ${use}`)

const text = (value: string, part: Fields): TextPart | undefined =>
  value === '' ? undefined : { type: 'text', text: value, ...cacheOf(part) }

function imageSource(part: Fields, path: string): MediaSource {
  const fileId = optional(part.file_id, `${path}.file_id`, string)
  if (fileId !== undefined) return { fileId }
  return mediaSource(string(part.image_url, `${path}.image_url`), `${path}.image_url`)
}

/** No other API has `original`. The default `auto` is omitted. */
function detailOf(part: Fields, path: string, note: Note): { detail?: string } {
  const detail = optional(part.detail, `${path}.detail`, string)
  if (detail === undefined || detail === 'auto') return {}
  if (detail !== 'original') return { detail }
  note('image detail "original" is not supported; "high" was used')
  return { detail: 'high' }
}

function fileSource(part: Fields, path: string): MediaSource {
  const fileId = optional(part.file_id, `${path}.file_id`, string)
  if (fileId !== undefined) return { fileId }
  const url = optional(part.file_url, `${path}.file_url`, string)
  if (url !== undefined) return mediaSource(url, `${path}.file_url`)
  const data = string(part.file_data, `${path}.file_data`)
  if (!data.startsWith('data:'))
    throw invalid(`${path}.file_data`, 'is not a base64 data URL (data:MEDIA/TYPE;base64,…)')
  return mediaSource(data, `${path}.file_data`)
}

const cacheOf = (part: Fields): { cache?: CacheHint } =>
  typeof part.prompt_cache_breakpoint === 'object' && part.prompt_cache_breakpoint !== null
    ? { cache: {} }
    : {}
