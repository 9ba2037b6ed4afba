// Bytes as frame content: text where they are valid UTF-8, else base64.

import { isUtf8 } from 'node:buffer'
import type { Content } from './frame.ts'

export function contentOf(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString('utf8')
  // The decoder inserts U+FFFD for invalid bytes, but the bytes may contain U+FFFD themselves.
  return text.includes('\ufffd') && !isUtf8(buffer) ? { base64: buffer.toString('base64') } : { text }
}
