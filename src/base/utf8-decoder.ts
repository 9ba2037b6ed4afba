// Decodes UTF-8 in pieces, as TextDecoder does. Most pieces are ASCII and need no decoder, unless the piece before ended within a
// character.

import { isAscii } from 'node:buffer'

type Utf8Decoder = (bytes?: Uint8Array) => string

/** The decoder is called without bytes at the end. */
export function createUtf8Decoder(): Utf8Decoder {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let hasBegun = false
  let isHolding = false
  return (bytes) => {
    if (bytes === undefined) return decoder?.decode() ?? ''
    if (bytes.length === 0) return ''
    if (!isHolding && isAscii(bytes)) {
      hasBegun = true
      return latin1(bytes)
    }
    // A byte order mark counts only at the very beginning.
    decoder ??= new TextDecoder('utf-8', { ignoreBOM: hasBegun })
    isHolding = (bytes.at(-1) as number) >= 0x80
    return decoder.decode(bytes, { stream: true })
  }
}

const latin1 = (bytes: Uint8Array) => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString('latin1')
