// docs/conformance.md matches the list of cases and the recorded runs.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allCases } from '../../src/judge/conform/cases/all.ts'
import { optionsOf } from '../cli/command-source.ts'

interface Recorded {
  runs: { name: string; doors: Record<string, { checks: Record<string, Record<string, string>> }> }[]
}

const { documented, withParts } = await import(
  new URL('../../bench/conform-tables.mjs', import.meta.url).href
)

const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const page = read('docs/conformance.md')

it('the tables are current: `node bench/conform.mjs --docs` writes them', () => {
  const recorded = JSON.parse(read('docs/conformance.json')) as Recorded
  expect(page).toBe(withParts(page, documented(allCases, recorded)))
})

it('every case passed on our own gateway', () => {
  const { runs } = JSON.parse(read('docs/conformance.json')) as Recorded
  const own = runs.filter(({ name }) => name === 'dragoman')
  const checks = own.flatMap(({ doors }) =>
    Object.values(doors).flatMap(({ checks }) =>
      Object.entries(checks).flatMap(([id, forms]) => Object.values(forms).map((outcome) => [id, outcome])),
    ),
  )
  const left = checks.filter(([, outcome]) => outcome !== 'pass').map(([id]) => id)
  // The recorded gateway requires no key.
  expect([...new Set(left)]).toEqual(['R4'])
  expect(new Set(checks.map(([id]) => id))).toEqual(new Set(allCases.map(({ id }) => id)))
})

it('documents every option of the command, and no other', () => {
  const rows = [...page.matchAll(/^\| (`--.*?) \| /gm)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/`(--[a-z-]+)`/g)].map((found) => found[1]),
  )
  expect(rows.sort()).toEqual(optionsOf('conform').sort())
})

describe('the list', () => {
  it('has distinct ids, a reason for each case, and an upstream for each scripted case', () => {
    expect(new Set(allCases.map(({ id }) => id)).size).toBe(allCases.length)
    for (const test of allCases) {
      expect(test.why.length).toBeGreaterThan(10)
      if (test.needs === 'scripted')
        expect([test.upstreams?.length, typeof test.play]).not.toContain(undefined)
    }
  })

  it('has more than 80 scripted and 40 other cases', () => {
    expect(allCases.filter(({ needs }) => needs === 'scripted').length).toBeGreaterThan(80)
    expect(allCases.filter(({ needs }) => needs !== 'scripted').length).toBeGreaterThan(40)
  })
})

it('conform and the dialect clients share no code with the gateway', () => {
  const folders = ['src/judge/conform', 'src/judge/clients']
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  )
  const imports = files.flatMap((file) =>
    [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path)),
  )
  const outside = imports.filter((path) => !folders.some((folder) => path.startsWith(folder)))
  // It writes a curl command; it does not read answers.
  expect([...new Set(outside)]).toEqual(['src/base/curl.ts'])
})
