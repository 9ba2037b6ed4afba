// The upstream side of tapes as a server's script: HTTP exchanges, and runs that may span several tapes.

import { decodeMessage, isHeartbeat } from '../tapes/decode.ts'
import type { Frame, RunFrame, UpstreamFrame } from '../tapes/frame.ts'
import type { ReadTape } from '../tapes/read.ts'

type Timed<Body> = Body & Pick<Frame, 'at' | 'turn'>

export interface ScriptedExchange {
  method: string
  path: string
  /** The frames of the response, in order. */
  frames: Timed<UpstreamFrame>[]
  isTaken: boolean
}

export interface ScriptedRun {
  transport: 'http2' | 'sse'
  steps: RunStep[]
  isTaken: boolean
}

export interface RunStep {
  /** The index of its tape. */
  tape: number
  frame: Timed<RunFrame>
  /** How many messages the gateway had sent by then, without heartbeats. */
  sentBefore: number
}

export interface Script {
  exchanges: ScriptedExchange[]
  runs: ScriptedRun[]
}

export function scriptOf(tapes: readonly ReadTape[]): Script {
  const script: Script = { exchanges: [], runs: [] }
  for (const [tape, { frames }] of tapes.entries()) {
    const exchanges = new Map<number, ScriptedExchange>()
    const runs = new Map<number, ScriptedRun>()
    for (const frame of frames) {
      if (frame.side === 'upstream') addUpstream(frame, exchanges, script)
      if (frame.side === 'run') addRun(frame, tape, runs, script)
    }
  }
  return script
}

function addUpstream(
  frame: Timed<UpstreamFrame>,
  known: Map<number, ScriptedExchange>,
  { exchanges }: Script,
): void {
  if (frame.do === 'request') {
    const { method, path } = frame
    const exchange: ScriptedExchange = { method, path, frames: [], isTaken: false }
    known.set(frame.exchange, exchange)
    exchanges.push(exchange)
  } else known.get(frame.exchange)?.frames.push(frame)
}

function addRun(
  frame: Timed<RunFrame>,
  tape: number,
  known: Map<number, ScriptedRun>,
  { runs }: Script,
): void {
  if (frame.do === 'open') {
    const run: ScriptedRun = { transport: frame.transport, steps: [], isTaken: false }
    known.set(frame.exchange, run)
    runs.push(run)
    return
  }
  // A run without an `open` frame continues the run of the previous tape.
  const run = known.get(frame.exchange) ?? runs.at(-1)
  if (!run) return
  known.set(frame.exchange, run)
  const last = run.steps.at(-1)
  const sentBefore = last ? last.sentBefore + (counts(last.frame) ? 1 : 0) : 0
  run.steps.push({ tape, frame, sentBefore })
}

const counts = (frame: RunFrame) => frame.do === 'sent' && !isHeartbeat(decodeMessage(frame))
