// Pictures of a message: base64 without a media type, which the first bytes tell.

import type { ImagePart } from '../../core/request.ts'
import { array, type Fields, invalid, optional, string } from '../requests/decode.ts'
import { mediaSource } from '../requests/media-source.ts'

/** The first bytes of each format, in base64. */
const beginnings = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const

export const readImages = (fields: Fields, path: string): ImagePart[] =>
  (optional(fields.images, path, array) ?? []).map((value, at) => readImage(value, `${path}[${at}]`))

function readImage(value: unknown, path: string): ImagePart {
  const data = string(value, path)
  // Some clients send what their browser gives them.
  if (data.startsWith('data:')) return { type: 'image', source: mediaSource(data, path) }
  const mediaType = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1]
  if (mediaType === undefined) throw invalid(path, 'is no PNG, JPEG, GIF or WebP picture in base64')
  return { type: 'image', source: { mediaType, data } }
}
