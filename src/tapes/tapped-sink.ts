// A sink that reports everything written to the client to the turn's tape.

import type { Sink } from '../core/sink.ts'
import type { TurnTape } from './tape-source.ts'
import { shown } from './turn-tap.ts'

export class TappedSink implements Sink {
  readonly #sink: Sink
  readonly #tape: TurnTape

  constructor(sink: Sink, tape: TurnTape) {
    this.#sink = sink
    this.#tape = tape
    sink.onGone(() => tape.add({ side: 'client', do: 'gone' }))
  }

  start(status: number, headers: Record<string, string>): void {
    this.#sink.start(status, headers)
    this.#tape.add({ side: 'client', do: 'response', status, headers: shown(headers) })
  }

  get started(): boolean {
    return this.#sink.started
  }

  write(text: string): boolean {
    if (text !== '') this.#tape.onClientWrite(text)
    return this.#sink.write(text)
  }

  get isBehind(): boolean {
    return this.#sink.isBehind
  }

  drained(): Promise<void> {
    return this.#sink.drained()
  }

  end(text = ''): void {
    if (text !== '') this.#tape.onClientWrite(text)
    this.#sink.end(text)
    this.#tape.add({ side: 'client', do: 'end' })
  }

  get gone(): boolean {
    return this.#sink.gone
  }

  onGone(listener: () => void): () => void {
    return this.#sink.onGone(listener)
  }
}
