// Hits of several processes become one answer: the newest first, bounded.

import { expect, it } from 'vitest'
import type { SearchAnswer } from './api.ts'
import { mergeHits, mostHits } from './merged-hits.ts'

/** Hits at these times, the newest first. */
const answerOf = (name: string, times: readonly number[], more = false): SearchAnswer => ({
  hits: times.map((startedAt) => ({ turn: `turn_${name}${startedAt}`, startedAt, found: [] })),
  searched: times.length,
  more,
})

const turnsOf = ({ hits }: SearchAnswer) => hits.map(({ turn }) => turn)

it('has the newest first, whichever process found them', () => {
  const own = answerOf('a', [9, 4, 1])
  const merged = mergeHits(own, { answers: [answerOf('b', [8, 4]), answerOf('c', [])], missing: ['box:1'] })
  expect(turnsOf(merged)).toEqual(['turn_a9', 'turn_b8', 'turn_b4', 'turn_a4', 'turn_a1'])
  expect(merged).toMatchObject({ searched: 5, more: false, missing: ['box:1'] })
})

it('ends after as many hits as one process gives, and says that there are more', () => {
  const times = Array.from({ length: mostHits }, (_, at) => 2 * (mostHits - at))
  const merged = mergeHits(answerOf('a', times), {
    answers: [
      answerOf(
        'b',
        times.map((time) => time + 1),
      ),
    ],
    missing: [],
  })
  expect(merged.hits).toHaveLength(mostHits)
  expect(turnsOf(merged).slice(0, 3)).toEqual(['turn_b101', 'turn_a100', 'turn_b99'])
  expect(merged.more).toBe(true)
})

it('passes on that a process has more, and leaves out answers of another shape', () => {
  const answers = [answerOf('b', [2], true), { error: 'no' }, 7]
  expect(mergeHits(answerOf('a', [3]), { answers, missing: [] })).toMatchObject({ searched: 2, more: true })
  expect(mergeHits(answerOf('a', [3]), undefined)).toEqual(answerOf('a', [3]))
})
