// Escapes: the meaning of the characters after a backslash.

import type { Test } from './automaton.ts'

export const kinds: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['d', (character) => /\d/.test(character)],
  ['D', (character) => !/\d/.test(character)],
  ['w', (character) => /\w/.test(character)],
  ['W', (character) => !/\w/.test(character)],
  ['s', (character) => /\s/.test(character)],
  ['S', (character) => !/\s/.test(character)],
])

export const control: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
])

const ecmaControl: ReadonlyMap<string, string> = new Map([
  ['r', '\r'],
  ['f', '\f'],
  ['v', '\v'],
])

const hexadecimal = (digits: string) => Number.parseInt(digits, 16)

const codes: readonly [form: RegExp, codeOf: (first: string, second: string) => number][] = [
  [/^0(?!\d)/, () => 0],
  [/^c([A-Za-z])/, (letter) => letter.charCodeAt(0) % 32],
  [/^x([\da-f]{2})/i, hexadecimal],
  // A surrogate pair is one character.
  [
    /^u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/i,
    (high, low) => ((hexadecimal(high) & 0x3ff) << 10) + (hexadecimal(low) & 0x3ff) + 0x10000,
  ],
  [/^u([\da-f]{4})/i, hexadecimal],
  [/^u\{([\da-f]{1,8})\}/i, hexadecimal],
]

/** JavaScript's other escapes of one character. `at`: the position after the backslash. */
export function characterEscape(
  source: string,
  at: number,
): { character: string; length: number } | undefined {
  const plain = ecmaControl.get(source[at] ?? '')
  if (plain !== undefined) return { character: plain, length: 1 }
  const rest = source.slice(at, at + 12)
  for (const [form, codeOf] of codes) {
    const [whole, first = '', second = ''] = form.exec(rest) ?? []
    if (whole === undefined) continue
    const code = codeOf(first, second)
    return code > 0x10ffff ? undefined : { character: String.fromCodePoint(code), length: whole.length }
  }
  return undefined
}

/** What `.` does not match in JavaScript. */
export const isLineEnd = (character: string) => /[\n\r\u2028\u2029]/.test(character)
