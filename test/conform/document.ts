// The parts of docs/conformance.md that are made from the list of cases and from recorded runs.

import type { DoorName } from '../../src/judge/clients/answer.ts'
import type { Case } from '../../src/judge/conform/case.ts'
import type { Outcome, Result } from '../../src/judge/conform/run.ts'
import type { UpstreamKind } from '../../src/judge/conform/upstream/played.ts'

/** What one gateway did before one upstream. */
export interface RecordedRun {
  name: string
  version: string
  upstream: UpstreamKind
  /** By door, then by case: the worst of its forms. */
  doors: Partial<Record<DoorName, Record<string, Outcome>>>
  /** Doors that are not offered, and what they said. */
  missing: Partial<Record<DoorName, string>>
}

export interface Recorded {
  date: string
  runs: RecordedRun[]
}

const worst: readonly Outcome[] = ['fail', 'skip', 'pass', 'not offered']

export function recordRun(
  run: Pick<RecordedRun, 'name' | 'version' | 'upstream'>,
  results: readonly Result[],
  missing: ReadonlyMap<DoorName, string>,
): RecordedRun {
  const doors: RecordedRun['doors'] = {}
  for (const { door, id, outcome } of results) {
    if (missing.has(door)) continue
    const cases = doors[door] ?? {}
    doors[door] = cases
    const known = cases[id]
    if (known === undefined || worst.indexOf(outcome) < worst.indexOf(known)) cases[id] = outcome
  }
  // What stands behind the first line is a stack trace, with paths of the machine.
  const said = [...missing].map(([door, reason]) => [door, reason.split('\n')[0]])
  return { ...run, doors, missing: Object.fromEntries(said) }
}

export const parts = ['cases', 'summary', 'results'] as const

/** The text between `<!-- NAME -->` and `<!-- /NAME -->`. */
export function withParts(page: string, made: Readonly<Record<(typeof parts)[number], string>>): string {
  let text = page
  for (const part of parts)
    text = text.replace(
      new RegExp(`(<!-- ${part} -->\\n)[^]*?(<!-- /${part} -->)`),
      (_whole, begin: string, end: string) => `${begin}${made[part]}\n${end}`,
    )
  return text
}

export const documented = (cases: readonly Case[], recorded: Recorded) => ({
  cases: caseTable(cases),
  summary: summaryTable(recorded),
  results: resultTable(cases, recorded),
})

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

function caseTable(cases: readonly Case[]): string {
  return table(
    ['case', 'what must hold', 'else', 'doors', 'needs'],
    cases.map(({ id, title, why, link, doors, needs, upstreams }) => [
      `\`${id}\``,
      title,
      link === undefined ? why : `${why} ([seen](${link}))`,
      doors.length === 3 ? 'all' : doors.join(', '),
      needs === 'scripted' ? `scripted: ${upstreams?.join(', ')}` : needs === 'tools' ? 'tools' : '',
    ]),
  )
}

interface Column {
  title: string
  cases: Record<string, Outcome>
}

const columnsOf = ({ runs }: Recorded): Column[] =>
  runs.flatMap(({ name, upstream, doors }) =>
    Object.entries(doors).map(([door, cases]) => ({ title: `${name}: ${door} → ${upstream}`, cases })),
  )

function summaryTable({ date, runs }: Recorded): string {
  const rows = runs.flatMap(({ name, version, upstream, doors, missing }) => [
    ...Object.entries(doors).map(([door, cases]) => {
      const outcomes = Object.values(cases)
      const count = (wanted: Outcome) => String(outcomes.filter((outcome) => outcome === wanted).length)
      return [`${name} ${version}`.trim(), door, upstream, count('pass'), count('fail'), count('skip')]
    }),
    ...Object.keys(missing).map((door) => [
      `${name} ${version}`.trim(),
      door,
      upstream,
      'not offered',
      '',
      '',
    ]),
  ])
  return `Recorded on ${date}.\n\n${table(['gateway', 'door', 'upstream', 'pass', 'fail', 'not judged'], rows)}`
}

const marks: Record<Outcome, string> = { pass: '✓', fail: '✗', skip: '–', 'not offered': '' }

/** Cases that anybody failed; all others hold everywhere. */
function resultTable(cases: readonly Case[], recorded: Recorded): string {
  const columns = columnsOf(recorded)
  const failed = cases.filter(({ id }) => columns.some((column) => column.cases[id] === 'fail'))
  return table(
    ['case', ...columns.map(({ title }) => title)],
    failed.map(({ id, title }) => [
      `\`${id}\` ${title}`,
      ...columns.map((column) => {
        const outcome = column.cases[id]
        return outcome === undefined ? '' : marks[outcome]
      }),
    ]),
  )
}
