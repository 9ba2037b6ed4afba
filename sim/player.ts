// Plays the steps of one turn on one HTTP response: as an event stream, or as one JSON answer.
// What the steps look like on the wire is the renderer's business; time, bytes and faults are decided here.

import type { ResponseWriter } from './response-writer.ts'
import {
  type ContentStep,
  type EndStep,
  type FloodStep,
  type ForeverStep,
  ScriptError,
  type StatusStep,
  type Step,
} from './script.ts'

/** One answer in one wire form. Each string is one whole event, as it goes over the wire. */
export interface Renderer {
  open(): string[]
  /** Adjacent content steps come together, so that a renderer can interleave parallel calls. */
  content(steps: readonly ContentStep[]): string[]
  /** A text of very many equal deltas; `times` is unknown (0) for a stream that never ends. */
  repeat(text: string, times: number): { before: string[]; delta: string; after: string[] }
  end(step: EndStep | undefined): string[]
  frame(json: unknown, event: string | undefined): string
  /** The same steps as one JSON body. */
  whole(steps: readonly ContentStep[], end: EndStep | undefined): unknown
}

/** How a service packs its events, if not as server-sent events. */
export interface Framing {
  readonly contentType: string
  encode(event: string): Buffer
}

export interface Performance {
  readonly steps: readonly Step[]
  readonly renderer: Renderer
  readonly stream: boolean
  readonly headers: Record<string, string>
  /** Pause between events, so that streaming can be seen. */
  readonly paceMs: number
  readonly framing?: Framing
}

export async function play(performance: Performance, writer: ResponseWriter): Promise<void> {
  const unknown = performance.steps.find((step) => 'error' in step)
  if (unknown !== undefined) throw new ScriptError(`this simulator has no error "${unknown.error}"`)
  const status = performance.steps.find((step): step is StatusStep => 'status' in step)
  if (status !== undefined) return playStatus(performance, status, writer)
  return performance.stream ? playStream(performance, writer) : playWhole(performance, writer)
}

/** Answers with a status instead of what a model says; waits before it are kept. */
async function playStatus(performance: Performance, status: StatusStep, writer: ResponseWriter) {
  for (const step of performance.steps.slice(0, performance.steps.indexOf(status))) {
    if ('wait' in step) await writer.wait(step.wait)
  }
  const isText = typeof status.body === 'string'
  const type = isText ? 'text/html; charset=utf-8' : 'application/json'
  const headers = { ...performance.headers, 'content-type': type, ...status.headers }
  writer.reply(status.status, headers, isText ? String(status.body) : JSON.stringify(status.body ?? {}))
}

/** By then streaming has been seen: a long answer need not take minutes. */
const mostPaced = 200

async function playStream(performance: Performance, writer: ResponseWriter): Promise<void> {
  const { steps, renderer, headers, paceMs, framing = serverSent } = performance
  const stage = { renderer, writer, encode: framing.encode }
  writer.prepare({ ...headers, 'content-type': framing.contentType, 'cache-control': 'no-cache' })
  let opened = false
  let ended = false
  let paced = 0
  const send = async (frames: string[]) => {
    for (const frame of frames) {
      await writer.write(framing.encode(frame))
      if (paceMs > 0 && paced++ < mostPaced) await writer.wait(paceMs)
    }
  }
  const open = async () => {
    if (!opened) await send(renderer.open())
    opened = true
  }
  for (const group of groupContent(steps)) {
    if (writer.closed) return
    if (Array.isArray(group)) {
      await open()
      await send(renderer.content(group))
    } else if ('end' in group) {
      await open()
      await send(renderer.end(group))
      ended = true
    } else if ('flood' in group || 'forever' in group) {
      await open()
      await playRepeat(group, stage)
    } else {
      await playWireStep(group, stage)
    }
  }
  // A script that writes its own frames also decides how the stream ends.
  if (!ended && !steps.some(isHandWritten)) {
    await open()
    await send(renderer.end(undefined))
  }
  writer.end()
}

interface Stage {
  renderer: Renderer
  writer: ResponseWriter
  encode(event: string): string | Buffer
}

const serverSent = {
  contentType: 'text/event-stream; charset=utf-8',
  encode: (event: string): string | Buffer => event,
}

async function playWireStep(step: Step, { renderer, writer, encode }: Stage): Promise<void> {
  if ('frame' in step) await writer.write(encode(renderer.frame(step.frame, step.event)))
  else if ('raw' in step) await writer.write(step.raw)
  else if ('raw64' in step) await writer.write(Buffer.from(step.raw64, 'base64'))
  else if ('wait' in step) await writer.wait(step.wait)
  else if ('split' in step) writer.splitBy(step.split)
  else if ('fault' in step) await writer.fail(step.fault)
}

async function playRepeat(step: FloodStep | ForeverStep, { renderer, writer, encode }: Stage) {
  const { times, text, everyMs } =
    'flood' in step
      ? { times: step.flood.deltas, text: step.flood.text, everyMs: step.flood.everyMs ?? 0 }
      : { times: Number.POSITIVE_INFINITY, text: step.forever.text ?? 'x', everyMs: step.forever.everyMs }
  const { before, delta, after } = renderer.repeat(text, Number.isFinite(times) ? times : 0)
  const repeated = encode(delta)
  for (const frame of before) await writer.write(encode(frame))
  for (let sent = 0; sent < times && !writer.closed; sent++) {
    const full = writer.write(repeated)
    // No await where none is needed: a flood measures the reader, not our promises.
    if (full !== undefined) await full
    if (everyMs > 0) await writer.wait(everyMs)
    else if (sent % 1000 === 999) await writer.wait(0)
  }
  for (const frame of after) await writer.write(encode(frame))
}

async function playWhole(performance: Performance, writer: ResponseWriter): Promise<void> {
  const { steps, renderer } = performance
  const headers: Record<string, string> = { ...performance.headers, 'content-type': 'application/json' }
  let broken: 'fin' | 'truncate' | undefined
  for (const step of steps) {
    if ('wait' in step) await writer.wait(step.wait)
    else if ('split' in step) writer.splitBy(step.split)
    else if ('forever' in step) await writer.untilGone()
    else if ('fault' in step && (step.fault === 'fin' || step.fault === 'truncate')) broken = step.fault
    else if ('fault' in step) await writer.fail(step.fault)
    if (writer.closed) return
  }
  const body = wholeBody(steps, renderer)
  // fin: half the JSON and a clean end; truncate: the announced length never comes.
  if (broken === 'truncate') headers['content-length'] = String(body.length)
  writer.prepare(headers)
  await writer.write(broken === undefined ? body : body.subarray(0, Math.ceil(body.length / 2)))
  if (broken === 'truncate') writer.cut()
  else writer.end()
}

function wholeBody(steps: readonly Step[], renderer: Renderer): Buffer {
  const written = steps.filter(isHandWritten)
  if (written.length > 0) {
    return Buffer.concat(
      written.map((step) => {
        if ('raw' in step) return Buffer.from(step.raw)
        if ('raw64' in step) return Buffer.from(step.raw64, 'base64')
        return Buffer.from(JSON.stringify('frame' in step ? step.frame : null))
      }),
    )
  }
  const content = steps.flatMap((step): ContentStep[] => {
    if ('flood' in step) return [{ say: step.flood.text.repeat(step.flood.deltas) }]
    return isContent(step) ? [step] : []
  })
  const end = steps.find((step): step is EndStep => 'end' in step)
  return Buffer.from(JSON.stringify(renderer.whole(content, end)))
}

function groupContent(steps: readonly Step[]): (ContentStep[] | Exclude<Step, ContentStep>)[] {
  const groups: (ContentStep[] | Exclude<Step, ContentStep>)[] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (!isContent(step)) groups.push(step)
    else if (Array.isArray(last)) last.push(step)
    else groups.push([step])
  }
  return groups
}

function isContent(step: Step): step is ContentStep {
  return 'think' in step || 'redacted' in step || 'say' in step || 'call' in step
}

function isHandWritten(step: Step): boolean {
  return 'frame' in step || 'raw' in step || 'raw64' in step
}
