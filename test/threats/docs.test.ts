// docs/threat-model.md has the right numbers of cases, and names files that exist.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { caseCounts, rowCount } from './cases/counts.ts'

const root = join(import.meta.dirname, '..', '..')
const text = readFileSync(join(root, 'docs', 'threat-model.md'), 'utf8')
const rows = [...text.matchAll(/^\| \*\*(.*) \|$/gm)].map(([, row = '']) => row.split(' | '))
const inCode = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

describe('docs/threat-model.md', () => {
  it('has a row for every file of cases, and every file a row', () => {
    const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts'))
    const named = rows.flatMap((row) => inCode(row[3])).filter((file) => !file.includes('/'))
    const own = ['docs.test.ts']
    expect([...new Set(named)].sort()).toEqual(files.filter((file) => !own.includes(file)).sort())
    expect(
      Object.keys(caseCounts)
        .map((name) => `${name}.test.ts`)
        .filter((file) => !files.includes(file)),
    ).toEqual([])
  })

  it.each(Object.entries(caseCounts))('%s: counts what there is', (name, count) => {
    const row = rows.find((cells) => inCode(cells[3]).includes(`${name}.test.ts`))
    expect(row?.[3]).toContain(count)
  })

  it('counts all of them', () => {
    expect(text).toContain(`${rowCount} rows`)
  })

  it('names what enforces each rule, where it is', () => {
    for (const [threat = '', , enforcing] of rows) {
      const files = inCode(enforcing)
      expect([threat, files.length > 0]).toEqual([threat, true])
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    }
  })

  it('says of each what remains', () => {
    for (const row of rows) expect([row[0], row.length, (row[4] ?? '').length > 3]).toEqual([row[0], 5, true])
  })
})
