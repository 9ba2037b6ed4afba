// Decodes UTF-8 in pieces; invalid bytes are an error. A fatal `TextDecoder` does the same, but takes twice as long for text
// beyond ASCII, all of it at the end.

import { isAscii, isUtf8 } from 'node:buffer'

export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8'
}

/**
 * Pieces of a text of usual size wait and are decoded as one: a text in parts is allocated and copied twice. Of many longer texts that
 * never end, what waited is garbage that is not collected soon.
 */
const mostWaiting = { bytes: 256 * 1024, pieces: 64 }

/** Texts of 64 KiB waste a quarter of V8's pages of 256 KiB: eight of them are joined into one text with pages of its own. */
const textsToJoin = 8

export class StrictUtf8 {
  #waiting: Uint8Array[] | undefined = []
  #waitingBytes = 0
  /** Joined texts, then up to eight others. */
  readonly #joined: string[] = []
  readonly #texts: string[] = []
  /** The first bytes of a character that the next piece completes. */
  #held: Buffer | undefined
  /** What is no UTF-8. */
  #refused: Buffer | undefined

  push(piece: Uint8Array): void {
    if (this.#waiting === undefined) return this.#decode(asBuffer(piece))
    this.#waiting.push(piece)
    this.#waitingBytes += piece.length
    if (this.#waitingBytes > mostWaiting.bytes || this.#waiting.length > mostWaiting.pieces) this.#goOn()
  }

  /** Decodes what waits. From here on each piece is decoded as it comes. */
  #goOn(): void {
    if (this.#waiting === undefined) return
    const [first, ...others] = this.#waiting
    const bytes = others.length === 0 ? first : Buffer.concat(this.#waiting, this.#waitingBytes)
    this.#waiting = undefined
    if (bytes !== undefined) this.#decode(asBuffer(bytes))
  }

  #decode(piece: Buffer): void {
    const bytes = this.#held ? Buffer.concat([this.#held, piece]) : piece
    this.#held = undefined
    if (isAscii(bytes)) return this.#add(bytes.toString('latin1'))
    const end = bytes.length - openBytes(bytes)
    // A copy: the piece may be a view of a larger buffer.
    if (end < bytes.length) this.#held = Buffer.from(bytes.subarray(end))
    const whole = bytes.subarray(0, end)
    if (!isUtf8(whole)) {
      this.#refused = whole
      throw new NotUtf8()
    }
    this.#add(whole.toString('utf8'))
  }

  #add(text: string): void {
    if (this.#texts.push(text) < textsToJoin) return
    this.#joined.push(this.#texts.join(''))
    this.#texts.length = 0
  }

  /** The whole text, without a leading byte order mark. Frees what was decoded. */
  end(): string {
    this.#goOn()
    if (this.#held) throw new NotUtf8()
    const texts = this.#joined.length === 0 ? this.#texts : [...this.#joined, ...this.#texts]
    const text = texts.length === 1 ? (texts[0] as string) : texts.join('')
    this.drop()
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }

  /** The beginning of what came, at most so many characters. Bytes that are no UTF-8 become replacement characters. */
  beginning(characters: number): string {
    let text = ''
    for (const one of [...this.#joined, ...this.#texts]) {
      if (text.length >= characters) break
      text += one
    }
    for (const bytes of [...(this.#waiting ?? []), ...(this.#refused ? [this.#refused] : [])])
      text += Buffer.from(bytes.subarray(0, Math.max(0, characters - text.length))).toString('utf8')
    // Copied: a slice would keep its whole source in memory.
    return text.length > characters ? Buffer.from(text.slice(0, characters)).toString() : text
  }

  drop(): void {
    this.#waiting = undefined
    this.#joined.length = 0
    this.#texts.length = 0
    this.#held = undefined
    this.#refused = undefined
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
