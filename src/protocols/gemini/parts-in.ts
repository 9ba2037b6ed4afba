// Media in the parts of a request.

import type { AudioPart, FilePart, ImagePart, MediaSource, OpaquePart } from '../../core/request.ts'
import { type Fields, invalid, object, optional, string, unsupported } from '../requests/decode.ts'
import { dialect } from './dialect.ts'
import { member } from './member.ts'

type MediaPart = ImagePart | FilePart | OpaquePart

/** The part as an image or a file; undefined if it holds neither. */
export function readMedia(part: Fields, path: string): MediaPart | undefined {
  const inline = optional(member(part, 'inlineData'), `${path}.inlineData`, object)
  if (inline) return readInline(inline, `${path}.inlineData`)
  const file = optional(member(part, 'fileData'), `${path}.fileData`, object)
  return file && readFile(file, part, `${path}.fileData`)
}

/** The sound of a user's part; undefined if it holds none. */
export function readSound(part: Fields, path: string): AudioPart | undefined {
  const inline = optional(member(part, 'inlineData'), `${path}.inlineData`, object)
  const type = inline && optional(member(inline, 'mimeType'), `${path}.inlineData.mimeType`, string)
  if (!inline || !type?.startsWith('audio/')) return undefined
  const kind = type.slice('audio/'.length).split(';', 1)[0] ?? ''
  return {
    type: 'audio',
    format: formats.get(kind) ?? kind,
    data: string(inline.data, `${path}.inlineData.data`),
  }
}

/** Media types whose format has another name. */
const formats = new Map([['mpeg', 'mp3'], ['x-wav', 'wav'], ['wave', 'wav']]) // biome-ignore format: a list to be read as one

function readInline(inline: Fields, path: string): MediaPart {
  const mediaType = string(member(inline, 'mimeType'), `${path}.mimeType`)
  if (mediaType === '') throw invalid(`${path}.mimeType`, 'must not be empty')
  return mediaPart({ mediaType, data: string(inline.data, `${path}.data`) }, mediaType, nameIn(inline, path))
}

function readFile(file: Fields, part: Fields, path: string): MediaPart {
  const url = string(member(file, 'fileUri'), `${path}.fileUri`)
  const mediaType = optional(member(file, 'mimeType'), `${path}.mimeType`, string) ?? ''
  if (!isStored(url)) return mediaPart({ url }, mediaType, nameIn(file, path))
  const error = unsupported(
    `${path}.fileUri`,
    'is stored at Google, where other services cannot read it; send the data inline.',
  )
  return { type: 'opaque', dialect, value: part, error }
}

/** Google stores it, and no other service can read it. */
export const isStored = (url: string): boolean =>
  !/^https?:\/\//i.test(url) || /^https?:\/\/generativelanguage\.googleapis\.com\//i.test(url)

const nameIn = (fields: Fields, path: string) =>
  optional(member(fields, 'displayName'), `${path}.displayName`, string)

function mediaPart(source: MediaSource, mediaType: string, filename: string | undefined): MediaPart {
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  return { type: 'file', source, ...(filename ? { filename } : {}) }
}
