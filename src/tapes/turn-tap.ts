// The tap of a turn: turns upstream traffic into frames of its tape. Classes, because each turn makes one of each.

import { isSecretHeader } from '../base/secrets/names.ts'
import type { SessionState } from '../core/backend.ts'
import { type ErrorFacts, errorFacts } from '../core/error-facts.ts'
import { GatewayError } from '../core/errors.ts'
import type { ExchangeTap, StreamTap, TurnTap, UpstreamPlace } from '../core/tap.ts'
import type { Headers } from './frame.ts'
import type { TurnTape } from './tape-source.ts'

export const tapFor = (tape: TurnTape): TurnTap => new TapeTap(tape)

class TapeTap implements TurnTap {
  readonly turn: string
  readonly #tape: TurnTape
  #exchanges = 0

  constructor(tape: TurnTape) {
    this.turn = tape.turn
    this.#tape = tape
  }

  exchange({
    backend,
    origin,
    path,
    method,
    headers,
    body,
  }: Parameters<TurnTap['exchange']>[0]): ExchangeTap {
    const exchange = ++this.#exchanges
    const text =
      typeof body === 'string'
        ? body
        : Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')
    this.#tape.add({
      side: 'upstream',
      do: 'request',
      exchange,
      backend,
      origin,
      path,
      method,
      headers: shown(headers),
      body: text,
    })
    return new TapeExchange(this.#tape, exchange)
  }

  stream({ headers, ...opened }: UpstreamPlace & { transport: 'http2' | 'sse' }): StreamTap {
    const exchange = ++this.#exchanges
    this.#tape.add({ side: 'run', do: 'open', exchange, ...opened, headers: shown(headers) })
    return new TapeStream(this.#tape, exchange)
  }

  continueStream(turn: string): StreamTap {
    this.#tape.continues(turn)
    return new TapeStream(this.#tape, ++this.#exchanges)
  }

  session(state: SessionState, id: string): void {
    this.#tape.add({ side: 'gateway', do: 'session', state, id })
  }

  markIncomplete(): void {
    this.#tape.markIncomplete()
  }
}

class TapeExchange implements ExchangeTap {
  readonly #tape: TurnTape
  readonly #exchange: number

  constructor(tape: TurnTape, exchange: number) {
    this.#tape = tape
    this.#exchange = exchange
  }

  response(status: number, came: Record<string, string | string[] | undefined>): void {
    const headers = shown(came)
    this.#tape.add({ side: 'upstream', do: 'response', exchange: this.#exchange, status, headers })
  }

  data(bytes: Uint8Array, isJoined: boolean): void {
    this.#tape.onUpstreamData(this.#exchange, bytes, isJoined)
  }

  onReadDone(): void {
    this.#tape.onReadDone()
  }

  end(): void {
    this.#tape.add({ side: 'upstream', do: 'end', exchange: this.#exchange })
  }

  error(failure: Error, cause?: string): void {
    const { message } = failure
    const why = cause === undefined ? factsOf(failure) : { cause }
    this.#tape.add({ side: 'upstream', do: 'error', exchange: this.#exchange, message, ...why })
  }
}

class TapeStream implements StreamTap {
  readonly #tape: TurnTape
  readonly #exchange: number

  constructor(tape: TurnTape, exchange: number) {
    this.#tape = tape
    this.#exchange = exchange
  }

  get isOver(): boolean {
    return this.#tape.isOver
  }

  sent(message: Uint8Array): void {
    const base64 = Buffer.from(message).toString('base64')
    this.#tape.add({ side: 'run', do: 'sent', exchange: this.#exchange, base64 })
  }

  received(message: Uint8Array, isJoined: boolean): void {
    const base64 = Buffer.from(message).toString('base64')
    const joined = isJoined ? ({ joined: true } as const) : {}
    this.#tape.add({ side: 'run', do: 'received', exchange: this.#exchange, base64, ...joined })
  }

  clock(): void {
    if (!this.isOver) this.#tape.add({ side: 'run', do: 'clock', exchange: this.#exchange })
  }

  end(): void {
    this.#tape.add({ side: 'run', do: 'end', exchange: this.#exchange })
  }

  error(failure: Error, taken: number | undefined): void {
    const { message } = failure
    const reached = taken === undefined ? ({ opening: true } as const) : { taken }
    const facts = factsOf(failure)
    this.#tape.add({ side: 'run', do: 'error', exchange: this.#exchange, message, ...facts, ...reached })
  }
}

const factsOf = (failure: Error): { error?: ErrorFacts } =>
  failure instanceof GatewayError ? { error: errorFacts(failure) } : {}

const removed = '[removed]'

/** Few names occur, and each turn has most of them. Names from outside are bounded. */
const secretNames = new Map<string, boolean>()
const mostNames = 1_000

function isSecret(name: string): boolean {
  const known = secretNames.get(name)
  if (known !== undefined) return known
  const found = isSecretHeader(name)
  if (secretNames.size < mostNames) secretNames.set(name, found)
  return found
}

export const shownValue = (name: string, value: string): string => (isSecret(name) ? removed : value)

export function shown(headers: Record<string, string | string[] | undefined>): Headers {
  const out: Headers = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    out[name] = isSecret(name) ? removed : Array.isArray(value) ? value.join(', ') : String(value)
  }
  return out
}
