// T106: every repair of an upstream's answer is told, once and in words; a clean answer has no notes. docs/notes.md lists them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { QUIRKS, type Quirk } from '../../sim/openai.ts'
import {
  clean,
  notesFor,
  type RepairBench,
  type RepairForm,
  repairForms,
  startRepairBench,
} from './repair-bench.ts'
import { type Expected, type RepairRow, repairRows } from './repair-rows.ts'

const quirks = Object.keys(QUIRKS) as Quirk[]

let bench: RepairBench
beforeAll(async () => {
  bench = await startRepairBench('chat', quirks)
})
afterAll(() => bench.close())

const title = ({ door, stream, inPieces }: RepairForm) =>
  `${door}, ${stream ? 'streamed' : 'whole'}${inPieces ? ' in pieces' : ''}`

function expectedAt({ streamed, whole, chunks = [], answer = [] }: RepairRow, form: RepairForm): Expected[] {
  const isOwn = form.door === 'chat' && !form.inPieces
  if (form.stream) return [...streamed, ...(isOwn ? chunks : [])]
  return [...whole, ...(isOwn ? answer : [])]
}

describe.each(repairForms.map((form) => [title(form), form] as const))('T106: by %s', (_, form) => {
  it.each([
    ['a text', [{ think: 'Hm.' }, { say: 'Hello there.' }]],
    ['calls', [{ say: 'So.' }, { call: { name: 'read', arguments: { path: 'a' } } }, { call: { name: 'list', arguments: {} } }]],
    ['an answer that is cut off', [{ say: 'So' }, { end: 'length' }]],
  ])('%s of a server without quirks has no notes', async (_, steps) => {
    const { status, logged, text } = await bench.ask(clean, form, steps)
    expect([status, logged]).toEqual([200, []])
    expect(text).not.toContain('agoman')
  }) // biome-ignore format: one line a row

  it.each(quirks)('%s', async (quirk) => {
    const row = repairRows[quirk]
    const { status, logged, told, text } = await bench.ask(quirk, form, row.steps)
    if (row.fails === 'always' || (row.fails === 'in pieces' && form.inPieces)) {
      expect(text).toContain('"error"')
      return expect(logged).toEqual([])
    }
    expect(status).toBe(200)
    const notes = notesFor(expectedAt(row, form))
    expect(logged.toSorted()).toEqual(notes.toSorted())
    for (const note of notes) expect(told.split(note)).toHaveLength(2)
  })
})

it('T106: a quirk without notes says why', () => {
  const silent = Object.entries(repairRows).filter(
    ([, { streamed, whole, chunks = [], answer = [] }]) =>
      [...streamed, ...whole, ...chunks, ...answer].length === 0,
  )
  for (const [, { why = '' }] of silent) expect(why).not.toBe('')
  expect(Object.keys(repairRows).toSorted()).toEqual(quirks.toSorted())
})
