// docs/calls.md matches the kinds: `npm run bench:malformed-calls` writes its table.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { kinds } from './kinds.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'calls.md'), 'utf8')
const [, table = ''] = /<!-- arrives -->(.*?)<!-- \/arrives -->/s.exec(page) ?? []
const rows = table.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim())
  return /^\d+ of \d+$/.test(cells.at(-2) ?? '') ? [cells.slice(1, -1)] : []
})
const fitting = kinds.filter((kind) => kind.class === 'fits').length

it('the table is of the kinds that there are', () => {
  expect(table).toContain(`${kinds.length - fitting} kinds of malformed calls and ${fitting} that fit`)
  for (const [, , ...counts] of rows) {
    const sum = counts.slice(0, -1).reduce((all, count) => all + Number(count), 0)
    expect([sum, counts.at(-1)]).toEqual([kinds.length - fitting, expect.stringMatching(` of ${fitting}$`)])
  }
})

it('nothing passes this gateway silently, is lost or changed into another call', () => {
  const own = rows.filter(([gateway]) => gateway?.startsWith('Dragoman'))
  expect(own.length).toBeGreaterThan(0)
  for (const row of own) expect(row.slice(-3)).toEqual(['0', '0', `${fitting} of ${fitting}`])
})
