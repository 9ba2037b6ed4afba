// Starts the tape of a request: checks who may ask for one, and records the request.

import type { Config } from '../config/schema.ts'
import type { Notes } from '../core/notes.ts'
import type { Recall } from '../core/recall.ts'
import type { Sink } from '../core/sink.ts'
import type { TurnTap } from '../core/tap.ts'
import type { Exchange } from '../http/exchange.ts'
import type { FrameBody, GatewayFrame, Headers } from './frame.ts'
import { recallOnto } from './recalls.ts'
import { recordHeader, recordingIsOff, type TapeSource, type TurnTape } from './tape-source.ts'
import { TappedSink } from './tapped-sink.ts'
import { targetSettings } from './target-settings.ts'
import { shownValue, tapFor } from './turn-tap.ts'

interface TapedTurn {
  turnId: string
  key: string
  client: string | undefined
  door: string
  model: string
  stream: boolean
  createdAt: number
  body: string
  /** The body was not read to its end. */
  bodyCut?: boolean
}

/** Headers that affect how a request is read and answered. */
const headerNames = [
  'accept', 'anthropic-beta', 'anthropic-version', 'authorization', 'content-encoding', 'content-type', 'openai-beta',
  'user-agent', 'x-api-key', 'x-dragoman-helper-model', 'x-dragoman-record', 'x-dragoman-workspace', 'x-session-id',
] // biome-ignore format: a list to be read as one

/** Of the query, only what affects the answer: it may hold the key. */
const tapedPath = ({ path, query }: Exchange) =>
  query !== '' && new URLSearchParams(query).get('alt') === 'sse' ? `${path}?alt=sse` : path

/** Without a login. */
function addressOf(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined
  const { origin, pathname } = new URL(baseUrl)
  return pathname === '/' ? origin : origin + pathname
}

type BeginFrame = Extract<GatewayFrame, { do: 'begin' }>
type TargetFrame = Extract<GatewayFrame, { do: 'target' }>

/** What the tapes say of a backend. */
interface Target extends Pick<TargetFrame, 'kind' | 'settings'> {
  address: string | undefined
}

function requestOf(exchange: Exchange, { body, bodyCut }: TapedTurn): ClientRequest {
  const headers: Headers = {}
  for (const name of headerNames) {
    const value = exchange.header(name)
    if (value !== undefined) headers[name] = shownValue(name, value)
  }
  const { method } = exchange
  const frame: ClientRequest = {
    side: 'client',
    do: 'request',
    method,
    path: tapedPath(exchange),
    headers,
    body,
  }
  if (bodyCut) frame.bodyCut = true
  return frame
}

type ClientRequest = Extract<FrameBody, { side: 'client'; do: 'request' }>

export class TurnTaping {
  readonly #source: TapeSource
  readonly #config: Config
  /** By the name of the backend. */
  readonly #targets = new Map<string, Target>()
  readonly tapFor: (tape: TurnTape) => TurnTap = tapFor
  readonly recallOnto: (tape: TurnTape) => Recall = recallOnto

  constructor(source: TapeSource, config: Config) {
    this.#source = source
    this.#config = config
  }

  /** The answer must go through the returned sink: it records what it passes on. Undefined if no tape source wants this turn. */
  begin(exchange: Exchange, turn: TapedTurn, notes: Notes): { tape: TurnTape; sink: Sink } | undefined {
    const tape = this.#source.begin({
      turnId: turn.turnId,
      asked: this.#isAsked(exchange, turn.key, notes),
      isResent: exchange.resending !== undefined,
    })
    if (!tape) return undefined
    tape.add(this.#beginOf(exchange, turn))
    tape.add(requestOf(exchange, turn))
    return { tape, sink: new TappedSink(exchange.sink, tape) }
  }

  /** Plain literals: spreads take several times longer, and every turn has this frame. */
  #beginOf(exchange: Exchange, { door, model, stream, key, client, createdAt }: TapedTurn): BeginFrame {
    const frame: BeginFrame = { side: 'gateway', do: 'begin', door, model, stream, key, createdAt }
    const manner = this.#manner(client)
    if (client !== undefined) frame.client = client
    if (exchange.json !== undefined) frame.socket = true
    if (manner !== undefined) frame.manner = manner
    if (exchange.resending !== undefined) frame.resentFrom = exchange.resending.of
    return frame
  }

  onTarget(tape: TurnTape, backend: string, model: string): void {
    const { kind, address, settings } = this.#targets.get(backend) ?? this.#readTarget(backend)
    const frame: TargetFrame = { side: 'gateway', do: 'target', backend, kind, model, settings }
    if (address !== undefined) frame.address = address
    tape.add(frame)
  }

  #readTarget(backend: string): Target {
    const configured = this.#config.backends[backend]
    const calls = { ...this.#config.calls, ...configured?.calls }
    const { deferTools, sessions } = this.#config
    const settings = targetSettings({
      ...{ ...configured, deferTools, progressMs: sessions.progressMs },
      ...(calls.check === undefined ? {} : { calls }),
    })
    const target = { kind: configured?.kind ?? 'unknown', address: addressOf(configured?.baseUrl), settings }
    this.#targets.set(backend, target)
    return target
  }

  #manner(client: string | undefined): Config['clients'][string] | undefined {
    const { toolArguments, clients } = this.#config
    const own = client === undefined ? undefined : clients[client]
    return toolArguments === 'whole' && own === undefined ? undefined : { toolArguments, ...own }
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
