// The steps of a turn in words: request, targets, output, end.

import type { TimelineSegment } from '../../tapes/timeline-segment.ts'
import type { FrameView, TurnDetail } from '../api.ts'
import { duration } from './format.ts'
import { isOpenCall, openCall } from './open-call.ts'

interface Step {
  at: number
  kind: string
  what: string
  text?: string | undefined
}

const kinds: Record<TimelineSegment['kind'], string> = {
  text: 'Text',
  reasoning: 'Reasoning',
  'tool-call': 'Call',
}
const mostSteps = 500

export function Steps({ detail }: { detail: TurnDetail }) {
  const steps = [
    ...detail.frames.flatMap(ofFrame),
    ...detail.segments.map((one) => ofSegment(one, detail.summary.running)),
  ]
    .sort((a, b) => a.at - b.at)
    .slice(0, mostSteps)
  if (steps.length === 0) return <p class="muted">Nothing has happened yet.</p>
  return (
    <ol class="steps">
      {steps.map(({ at, kind, what, text }, place) => (
        <li key={place} class={kind}>
          <span class="number at">{duration(at)}</span>
          <span class="what">{what}</span>
          {text ? <span class="text">{text}</span> : null}
        </li>
      ))}
    </ol>
  )
}

function ofSegment(segment: TimelineSegment, isRunning: boolean): Step {
  const { kind, from, to, characters, preview, name } = segment
  const what = `${kinds[kind]}${name === undefined ? '' : ` of ${name}`}`
  if (isOpenCall(segment)) return { at: from, kind, what, text: openCall(isRunning) }
  return {
    at: from,
    kind,
    what: `${what}, ${duration(to - from)}, ${characters.toLocaleString('en')} characters`,
    text: preview.length < characters ? `${preview}…` : preview,
  }
}

/** Writes and data are in the segments already. */
function ofFrame({ side, do: what, at, label }: FrameView): Step[] {
  if (side === 'gateway') return what === 'begin' ? [] : [{ at, kind: what, what: name(what), text: label }]
  if (side === 'run')
    return what === 'sent' || what === 'received'
      ? []
      : [{ at, kind: side, what: `Run: ${what}`, text: label }]
  if (what === 'write' || what === 'data' || what === 'end') return []
  return [{ at, kind: side, what: `${side === 'client' ? 'Client' : 'Upstream'}: ${what}`, text: label }]
}

const names: Record<string, string> = {
  target: 'Target',
  failure: 'Failure',
  session: 'Session',
  note: 'Note',
  finish: 'End',
}
const name = (what: string) => names[what] ?? what
