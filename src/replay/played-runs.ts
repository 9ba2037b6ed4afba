// The runs of a tape, in place of connections to Cursor's service.

import type { Roads } from '../backends/cursor/roads.ts'
import type { RunStream, RunTransport } from '../backends/cursor/transport.ts'
import { type ChosenTransport, isTransportTrouble, isWrongPlace } from '../backends/cursor/transports.ts'
import { errorFrom } from '../core/error-facts.ts'
import { GatewayError } from '../core/errors.ts'
import type { Playback } from './playback.ts'
import { PlayedStream } from './played-stream.ts'
import type { ScriptedRun } from './script.ts'

export class PlayedRuns implements Roads {
  readonly #playback: Playback
  readonly #streams: PlayedStream[] = []

  constructor(playback: Playback) {
    this.#playback = playback
  }

  /** Every run waits for a message of the gateway. */
  get areWaiting(): boolean {
    return this.#streams.every(({ isWaiting }) => isWaiting)
  }

  async choose(): Promise<ChosenTransport> {
    return this.#road()
  }

  instead(_tried: ChosenTransport, failure: GatewayError): ChosenTransport | undefined {
    const mayGoElsewhere = isTransportTrouble(failure) || isWrongPlace(failure)
    return mayGoElsewhere && this.#next ? this.#road() : undefined
  }

  prefer(): void {
    // The tape decides.
  }

  async close(): Promise<void> {
    for (const stream of this.#streams) stream.cancel()
  }

  get #next(): ScriptedRun | undefined {
    return this.#playback.attempt?.runs.find(({ isTaken }) => !isTaken)
  }

  #road(): ChosenTransport {
    const name = this.#next?.transport ?? 'http2'
    const transport: RunTransport = {
      name,
      place: { origin: 'http://replay', path: '/' },
      open: () => this.#open(),
      close: async () => undefined,
    }
    const host = { baseUrl: '', others: [], http2: 'open' as const, source: 'the tape' }
    return { transport, host, at: '', why: 'as on the tape' }
  }

  async #open(): Promise<RunStream> {
    const run = this.#next
    if (!run) throw this.#missing()
    run.isTaken = true
    this.#playback.reach(run.place)
    const [first] = run.steps
    if (first?.frame.do === 'error' && first.frame.opening)
      throw errorFrom(first.frame.message, { ...first.frame.error })
    const stream = new PlayedStream(run, this.#playback)
    this.#streams.push(stream)
    void stream.play()
    return stream
  }

  /** What failed then before a run was opened, such as a login, fails here. */
  #missing(): GatewayError {
    const failure = this.#playback.attempt?.failure
    if (failure) return errorFrom(failure.message, { ...failure.error })
    this.#playback.remark('the gateway opened a run that is not on the tape')
    return new GatewayError('internal', 'There is no further run on the tape.')
  }
}
