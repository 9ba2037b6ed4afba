// Protobuf messages of parts that are encoded already: a field of them is written once, straight into the bytes that are sent.
// A writer of whole messages copies its content once more at each level.

/** Encoded fields, or one field whose content is made of such parts. */
export type Part = Uint8Array | EncodedField

interface EncodedField {
  number: number
  parts: readonly Part[]
  /** Of the parts together. */
  length: number
}

const lengthDelimited = 2

/** A field with bytes, a text or a message. */
export const encodedField = (number: number, ...parts: readonly Part[]): EncodedField => ({
  number,
  parts,
  length: sizeOf(parts),
})

/** The bytes of a message with these fields, in this order. */
export function joinFields(parts: readonly Part[]): Uint8Array {
  // Not a part of Node's shared buffers: it may live long.
  const bytes = Buffer.allocUnsafeSlow(sizeOf(parts))
  write(parts, bytes, 0)
  return bytes
}

function sizeOf(parts: readonly Part[]): number {
  let size = 0
  for (const part of parts) {
    size += part.length
    if ('number' in part) size += varintLength(tagOf(part)) + varintLength(part.length)
  }
  return size
}

function write(parts: readonly Part[], bytes: Buffer, from: number): number {
  let at = from
  for (const part of parts) {
    if ('number' in part) {
      at = writeVarint(tagOf(part), bytes, at)
      at = writeVarint(part.length, bytes, at)
      at = write(part.parts, bytes, at)
    } else {
      bytes.set(part, at)
      at += part.length
    }
  }
  return at
}

const tagOf = ({ number }: EncodedField) => number * 8 + lengthDelimited

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

function writeVarint(value: number, bytes: Buffer, from: number): number {
  let at = from
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) + 0x80
  bytes[at++] = rest
  return at
}
