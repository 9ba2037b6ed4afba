// The texts of a turn in which a search looks: what its request brought, what was answered, notes, errors. Tool definitions and
// attached files are left out: every turn of an agent has the same ones.

import { isObject, parseJson } from '../base/json.ts'
import { clientSide } from '../tapes/client-side.ts'
import type { Frame } from '../tapes/frame.ts'
import { timelineOf } from '../tapes/timeline.ts'
import type { TimelineSegment } from '../tapes/timeline-segment.ts'

interface TurnText {
  where: string
  text: string
}

/** Long texts without a space are encoded files. */
const longestWord = 2_000
const mostDepth = 40

export function* textsOf(frames: readonly Frame[], mayHold: (raw: string) => boolean): Generator<TurnText> {
  for (const frame of frames) {
    if (frame.side === 'client' && frame.do === 'request' && mayHold(frame.body))
      yield* requestTexts(frame.body)
    if (frame.side === 'gateway' && frame.do === 'note') yield { where: 'Note', text: frame.text }
    if (frame.side === 'gateway' && frame.do === 'finish' && frame.error)
      yield { where: 'Error', text: `${frame.error.code}: ${frame.error.message}` }
    if ((frame.side === 'upstream' || frame.side === 'run') && frame.do === 'error')
      yield { where: 'Upstream error', text: frame.message }
  }
  yield* answerTexts(frames)
}

function* answerTexts(frames: readonly Frame[]): Generator<TurnText> {
  const { writes } = clientSide(frames)
  const segments = timelineOf({ writes }, Number.POSITIVE_INFINITY)
  for (const segment of segments) yield { where: segmentName(segment), text: segmentText(segment) }
  // An error body, or an answer of another form.
  if (segments.length === 0 && writes.length > 0)
    yield { where: 'Answer', text: writes.map(({ text }) => text).join('') }
}

export const segmentName = ({ kind, name }: TimelineSegment): string => {
  if (kind === 'tool-call') return `Call of ${name ?? 'a tool'}`
  return kind === 'text' ? 'Answer' : 'Reasoning'
}

/** Arguments are JSON: as on the wire, quotes and line ends in them would be escaped. */
function segmentText({ kind, name, preview }: TimelineSegment): string {
  if (kind !== 'tool-call') return preview
  const json = parseJson(preview)
  const values = isObject(json)
    ? [...leaves(json, '')].map(({ where, text }) => `${where}: ${text}`)
    : [preview]
  return [name ?? '', ...values].join('\n')
}

/** The messages since the last answer first: the rest is the history, which earlier turns brought. */
function* requestTexts(body: string): Generator<TurnText> {
  const json = parseJson(body)
  if (!isObject(json)) return yield { where: 'Request', text: body }
  const { tools: _tools, functions: _functions, ...rest } = json
  const list = listOf(rest)
  if (!list) return yield* named('Request', leaves(rest, ''))
  const { name, items } = list
  const news = items.findLastIndex(isAnswer) + 1
  const place = (at: number) => `${name}[${at}]`
  for (let at = news; at < items.length; at++) yield* named('Request', leaves(items[at], place(at)))
  const { [name]: _items, ...others } = rest
  yield* named('Request', leaves(others, ''))
  for (let at = news - 1; at >= 0; at--) yield* named('History', leaves(items[at], place(at)))
}

/** Of each dialect. */
const listNames = ['messages', 'input', 'contents']

function listOf(json: Record<string, unknown>): { name: string; items: unknown[] } | undefined {
  const name = listNames.find((one) => Array.isArray(json[one]))
  return name === undefined ? undefined : { name, items: json[name] as unknown[] }
}

const isAnswer = (item: unknown) =>
  isObject(item) &&
  (item.role === 'assistant' ||
    item.role === 'model' ||
    /^(function|custom_tool)_call$/.test(String(item.type)))

function* named(name: string, texts: Iterable<TurnText>): Generator<TurnText> {
  for (const { where, text } of texts) yield { where: where === '' ? name : `${name}: ${where}`, text }
}

/** The strings of a value, each with its path. Text that is JSON itself is looked into. */
function* leaves(value: unknown, path: string, depth = 0): Generator<TurnText> {
  if (depth > mostDepth) return
  if (typeof value === 'string') {
    const isFile = value.length > longestWord && !/\s/.test(value.slice(0, longestWord))
    const inner = isFile || !/^[[{]/.test(value) ? undefined : parseJson(value)
    if (typeof inner === 'object' && inner !== null) yield* leaves(inner, path, depth + 1)
    else if (!isFile) yield { where: path, text: value }
  } else if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* leaves(one, `${path}[${at}]`, depth + 1)
  } else if (isObject(value)) {
    for (const [name, one] of Object.entries(value))
      yield* leaves(one, path === '' ? name : `${path}.${name}`, depth + 1)
  } else if (typeof value === 'number') yield { where: path, text: String(value) }
}
