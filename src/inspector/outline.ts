// A turn as lines that can be compared: its request as indented text, and its answer as it reads. Bounded.

import { isObject, parseJson } from '../base/json.ts'
import { clientSide } from '../tapes/client-side.ts'
import type { Frame } from '../tapes/frame.ts'
import { timelineOf } from '../tapes/timeline.ts'
import type { TurnOutline } from './api.ts'
import { segmentName } from './turn-texts.ts'

const mostLines = 4_000
const longestLine = 1_000

export function outlineOf(frames: readonly Frame[]): TurnOutline {
  const { writes } = clientSide(frames)
  const request = frames.find((frame) => frame.side === 'client' && frame.do === 'request')
  const body = request && 'body' in request ? request.body : ''
  return { request: bounded(requestLines(body)), answer: bounded(answerLines(writes)) }
}

function* requestLines(body: string): Generator<string> {
  const json = parseJson(body)
  if (json === undefined) yield* body.split('\n')
  else yield* valueLines(json, '')
}

function* answerLines(writes: Parameters<typeof timelineOf>[0]['writes']): Generator<string> {
  const segments = timelineOf({ writes }, Number.POSITIVE_INFINITY)
  for (const segment of segments) {
    yield `${segmentName(segment)}:`
    const json = segment.kind === 'tool-call' ? parseJson(segment.preview) : undefined
    if (json === undefined) yield* segment.preview.split('\n').map((line) => `  ${line}`)
    else yield* valueLines(json, '  ')
  }
  if (segments.length > 0) return
  const whole = writes.map(({ text }) => text).join('')
  const json = parseJson(whole)
  if (json === undefined) yield* whole.split('\n')
  else yield* valueLines(json, '')
}

/** One line for each scalar; texts of several lines are blocks. */
function* valueLines(value: unknown, indent: string): Generator<string> {
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((one, at) => [`[${at}]`, one])
    : isObject(value)
      ? Object.entries(value)
      : []
  if (entries.length === 0) return yield `${indent}${scalar(value)}`
  for (const [name, one] of entries) {
    if (typeof one === 'object' && one !== null && Object.keys(one).length > 0 && indent.length < 80) {
      yield `${indent}${name}:`
      yield* valueLines(one, `${indent}  `)
    } else if (typeof one === 'string' && one.includes('\n')) {
      yield `${indent}${name}:`
      yield* one.split('\n').map((line) => `${indent}  ${line}`)
    } else yield `${indent}${name}: ${scalar(one)}`
  }
}

const scalar = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function bounded(lines: Iterable<string>): TurnOutline['request'] {
  const kept: string[] = []
  for (const line of lines) {
    if (kept.length >= mostLines) return { lines: kept, cut: true }
    kept.push(
      line.length > longestLine
        ? `${line.slice(0, longestLine)}… (${line.length.toLocaleString('en')} characters)`
        : line,
    )
  }
  return { lines: kept, cut: false }
}
