import { type BlobRow, blobRows } from '../tapes/blobs.ts'
import { clientSide } from '../tapes/client-side.ts'
import { decodeEvents, decodeMessage } from '../tapes/decode.ts'
import { findSecrets, withoutSecrets } from '../tapes/find-secrets.ts'
import type { Frame } from '../tapes/frame.ts'
import { frameLines } from '../tapes/frame-lines.ts'
import type { ReadTape } from '../tapes/read.ts'
import { storyOf } from '../tapes/story.ts'
import { gatewayFrames, summaryOf } from '../tapes/summary.ts'
import { timelineOf } from '../tapes/timeline.ts'
import { inLine, plural, size, table, time } from '../tapes/words.ts'
import { say, sayJson, tapesOf, withTapeErrors } from './tape.ts'

export interface ShowFlags {
  folder?: string
  frames?: boolean
  blobs?: boolean
  json?: boolean
}

export function show(wanted: string, flags: ShowFlags): Promise<void> {
  return withTapeErrors(() => {
    const { tapes } = tapesOf(wanted, flags.folder)
    const hidden = tapes.reduce((sum, tape) => sum + findSecrets(tape).length, 0)
    const shown = tapes.map(withoutSecrets)
    if (flags.json) return sayJson(shown.map((tape) => asJson(tape, flags)))
    say(shown.map((tape) => asText(tape, flags)).join('\n'))
    if (hidden > 0)
      process.stderr.write(
        `${plural(hidden, 'place')} that looked like a secret ${hidden === 1 ? 'is' : 'are'} masked.\n`,
      )
  })
}

function asText(tape: ReadTape, { frames, blobs }: ShowFlags): string {
  if (frames) return frameLines(tape)
  return blobs ? blobTable(tape) : storyOf(tape)
}

function blobTable({ turn, frames }: ReadTape): string {
  const rows = blobRows(frames)
  if (rows.length === 0) return `${turn}: no blobs; only runs of Cursor's agent have them\n`
  return `${turn}\n${table([['BLOB', 'SIZE', 'KIND', 'ROLE', 'WHO AND WHEN', 'CONTENT'], ...rows.map(blobRow)])}`
}

function blobRow({ id, bytes, kind, role, preview, uses }: BlobRow): string[] {
  const told = uses.slice(0, 3).map(({ at, who }) => `${who}${time(at).replace(/^\s*/, ' at ')}`)
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

function asJson(tape: ReadTape, { frames, blobs }: ShowFlags): unknown {
  if (frames)
    return { head: tape.head, frames: tape.frames.map((frame, at) => decoded(frame, tape.lines[at])) }
  if (blobs) return { turn: tape.turn, blobs: blobRows(tape.frames) }
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
