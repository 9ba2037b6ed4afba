// Private keys in PEM, of any length, complete or cut off.

import type { Span } from './spans.ts'

const rest = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const shortest = 16

/** The end of a quoted text. */
const isEnd = (code: number) => code === 0x22 || code === 0x5c

/** Characters of keys, and of line prefixes: numbers and signs of listings, quotes, diffs. */
const gutter = /[A-Za-z0-9+/=\s:,|>→#*.-]/

/** Up to the end mark; without one, as far as the text looks like a key. */
export function readPrivateKey(text: string, _start: number, end: number): Span | undefined {
  rest.lastIndex = end
  const head = rest.exec(text)
  if (!head || head.index !== end) return undefined
  const from = rest.lastIndex
  let at = from
  let looksRight = from
  let isRight = true
  for (; at < text.length && !isEnd(text.charCodeAt(at)) && !text.startsWith('-----', at); at++)
    if (isRight) {
      isRight = gutter.test(text[at] as string)
      if (isRight) looksRight = at + 1
    }
  const to = text.startsWith('-----END', at) ? at : looksRight
  return to - from >= shortest ? { start: from, end: to } : undefined
}
