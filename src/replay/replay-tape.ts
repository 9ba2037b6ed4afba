// The tapes of replayed turns. Their frames so far decide when the next recorded piece is played.

import type { TurnEvent } from '../core/events.ts'
import type { Framing } from '../core/fast-path.ts'
import { contentOf } from '../tapes/content.ts'
import type { Frame, FrameBody } from '../tapes/frame.ts'
import type { TapeSource, TurnBeginning, TurnTape } from '../tapes/tape-source.ts'

class ReplayTape implements TurnTape {
  readonly turn: string
  readonly frames: Frame[] = []
  readonly #onFrame: (frame: Frame | 'text delta') => void
  readonly #startedAt = performance.now()
  #exchange = 0
  #isFinished = false
  #isAnswered = false
  /** How many attempts have begun. */
  targets = 0

  constructor(turn: string, onFrame: (frame: Frame | 'text delta') => void) {
    this.turn = turn
    this.#onFrame = onFrame
  }

  get isOver(): boolean {
    return this.#isFinished && this.#isAnswered
  }

  add(body: FrameBody): void {
    const frame: Frame = { at: performance.now() - this.#startedAt, turn: this.turn, ...body }
    this.frames.push(frame)
    if (body.side === 'gateway' && body.do === 'finish') this.#isFinished = true
    if (body.side === 'gateway' && body.do === 'target') this.targets++
    if (body.side === 'client' && (body.do === 'end' || body.do === 'gone')) this.#isAnswered = true
    this.#onFrame(frame)
  }

  onUpstreamData(exchange: number, bytes: Uint8Array, isJoined = false): void {
    this.#exchange = exchange
    const joined = isJoined ? ({ joined: true } as const) : {}
    this.add({ side: 'upstream', do: 'data', exchange, ...joined, ...contentOf(bytes) })
  }

  onReadDone(): void {
    // Times are not compared.
  }

  onClientWrite(text: string): void {
    this.add({ side: 'client', do: 'write', text })
  }

  see(_events: readonly TurnEvent[]): void {
    // The frames hold everything that is compared.
  }

  onTextDelta(text: string, { before, after }: Framing, sent: Framing | string): void {
    this.#onFrame('text delta')
    this.add({ side: 'upstream', do: 'data', exchange: this.#exchange, text: `${before}${text}${after}` })
    this.onClientWrite(typeof sent === 'string' ? sent : `${sent.before}${text}${sent.after}`)
  }

  continues(_turn: string): void {
    // The recorded tape says so already.
  }

  markIncomplete(): void {
    // A gap shows as a difference.
  }
}

const longestTimerMs = 2_147_483_647

/** Tapes the turns of the gateway that a tape is replayed to. */
export class ReplayTapeSource implements TapeSource {
  readonly tapes: ReplayTape[] = []
  /** Text deltas that took the fast path so far. */
  textDeltas = 0
  /** What the clocks of runs have decided so far. */
  decisions = 0
  readonly #waiting = new Set<() => void>()

  begin({ turnId }: TurnBeginning): TurnTape {
    const tape = new ReplayTape(turnId, (frame) => this.#onFrame(frame))
    this.tapes.push(tape)
    return tape
  }

  /** Resolves to true when the condition holds, or to false after `patienceMs` without a change. */
  async until(isSo: () => boolean, patienceMs: number): Promise<boolean> {
    while (!isSo()) if (!(await this.#change(patienceMs))) return isSo()
    return true
  }

  #change(patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (changed: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve(changed)
      }
      const wake = () => settle(true)
      const timer = setTimeout(() => settle(false), Math.min(patienceMs, longestTimerMs))
      this.#waiting.add(wake)
    })
  }

  /** Wakes `until` after a change that is no frame. */
  notify(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  #onFrame(frame: Frame | 'text delta'): void {
    if (frame === 'text delta') this.textDeltas++
    else if (frame.side === 'run' && frame.do === 'clock') this.decisions++
    this.notify()
  }
}
