import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { argumentsNote, type RepairKind, Repairs, repairNotes, repairOf } from './repairs.ts'

it('a turn notes each kind of repair once', () => {
  const notes: string[] = []
  const repairs = new Repairs((text) => notes.push(text))
  repairs.add('no-done')
  repairs.add('no-call-id')
  repairs.add('no-done')
  expect(notes).toEqual([repairNotes['no-done'], repairNotes['no-call-id']])
})

it('the kind of a repair is known from its note', () => {
  for (const [kind, note] of Object.entries(repairNotes)) expect(repairOf(note)).toBe(kind)
  expect(repairOf(argumentsNote('null arguments became {}'))).toBe('arguments')
  expect(repairOf('temperature was left out')).toBeUndefined()
})

it('notes are short, plain and different, and a header can carry them', () => {
  const notes = Object.values(repairNotes)
  expect(new Set(notes).size).toBe(notes.length)
  for (const note of notes) expect(note).toMatch(/^the upstream [\x20-\x7e]{10,110}$/)
})

it('docs/notes.md has every kind with its note, and no other', () => {
  const page = readFileSync(new URL('../../docs/notes.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| (the upstream .*) \| [\w ]+ \|$/gm)]
  expect(Object.fromEntries(rows.map(([, kind, note]) => [kind as RepairKind, note]))).toEqual(repairNotes)
})
