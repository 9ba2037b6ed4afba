// The state of a run and the transitions between states. src/backends/cursor/README.md has the diagram.

import type { GatewayError } from '../../core/errors.ts'

/**
 * - `answering`: an answer is under way. `parked`: the last answer ended with tool calls, and the next one needs their results.
 * - `open`: the run has a stream. `lost`: its stream broke, and the run can go on with another one. `done`: the end of the turn is
 *   held for the next answer, which needs no stream.
 */
export type RunState =
  | { readonly phase: 'answering'; readonly stream: 'open' }
  | { readonly phase: 'answering'; readonly stream: 'lost'; readonly failure: GatewayError }
  | { readonly phase: 'parked'; readonly stream: 'open' }
  | { readonly phase: 'parked'; readonly stream: 'lost'; readonly failure: GatewayError }
  | { readonly phase: 'parked'; readonly stream: 'done' }
  | { readonly phase: 'ended'; readonly how: RunEnding }

/**
 * - `turn-ended`: the service ended the turn.
 * - `checkpointed`: the same, and a checkpoint followed: the next turn of the conversation can begin from it.
 * - `cut-short`: the answer was complete without the end of the turn, or the turn ended without the results of its calls.
 * - `failed`: the stream or the service failed, or the run was given up.
 */
type RunEnding = 'turn-ended' | 'checkpointed' | 'cut-short' | 'failed'

type Place<State extends RunState = RunState> = State extends { stream: infer Stream extends string }
  ? `${State['phase']} ${Stream}`
  : 'ended'

const answering: RunState = { phase: 'answering', stream: 'open' }
const parked: RunState = { phase: 'parked', stream: 'open' }
const done: RunState = { phase: 'parked', stream: 'done' }
const ended = {
  'turn-ended': { phase: 'ended', how: 'turn-ended' },
  checkpointed: { phase: 'ended', how: 'checkpointed' },
  'cut-short': { phase: 'ended', how: 'cut-short' },
  failed: { phase: 'ended', how: 'failed' },
} as const satisfies Record<RunEnding, RunState>

/** Holds the state. Each method is one transition; from a state that does not have it, it throws. */
export class RunLife {
  #state: RunState = answering

  get state(): RunState {
    return this.#state
  }

  get isAnswering(): boolean {
    return this.#state.phase === 'answering'
  }

  get isEnded(): boolean {
    return this.#state.phase === 'ended'
  }

  /** Why the stream broke; undefined unless the run is lost. */
  get lostBy(): GatewayError | undefined {
    return this.#state.phase !== 'ended' && this.#state.stream === 'lost' ? this.#state.failure : undefined
  }

  /** The answer ends with tool calls. */
  park(): void {
    this.#leave('park', 'answering open')
    this.#state = parked
  }

  /** The results are in, and the next answer begins. A lost stream stays lost until `reopen`. */
  resume(): void {
    this.#leave('resume', 'parked open', 'parked lost', 'parked done')
    const failure = this.lostBy
    this.#state = failure ? { phase: 'answering', stream: 'lost', failure } : answering
  }

  /** The stream broke. */
  lose(failure: GatewayError): void {
    this.#leave('lose', 'answering open', 'parked open')
    this.#state = { phase: this.isAnswering ? 'answering' : 'parked', stream: 'lost', failure }
  }

  /** The stream broke, and the answer with it: the client may send the same results again. */
  loseAnswer(failure: GatewayError): void {
    this.#leave('lose the answer', 'answering open')
    this.#state = { phase: 'parked', stream: 'lost', failure }
  }

  /** The run has another stream. */
  reopen(): void {
    this.#leave('reopen', 'answering lost')
    this.#state = answering
  }

  /** The turn ended while the run was parked: its end is held for the next answer. */
  holdTurnEnd(): void {
    this.#leave('hold the end of the turn', 'parked open', 'parked done')
    this.#state = done
  }

  endTurn(): void {
    this.#leave('end the turn', 'answering open')
    this.#state = ended['turn-ended']
  }

  /** The server has sent its state of the conversation. In every state but one this changes nothing. */
  checkpoint(): void {
    if (this.#state === ended['turn-ended']) this.#state = ended.checkpointed
  }

  cutShort(): void {
    this.#leave('be cut short', 'answering open', 'parked open')
    this.#state = ended['cut-short']
  }

  fail(): void {
    this.#leave('fail', 'answering open', 'answering lost', 'parked open', 'parked lost', 'parked done')
    this.#state = ended.failed
  }

  #leave(transition: string, ...from: Place[]): void {
    const place = placeOf(this.#state)
    if (!from.includes(place)) throw new Error(`A run that is ${place} cannot ${transition}.`)
  }
}

const placeOf = (state: RunState): Place =>
  state.phase === 'ended' ? 'ended' : (`${state.phase} ${state.stream}` as Place)
