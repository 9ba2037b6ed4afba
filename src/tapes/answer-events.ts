// The events of an answer, from the writes to the client: server-sent events, the elements of a streamed JSON array, one object per line,
// or one JSON body.

import { parseJson } from '../base/json.ts'
import type { Piece } from './client-side.ts'
import { isTooDeep } from './depth.ts'

interface AnswerEvent {
  event: unknown
  /** Milliseconds since the tape began. */
  at: number
}

type Write = Pick<Piece, 'at' | 'text'>

/** In order. Events that are no JSON, or nested too deep, are left out. */
export function* answerEvents(writes: readonly Write[]): Generator<AnswerEvent, void> {
  const first = writes.find(({ text }) => text.trim() !== '')
  const form = first?.text.trimStart()[0]
  if (form === '{') yield* isLine(first?.text) ? linesOf(writes, (line) => line) : wholeBody(writes)
  else yield* form === '[' ? linesOf(writes, elementIn) : linesOf(writes, dataIn)
}

/** A stream of lines begins with a whole one, a body on several lines does not. */
function isLine(text = ''): boolean {
  const end = text.indexOf('\n')
  return end > 0 && parseJson(text.slice(0, end)) !== undefined
}

function* wholeBody(writes: readonly Write[]): Generator<AnswerEvent, void> {
  const event = jsonOf(writes.map(({ text }) => text).join(''))
  if (event !== undefined) yield { event, at: writes.at(-1)?.at ?? 0 }
}

/** Most writes hold whole lines. A cut line is joined up to its newline. */
function* linesOf(
  writes: readonly Write[],
  contentIn: (line: string) => string | undefined,
): Generator<AnswerEvent, void> {
  let rest: string[] = []
  let last = 0
  for (const { at, text } of writes) {
    last = at
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) {
      const whole = end === text.length ? text : text.slice(0, end)
      for (const line of (rest.length === 0 ? whole : [...rest, whole].join('')).split('\n')) {
        const event = line === '' ? undefined : jsonOf(contentIn(line))
        if (event !== undefined) yield { event, at }
      }
      rest = []
    }
    if (end < text.length) rest.push(text.slice(end))
  }
  const line = rest.join('')
  // A stream may end with a bare body, which has no newline.
  const event = jsonOf(contentIn(line) ?? line)
  if (event !== undefined) yield { event, at: last }
}

const dataIn = (line: string) => (line.startsWith('data:') ? line.slice('data:'.length) : undefined)

/** A streamed array has an element on each line. */
const elementIn = (line: string) =>
  line
    .trim()
    .replace(/^\[/, '')
    .replace(/[,\]]$/, '')

/** Each level takes two characters: a shorter text cannot be nested too deep. */
const shortestDeep = 400

function jsonOf(text: string | undefined): unknown {
  const json = text === undefined || text.length < 2 ? undefined : parseJson(text)
  return text !== undefined && text.length >= shortestDeep && isTooDeep(json) ? undefined : json
}
