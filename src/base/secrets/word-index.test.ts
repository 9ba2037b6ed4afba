import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WordIndex } from './word-index.ts'

const small = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'B'), maxLength: 6 })

const hitsOf = (index: WordIndex, text: string) => {
  const hits: string[] = []
  index.scan(text, (word, start) => hits.push(`${word} ${start}`))
  return hits.sort()
}

function expected(words: readonly string[], text: string): string[] {
  const found: string[] = []
  for (const [nth, word] of words.entries())
    for (let at = 0; at + word.length <= text.length; at++)
      if (word !== '' && words.indexOf(word) === nth && text.startsWith(word, at)) found.push(`${nth} ${at}`)
  return found.sort()
}

it('finds the same as a search for each word', () => {
  const text = fc.array(small).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(small, { maxLength: 8 }), text, (words, whole) => {
      const lower = words.map((word) => word.toLowerCase())
      expect(hitsOf(new WordIndex(words), whole)).toEqual(expected(lower, whole.toLowerCase()))
    }),
  )
})

it('finds the longest word prefix at the end of a text', () => {
  fc.assert(
    fc.property(fc.array(small, { maxLength: 8 }), small, small, (spelled, before, last) => {
      const words = spelled.map((word) => word.toLowerCase())
      const text = (before + last).toLowerCase()
      const lengths = words.flatMap((word) =>
        Array.from(word, (_, at) => at + 1).filter((length) => text.endsWith(word.slice(0, length))),
      )
      expect(new WordIndex(words).beginningAtEnd(text, () => 2)).toBe(
        Math.max(0, ...lengths.filter((length) => length >= 2)),
      )
    }),
  )
})
