// JSON in many spellings, valid and not: order, blanks, escapes, repeated names, broken literals.

import fc from 'fast-check'
import { anyCharacter } from './any-character.ts'

/** An object whose names may repeat. */
export class Members {
  readonly entries: readonly (readonly [string, unknown])[]

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries
  }
}

/** What stands there as it is, JSON or not. */
export class Literal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export interface Style {
  colon: string
  comma: string
  /** How much of a string is escaped. */
  escapes: 'few' | 'slashes' | 'not ASCII' | 'all'
  escapesNames: boolean
  order: 'as it is' | 'reversed' | 'sorted'
  /** Around the whole. */
  blank: string
}

/** Mostly as usual: what is odd in every way at once would never be of a shape. */
export const mostly = <T>(usual: T, ...odd: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

export type Entries = [string, unknown][]

/** Some of the usual, and seldom one of the odd. */
export const habit = ({ usual, odd }: { usual: Entries; odd: Entries }): fc.Arbitrary<Entries> =>
  fc
    .tuple(fc.shuffledSubarray(usual), mostly([], ...odd.map((entry) => [entry])))
    .map(([some, one]) => [...some, ...one])

export const style: fc.Arbitrary<Style> = fc.record({
  colon: mostly(':', ': ', ' :', ' : ', ':\n'),
  comma: mostly(',', ', ', ' ,', ',\n'),
  escapes: mostly('few', 'slashes', 'not ASCII', 'all'),
  escapesNames: mostly(false, false, true),
  order: mostly('as it is', 'reversed', 'sorted'),
  blank: mostly('', ' ', '\n', '\t'),
})

export function writeJson(value: unknown, style: Style): string {
  const { blank } = style
  return blank + write(value, style) + blank
}

function write(value: unknown, style: Style): string {
  if (value instanceof Literal) return value.text
  if (typeof value === 'string') return writeString(value, style.escapes)
  if (Array.isArray(value)) return `[${value.map((element) => write(element, style)).join(style.comma)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = value instanceof Members ? value.entries : Object.entries(value)
  const name = (text: string) => writeString(text, style.escapesNames ? 'all' : 'few')
  const written = inOrder(entries, style).map(
    ([key, member]) => name(key) + style.colon + write(member, style),
  )
  return `{${written.join(style.comma)}}`
}

function inOrder<Entry extends readonly [string, unknown]>(
  entries: readonly Entry[],
  { order }: Style,
): readonly Entry[] {
  if (order === 'reversed') return entries.toReversed()
  if (order === 'sorted') return entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return entries
}

const unicode = (text: string) => {
  let escaped = ''
  for (let at = 0; at < text.length; at++)
    escaped += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`
  return escaped
}

function writeString(text: string, escapes: Style['escapes']): string {
  if (escapes === 'all') return `"${unicode(text)}"`
  const plain = JSON.stringify(text)
  if (escapes === 'slashes') return plain.replaceAll('/', '\\/')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
  return escapes === 'few' ? plain : plain.replace(/[^\x00-\x7f]/g, unicode)
}

/** Strings of every kind, among them the names that readers look for. */
export const anyText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'Hello', ' world', '.', '\n', '🙂', 'é', 'a/b') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '"',
      '\\',
      '\\"',
      'content',
      'text',
      '"content":"x"',
      '","text":"x',
      '"}}]}',
      '\u0000',
      '\u007f',
      '\u2028',
      '\ud83d',
      '\ude42',
      '\u0085',
      '\ufeff',
      '__proto__',
      '[DONE]',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
)

/** What stands where a string belongs. */
export const noString = fc.constantFrom(
  null,
  0,
  true,
  {},
  [],
  ['a'],
  [{ type: 'text', text: 'a' }],
  new Literal('"a'),
  new Literal('"a"b"'),
  new Literal('"a\u0001b"'),
  new Literal('"\\x"'),
  new Literal('"\\u12"'),
  new Literal('"a","b":"c"'),
  new Literal('"a" '),
  new Literal('nul'),
  new Literal("'a'"),
  new Literal('"a\tb"'),
  new Literal('"\\ud83d"'),
  new Literal('"\\ud83d\\ude42"'),
  new Literal('"a\\nb\\/c\\u0022"'),
)

export const anyValue = fc.oneof({ weight: 12, arbitrary: anyText }, { weight: 1, arbitrary: noString })

/** Beside the text, under its own name: as usual the same, or another one in every event. */
export const decoys = (name: string) =>
  mostly<fc.Arbitrary<unknown>>(
    fc.constant(undefined),
    fc.constantFrom('a', 'b').map((text) => new Literal(`{"${name}":"${text}"}`)),
    fc.constantFrom('a', 'b').map((text) => new Literal(`{"${name}": "${text}"}`)),
    fc.constantFrom('a', 'b').map((text) => new Literal(`"${name}", "y":"${text}"`)),
    anyText.map((text) => ({ [name]: text })),
  )
