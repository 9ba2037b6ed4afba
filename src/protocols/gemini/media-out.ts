// Images, files and sounds as parts.

import type { Fields } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { AudioPart, FilePart, ImagePart } from '../../core/request.ts'

export function mediaPart(part: ImagePart | FilePart | AudioPart): Fields {
  if (part.type === 'audio') return { inlineData: { mimeType: `audio/${part.format}`, data: part.data } }
  const { source } = part
  if ('fileId' in source)
    throw new GatewayError(
      'unsupported',
      'File ids of another service cannot be used with Gemini models; send the file itself.',
      { param: 'messages' },
    )
  if ('url' in source) return { fileData: { ...typeOf(source.url, part.type), fileUri: source.url } }
  return { inlineData: { mimeType: takenType(source.mediaType), data: source.data } }
}

/** Of texts, the service takes few types by their name. */
function takenType(type: string): string {
  if (type === 'image/jpg') return 'image/jpeg'
  if (/^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|typescript|toml|sql)$/.test(type))
    return 'text/plain'
  return type || 'application/octet-stream'
}

const types = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
])

/** The service asks for the type beside an address. Without a known ending it is an image, or nothing is said. */
function typeOf(url: string, kind: 'image' | 'file'): Fields {
  const ending = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(url.slice(-2_000))?.[1]?.toLowerCase() ?? ''
  const mimeType = types.get(ending) ?? (kind === 'image' ? 'image/jpeg' : undefined)
  return mimeType === undefined ? {} : { mimeType }
}
