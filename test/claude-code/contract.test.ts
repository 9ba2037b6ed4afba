// Every row of the contract names tests that exist, or says why no wire shows it.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { contract } from './contract.ts'

/** Its keys: the program that runs them needs what is not installed here. */
const scenarios = [
  ...readFileSync(new URL('../real-clients/claude-code/scenarios.mjs', import.meta.url), 'utf8').matchAll(
    /^ {2}(?:'([^'\n]+)'|(\w+)): /gm,
  ),
].map(([, quoted, plain]) => quoted ?? plain ?? '')

const sources = new Map<string, string>()

function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(new URL(`../${file}.test.ts`, import.meta.url), 'utf8')
  sources.set(file, source)
  return source
}

/** A title is the first argument of a call: of `it`, or of what `it.each` returns. */
const titles = (source: string) =>
  [...source.matchAll(/\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)"),/g)].map(([, one, two]) =>
    (one ?? two ?? '').replaceAll("\\'", "'"),
  )

const isThere = (place: string) => {
  const [file = '', title = ''] = place.split(' > ')
  return file === 'real' ? scenarios.includes(title) : titles(sourceOf(file)).includes(title)
}

it.each(contract.map((row) => [row.section, row.row, row] as const))('%i, %s', (_, __, { shown, why }) => {
  expect(shown.filter((place) => !isThere(place))).toEqual([])
  if (why === undefined) expect(shown).not.toEqual([])
  else expect(why).toMatch(/\w/)
})

it('no section of the contract is left out', () => {
  const sections = new Set(contract.map(({ section }) => section))
  expect([...sections].sort((one, two) => one - two)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
})

it('every scenario of the program belongs to a row, but the mode that no row speaks of', () => {
  const named = new Set(contract.flatMap(({ shown }) => shown))
  expect(scenarios.filter((name) => !named.has(`real > ${name}`))).toEqual(['plan mode'])
})
