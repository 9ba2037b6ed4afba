// Whether the comparison of a turn shows what its notes say.

import { type Comparison, compareTurn } from '../../src/inspector/comparison/compare-turn.ts'
import { isDifference } from '../../src/inspector/comparison/row.ts'
import { viewOf } from '../../src/inspector/comparison/view.ts'
import type { Frame } from '../../src/tapes/frame.ts'

interface Exception {
  notes: RegExp
  /** Why no row of either body shows it. */
  why: string
  when?(comparison: Comparison): boolean
}

const anyNote = /^/

const isFailed = ({ traffic: { client } }: Comparison) =>
  (client.response?.status ?? 0) >= 400 ||
  /"error":\s*\{|"type":\s*"(?:error|response\.failed)"/.test(client.text)

export const exceptions: readonly Exception[] = [
  { notes: /^the client added tools: a new run was started/, why: 'about the run, not about a body' },
  { notes: /^answered by /, why: 'the service says which model answered, outside of the answer' },
  { notes: /^Cursor says: /, why: 'words of the service to its user' },
  { notes: /the next of the alias was used$/, why: 'about an earlier exchange, which the page offers too' },
  { notes: /are excluded one by one instead$/, why: 'about an earlier exchange, which the page offers too' },
  { notes: /^the model called |do not fit its schema/, why: 'nothing was changed: the call is passed on as it is' },
  {
    notes: /^custom tools|^the grammar of a custom|tools are deferred/,
    why: 'the run got the tools in an earlier turn',
    when: ({ groups }) => groups.some(({ rows }) => rows.some(({ kind }) => kind === 'kept')),
  },
  { notes: anyNote, why: 'the client got an error in place of the answer', when: isFailed },
  { notes: anyNote, why: 'no upstream was reached', when: ({ exchange }) => exchange === undefined },
] // biome-ignore format: one line an exception

const isExcepted = (note: string, comparison: Comparison) =>
  exceptions.some(({ notes, when }) => notes.test(note) && (when?.(comparison) ?? true))

/** What is missing, in words. */
export async function unseenNotes(frames: readonly Frame[]): Promise<string[]> {
  const comparison = await compareTurn(frames)
  if (!comparison) return ['no comparison']
  const { wholeTurn, groups, notes } = viewOf(comparison, false)
  const onTape = frames.flatMap((frame) =>
    frame.side === 'gateway' && frame.do === 'note' ? [frame.text] : [],
  )
  const rows = groups.flatMap((group) => group.rows)
  const shown = new Set([...wholeTurn, ...rows.flatMap((row) => row.notes ?? [])])
  const problems = notes.flatMap((_, number) => (shown.has(number) ? [] : [`not shown: ${notes[number]}`]))
  if (onTape.join('\n') !== notes.join('\n')) problems.push('the tape has other notes')
  for (const [number, note] of notes.entries()) {
    const hasRow = rows.some((row) => isDifference(row) && row.notes?.includes(number))
    if (!hasRow && !isExcepted(note, comparison)) problems.push(`no row shows it: ${note}`)
  }
  return problems
}
