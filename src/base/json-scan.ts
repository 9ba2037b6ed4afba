// Counts the values and depth of a JSON text while its bytes arrive, before it is parsed: the time of `JSON.parse` grows with
// values, not bytes (32 MB of `{}` are ten million objects). One pass, constant memory; does not check that the text is JSON.

export interface JsonBounds {
  /** Values and member names together. */
  values: number
  /** Nested arrays and objects. */
  depth: number
}

export type JsonExcess = keyof JsonBounds

const quote = 0x22
const backslash = 0x5c
/** In longer strings the end is found by `indexOf`, which is faster for long strings and slower for short ones. */
const shortString = 32

export class JsonScan {
  /** An empty array or object counts twice. */
  values = 1
  #depth = 0
  #inString = false
  /** The last byte was a backslash that escapes the next one. */
  #escaped = false
  readonly #bounds: JsonBounds

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  /** The bound that the text exceeds so far, if any. */
  push(bytes: Uint8Array): JsonExcess | undefined {
    const { values: mostValues, depth: mostDepth } = this.#bounds
    let at = this.#inString ? this.#endOfString(bytes, 0) : 0
    while (at < bytes.length) {
      switch (bytes[at++]) {
        case quote:
          at = this.#endOfString(bytes, at)
          break
        case 0x7b: // {
        case 0x5b: // [
          if (++this.#depth > mostDepth) return 'depth'
          this.values++
          break
        case 0x2c: // ,
        case 0x3a: // :
          this.values++
          break
        case 0x7d: // }
        case 0x5d: // ]
          this.#depth--
          break
      }
    }
    return this.values > mostValues ? 'values' : undefined
  }

  /** The position after the closing quote, or the end of these bytes. */
  #endOfString(bytes: Uint8Array, from: number): number {
    let at = from
    let escaped = this.#escaped
    let isShortUntil = at + shortString
    while (at < bytes.length) {
      if (at >= isShortUntil && !escaped) {
        const end = bytes.indexOf(quote, at)
        const next = end < 0 ? bytes.length : end
        escaped = isEscapedAt(bytes, at, next)
        at = next
        if (at === bytes.length) break
        isShortUntil = at + shortString
      }
      const byte = bytes[at++]
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) {
        this.#inString = false
        this.#escaped = false
        return at
      }
    }
    this.#inString = true
    this.#escaped = escaped
    return at
  }
}

/** Whether an odd number of backslashes precedes `to`, counted back to `from`. */
function isEscapedAt(bytes: Uint8Array, from: number, to: number): boolean {
  let at = to
  while (at > from && bytes[at - 1] === backslash) at--
  return (to - at) % 2 === 1
}

const pieceCharacters = 64 * 1024

/** The same for a complete text. */
export function jsonExcess(text: string, bounds: JsonBounds): JsonExcess | undefined {
  const scan = new JsonScan(bounds)
  for (let at = 0; at < text.length; at += pieceCharacters) {
    const excess = scan.push(Buffer.from(text.slice(at, at + pieceCharacters)))
    if (excess) return excess
  }
  return undefined
}
