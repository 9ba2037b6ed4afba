// The routes for other instances: turns whose session is here, tool results for such sessions, stored
// responses, and what the inspector shows of this instance.

import { createHash } from 'node:crypto'
import { parseJson } from '../base/json.ts'
import type { Latch } from '../base/latch.ts'
import type { Signal } from '../base/signal.ts'
import { SessionLost, type TurnContext } from '../core/backend.ts'
import type { CallCheck } from '../core/call-check.ts'
import type { Caller } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'
import { isTerminal, isVisibleOutput, type TurnEvent } from '../core/events.ts'
import { startKeepAlive } from '../core/keep-alive.ts'
import { Notes } from '../core/notes.ts'
import type { TurnRequest } from '../core/request.ts'
import { sessionOf, sessionOfResults } from '../core/session-id.ts'
import type { Sink } from '../core/sink.ts'
import { withTurnSignal } from '../core/turn-signal.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodyLimits, readJsonText } from '../http/json-body.ts'
import { respondJson } from '../http/respond.ts'
import { errorFields, type Log } from '../observe/log.ts'
import {
  type KeptTexts,
  type RelayedInspection,
  type RelayedTurn,
  type RelayLine,
  readRelayedInspection,
  readRelayedResponse,
  readRelayedResults,
  readRelayedTurn,
  writeLine,
} from './relay-messages.ts'
import type { Scrub } from './relayed-error.ts'
import { peerHeader, type SignatureVerifier } from './signature.ts'
import type { PeerAnswer, PeerBackend } from './with-peers.ts'

export interface RelayServices {
  verifier: SignatureVerifier
  /** The session backend of this name, of several the one with the session. */
  backendFor(name: string, sessionId: string | undefined): PeerBackend | undefined
  isOwn(owner: string): boolean
  instance: string
  bodyLimits(): BodyLimits
  scrub: Scrub
  log: Log
  /** Trips when the gateway stops for good. */
  stopping: Latch
  /** The check of the calls of a turn. */
  beginChecks?: BeginChecks | undefined
}

export type BeginChecks = (
  request: TurnRequest,
  options: { backend: string; caller: Caller; note(text: string): void },
) => CallCheck | undefined

const signOfLifeMs = 5_000
/** Limits for a client's body; after re-encoding it is slightly deeper and may be larger. */
const maxDepth = 80
const largestGrowth = 2

/** Accepts requests of other instances only, never of a web page. Runs before the body is read. */
export function admitPeer(exchange: Exchange, verifier: SignatureVerifier): void {
  if (exchange.header('origin') !== undefined || exchange.header('sec-fetch-site') !== undefined)
    throw new GatewayError('forbidden', 'Web pages may not call this route.')
  if (verifier.verify(exchange.header(peerHeader), exchange) === undefined)
    throw new GatewayError('unauthenticated', 'Only other instances of this gateway may call this route.')
}

async function readSigned(exchange: Exchange, limits: BodyLimits): Promise<unknown> {
  const bytes = limits.bytes * largestGrowth
  const values = limits.values * largestGrowth
  const hash = createHash('sha256')
  const grown = { bytes, values, depth: maxDepth, budget: limits.budget }
  const { text } = await readJsonText(exchange, grown, { see: (piece) => hash.update(piece) })
  const [, , , digest] = (exchange.header(peerHeader) ?? '').split(' ')
  if (hash.digest('hex') !== digest)
    throw new GatewayError('unauthenticated', 'The body does not match its signature.')
  return parseJson(text)
}

export async function serveRelayedTurn(exchange: Exchange, services: RelayServices): Promise<void> {
  const relayed = readRelayedTurn(await readSigned(exchange, services.bodyLimits()))
  await withTurnSignal(exchange.sink, services.stopping, (signal) =>
    answerRelayed(exchange, services, relayed, signal),
  )
}

async function answerRelayed(
  exchange: Exchange,
  services: RelayServices,
  relayed: RelayedTurn,
  signal: Signal,
): Promise<void> {
  const { sink } = exchange
  const { turnId, caller, wholeArguments } = relayed
  const lines: RelayLine[] = []
  const notes = new Notes()
  const context: TurnContext = {
    ...{ turnId, caller, wholeArguments },
    signal,
    notes,
    calls: services.beginChecks?.(relayed.request, {
      backend: relayed.backend,
      caller,
      note: (text) => notes.add(text),
    }),
    onSession: (session) => lines.push({ session }),
  }
  let batches: PeerAnswer
  try {
    const sessionId = sessionOfResults(relayed.request.messages)
    const backend = services.backendFor(relayed.backend, sessionId)
    batches = (await backend?.answerPeer(relayed, context)) ?? 'gone'
  } catch (error) {
    batches = failing(error)
  }
  if (typeof batches === 'string') return respondJson(exchange, 410, { kept: batches === 'kept' })
  sink.start(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  const takeLines = (...last: RelayLine[]): string => {
    const notes = context.notes.take()
    const all = [...lines.splice(0), ...(notes.length > 0 ? [{ notes }] : []), ...last]
    return all.map((line) => writeLine(line, services.scrub)).join('')
  }
  // Written at once: the other instance learns that the session is here.
  sink.write(takeLines() || '\n')
  await pumpLines({ batches, sink, takeLines, ...services })
}

interface LinePump {
  batches: AsyncIterable<TurnEvent[]>
  sink: Sink
  takeLines(last: RelayLine): string
  stopping: Latch
  log: Log
}

async function pumpLines({ batches, sink, takeLines, stopping, log }: LinePump): Promise<void> {
  const keepAlive = startKeepAlive(() => sink.write('\n'), signOfLifeMs)
  let shown = false
  try {
    for await (const events of batches) {
      const last = events.some(isTerminal)
      shown ||= !last && events.some(isVisibleOutput)
      keepAlive.touch()
      if (!sink.write(takeLines({ events }))) await sink.drained()
      if (last) break
    }
    sink.end()
  } catch (error) {
    // Before the commit point, a session that cannot be answered here can be answered by a new run elsewhere.
    const lost = !shown && (error instanceof SessionLost || stopping.tripped)
    const failure = GatewayError.from(error)
    // The cause is not relayed: log it here.
    if (!lost && failure.code === 'internal') log.error('a relayed turn failed', errorFields(failure))
    sink.end(takeLines(lost ? { lost: 'the session cannot be answered here any more' } : { error: failure }))
  } finally {
    keepAlive.stop()
  }
}

const failing = (error: unknown): AsyncIterable<TurnEvent[]> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
})

export async function serveRelayedResults(exchange: Exchange, services: RelayServices): Promise<void> {
  const relayed = readRelayedResults(await readSigned(exchange, services.bodyLimits()))
  const backend = services.backendFor(relayed.backend, sessionOf(relayed.results[0]?.callId ?? ''))
  if (!backend || !services.isOwn(relayed.owner)) return respondJson(exchange, 410, {})
  respondJson(exchange, 200, { deliveries: await backend.takeFromPeer(relayed.results, relayed.caller) })
}

/** Answers from the turns and figures of this instance alone. */
export type Inspect = (exchange: Exchange, asked: RelayedInspection) => Promise<void> | void

export async function serveRelayedInspection(
  exchange: Exchange,
  inspect: Inspect | undefined,
  services: RelayServices,
): Promise<void> {
  const asked = readRelayedInspection(await readSigned(exchange, services.bodyLimits()))
  if (!inspect) return respondJson(exchange, 410, {})
  await inspect(exchange, asked)
}

/** Stored responses that clients may refer to. */
export interface KeptAnswers {
  find(id: string, caller: Caller): KeptTexts | undefined
  delete(id: string, caller: Caller): boolean
}

export async function serveRelayedResponse(
  exchange: Exchange,
  kept: KeptAnswers,
  services: RelayServices,
): Promise<void> {
  const relayed = readRelayedResponse(await readSigned(exchange, services.bodyLimits()))
  const { instance, id, caller, action } = relayed
  if (instance !== services.instance) return respondJson(exchange, 410, {})
  const found = action === 'find' ? kept.find(id, caller) : kept.delete(id, caller) && nothing
  respondJson(exchange, found ? 200 : 404, found || {})
}

const nothing: KeptTexts = { response: '', items: '' }
