// Views of a text: without colour codes, percent-decoded, unescaped, and each of these repeatedly. Positions in a view are mapped
// back to the text.

import { finish, type Steps } from '../slices.ts'
import { Stretches } from './stretches.ts'

interface View {
  text: string
  /** The start, in the original, of the character at `at`. */
  startOf(at: number): number
  /** The end, in the original, of the character before `at`. */
  endOf(at: number): number
}

/** Conversations hold JSON inside JSON, percent-encoded, with colours. */
const mostPasses = 6

/** Characters decoded between two pauses. */
const partLength = 64 * 1024

/** The text itself, then the result of each pass until one changes nothing; `undefined` is a pause. */
export function* viewsOf(text: string): Generator<View | undefined> {
  let view: View = { text, startOf: (at) => at, endOf: (at) => at }
  yield view
  for (let pass = 0; pass < mostPasses; pass++) {
    const inner = view
    const decoded = yield* decodeOnce(inner.text)
    if (decoded === undefined) return
    // Most texts hold no secret: the mapping back is built on demand.
    let way: Stretches | undefined
    const wayBack = () => {
      if (way) return way
      way = new Stretches()
      finish(decodeOnce(inner.text, way))
      return way
    }
    view = {
      text: decoded,
      startOf: (at) => inner.startOf(wayBack().startOf(at)),
      endOf: (at) => inner.endOf(wayBack().endOf(at)),
    }
    yield view
  }
}

/** First characters of everything that a pass decodes. */
const specials = '\\\\%\x1b\x9b\xad\u200b-\u200f\u2060-\u2064\ufeff'
const special = new RegExp(`[${specials}]`)

/** Terminal sequences: control (colours), operating system command (titles, links), others. */
const sequence = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]{0,100}[ -/]{0,10}[@-~]',
    '\\x1b\\][^\\x07\\x1b]{0,2000}(?:\\x07|\\x1b\\\\)?',
    '\\x1b[ -/]{0,10}[0-Z\\\\^-~]',
  ].join('|'),
  'y',
)

/** Undefined if nothing changes. */
function* decodeOnce(text: string, stretches?: Stretches): Steps<string | undefined> {
  if (!special.test(text)) return undefined
  const codes = new Uint16Array(text.length)
  let length = 0
  let pauseAt = partLength
  for (let at = 0; at < text.length; ) {
    if (at > pauseAt) {
      pauseAt = at + partLength
      yield
    }
    const code = text.charCodeAt(at)
    const width = code < percent && code !== esc ? 0 : widthAt(text, at, code)
    if (width === 0 || !isDropped(code)) {
      stretches?.add(length, at, width || 1)
      codes[length++] = width === 0 ? code : meaningAt(text, at, width)
    }
    at += width || 1
  }
  // Decoding always shortens.
  if (length === text.length) return undefined
  return Buffer.from(codes.buffer, 0, length * 2).toString('utf16le')
}

const backslash = 0x5c
const percent = 0x25
const esc = 0x1b
const csi = 0x9b

/** Escape sequences and zero-width characters. */
const isDropped = (code: number) =>
  code === esc || code === csi || code === 0xad || (code >= 0x200b && isWithoutWidth(code))

const isWithoutWidth = (code: number) =>
  code <= 0x200f || (code >= 0x2060 && code <= 0x2064) || code === 0xfeff

/** The length of the sequence that begins here; 0 if there is none. */
function widthAt(text: string, at: number, code: number): number {
  if (code === percent) return hasHex(text, at + 1, 2) ? 3 : 0
  if (code === backslash) return escapeWidth(text, at)
  if (!isDropped(code)) return 0
  if (code !== esc && code !== csi) return 1
  sequence.lastIndex = at
  return sequence.exec(text)?.[0].length ?? 0
}

/** Escapes of JSON, shells and programming languages. */
function escapeWidth(text: string, at: number): number {
  const kind = text[at + 1]
  if (kind === 'u') return hasHex(text, at + 2, 4) ? 6 : 0
  if (kind === 'x') return hasHex(text, at + 2, 2) ? 4 : 0
  if (kind === '0') return text.startsWith('33', at + 2) ? 4 : 0
  return kind !== undefined && letters.has(kind) ? 2 : 0
}

const letters: ReadonlyMap<string, number> = new Map(
  Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', e: '\x1b', '"': '"', "'": "'" })
    .concat([
      ['\\', '\\'],
      ['/', '/'],
    ])
    .map(([letter, meaning]) => [letter, meaning.charCodeAt(0)]),
)

/** The decoded character; each percent-encoded byte becomes one. */
function meaningAt(text: string, at: number, width: number): number {
  const kind = text[at + 1] as string
  if (text.charCodeAt(at) === percent) return Number.parseInt(text.slice(at + 1, at + 3), 16)
  if (kind === 'u' || kind === 'x') return Number.parseInt(text.slice(at + 2, at + width), 16)
  return kind === '0' ? esc : (letters.get(kind) ?? 0)
}

function hasHex(text: string, at: number, digits: number): boolean {
  for (let end = at + digits; at < end; at++) {
    const code = text.charCodeAt(at)
    const isHex = (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102)
    if (!isHex) return false
  }
  return true
}
