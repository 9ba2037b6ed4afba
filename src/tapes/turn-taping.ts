// Starts the tape of a request: checks who may ask for one, and records the request.

import type { Config } from '../config/schema.ts'
import type { Notes } from '../core/notes.ts'
import type { Sink } from '../core/sink.ts'
import type { TurnTap } from '../core/tap.ts'
import type { Exchange } from '../http/exchange.ts'
import { recordHeader, recordingIsOff, type TapeSource, type TurnTape } from './tape-source.ts'
import { TappedSink } from './tapped-sink.ts'
import { targetSettings } from './target-settings.ts'
import { shown, tapFor } from './turn-tap.ts'

interface TapedTurn {
  turnId: string
  key: string
  client: string | undefined
  door: string
  model: string
  stream: boolean
  createdAt: number
  body: string
}

/** Headers that affect how a request is read and answered. */
const headerNames = [
  'accept', 'anthropic-beta', 'anthropic-version', 'authorization', 'content-type', 'openai-beta', 'user-agent',
  'x-api-key', 'x-dragoman-helper-model', 'x-dragoman-record', 'x-dragoman-workspace', 'x-session-id',
] // biome-ignore format: a list to be read as one

/** Of the query, only what affects the answer: it may hold the key. */
const tapedPath = ({ path, query }: Exchange) =>
  query !== '' && new URLSearchParams(query).get('alt') === 'sse' ? `${path}?alt=sse` : path

export class TurnTaping {
  readonly #source: TapeSource
  readonly #config: Config
  readonly tapFor: (tape: TurnTape) => TurnTap = tapFor

  constructor(source: TapeSource, config: Config) {
    this.#source = source
    this.#config = config
  }

  /** The answer must go through the returned sink: it records what it passes on. Undefined if no tape source wants this turn. */
  begin(
    exchange: Exchange,
    { body, ...turn }: TapedTurn,
    notes: Notes,
  ): { tape: TurnTape; sink: Sink } | undefined {
    const tape = this.#source.begin({ turnId: turn.turnId, asked: this.#isAsked(exchange, turn.key, notes) })
    if (!tape) return undefined
    const { door, model, stream, key, client, createdAt } = turn
    tape.add({
      ...{ side: 'gateway', do: 'begin', door, model, stream, key, createdAt },
      ...(client === undefined ? {} : { client }),
      ...this.#manner(client),
    })
    const headers = Object.fromEntries(headerNames.map((name) => [name, exchange.header(name)]))
    const { method } = exchange
    const path = tapedPath(exchange)
    tape.add({ side: 'client', do: 'request', method, path, headers: shown(headers), body })
    return { tape, sink: new TappedSink(exchange.sink, tape) }
  }

  onTarget(tape: TurnTape, backend: string, model: string): void {
    const configured = this.#config.backends[backend]
    const kind = configured?.kind ?? 'unknown'
    const calls = { ...this.#config.calls, ...configured?.calls }
    const settings = { ...configured, ...(calls.check === undefined ? {} : { calls }) }
    tape.add({
      side: 'gateway',
      do: 'target',
      backend,
      kind,
      model,
      settings: targetSettings(settings),
    })
  }

  #manner(client: string | undefined): { manner?: Config['clients'][string] } {
    const { toolArguments, clients } = this.#config
    const own = client === undefined ? undefined : clients[client]
    if (toolArguments === 'whole' && own === undefined) return {}
    return { manner: { toolArguments, ...own } }
  }

  #isAsked(exchange: Exchange, key: string, notes: Notes): boolean {
    const asked = exchange.header(recordHeader)
    const { auth, tapes } = this.#config
    // Asking is unnecessary where everything is recorded.
    if (asked === undefined || asked === '0' || tapes.record === 'all') return false
    const mayAsk =
      tapes.record !== 'off' &&
      (auth === undefined || auth === 'none' || auth.keys.some((one) => one.name === key && one.record))
    if (tapes.record === 'off') notes.add(recordingIsOff)
    else if (!mayAsk)
      notes.add(
        'x-dragoman-record was ignored: this key may not record ("record": true in "auth.keys" allows it)',
      )
    return mayAsk
  }
}
