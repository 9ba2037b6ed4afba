import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { mergeDetails } from './reasoning-details.ts'

const claude = 'anthropic-claude-v1'
const block = { type: 'reasoning.text', format: claude, index: 0 }

it('fragments of one index become one block, with the last signature', () => {
  const fragments = [
    { ...block, text: 'I ', signature: null },
    { ...block, text: 'see. ' },
    { type: 'reasoning.encrypted', data: 'AB', index: 0, id: 'x' },
    { ...block, signature: 'first' },
    { type: 'reasoning.encrypted', data: 'CD', index: 0 },
    { ...block, signature: 'sig' },
  ]
  expect(mergeDetails(fragments)).toEqual([
    { ...block, text: 'I see. ', signature: 'sig' },
    { type: 'reasoning.encrypted', data: 'ABCD', index: 0, id: 'x' },
  ])
})

it('entries without an index stay unchanged', () => {
  const details = [
    { type: 'reasoning.encrypted', data: 'A' },
    { type: 'reasoning.encrypted', data: 'A' },
    'odd',
    null,
  ]
  expect(mergeDetails(details)).toEqual(details)
})

it("Claude's thinking without a signature is left out, other models' thinking is not", () => {
  const other = { type: 'reasoning.text', format: 'unknown', index: 1, text: 'a' }
  expect(mergeDetails([{ ...block, text: 'a', signature: null }, other])).toEqual([other])
})

const blocks = fc
  .uniqueArray(
    fc.record({
      type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
      index: fc.nat(4),
      format: fc.constantFrom(claude, 'google-gemini-v1', undefined),
      words: fc.string({ unit: 'grapheme', minLength: 1 }),
      signature: fc.string({ minLength: 1 }),
      cuts: fc.array(fc.nat(20), { maxLength: 5 }),
    }),
    { selector: ({ type, index }) => `${type} ${index}`, maxLength: 4 },
  )
  .map((list) =>
    list.map(({ type, index, format, words, signature, cuts }) => {
      const field = type === 'reasoning.text' ? 'text' : type === 'reasoning.summary' ? 'summary' : 'data'
      const head = { type, index, ...(format ? { format } : {}) }
      const places = [0, ...cuts.filter((at) => at < words.length).sort((a, b) => a - b), words.length]
      const pieces = places
        .slice(1)
        .map((end, at) => ({ ...head, [field]: words.slice(places[at], end), signature: null }))
      return { whole: { ...head, [field]: words, signature }, fragments: [...pieces, { ...head, signature }] }
    }),
  )

it('any fragmentation, in any interleaving, gives the same blocks', () => {
  const mixed = blocks.chain((list) =>
    fc
      .shuffledSubarray(
        list.flatMap(({ fragments }, at) => fragments.map(() => at)),
        { minLength: list.reduce((sum, { fragments }) => sum + fragments.length, 0) },
      )
      .map((turns) => ({ list, turns })),
  )
  fc.assert(
    fc.property(mixed, ({ list, turns }) => {
      const queues = list.map(({ fragments }) => [...fragments])
      const order = [...new Set(turns)]
      const fragments = turns.map((at) => queues[at]?.shift())
      expect(mergeDetails(fragments)).toEqual(order.map((at) => list[at]?.whole))
      expect(mergeDetails(order.map((at) => list[at]?.whole))).toEqual(order.map((at) => list[at]?.whole))
    }),
    fuzz,
  )
})
