// What must reach the client, and every way in which it did not.

import type { Mode } from './bench.ts'
import type { Heard, HeardCall } from './doors.ts'
import { readExact, sortedExact, writeExact } from './exact-json.ts'
import type { EmittedCall, Kind } from './kind.ts'
import type { Dialect } from './renderings.ts'
import { becomes, classOf, isAlwaysMended, siblings, words } from './script.ts'

export interface Case {
  kind: Kind
  dialect: Dialect
  mode: Mode
  parallel: boolean
}

export interface Expected {
  /** One of these, the first of them by its bytes; undefined: one call, whatever it is. */
  calls: readonly EmittedCall[] | undefined
  /** Only the values count: it was written anew. */
  rewritten?: boolean
  error?: boolean
  text?: string
  notes: 'none' | 'some' | 'any'
  asked: number
}

/** Repair goes as far as it can, also where that is not enough; the parser of calls in text always does. */
export const asEmitted = ({ call, partly }: Kind): EmittedCall[] => (partly ? [call, partly] : [call])

/** Of a model that makes the right call when it is asked once more. */
export function expectedOf({ kind, dialect, mode }: Case): Expected {
  const isText = dialect === 'text'
  const again = kind.again ?? kind.call
  const unchanged = { calls: asEmitted(kind), asked: 1 }
  switch (classOf(kind, dialect)) {
    case 'fits':
      return { ...unchanged, notes: 'none' }
    case 'broken':
      // The second question about a call that cannot be read is older than the check, and has a setting of its own.
      if (isText) return { calls: [again], notes: 'some', asked: 2 }
      return { calls: undefined, error: true, notes: 'any', asked: 1 }
    case 'mended':
      if (mode === 'repair' || mode === 'retry' || isAlwaysMended(kind, dialect))
        return { calls: [becomes(kind, dialect)], rewritten: true, notes: 'some', asked: 1 }
      // The parser of calls in text reads values by their schema, whatever is checked later.
      if (isText) return { calls: undefined, notes: 'any', asked: 1 }
      return { ...unchanged, notes: mode === 'note' ? 'some' : 'none' }
    default:
      if (mode === 'retry') return { calls: [again], notes: 'some', asked: 2 }
      return { ...unchanged, notes: mode !== 'off' ? 'some' : isText && kind.partly ? 'any' : 'none' }
  }
}

/** `sentText`: the arguments came from the service as text, whose bytes can be kept. */
export function problemsOf(one: Case, expected: Expected, heard: Heard, sentText: boolean): string[] {
  const problems = heard.problems
    .filter((problem) => !tolerated.test(problem))
    .map((problem) => `a strict client: ${problem}`)
  const wrong = (problem: string) => problems.push(problem)
  if (expected.error) {
    if (heard.error === undefined) wrong(`no error, but ${JSON.stringify(heard.calls)}`)
    if (heard.calls.some(({ id }) => id.includes('bad'))) wrong('a broken call came')
    return problems
  }
  if (heard.error !== undefined) return [...problems, `${heard.status} ${heard.error}`]
  if (heard.text.trim() !== (expected.text ?? words)) wrong(`text: ${heard.text}`)
  const others = one.parallel ? siblings : []
  const left = [...heard.calls]
  const take = (wanted: EmittedCall, rewritten: boolean) => {
    const found = left.findIndex((call) =>
      isSame(call, wanted, { rewritten, bytes: heard.exact && sentText }),
    )
    if (found >= 0) left.splice(found, 1)
    return found >= 0
  }
  for (const sibling of others) if (!take(sibling, false)) wrong(`not there: ${sibling.arguments}`)
  const isThere =
    expected.calls === undefined
      ? left.shift() !== undefined
      : expected.calls.length === 0 ||
        expected.calls.some((call, at) => take(call, expected.rewritten ?? at > 0))
  if (!isThere) wrong(`not there: ${expected.calls?.map(shown).join(' or ') ?? 'a call'}`)
  for (const call of left) wrong(`came: ${shown(call)}`)
  const noted = withoutSchemaNote(heard.notes)
  if (expected.notes === 'none' && noted !== '') wrong(`noted: ${noted}`)
  if (expected.notes === 'some' && !mentions(heard.notes, one)) wrong(`no note of it: ${heard.notes}`)
  return problems
}

/** It is about the request. Only Gemini's subset of schemas is in force here. */
export const withoutSchemaNote = (notes: string): string =>
  notes.replace(/schemas of tools were lowered to what the service takes(?: \([^)]*\))?(?:; )?/g, '')

/** Where the gateway ends the response of a service that answers in the client's dialect. */
const tolerated = /response\.failed\): created_at changed$/

const shown = ({ name, arguments: input }: EmittedCall) => `${name} ${input.slice(0, 200)}`

/** A note that names no tool is of no use to anyone who makes several calls. */
const mentions = (notes: string, { kind, dialect }: Case) =>
  [kind.call, becomes(kind, dialect)].some(({ name }) => notes.includes(name)) || otherNotes.test(notes)

/** Notes of the readers, and on the second question. */
const otherNotes = /asked (for )?again|doubly encoded arguments/

function isSame(
  call: HeardCall,
  wanted: EmittedCall,
  { rewritten, bytes }: { rewritten: boolean; bytes: boolean },
): boolean {
  if (call.name !== wanted.name) return false
  if (call.arguments === wanted.arguments) return true
  if (bytes && !rewritten) return false
  const write = rewritten ? sortedExact : writeExact
  return write(readExact(call.arguments)) === write(readExact(wanted.arguments))
}
