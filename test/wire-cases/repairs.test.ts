// T106: every repair of an upstream's answer is told, once and in words; a clean answer has no notes. docs/notes.md lists them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { spread } from '../depth.ts'
import {
  clean,
  notesFor,
  type RepairBench,
  type RepairForm,
  repairForms,
  startRepairBench,
} from './repair-bench.ts'
import { type Expected, type RepairRow, repairRows, responsesRows } from './repair-rows.ts'

const title = ({ door, stream, inPieces }: RepairForm) =>
  `${door}, ${stream ? 'streamed' : 'whole'}${inPieces ? ' in pieces' : ''}`

function expectedAt(row: RepairRow, form: RepairForm, api: string): readonly Expected[] {
  const { streamed, whole, chunks = [], answer = [] } = row
  const isOwn = form.door === api && !form.inPieces
  if (isOwn && row.passes) return form.stream ? chunks : answer
  if (form.stream) return isOwn ? [...streamed, ...chunks] : streamed
  return isOwn ? [...whole, ...answer] : whole
}

const isFailure = ({ fails }: RepairRow, { stream, inPieces }: RepairForm) =>
  fails === 'always' || (fails === 'streamed' && stream) || (fails === 'in pieces' && inPieces)

const cleanAnswers: [string, Step[]][] = [
  ['a text', [{ think: 'Hm.' }, { say: 'Hello there.' }]],
  ['calls', [{ say: 'So.' }, { call: { name: 'read', arguments: { path: 'a' } } }, { call: { name: 'list', arguments: {} } }]],
  ['an answer that is cut off', [{ say: 'So' }, { end: 'length' }]],
] // biome-ignore format: one line a row

const tables = [
  ['chat', repairRows],
  ['responses', responsesRows],
] as const

describe.each(tables)('T106: from %s', (api, rows: Record<string, RepairRow>) => {
  let bench: RepairBench
  beforeAll(async () => {
    bench = await startRepairBench(api, Object.keys(rows))
  })
  afterAll(() => bench.close())

  describe.each(spread(repairForms, 3).map((form) => [title(form), form] as const))('to %s', (_, form) => {
    it.each(cleanAnswers)('%s without quirks has no notes', async (_, steps) => {
      const { status, logged, text } = await bench.ask(clean, form, steps)
      expect([status, logged]).toEqual([200, []])
      expect(text).not.toContain('agoman')
    })

    it.each(Object.entries(rows))('%s', async (quirk, row) => {
      const { status, logged, told, text } = await bench.ask(quirk, form, row.steps)
      if (isFailure(row, form)) {
        expect(text).toContain('"error"')
        return expect(logged).toEqual([])
      }
      expect(status).toBe(200)
      const notes = notesFor(expectedAt(row, form, api))
      expect(logged.toSorted()).toEqual(notes.toSorted())
      for (const note of notes) expect(told.split(note)).toHaveLength(2)
    })
  })

  it('a quirk without notes says why', () => {
    for (const { streamed, whole, chunks = [], answer = [], why = '' } of Object.values(rows))
      expect([...streamed, ...whole, ...chunks, ...answer].length > 0 || why !== '').toBe(true)
  })
})
