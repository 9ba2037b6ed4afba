// Secrets are taken out by value wherever text leaves the process by a side door: logs, errors, reports.

import { GatewayError } from '../core/errors.ts'

const shortest = 6

export class Scrubber {
  /** The longest first: one may be the beginning of another. */
  #secrets = new Set<string>()
  /** Those that look different inside JSON, by what they are. */
  readonly #quoted = new Map<string, RegExp>()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret.length < shortest) continue
      for (const spelling of spellingsOf(secret)) this.#secrets.add(spelling)
      if (/["\\]/.test(secret)) this.#quoted.set(secret, quotedPattern(secret))
    }
    this.#secrets = new Set([...this.#secrets].sort((one, other) => other.length - one.length))
  }

  scrub(text: string): string {
    let clean = text
    for (const secret of this.#secrets)
      if (clean.includes(secret)) clean = clean.replaceAll(secret, '[secret]')
    for (const pattern of this.#quoted.values()) clean = clean.replace(pattern, '[secret]')
    return clean
  }

  /** Of a text that was cut: a secret may have been cut with it. */
  scrubBeginning(text: string): string {
    const clean = this.scrub(text)
    let end = clean.length
    for (const secret of this.#secrets)
      for (let length = Math.min(secret.length - 1, clean.length); length >= shortest / 2; length--)
        if (clean.endsWith(secret.slice(0, length))) {
          end = Math.min(end, clean.length - length)
          break
        }
    return end === clean.length ? clean : `${clean.slice(0, end)}[secret]`
  }

  /** Of a text that came in pieces: a secret may begin in one and end in another. */
  scrubPieces(pieces: readonly string[]): string[] {
    const whole = pieces.join('')
    const spans = this.#spansIn(whole)
    if (spans.length === 0) return [...pieces]
    let at = 0
    return pieces.map((piece) => {
      const start = at
      at += piece.length
      return withoutSpans(piece, start, spans)
    })
  }

  /** In bytes, whose length stays: says whether there was any. */
  scrubBytes(bytes: Buffer): boolean {
    let found = false
    for (const secret of this.#secrets) {
      const wanted = Buffer.from(secret)
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
        bytes.fill(0x2a, at, at + wanted.length)
        found = true
      }
    }
    return found
  }

  /** Where secrets stand, in order, none inside of another. */
  #spansIn(text: string): Span[] {
    const spans: Span[] = []
    for (const secret of this.#secrets)
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
        spans.push({ start: at, end: at + secret.length })
    for (const pattern of this.#quoted.values())
      for (const match of text.matchAll(pattern))
        spans.push({ start: match.index, end: match.index + match[0].length })
    spans.sort((a, b) => a.start - b.start || b.end - a.end)
    const apart: Span[] = []
    for (const span of spans) {
      const last = apart.at(-1)
      if (last && span.start < last.end) last.end = Math.max(last.end, span.end)
      else apart.push(span)
    }
    return apart
  }

  /** The error as it may be shown; itself where nothing was secret. */
  scrubError(error: GatewayError): GatewayError {
    const message = this.scrub(error.message)
    const param = error.param === undefined ? undefined : this.scrub(error.param)
    return message === error.message && param === error.param
      ? error
      : new GatewayError(error.code, message, { ...error, param, cause: error })
  }
}

/** However often it was put into JSON inside of JSON: each time doubles the backslashes, and adds one to each quote. */
function quotedPattern(secret: string): RegExp {
  const parts = secret.split(/(\\+|")/).map((part) => {
    if (part === '"') return '\\\\*"'
    return part.startsWith('\\') ? '\\\\+' : part.replace(/[\^$.*+?()[\]{}|/]/g, '\\$&')
  })
  // Of many backslashes, only from the first: to begin anew at each would take the square of their time.
  const start = /^["\\]/.test(secret) ? '(?<!\\\\)' : ''
  return new RegExp(start + parts.join(''), 'g')
}

/** As it is, inside JSON, in a URL, and where each byte is read as a character. */
const spellingsOf = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  inUrl(secret),
  Buffer.from(secret).toString('latin1'),
]

function inUrl(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    // Half a character has no spelling there.
    return text
  }
}

interface Span {
  start: number
  end: number
}

/** `start`: where the piece begins in the whole. The mark stands where a secret begins. */
function withoutSpans(piece: string, start: number, spans: readonly Span[]): string {
  let out = ''
  let from = 0
  for (const span of spans) {
    const begin = span.start - start
    const end = span.end - start
    if (end <= 0 || begin >= piece.length) continue
    out += piece.slice(from, Math.max(from, begin))
    if (begin >= 0) out += '[secret]'
    from = Math.min(piece.length, end)
  }
  return out + piece.slice(from)
}
