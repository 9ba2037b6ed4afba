// UTF-8 in pieces → text, as TextDecoder gives it. Most pieces are ASCII, which needs no decoder, unless the one before has
// left it with the first half of a character.

import { isAscii } from 'node:buffer'

export type Utf8Decoder = (bytes?: Uint8Array) => string

/** Called without bytes at the end. */
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
    // Only what stands at the very beginning is a byte order mark.
    decoder ??= new TextDecoder('utf-8', { ignoreBOM: hasBegun })
    isHolding = (bytes.at(-1) as number) >= 0x80
    return decoder.decode(bytes, { stream: true })
  }
}

const latin1 = (bytes: Uint8Array) => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString('latin1')
