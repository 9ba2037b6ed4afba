import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { GrowingText } from './growing-text.ts'

function read(chunks: readonly string[]): string {
  const text = new GrowingText()
  return chunks.map((chunk) => text.push(chunk)).join('') + text.settle()
}
const heads = (text: string, ...lengths: number[]) => lengths.map((length) => text.slice(0, length))

describe('the whole text in every chunk', () => {
  const text = 'Hello, this is the whole text.'
  it.each([
    ['letter by letter', heads(text, ...Array.from(text, (_, at) => at + 1)), text],
    ['in steps', heads(text, 2, 5, 9, 30), text],
    ['said again without growing', heads(text, 5, 5, 9, 9, 9, 30, 30), text],
    ['in two chunks', heads(text, 9, 30), text],
    [
      'behind a line end',
      ['\n', '\nHel', '\nHello', '\nHello you', '\nHello you there'],
      '\nHello you there',
    ],
    [
      'with an end that is rewritten',
      ['Hello', 'Hello you', 'Hello you \ufffd', 'Hello you \u2014 and', 'Hello you \u2014 and I'],
      'Hello you \ufffd and I',
    ],
    ['then deltas after all', ['Hello', 'Hello you', 'Hello you there', '!'], 'Hello you there!'],
  ])('%s', (_name, chunks, expected) => {
    expect(read(chunks)).toBe(expected)
  })

  it('is held back only while undecided', () => {
    const growing = new GrowingText()
    const given = heads(text, 5, 7, 9, 12).map((chunk) => growing.push(chunk))
    expect(given).toEqual(['Hello', '', text.slice(5, 9), text.slice(9, 12)])
  })

  it('followed by hundreds of thousands of deltas takes linear time', () => {
    const deltas = Array.from({ length: 200_000 }, (_, at) => `Hey ${at}`)
    const begun = ['Hello', 'Hello you', 'Hello you there']
    expect(read([...begun, ...deltas])).toBe(`Hello you there${deltas.join('')}`)
  })
})

describe('deltas', () => {
  it.each([
    [['ha', 'ha', 'ha'], 'hahaha'],
    [['ha', 'haha', '!'], 'hahaha!'],
    [['1', '10'], '110'],
    [['`', '``', 'ts\n'], '```ts\n'],
    [['\n', '\n\n', 'x'], '\n\n\nx'],
    [['no ', 'no no', ' no'], 'no no no no'],
    [['=', '=', '==', '===='], '========'],
    [Array.from({ length: 100 }, () => 'a'), 'a'.repeat(100)],
  ])('%j are what they are', (chunks, expected) => {
    expect(read(chunks)).toBe(expected)
  })

  it('go out at once if the second does not begin with the first', () => {
    const growing = new GrowingText()
    expect(['a', 'b', 'bc', 'bcd'].map((chunk) => growing.push(chunk))).toEqual(['a', 'b', 'bc', 'bcd'])
  })

  it('lose and repeat nothing, for any cuts of a text that does not begin with itself', () => {
    const cut = fc.tuple(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.array(fc.nat(40), { maxLength: 6 }),
    )
    fc.assert(
      fc.property(cut, ([text, places]) => {
        const ends = [...new Set([...places.filter((at) => at < text.length), text.length])].sort(
          (a, b) => a - b,
        )
        const chunks = ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end))
        fc.pre(!chunks[1]?.startsWith(chunks[0] ?? ''))
        expect(read(chunks)).toBe(text)
      }),
      fuzz,
    )
  })

  it('give the same text as whole chunks do', () => {
    const grown = fc.tuple(
      fc
        .string({ unit: 'grapheme-ascii', minLength: 12 })
        .filter((text) => new Set(text.slice(0, 4)).size >= 3),
      fc.array(fc.nat(40), { minLength: 3, maxLength: 8 }),
    )
    fc.assert(
      fc.property(grown, ([text, places]) => {
        const ends = [...new Set([...places.map((at) => 4 + (at % (text.length - 4))), text.length])]
        expect(read(heads(text, ...ends.sort((a, b) => a - b)))).toBe(text)
      }),
      fuzz,
    )
  })
})
