import { describe, expect, it } from 'vitest'
import { kinds } from './kinds.ts'
import { type Dialect, dialects } from './renderings.ts'
import { allRows, type Row, rowsOfTheDay } from './rows.ts'

describe('the rows of the day', () => {
  const meetings = (list: readonly Row[]) =>
    new Set(
      list.flatMap(({ kind, dialect, door, mode, stream, parallel }) => [
        ...[dialect, door, mode, `${stream} ${parallel}`].map((one) => `${kind.id}: ${one}`),
        `${dialect} ${door} ${mode}`,
        `${dialect} ${door} ${stream} ${parallel}`,
        `${kind.class} ${dialect} ${door}`,
        `${kind.class} ${dialect} ${mode}`,
      ]),
    )

  it('have every kind in every dialect, at every door but one, in every form and setting, and all of these in pairs', () => {
    const seen = meetings(rowsOfTheDay())
    const inPairs = new Set<Dialect>(dialects)
    const ofDay = allRows.filter(({ door, dialect }) => door !== 'ollama' && inPairs.has(dialect))
    expect([...meetings(ofDay)].filter((one) => !seen.has(one))).toEqual([])
  })

  it('have every kind twice of a Gemini model, and every class at every door and in every setting', () => {
    const isGemini = ({ dialect, door }: Row) => dialect === 'gemini' && door !== 'ollama'
    const given = rowsOfTheDay().filter(isGemini)
    expect(given).toHaveLength(2 * kinds.length)
    const met = (list: readonly Row[]) =>
      new Set(list.flatMap(({ kind, door, mode }) => [`${kind.class} ${door}`, `${kind.class} ${mode}`]))
    expect([...met(allRows.filter(isGemini))].filter((one) => !met(given).has(one))).toEqual([])
  })

  it('are of kinds whose names are distinct', () => {
    expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length)
  })
})
