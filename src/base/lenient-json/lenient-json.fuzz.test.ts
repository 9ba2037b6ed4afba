// Properties of the lenient reader: of any JSON, badly written or cut, it reads what was there, or nothing.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/fuzz/any-character.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { readLenientJson } from './lenient-json.ts'

const runs = fuzz
const json = fc.jsonValue({ maxDepth: 3 })
const structure = fc
  .oneof(fc.array(json), fc.dictionary(fc.string({ unit: anyCharacter }), json))
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const indent = fc.constantFrom(0, 1, 2)

interface Style {
  name: string
  string?: (text: string) => string
  word?: (text: string) => string
  key?: (text: string) => string
  between?: string
  last?: string
}

/** Sloppily written JSON. */
function write(value: unknown, style: Style): string {
  const { string = JSON.stringify, key = string, word = String, between = ',', last = '' } = style
  if (typeof value === 'string') return string(value)
  if (typeof value !== 'object' || value === null) return word(String(value))
  const members = Array.isArray(value)
    ? value.map((one) => write(one, style))
    : Object.entries(value).map(([name, one]) => `${key(name)}: ${write(one, style)}`)
  const inside = members.join(between) + (members.length > 0 ? last : '')
  return Array.isArray(value) ? `[${inside}]` : `{${inside}}`
}

const python = (word: string) => ({ true: 'True', false: 'False', null: 'None' })[word] ?? word
const styles: Style[] = [
  { name: 'trailing commas', last: ',' },
  { name: 'missing commas', between: '\n' },
  { name: 'Python literals', word: python },
  { name: 'comments', between: ', // "next"\n', last: ' /* "last" */' },
  { name: 'unusual white space', between: ',\u00a0' },
  {
    name: 'unquoted keys',
    key: (text) => (/^[A-Za-z_$][\w$-]*$/.test(text) ? text : JSON.stringify(text)),
  },
  {
    name: 'single-quoted strings',
    string: (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    word: python,
  },
  {
    name: 'typographic quotes',
    string: (text) =>
      `“${JSON.stringify(text)
        .slice(1, -1)
        .replace(/[“”„‟]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)}”`,
  },
  {
    name: 'raw control characters in strings',
    string: (text) => `"${text.replace(/["\\]/g, '\\$&')}"`,
  },
]

describe('any JSON', () => {
  it('is read without a repair', () => {
    fc.assert(
      fc.property(structure, indent, (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(readLenientJson(text)).toEqual({
          value,
          text: JSON.stringify(value),
          end: text.length,
          complete: 'closed',
          changes: [],
        })
      }),
      runs,
    )
  })

  it.each(styles)('is restored from $name', (style) => {
    fc.assert(
      fc.property(structure, (value) => {
        const text = write(value, style)
        const found = readLenientJson(text)
        expect(found).toMatchObject({ complete: 'closed', end: text.length })
        expect(found?.value).toEqual(value)
      }),
      runs,
    )
  })

  it('is restored from unescaped quotes', () => {
    // After each quote comes text that cannot follow a value.
    const words = fc.stringMatching(/^[a-z(){}=.:, ]{0,8}$/)
    const said = fc
      .tuple(words, fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 3 }))
      .map(([first, rest]) => `${first}${rest.map(([one, two]) => `"w${one}" w${two}`).join('')}`)
    const other = fc.oneof(fc.integer(), fc.boolean(), words, fc.array(words), fc.constant(null))
    const name = fc.stringMatching(/^[a-z]+$/)
    fc.assert(
      fc.property(
        name,
        said,
        fc.dictionary(name, fc.oneof(said, other)),
        indent,
        (first, text, others, space) => {
          const value = JSON.parse(JSON.stringify({ ...others, [first]: { said: [text] } })) as unknown
          const found = readLenientJson(JSON.stringify(value, null, space).replaceAll('\\"', '"'))
          expect(found?.value).toEqual(value)
          expect(found?.changes).toEqual(['unescaped quotes in strings'])
        },
      ),
      runs,
    )
  })
})

/** Everything in `part` is in `whole`, at the same place. */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole))
    return false
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && isPart(value, (whole as Record<string, unknown>)[key]),
  )
}

describe('cut off', () => {
  it('JSON is never read as closed, and an unclosed one has only whole values', () => {
    fc.assert(
      fc.property(structure, indent, fc.nat(), (value, space, at) => {
        const text = JSON.stringify(value, null, space)
        const found = readLenientJson(text.slice(0, 1 + (at % (text.length - 1))))
        expect(found?.complete).toMatch(/^(unclosed|cut)$/)
        if (found?.complete === 'cut') expect(found).toMatchObject({ value: undefined, text: '' })
        else expect(isPart(found?.value, value)).toBe(true)
      }),
      runs,
    )
  })

  it('sloppy JSON never becomes another value', () => {
    fc.assert(
      fc.property(structure, fc.constantFrom(...styles), fc.nat(), (value, style, at) => {
        const text = write(value, style)
        const found = readLenientJson(text.slice(0, 1 + (at % (text.length - 1))))
        expect(found?.complete ?? 'cut').toMatch(/^(unclosed|cut)$/)
        if (found?.complete === 'unclosed') expect(isPart(found.value, value)).toBe(true)
      }),
      runs,
    )
  })
})

it('any text is read as JSON or refused', () => {
  const scrap = fc.constantFrom(
    ...'{}[]",:\'\\/*“”\n 1e-.',
    '"a"',
    'true',
    'None',
    '"""',
    '//',
    'key',
    '\\"',
    '\u0001',
  )
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 30 }), (scraps) => {
      const text = `{${scraps.join('')}`
      const found = readLenientJson(text)
      if (!found) return
      expect(found.end).toBeLessThanOrEqual(text.length)
      if (found.complete === 'cut') expect(found.value).toBeUndefined()
      else expect(JSON.parse(found.text)).toEqual(found.value)
      if (found.complete === 'closed' && found.changes.length === 0)
        expect(JSON.parse(text.slice(0, found.end))).toEqual(found.value)
    }),
    runs,
  )
})
