import { err, out, outJson } from '../process/output.ts'
import { type BlobRow, blobRows } from '../tapes/blobs.ts'
import { clientSide } from '../tapes/client-side.ts'
import { decodeEvents, decodeMessage } from '../tapes/decode.ts'
import { withEarlier } from '../tapes/earlier-turns.ts'
import { maskSecrets } from '../tapes/find-secrets.ts'
import { inLine, plural, size, table, time } from '../tapes/format.ts'
import type { Frame } from '../tapes/frame.ts'
import { frameLines } from '../tapes/frame-lines.ts'
import type { ReadTape } from '../tapes/read.ts'
import { gatewayFrames, summaryOf } from '../tapes/summary.ts'
import { reportOf } from '../tapes/tape-report.ts'
import { timelineOf } from '../tapes/timeline.ts'
import { tapesOf, withTapeErrors } from './tape.ts'

interface ShowFlags {
  folder?: string
  frames?: boolean
  blobs?: boolean
  json?: boolean
}

export function show(wanted: string, flags: ShowFlags): Promise<void> {
  return withTapeErrors(() => {
    const { file, turn, tapes: own } = tapesOf(wanted, flags.folder)
    // A run's blobs may be in an earlier turn.
    const tapes = flags.blobs ? withEarlier(file, turn, { missing: 'left out' }) : own
    const masked = tapes.map((tape) => maskSecrets(tape))
    const shown = masked.map(({ tape }) => tape)
    const hidden = masked.reduce((sum, { found }) => sum + found.length, 0)
    if (flags.blobs) tellBlobs(shown, flags)
    else if (flags.json) outJson(shown.map((tape) => asJson(tape, flags)))
    else out(shown.map((tape) => (flags.frames ? frameLines(tape) : reportOf(tape))).join('\n'))
    if (hidden > 0)
      err(`${plural(hidden, 'place')} that looked like a secret ${hidden === 1 ? 'is' : 'are'} masked.\n`)
  })
}

/** One table for all turns of a run. */
function tellBlobs(tapes: readonly ReadTape[], { json }: ShowFlags): void {
  const rows = blobRows(tapes.flatMap(({ frames }) => frames))
  if (json) return outJson(rows)
  if (rows.length === 0) return out("no blobs are on it; only runs of Cursor's agent have them\n")
  const last = tapes.at(-1)?.turn
  out(
    table([
      ['BLOB', 'SIZE', 'KIND', 'ROLE', 'WHO AND WHEN', 'CONTENT'],
      ...rows.map((row) => blobRow(row, last)),
    ]),
  )
}

function blobRow({ id, bytes, kind, role, preview, uses }: BlobRow, last: string | undefined): string[] {
  const told = uses
    .slice(0, 3)
    .map(({ at, turn, who }) => `${who} at ${time(at).trim()}${turn === last ? '' : ` of ${turn}`}`)
  const more = uses.length > told.length ? [`and ${uses.length - told.length} more`] : []
  return [
    id.slice(0, 16),
    bytes === undefined ? '?' : size(bytes),
    kind,
    role ?? '-',
    [...told, ...more].join(', '),
    inLine(preview, 100),
  ].map((cell) => inLine(cell, 160))
}

function asJson(tape: ReadTape, { frames }: ShowFlags): unknown {
  if (frames)
    return { head: tape.head, frames: tape.frames.map((frame, at) => decoded(frame, tape.lines[at])) }
  return {
    ...summaryOf(tape),
    head: tape.head,
    timeline: timelineOf(clientSide(tape.frames)),
    notes: gatewayFrames(tape.frames, 'note').map(({ text }) => text),
    finish: gatewayFrames(tape.frames, 'finish').at(-1),
  }
}

function decoded(frame: Frame, line: number | undefined): unknown {
  if (frame.side === 'run' && 'base64' in frame) return { line, ...frame, message: decodeMessage(frame) }
  const events = 'text' in frame ? decodeEvents(frame.text) : undefined
  return events ? { line, ...frame, events } : { line, ...frame }
}
