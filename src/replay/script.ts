// The upstream side of tapes as a script: the attempts of each turn, with their HTTP exchanges and the runs that they opened. A run may
// span several tapes.

import { decodeMessage, isHeartbeat } from '../tapes/decode.ts'
import type { Frame, GatewayFrame, RunFrame, UpstreamFrame } from '../tapes/frame.ts'
import type { ReadTape } from '../tapes/read.ts'

type Timed<Body> = Body & Pick<Frame, 'at' | 'turn'>

type Failure = Extract<GatewayFrame, { do: 'failure' }>

/** The place of a frame: the index of its tape, and its own. */
export interface Place {
  tape: number
  frame: number
}

export interface Step<Body> {
  place: Place
  frame: Timed<Body>
}

export interface ScriptedExchange {
  method: string
  path: string
  place: Place
  /** The frames of the response, in order. */
  steps: Step<UpstreamFrame>[]
  /** The tape says which pieces were read together. */
  isExact: boolean
  isTaken: boolean
}

export interface ScriptedRun {
  transport: 'http2' | 'sse'
  place: Place
  steps: RunStep[]
  /** The tape says which messages were read together. */
  isExact: boolean
  isTaken: boolean
}

export interface RunStep extends Step<RunFrame> {
  /** How many messages the gateway had sent by then, without heartbeats. */
  sentBefore: number
}

/** What was tried at one target. */
export interface ScriptedAttempt {
  backend: string
  model: string
  exchanges: ScriptedExchange[]
  runs: ScriptedRun[]
  failure?: Timed<Failure>
}

export interface ScriptedTurn {
  attempts: ScriptedAttempt[]
  /** Failures in order, those of skipped targets among them. */
  failures: Timed<Failure>[]
}

export function scriptOf(tapes: readonly ReadTape[]): ScriptedTurn[] {
  const runs: ScriptedRun[] = []
  return tapes.map(({ head, frames }, tape) =>
    new TurnScript(tape, head.replay !== undefined, runs).read(frames),
  )
}

class TurnScript {
  readonly #tape: number
  readonly #isExact: boolean
  /** Of all tapes so far. */
  readonly #allRuns: ScriptedRun[]
  readonly #turn: ScriptedTurn = { attempts: [], failures: [] }
  readonly #exchanges = new Map<number, ScriptedExchange>()
  readonly #runs = new Map<number, ScriptedRun>()

  constructor(tape: number, isExact: boolean, runs: ScriptedRun[]) {
    this.#tape = tape
    this.#isExact = isExact
    this.#allRuns = runs
  }

  read(frames: readonly Frame[]): ScriptedTurn {
    for (const [frame, body] of frames.entries()) {
      const place = { tape: this.#tape, frame }
      if (body.side === 'upstream') this.#addUpstream(body, place)
      else if (body.side === 'run') this.#addRun(body, place)
      else if (body.side === 'gateway') this.#addDecision(body)
    }
    return this.#turn
  }

  #addDecision(frame: Timed<GatewayFrame>): void {
    const { attempts, failures } = this.#turn
    if (frame.do === 'target') {
      const { backend, model } = frame
      attempts.push({ backend, model, exchanges: [], runs: [] })
    } else if (frame.do === 'failure') {
      failures.push(frame)
      const last = attempts.at(-1)
      if (last && !frame.skipped) last.failure = frame
    }
  }

  /** A tape without a target is refused before. */
  get #attempt(): ScriptedAttempt | undefined {
    return this.#turn.attempts.at(-1)
  }

  #addUpstream(frame: Timed<UpstreamFrame>, place: Place): void {
    if (frame.do === 'request') {
      const { method, path } = frame
      const isExact = this.#isExact
      const exchange: ScriptedExchange = { method, path, place, steps: [], isExact, isTaken: false }
      this.#exchanges.set(frame.exchange, exchange)
      this.#attempt?.exchanges.push(exchange)
    } else this.#exchanges.get(frame.exchange)?.steps.push({ place, frame })
  }

  #addRun(frame: Timed<RunFrame>, place: Place): void {
    if (frame.do === 'open') {
      const { transport } = frame
      const run: ScriptedRun = { transport, place, steps: [], isExact: this.#isExact, isTaken: false }
      this.#runs.set(frame.exchange, run)
      this.#attempt?.runs.push(run)
      this.#allRuns.push(run)
      return
    }
    // A run without an `open` frame continues the run of the previous tape.
    const run = this.#runs.get(frame.exchange) ?? this.#allRuns.at(-1)
    if (!run) return
    this.#runs.set(frame.exchange, run)
    const last = run.steps.at(-1)
    const sentBefore = last ? last.sentBefore + (counts(last.frame) ? 1 : 0) : 0
    run.steps.push({ place, frame, sentBefore })
  }
}

const counts = (frame: RunFrame) => frame.do === 'sent' && !isHeartbeat(decodeMessage(frame))
