// The text of `tape show`: the request, the upstream exchanges, what the client saw and when, and the end.

import { type Fields, isObject, parseJson } from '../base/json.ts'
import { visible } from '../base/visible-text.ts'
import { type ClientSide, clientSide } from './client-side.ts'
import { isTooDeep } from './depth.ts'
import { failureWords } from './failure-words.ts'
import { duration, inLine, plural, size, time } from './format.ts'
import type { Frame } from './frame.ts'
import type { ReadTape } from './read.ts'
import { gatewayFrames, notReplayable, summaryOf } from './summary.ts'
import { timelineOf } from './timeline.ts'
import type { TimelineSegment } from './timeline-segment.ts'

/** A pause of this length gets a line. */
const longWaitMs = 1_000
const longestPreview = 100

export function reportOf(tape: ReadTape): string {
  const side = clientSide(tape.frames)
  return visible(
    [
      ...beginning(tape),
      ...asked(tape.frames),
      ...upstream(tape.frames),
      ...answered(side),
      ...ending(tape, side),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  )
}

function beginning({ head, turn }: ReadTape): string[] {
  const made = head.origin === 'made' ? 'made by hand' : `recorded by dragoman ${head.dragoman}`
  return [
    `${turn}  ${head.recordedAt}  ${made}`,
    ...(head.title === undefined ? [] : [head.title]),
    ...(head.continues === undefined ? [] : [`continues the run of ${head.continues}`]),
    ...(head.cut
      ? ['part of the turn is missing: it was too long, or an earlier turn was not recorded']
      : replayLine(head)),
    '',
  ]
}

function replayLine(head: ReadTape['head']): string[] {
  const { notReplayable: reason } = notReplayable(head)
  return reason === undefined ? [] : [`cannot be replayed: ${reason}`]
}

function asked(frames: readonly Frame[]): string[] {
  const [begin] = gatewayFrames(frames, 'begin')
  const request = frames.find((frame) => frame.side === 'client' && frame.do === 'request')
  if (request?.side !== 'client' || request.do !== 'request') return ['asked: no request on the tape']
  const who = begin ? `${begin.client ?? 'a client'} with the key "${begin.key}"` : 'a client'
  const how = begin ? `, ${begin.door}, ${begin.stream ? 'streamed' : 'whole'}` : ''
  return [
    `asked: ${who}: ${request.method} ${request.path}${how}`,
    `  model ${begin?.model ?? 'unknown'}; ${bodyFacts(request.body)}`,
    ...lastWords(request.body),
    '',
  ]
}

/** The size of the request and its tools, in any of the three dialects. */
function bodyFacts(body: string): string {
  const json = parseJson(body)
  if (!isObject(json)) return `a body of ${size(Buffer.byteLength(body))} that is not a JSON object`
  const tools = Array.isArray(json.tools) ? json.tools.filter(isObject).map(toolName) : []
  const names =
    tools.length === 0 ? 'no tools' : `${plural(tools.length, 'tool')} (${inLine(tools.join(', '), 120)})`
  return `${plural(messagesOf(json).length, 'message')}, ${names}, ${size(Buffer.byteLength(body))}`
}

function messagesOf({ messages, input }: Fields): unknown[] {
  const found = messages ?? input
  return Array.isArray(found) ? found : found === undefined ? [] : [{ role: 'user', content: found }]
}

const toolName = (tool: Fields) =>
  String(tool.name ?? (isObject(tool.function) ? tool.function.name : undefined) ?? tool.type ?? 'unnamed')

function lastWords(body: string): string[] {
  const json = parseJson(body)
  const last = isObject(json) ? messagesOf(json).at(-1) : undefined
  if (!isObject(last)) return []
  const content = last.content ?? last.output ?? ''
  const text =
    typeof content === 'string' ? content : isTooDeep(content) ? 'nested too deeply' : JSON.stringify(content)
  return [`  last: ${String(last.role ?? last.type ?? 'message')}: ${inLine(text, longestPreview)}`]
}

function upstream(frames: readonly Frame[]): string[] {
  const lines: string[] = ['upstream:']
  const begun = new Map<number, number>()
  const received = new Map<number, { bytes: number; messages: number; isOver: boolean }>()
  for (const frame of frames) {
    if (frame.side === 'gateway' && frame.do === 'target')
      lines.push(`${time(frame.at)}  to ${frame.backend} (${frame.kind}), model ${frame.model}`)
    if (frame.side === 'gateway' && frame.do === 'failure')
      lines.push(`${time(frame.at)}  ${inLine(failureWords(frame), 300)}`)
    if (frame.side === 'tool') lines.push(...toolLine(frame))
    if (frame.side === 'gateway' && frame.do === 'session')
      lines.push(
        `${time(frame.at)}  session ${frame.id}: ${frame.state}${frame.why ? ` (${frame.why})` : ''}`,
      )
    if (frame.side !== 'upstream' && frame.side !== 'run') continue
    const { exchange } = frame
    if (!begun.has(exchange)) begun.set(exchange, frame.at)
    const sum = received.get(exchange) ?? { bytes: 0, messages: 0, isOver: false }
    received.set(exchange, sum)
    if (frame.do === 'end' || frame.do === 'error') sum.isOver = true
    if (frame.do === 'data' || frame.do === 'received') {
      sum.bytes += 'text' in frame ? Buffer.byteLength(frame.text) : (frame.base64.length / 4) * 3
      sum.messages++
    }
    const line = exchangeLine(frame, { from: begun.get(exchange) ?? frame.at, ...sum })
    if (line !== undefined) lines.push(`${time(frame.at)}  #${exchange} ${line}`)
  }
  for (const [exchange, { bytes, messages, isOver }] of received)
    if (!isOver)
      lines.push(`             #${exchange} stayed open after the answer: ${cameWords(bytes, messages)}`)
  return lines.length === 1 ? ['upstream: no request', ''] : [...lines, '']
}

function toolLine(frame: Extract<Frame, { side: 'tool' }>): string[] {
  if (frame.do === 'begin') return [`${time(frame.at)}  runs ${inLine(JSON.stringify(frame.job), 200)}`]
  return frame.do === 'end' ? [`${time(frame.at)}  run ${frame.run} ended: ${frame.outcome.kind}`] : []
}

const cameWords = (bytes: number, pieces: number) =>
  `${size(Math.round(bytes))} in ${plural(pieces, 'piece')}`

interface ExchangeSum {
  from: number
  bytes: number
  messages: number
}

function exchangeLine(frame: Frame, { from, bytes, messages }: ExchangeSum): string | undefined {
  const came = cameWords(bytes, messages)
  const took = duration(frame.at - from)
  if (frame.side === 'upstream' && frame.do === 'request')
    return `${frame.method} ${frame.origin}${frame.path} (${size(Buffer.byteLength(frame.body))})`
  if (frame.side === 'upstream' && frame.do === 'response') return `HTTP ${frame.status} after ${took}`
  if (frame.side === 'run' && frame.do === 'open')
    return `a run at ${frame.origin}${frame.path} by ${frame.transport}`
  if (frame.do === 'end') return `ended after ${took}: ${came}`
  return frame.do === 'error'
    ? `failed after ${took}, with ${came}: ${inLine(frame.message, 200)}`
    : undefined
}

function answered(side: ClientSide): string[] {
  const { head, writes } = side
  if (!head) return ['answered: no', '']
  const lines = [`answered: ${head.text.replaceAll('\n', '; ')}`]
  const segments = timelineOf(side)
  let last = head.at
  for (const segment of segments) {
    if (segment.from - last >= longWaitMs)
      lines.push(`${time(last)}  … ${duration(segment.from - last)} of silence`)
    lines.push(segmentLine(segment))
    last = segment.to
  }
  if (segments.length === 0 && writes.length > 0)
    lines.push(`${time(writes[0]?.at ?? 0)}  ${inLine(writes.map(({ text }) => text).join(''), 300)}`)
  return [...lines, '']
}

function segmentLine({ kind, from, to, characters, preview, callId, name }: TimelineSegment): string {
  const what = kind === 'tool-call' ? `call ${name} (${callId})` : kind
  const long = to > from ? ` in ${duration(to - from)}` : ''
  return `${time(from)}  ${what}, ${plural(characters, 'character')}${long}: ${inLine(preview, longestPreview)}`
}

function ending(tape: ReadTape, { isGone, keptAlive }: ClientSide): string[] {
  const finish = gatewayFrames(tape.frames, 'finish').at(-1)
  const { outcome, calls, milliseconds } = summaryOf(tape)
  const tokens = finish
    ? `; ${finish.inputTokens} tokens in, ${finish.outputTokens} out${finish.estimated ? ' (estimated)' : ''}`
    : ''
  return [
    ...gatewayFrames(tape.frames, 'note').map(({ text }) => `note: ${inLine(text, 300)}`),
    ...(keptAlive > 0 ? [`kept alive ${plural(keptAlive, 'time')}`] : []),
    ...(isGone ? ['the client left before the end'] : []),
    ...(finish?.error ? [`error ${finish.error.code}: ${inLine(finish.error.message, 300)}`] : []),
    `end: ${outcome} after ${duration(milliseconds)}, ${plural(calls, 'call')}${tokens}`,
  ]
}
