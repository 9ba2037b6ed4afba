// Finds the rows that each note of a turn is about.

import { repairOf } from '../../core/repairs.ts'
import type { Group } from './compare-turn.ts'
import { callRemark, noteSubjects, repairSubjects, type Subject } from './note-subjects.ts'
import { isDifference, type Row } from './row.ts'

export interface NotePlaces {
  /** The notes of each row, by their indexes. */
  ofRow: ReadonlyMap<Row, readonly number[]>
  /** Notes that have no place in either body. */
  wholeTurn: readonly number[]
}

/** More rows than these say nothing. */
const mostRows = 20

export function attachNotes(notes: readonly string[], groups: readonly Group[]): NotePlaces {
  const ofRow = new Map<Row, number[]>()
  const wholeTurn: number[] = []
  if (notes.length === 0) return { ofRow, wholeTurn }
  const index = new WordIndex(groups)
  for (const [number, note] of notes.entries()) {
    const rows = index.rowsFor(note)
    if (rows.length === 0) wholeTurn.push(number)
    for (const row of rows) {
      const known = ofRow.get(row)
      if (known) known.push(number)
      else ofRow.set(row, [number])
    }
  }
  return { ofRow, wholeTurn }
}

class WordIndex {
  /** Rows by what notes call them, and by the members of their paths. */
  readonly #bySubject = new Map<string, Row[]>()
  readonly #byMember = new Map<string, Row[]>()
  /** Calls, also those that were passed on as they are: some notes say that one is wrong. */
  readonly #calls = new Map<string, Row[]>()

  constructor(groups: readonly Group[]) {
    for (const { name, rows } of groups)
      for (const row of rows) {
        if (row.terms.includes('call')) add(this.#calls, name, row)
        if (!isDifference(row)) continue
        const label = row.section === 'settings' ? [row.label] : []
        for (const word of [...membersOf(row), ...label]) add(this.#byMember, `${name} ${word}`, row)
        for (const word of [...membersOf(row, true), ...subjectsOf(row)])
          add(this.#bySubject, `${name} ${word}`, row)
      }
  }

  rowsFor(note: string): Row[] {
    const repair = repairOf(note)
    if (repair) return this.#about(repairSubjects[repair])
    if (callRemark.test(note)) {
      const calls = this.#calls.get('answer') ?? []
      const named = calls.filter(({ label }) =>
        note.includes(label.slice('call of '.length).split(/: | → /)[0] ?? ''),
      )
      if (calls.length > 0) return named.length > 0 ? named : calls
    }
    const [, ...subjects] = noteSubjects.find(([pattern]) => pattern.test(note)) ?? [undefined]
    for (const subject of subjects) {
      const found = this.#about(subject)
      if (found.length > 0) return found
    }
    return find(this.#byMember, { group: 'request', words: namesIn(note) })
  }

  #about(subject: Subject): Row[] {
    return find(this.#bySubject, subject)
  }
}

function add(index: Map<string, Row[]>, key: string, row: Row): void {
  const known = index.get(key)
  if (!known) index.set(key, [row])
  else if (known.length < mostRows) known.push(row)
}

function find(index: ReadonlyMap<string, readonly Row[]>, { group, words }: Subject): Row[] {
  const found = new Set<Row>()
  for (const word of words) for (const row of index.get(`${group} ${word}`) ?? []) found.add(row)
  return [...found].slice(0, mostRows)
}

/** Members of paths that are words of every note. */
const common = new Set([
  'role',
  'type',
  'content',
  'text',
  'name',
  'id',
  'model',
  'tools',
  'input',
  'index',
  'function',
])

/** The fields that a note names. */
const namesIn = (note: string): string[] =>
  [...note.slice(0, 2_000).matchAll(/[A-Za-z_][\w-]*/g)]
    .map(([word]) => word)
    .filter((word) => !common.has(word))

/** `call of read: arguments` goes by its kind and by its field. */
const subjectsOf = ({ terms, label }: Row): string[] => [label, ...terms, label.split(': ').at(-1) ?? '']

/** Of each path, with what contains it; `inner` leaves out the member of the body, which most rows of a section share. */
function membersOf({ client, upstream }: Row, inner = false): string[] {
  const members = new Set<string>()
  for (const side of [client, upstream])
    for (const path of side?.paths.slice(0, 8) ?? []) {
      const all = path.split(/[.[\]]+/).filter((member) => /^[A-Za-z_]/.test(member))
      for (const member of inner && all.length > 1 ? all.slice(1) : all) members.add(member)
    }
  return [...members]
}
