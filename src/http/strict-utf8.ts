// Decodes UTF-8 in pieces; invalid bytes are an error. A fatal `TextDecoder` does the same, but takes twice as long for text
// beyond ASCII, all of it at the end.

import { isAscii, isUtf8 } from 'node:buffer'

export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8'
}

/** Texts of 64 KiB waste a quarter of V8's pages of 256 KiB: eight of them are joined into one text with pages of its own. */
const textsToJoin = 8

export class StrictUtf8 {
  /** Joined texts, then up to eight others. */
  readonly #joined: string[] = []
  readonly #texts: string[] = []
  /** The first bytes of a character that the next piece completes. */
  #held: Buffer | undefined

  push(piece: Uint8Array): void {
    const bytes = this.#held ? Buffer.concat([this.#held, piece]) : asBuffer(piece)
    this.#held = undefined
    if (isAscii(bytes)) return this.#add(bytes.toString('latin1'))
    const end = bytes.length - openBytes(bytes)
    // A copy: the piece may be a view of a larger buffer.
    if (end < bytes.length) this.#held = Buffer.from(bytes.subarray(end))
    const whole = bytes.subarray(0, end)
    if (!isUtf8(whole)) throw new NotUtf8()
    this.#add(whole.toString('utf8'))
  }

  #add(text: string): void {
    if (this.#texts.push(text) < textsToJoin) return
    this.#joined.push(this.#texts.join(''))
    this.#texts.length = 0
  }

  /** The whole text, without a leading byte order mark. Frees what was decoded. */
  end(): string {
    if (this.#held) throw new NotUtf8()
    const texts = this.#joined.length === 0 ? this.#texts : [...this.#joined, ...this.#texts]
    const text = texts.length === 1 ? (texts[0] as string) : texts.join('')
    this.drop()
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }

  /** The beginning of what was decoded, at most so many characters. */
  beginning(characters: number): string {
    let text = ''
    for (const one of [...this.#joined, ...this.#texts]) {
      if (text.length >= characters) break
      text += one
    }
    // Copied: a slice would keep its whole source in memory.
    return text.length > characters ? Buffer.from(text.slice(0, characters)).toString() : text
  }

  drop(): void {
    this.#joined.length = 0
    this.#texts.length = 0
    this.#held = undefined
  }
}

const asBuffer = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The number of bytes at the end that begin an incomplete character: up to three. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0
  }
  return 0
}

const lengthOf = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2)
