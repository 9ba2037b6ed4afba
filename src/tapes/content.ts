// Bytes as they stand on a tape.

import { isUtf8 } from 'node:buffer'
import type { Content } from './frame.ts'

export function contentOf(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString('utf8')
  // What cannot be decoded is replaced by that character, which may also have come itself.
  return text.includes('\ufffd') && !isUtf8(buffer) ? { base64: buffer.toString('base64') } : { text }
}
