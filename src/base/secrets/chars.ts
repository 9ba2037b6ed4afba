// Character classes, and runs of them.

const tableOf = (chars: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (chars.test(String.fromCharCode(code)) ? 1 : 0))

export type CharKind = Uint8Array

export const alphanumeric = tableOf(/[A-Za-z0-9]/)
export const upperOrDigit = tableOf(/[A-Z0-9]/)
/** Characters of keys. */
export const keyChar = tableOf(/[A-Za-z0-9_-]/)
/** Characters of HTTP tokens and base64. */
export const tokenChar = tableOf(/[A-Za-z0-9._~+/-]/)
export const base64Char = tableOf(/[A-Za-z0-9+/]/)
const digit = tableOf(/\d/)

export const isOf = (kind: CharKind, text: string, at: number) => kind[text.charCodeAt(at)] === 1

/** The end of the run that begins at `at`. */
export function runEnd(kind: CharKind, text: string, at: number, longest = Number.POSITIVE_INFINITY): number {
  const most = Math.min(text.length, at + longest)
  let end = at
  while (end < most && kind[text.charCodeAt(end)] === 1) end++
  return end
}

/** Plain words have no digit. */
export function hasDigit(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (digit[text.charCodeAt(at)] === 1) return true
  return false
}

export function skipSpace(text: string, at: number, longest: number): number {
  let end = at
  while (end < text.length && end - at < longest && /\s/.test(text[end] as string)) end++
  return end
}
