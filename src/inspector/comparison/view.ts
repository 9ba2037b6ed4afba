// A comparison for the page: long values are cut, and fetched by the number of their row.

import { repairOf } from '../../core/repairs.ts'
import type { ComparisonView, ExchangeView, GroupView, RowKind, RowView, SideView } from './api.ts'
import type { Comparison, Group } from './compare-turn.ts'
import { isDifference, type Row, type Side } from './row.ts'
import { type Exchange, isGood } from './traffic.ts'

/** Characters of a value: of a difference, and of what is folded. */
const longest = 4_096
const longestFolded = 400
/** JSON that is written in one line. */
const longestLine = 80
/** Rows of a group. */
const mostDifferences = 1_500
const mostFolded = 500

export function viewOf({ traffic, exchange, groups, notes }: Comparison, cut: boolean): ComparisonView {
  let from = 0
  const views = groups.map((group) => {
    const view = groupView(group, from, (row) => notes.ofRow.get(row), traffic.notes)
    from += group.rows.length
    return view
  })
  return {
    exchange: exchange?.number,
    exchanges: traffic.exchanges.map(exchangeView),
    notes: traffic.notes,
    wholeTurn: [...notes.wholeTurn],
    groups: views,
    cut,
  }
}

/** The whole value of one side; undefined if there is no such row. */
export function wholeValue(
  { groups }: Comparison,
  id: number,
  side: 'client' | 'upstream',
): string | undefined {
  const found = groups.flatMap(({ rows }) => rows)[id]?.[side]
  return found && textOf(found.value).text
}

function groupView(
  { name, problem, rows }: Group,
  from: number,
  notesOf: (row: Row) => readonly number[] | undefined,
  notes: readonly string[],
): GroupView {
  const counts: Partial<Record<RowKind, number>> = {}
  const shown: RowView[] = []
  const left = { differences: mostDifferences, folded: mostFolded }
  for (const [place, row] of rows.entries()) {
    counts[row.kind] = (counts[row.kind] ?? 0) + 1
    const own = notesOf(row)
    // Few rows have notes, and none of those may be missing.
    const room = isDifference(row) ? 'differences' : 'folded'
    if (left[room]-- > 0 || own) shown.push(rowView(row, from + place, own, notes))
  }
  return { name, problem, counts, rows: shown, leftOut: rows.length - shown.length }
}

function rowView(
  row: Row,
  id: number,
  own: readonly number[] | undefined,
  notes: readonly string[],
): RowView {
  const most = isDifference(row) ? longest : longestFolded
  const isRepaired = own?.some((number) => repairOf(notes[number] ?? '') !== undefined) === true
  return {
    id,
    section: row.section,
    label: row.label.slice(0, longestFolded),
    kind: row.kind,
    ...(isRepaired && isDifference(row) ? { repaired: true } : {}),
    ...(row.client ? { client: sideView(row.client, most) } : {}),
    ...(row.upstream ? { upstream: sideView(row.upstream, most) } : {}),
    ...(row.inside === undefined ? {} : { inside: row.inside }),
    ...(own ? { notes: [...own] } : {}),
  }
}

function sideView({ paths, value }: Side, most: number): SideView {
  const { text, isText } = textOf(value)
  return {
    path: (paths[0] ?? '').slice(0, longestFolded),
    text: text.length > most ? text.slice(0, most) : text,
    ...(isText ? { isText } : {}),
    ...(text.length > most ? { characters: text.length } : {}),
  }
}

function textOf(value: unknown): { text: string; isText?: true } {
  if (typeof value === 'string') return { text: value, isText: true }
  const line = JSON.stringify(value) ?? ''
  return { text: line.length > longestLine ? JSON.stringify(value, undefined, 2) : line }
}

function exchangeView(exchange: Exchange): ExchangeView {
  const { number, backend, request, response, error, isRun } = exchange
  const target = request ? `${request.origin}${request.path}` : 'the run of an earlier turn'
  const outcome = error ?? (response ? String(response.status) : isRun ? 'run' : 'no answer')
  return { number, backend, target, outcome, isGood: isGood(exchange) }
}
