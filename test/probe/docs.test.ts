// docs/probe.md has every task and every option.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clients } from '../../src/judge/clients/all.ts'
import { estimateText } from '../../src/judge/probe/card-text.ts'
import { estimate } from '../../src/judge/probe/estimate.ts'
import { allTasks } from '../../src/judge/probe/tasks.ts'
import { optionsOf } from '../cli/command-source.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, '..', '..', ...path), 'utf8')
const docs = read('docs', 'probe.md')

describe('docs/probe.md', () => {
  it('has every task, in order, and no other', () => {
    const rows = [...docs.matchAll(/^\| `([a-z-]+\.[\w-]+)` \| (\d) \| (.+) \|$/gm)].map((row) =>
      row.slice(1),
    )
    expect(rows).toEqual(allTasks.map(({ id, weight, title }) => [id, String(weight), title]))
  })

  it('has every option, and no other', () => {
    const table = docs.slice(docs.indexOf('## Options'), docs.indexOf('Exit code'))
    const rows = [...table.matchAll(/^\| (`--.*?) \|/gm)].flatMap((row) => [
      ...(row[1] ?? '').matchAll(/--[a-z-]+/g),
    ])
    expect(rows.map(([name]) => name).sort()).toEqual([...optionsOf('probe'), '--config'].sort())
  })

  it('shows the estimate that is made', async () => {
    const found = estimate(allTasks, clients.chat)
    expect(docs).toContain(estimateText(found, { concurrency: 1, prices: { in: 3, out: 15 } }))
  })

  it('says how many tasks there are', () => {
    expect(docs).toContain(`gives a model ${allTasks.length} tool tasks`)
  })
})
