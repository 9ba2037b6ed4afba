// UTF-8 in pieces → text. Bytes that are not UTF-8 are an error, as with a `TextDecoder` that is fatal; that one takes twice as
// long for text beyond ASCII, and all of it at the end.

import { isAscii, isUtf8 } from 'node:buffer'

export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8'
}

export class StrictUtf8 {
  readonly #texts: string[] = []
  /** The beginning of a character whose end is in the next piece. */
  #held: Buffer | undefined

  push(piece: Uint8Array): void {
    const bytes = this.#held ? Buffer.concat([this.#held, piece]) : asBuffer(piece)
    this.#held = undefined
    if (isAscii(bytes)) return void this.#texts.push(bytes.toString('latin1'))
    const end = bytes.length - openBytes(bytes)
    // A copy: the piece may be a part of something larger.
    if (end < bytes.length) this.#held = Buffer.from(bytes.subarray(end))
    const whole = bytes.subarray(0, end)
    if (!isUtf8(whole)) throw new NotUtf8()
    this.#texts.push(whole.toString('utf8'))
  }

  /** Without a byte order mark at its beginning. Nothing of it is kept here. */
  end(): string {
    if (this.#held) throw new NotUtf8()
    const text = this.#texts.length === 1 ? (this.#texts[0] as string) : this.#texts.join('')
    this.drop()
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }

  drop(): void {
    this.#texts.length = 0
    this.#held = undefined
  }
}

const asBuffer = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** How many bytes at the end begin a character that is not complete: up to three. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0
  }
  return 0
}

const lengthOf = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2)
