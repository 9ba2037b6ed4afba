// A field of an encoded message as its own bytes. To decode a long one and encode it again takes several times its size in memory.

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** Undefined unless the field is there exactly once: repeated fields would have to be merged. The message must be well-formed. */
export function rawField(message: Uint8Array, field: number): Uint8Array | undefined {
  const reader = new BinaryReader(message)
  let found: Uint8Array | undefined
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (number !== field) reader.skip(type, number)
    else if (type !== WireType.LengthDelimited || found !== undefined) return undefined
    else found = reader.bytes()
  }
  return found
}
