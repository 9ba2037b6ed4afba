// Frames for display: a label, the decoded content, and the raw content. Their secrets are masked already.

import { createParser, type EventSourceParser } from 'eventsource-parser'
import { parseJson } from '../base/json.ts'
import { isTooDeep } from '../tapes/depth.ts'
import { failureWords } from '../tapes/failure-words.ts'
import type { Frame } from '../tapes/frame.ts'
import type { FrameView } from './api.ts'
import { quoted, wordsIn } from './pieces.ts'

export interface RunDecoder {
  decode(direction: 'sent' | 'received', bytes: Uint8Array): { name: string; value: unknown }
}

export const hasRun = (frames: readonly Frame[]) => frames.some(({ side }) => side === 'run')

export function showFrames(frames: readonly Frame[], run?: RunDecoder): FrameView[] {
  const streams = new Map<string, StreamReader>()
  const read = (name: string, text: string) => {
    const reader = streams.get(name) ?? new StreamReader()
    streams.set(name, reader)
    return reader.read(text)
  }
  return frames.map((frame, number) => ({
    number,
    at: frame.at,
    side: frame.side,
    do: frame.do,
    ...('exchange' in frame ? { exchange: frame.exchange } : {}),
    ...shown(frame, run, read),
  }))
}

type Shown = Pick<FrameView, 'label' | 'decoded' | 'raw' | 'isHex'>

function shown(
  frame: Frame,
  run: RunDecoder | undefined,
  read: (name: string, text: string) => unknown,
): Shown {
  switch (frame.side) {
    case 'client':
      return shownClient(frame, read)
    case 'upstream':
      return shownUpstream(frame, read)
    case 'run':
      return shownRun(frame, run)
    default: {
      const { at: _at, turn: _turn, side: _side, do: what, ...facts } = frame
      return { label: gatewayLabel(frame) ?? what, decoded: facts }
    }
  }
}

function shownClient(
  frame: Extract<Frame, { side: 'client' }>,
  read: (name: string, text: string) => unknown,
): Shown {
  switch (frame.do) {
    case 'request':
      return {
        label: `${frame.method} ${frame.path}, ${sizeOf(frame.body.length)}`,
        decoded: {
          ...{ method: frame.method, path: frame.path, headers: frame.headers },
          ...(frame.bodyCut ? { bodyCut: true } : {}),
        },
        raw: frame.body,
      }
    case 'response':
      return { label: `status ${frame.status}`, decoded: { headers: frame.headers } }
    case 'write': {
      const decoded = read('client', frame.text)
      return { label: labelOf(decoded, frame.text.length), decoded, raw: frame.text }
    }
    case 'end':
      return { label: 'end of the answer' }
    default:
      return { label: 'the client went away' }
  }
}

function shownUpstream(
  frame: Extract<Frame, { side: 'upstream' }>,
  read: (name: string, text: string) => unknown,
): Shown {
  switch (frame.do) {
    case 'request': {
      const { backend, origin, headers } = frame
      return {
        label: `${frame.method} ${origin}${frame.path}, ${sizeOf(frame.body.length)}`,
        decoded: { backend, headers },
        raw: frame.body,
      }
    }
    case 'response':
      return { label: `status ${frame.status}`, decoded: { headers: frame.headers } }
    case 'data': {
      if ('base64' in frame) return { label: 'bytes', ...hexOf(frame.base64) }
      const decoded = read(`upstream ${frame.exchange}`, frame.text)
      return { label: labelOf(decoded, frame.text.length), decoded, raw: frame.text }
    }
    case 'end':
      return { label: 'end of the stream' }
    default:
      return { label: frame.message }
  }
}

function shownRun(frame: Extract<Frame, { side: 'run' }>, run: RunDecoder | undefined): Shown {
  switch (frame.do) {
    case 'open': {
      const { backend, transport, headers } = frame
      return { label: `${frame.origin}${frame.path} by ${transport}`, decoded: { backend, headers } }
    }
    case 'end':
      return { label: 'end of the run’s stream' }
    case 'clock':
      return { label: 'a clock of the gateway ran out' }
    case 'error':
      return { label: frame.message }
    default: {
      const decoded = run?.decode(frame.do, Buffer.from(frame.base64, 'base64'))
      return {
        label: `${decoded?.name ?? 'message'}${quoted(wordsIn(decoded?.value))}`,
        decoded: decoded?.value,
        ...hexOf(frame.base64),
      }
    }
  }
}

function gatewayLabel(frame: Extract<Frame, { side: 'gateway' | 'tool' }>): string | undefined {
  if (frame.side === 'tool') return toolLabel(frame)
  if (frame.do === 'begin') return `${frame.door}: ${frame.model}`
  if (frame.do === 'target') return `asks ${frame.backend}/${frame.model}`
  if (frame.do === 'failure') return failureWords(frame)
  if (frame.do === 'session')
    return `${frame.state} session ${frame.id}${frame.why === undefined ? '' : `: ${frame.why}`}`
  if (frame.do === 'note') return frame.text
  return frame.do === 'finish' ? `finished: ${frame.outcome}` : undefined
}

function toolLabel(frame: Extract<Frame, { side: 'tool' }>): string {
  if (frame.do === 'offer') return `offers ${frame.tools.length} tools of the gateway`
  if (frame.do === 'begin') return `runs ${frame.job.kind}`
  return frame.do === 'output'
    ? `${frame.stream}, ${sizeOf(frame.text.length)}`
    : `${frame.outcome.kind} ended`
}

const sizeOf = (characters: number) => `${characters.toLocaleString('en')} characters`

interface SseEvent {
  event?: string
  data: unknown
}

/** Joins a text that arrives in pieces: server-sent events, each shown at the piece that completes it, or JSON. */
class StreamReader {
  #events: SseEvent[] = []
  readonly #parser: EventSourceParser = createParser({
    onEvent: ({ event, data }) =>
      this.#events.push({ ...(event === undefined ? {} : { event }), data: jsonOf(data) ?? data }),
    onComment: (comment) => this.#events.push({ event: 'comment', data: comment }),
  })

  read(text: string): unknown {
    this.#parser.feed(text)
    const events = this.#events
    this.#events = []
    if (events.length > 0) return events
    return jsonOf(text)
  }
}

/** JSON that is nested too deep stays text. */
function jsonOf(text: string): unknown {
  const json = parseJson(text)
  return isTooDeep(json) ? undefined : json
}

function labelOf(decoded: unknown, characters: number): string {
  if (!Array.isArray(decoded)) return sizeOf(characters)
  const events = decoded as SseEvent[]
  const names = events.map(eventName)
  const [first] = names
  const words = quoted(events.map(({ data }) => wordsIn(data)).join(''))
  if (names.length === 1) return `${first}${words}`
  return `${names.length} events: ${[...new Set(names)].join(', ')}${words}`
}

/** Anthropic and Responses name their events; for Chat, the content of the delta. */
function eventName({ event, data }: SseEvent): string {
  if (event !== undefined) return event
  if (typeof data !== 'object' || data === null) return String(data).slice(0, 40)
  const { type, choices } = data as {
    type?: unknown
    choices?: { delta?: object; finish_reason?: unknown }[]
  }
  if (typeof type === 'string') return type
  const [choice] = Array.isArray(choices) ? choices : []
  if (choice?.finish_reason) return `finish_reason ${choice.finish_reason}`
  const fields = Object.keys(choice?.delta ?? {})
  return fields.length > 0 ? `delta ${fields.join(', ')}` : 'data'
}

function hexOf(base64: string): Pick<Shown, 'raw' | 'isHex'> {
  return { raw: Buffer.from(base64, 'base64').toString('hex'), isHex: true }
}
