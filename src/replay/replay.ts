// Replays tapes to the current code: the recorded requests are sent again, and the services answer from the tape. The client's answer is
// compared with the recorded one, byte for byte.

import { createGateway, type Gateway } from '../gateway.ts'
import {
  bytesOf,
  type ClientSide,
  clientSide,
  type Difference,
  firstDifference,
} from '../tapes/client-side.ts'
import type { Frame } from '../tapes/frame.ts'
import { type ReadTape, TapeError } from '../tapes/read.ts'
import { gatewayFrames } from '../tapes/summary.ts'
import { Playback } from './playback.ts'
import { PlayedRuns } from './played-runs.ts'
import { PlayedServices } from './played-services.ts'
import { PlayedTools } from './played-tools.ts'
import { RecordedInputs } from './recorded-inputs.ts'
import { replayConfig } from './replay-config.ts'

interface ReplayOptions {
  /** 1: with the pauses of the tape; 0: without pauses. */
  speed?: number
  /** How long a turn may be silent before it is given up. */
  patienceMs?: number
}

export interface Replayed {
  turn: string
  /** Of the recorded client side. */
  bytes: number
  writes: number
  difference?: Difference
  /** The frames of the replayed turn; `difference.other` refers to their numbers. */
  frames: readonly Frame[]
}

export interface ReplayResult {
  turns: Replayed[]
  /** Differences upstream, and recorded steps that could not be replayed exactly. */
  remarks: string[]
}

const defaultPatienceMs = 10_000

/** Replays to one gateway, in this order: a turn that continues another turn's run must come after it. */
export async function replay(tapes: readonly ReadTape[], options: ReplayOptions = {}): Promise<ReplayResult> {
  const { speed = 0, patienceMs = defaultPatienceMs } = options
  const playback = new Playback(tapes, { speed, patienceMs })
  const runs = new PlayedRuns(playback)
  const services = new PlayedServices(playback)
  const replayInputs = new RecordedInputs(playback)
  const playedTools = new PlayedTools()
  const gateway = await createGateway({
    config: replayConfig(tapes),
    keys: [],
    connect: {
      ...{ dataFolder: '/nonexistent', stateFolder: '/nonexistent' },
      played: { services, runs: { roads: runs, clock: playback.clock } },
    },
    breaker: { failures: Number.POSITIVE_INFINITY },
    tapeSource: playback.source,
    replayInputs,
    playedTools,
  })
  try {
    const turns: Replayed[] = []
    for (const [index, tape] of tapes.entries()) {
      playback.begin(index)
      // Messages that arrived between two turns are played before the second.
      await playback.source.until(() => runs.areWaiting, patienceMs)
      replayInputs.take(tape)
      playedTools.take(tape)
      turns.push(await playTurn(tape, { gateway, playback, patienceMs: speed > 0 ? longestMs : patienceMs }))
    }
    return { turns, remarks: playback.remarks }
  } finally {
    await gateway.close()
  }
}

const longestMs = 2_147_483_647

interface Stage {
  gateway: Gateway
  playback: Playback
  patienceMs: number
}

async function playTurn(tape: ReadTape, stage: Stage): Promise<Replayed> {
  const { gateway, playback } = stage
  const then = clientSide(tape.frames)
  const abort = new AbortController()
  playback.leave = () => abort.abort()
  // A client that left is no failure here.
  const asking = gateway
    .fetch(requestOf(tape.frames, abort.signal))
    .then((response) => readAnswer(response, then, abort))
    .catch(() => undefined)
  await untilOver(tape.turn, { ...stage, asking, abort })
  playback.end()
  const watched = playback.source.tapes.find(({ turn }) => turn === tape.turn)?.frames
  // A request that was refused before a tape began has no frames: compare the response itself.
  const frames = watched ?? (await asking) ?? []
  const difference = firstDifference(then, comparable(clientSide(frames), then, stage))
  return {
    turn: tape.turn,
    bytes: bytesOf(then),
    writes: then.writes.length,
    frames,
    ...(difference ? { difference } : {}),
  }
}

async function untilOver(
  turn: string,
  { playback, patienceMs, asking, abort }: Stage & { asking: Promise<unknown>; abort: AbortController },
): Promise<void> {
  const { source } = playback
  let isAnswered = false
  void asking.then(() => {
    isAnswered = true
    source.notify()
  })
  const find = () => source.tapes.find((one) => one.turn === turn)
  const isOver = () => (isAnswered && !find()) || find()?.isOver === true
  if (!(await source.until(isOver, patienceMs))) {
    playback.remark(`the turn was given up after ${patienceMs / 1_000} s without progress`)
    abort.abort()
  }
  await asking
}

/** The recorded request. Values that were removed stay out. */
function requestOf(frames: readonly Frame[], signal: AbortSignal): Request {
  const frame = frames.find((one) => one.side === 'client' && one.do === 'request')
  if (frame?.side !== 'client' || frame.do !== 'request') throw new Error('a tape without a request')
  const wasIgnored = gatewayFrames(frames, 'note').some(({ text }) => text.startsWith('x-dragoman-record'))
  const headers = Object.entries(frame.headers).filter(
    ([name, value]) => value !== '[removed]' && (wasIgnored || name.toLowerCase() !== 'x-dragoman-record'),
  )
  const { method, path, body } = frame
  try {
    return new Request(`http://127.0.0.1${path}`, {
      method,
      headers: Object.fromEntries(headers),
      ...(method === 'GET' ? {} : { body }),
      signal,
    })
  } catch {
    throw new TapeError(frame.turn, 'cannot be replayed: the recorded request is not valid HTTP')
  }
}

/** Reads to the end, or as far as the client had read when it left. */
async function readAnswer(response: Response, then: ClientSide, abort: AbortController): Promise<Frame[]> {
  const wanted = then.isGone ? bytesOf(then) : Number.POSITIVE_INFINITY
  const chunks: Uint8Array[] = []
  let read = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array)
    read += (chunk as Uint8Array).length
    if (read >= wanted) abort.abort()
  }
  const shared = { at: 0, turn: '', side: 'client' } as const
  const headers = Object.fromEntries(response.headers)
  return [
    { ...shared, do: 'response', status: response.status, headers },
    { ...shared, do: 'write', text: Buffer.concat(chunks).toString() },
  ]
}

/** If the client left, cut to the recorded length. */
function comparable(now: ClientSide, then: ClientSide, stage: Stage): ClientSide {
  return {
    ...now,
    // The same request was sent, without its removed credentials.
    request: then.request,
    head: now.head && { ...now.head, text: sessionAsThen(now.head.text, then, stage) },
    writes: then.isGone ? cutTo(now.writes, then) : now.writes,
  }
}

/** The conversations that a gateway remembers are not on a tape. */
function sessionAsThen(head: string, then: ClientSide, { playback }: Stage): string {
  const resumed = 'x-dragoman-session: resumed'
  const isOther = then.head?.text.includes(resumed) && head.includes('x-dragoman-session: fresh')
  if (!isOther) return head
  playback.remark(
    'the recorded conversation was resumed from memory, the replayed one is new; their answers are compared',
  )
  return head.replace('x-dragoman-session: fresh', resumed)
}

function cutTo(writes: ClientSide['writes'], then: ClientSide): ClientSide['writes'] {
  let left = then.writes.reduce((sum, { text }) => sum + text.length, 0)
  return writes.flatMap((piece) => {
    const text = piece.text.slice(0, left)
    left -= text.length
    return text === '' ? [] : [{ ...piece, text }]
  })
}
