// Two texts side by side, line by line. Long runs of equal lines are folded.

import { useMemo, useState } from 'preact/hooks'
import type { TurnOutline } from '../api.ts'
import { type DiffRow, diffLines, isSame } from './line-diff.ts'

type Side = TurnOutline['request']

const context = 3
const step = 400

export function Difference({ name, left, right }: { name: string; left: Side; right: Side }) {
  const rows = useMemo(() => diffLines(left.lines, right.lines), [left, right])
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [most, setMost] = useState(step)
  const changed = rows.filter((row) => !isSame(row)).length
  const pieces = useMemo(() => piecesOf(rows), [rows])
  let room = most
  return (
    <section class="difference" aria-label={name}>
      <h3>
        {name}{' '}
        <span class="muted">
          {rows.length === 0
            ? 'empty on both sides'
            : changed === 0
              ? 'equal'
              : `${changed} of ${rows.length} lines differ`}
          {left.cut || right.cut ? '; only the first 4,000 lines of each side' : ''}
        </span>
      </h3>
      <table class="diff" aria-label={`${name}, line by line`}>
        <tbody>
          {pieces.map((piece, at) => {
            if (room <= 0) return null
            if (piece.isFolded && !open.has(at)) {
              room--
              return (
                <tr key={at}>
                  <td colSpan={2}>
                    <button type="button" class="fold" onClick={() => setOpen(new Set([...open, at]))}>
                      {piece.rows.length} equal lines
                    </button>
                  </td>
                </tr>
              )
            }
            const shown = piece.rows.slice(0, room)
            room -= shown.length
            return shown.map((row, nth) => <DiffLine key={`${at} ${nth}`} row={row} />)
          })}
        </tbody>
      </table>
      {room <= 0 ? (
        <button type="button" class="more" onClick={() => setMost(most + step)}>
          Show {step} more lines
        </button>
      ) : null}
    </section>
  )
}

const DiffLine = ({ row }: { row: DiffRow }) => (
  <tr class={isSame(row) ? 'same' : 'differs'}>
    <td class={row.left === undefined ? 'none' : 'removed'}>{row.left ?? ''}</td>
    <td class={row.right === undefined ? 'none' : 'added'}>{row.right ?? ''}</td>
  </tr>
)

interface Piece {
  rows: DiffRow[]
  isFolded: boolean
}

/** Long runs of equal lines are folded, up to some lines around each change. */
function piecesOf(rows: readonly DiffRow[]): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < rows.length; ) {
    const same = isSame(rows[at] as DiffRow)
    let end = at
    while (end < rows.length && isSame(rows[end] as DiffRow) === same) end++
    const run = rows.slice(at, end)
    const [before, after] = [at === 0 ? 0 : context, end === rows.length ? 0 : context]
    if (same && run.length > before + after + 4)
      pieces.push(
        { rows: run.slice(0, before), isFolded: false },
        { rows: run.slice(before, run.length - after), isFolded: true },
        { rows: run.slice(run.length - after), isFolded: false },
      )
    else pieces.push({ rows: run, isFolded: false })
    at = end
  }
  return pieces
}
