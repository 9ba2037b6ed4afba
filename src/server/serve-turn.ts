// One model request from the door to the end of its answer: read, route, open, pump. Doors and backends meet here and
// nowhere else.

import { randomId } from '../base/ids.ts'
import type { Latch } from '../base/latch.ts'
import { nativeSignal, type Signal } from '../base/signal.ts'
import { defaultRetryPolicy, openTurn, type RetryBudgets, type RetryPolicy } from '../core/attempts.ts'
import type { Backend, SessionState, TextRepair } from '../core/backend.ts'
import type { Breakers } from '../core/breaker.ts'
import type { Caller } from '../core/caller.ts'
import { TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import { openFastPath } from '../core/fast-path.ts'
import { startKeepAlive } from '../core/keep-alive.ts'
import { Notes } from '../core/notes.ts'
import type { TurnRequest } from '../core/request.ts'
import { sessionOf, sessionOfResults } from '../core/session-id.ts'
import type { Sink } from '../core/sink.ts'
import type { TurnTap } from '../core/tap.ts'
import { pump, Turn } from '../core/turn.ts'
import { TurnBudget } from '../core/turn-budget.ts'
import { turnSignal } from '../core/turn-signal.ts'
import { type ClientTraits, clientName } from '../doors/clients.ts'
import type { Door, DoorRequest, StreamFacts } from '../doors/door.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodyLimits, pauseAfter, readJsonBody } from '../http/json-body.ts'
import type { LocalExecutor } from '../local-tools/executor.ts'
import { type LocalTurnOptions, localTurn, offerLocalTools } from '../local-tools/local-turn.ts'
import { type Observing, TurnObserver } from '../observe/turn-observer.ts'
import { recordHeader, recordingIsOff, type TurnTape } from '../tapes/tape-source.ts'
import type { TurnTaping } from '../tapes/turn-taping.ts'
import type { Catalog, Target } from './catalog.ts'
import type { ModelVariant } from './model-variants.ts'

export interface TurnServices extends Observing {
  catalog: Catalog
  budgets: RetryBudgets
  breakers: Breakers
  retryPolicy?: RetryPolicy
  keepAliveMs?: number
  bodyLimits: BodyLimits
  /** What may be kept of one turn. */
  turnBytes?: number | undefined
  /** How the client wants to be answered. */
  clientTraits(client: string | undefined): ClientTraits & Pick<StreamFacts, 'toolArguments'>
  /** The gateway stops for good. */
  stopping: Latch
  /** The tools of the gateway itself, where it has any. */
  local?: LocalExecutor | undefined
  /** Somebody may want to see what goes over the wires. */
  taping?: TurnTaping | undefined
  /** Replay only: recorded ids and clock. */
  replayInputs?: ReplayInputs | undefined
}

export interface ReplayInputs {
  turnId(): string
  /** Milliseconds since 1970. */
  now(): number
  sessionId(): string
}

interface Serving {
  services: TurnServices
  caller: Caller
  clientName: string | undefined
  door: Door
  request: DoorRequest
  notes: Notes
  budget: TurnBudget
  turnId: string
  observer: TurnObserver
  sink: Sink
  /** The same, of which no tape is told. */
  untapped: Sink
  signal: Signal
  answerHeaders: Record<string, string>
  client: ReturnType<TurnServices['clientTraits']>
  /** Seconds since 1970. */
  createdAt: number
  tape: TurnTape | undefined
  tap: TurnTap | undefined
}

export async function serveTurn(
  exchange: Exchange,
  door: Door,
  caller: Caller,
  services: TurnServices,
): Promise<void> {
  const { answerHeaders } = exchange
  const { replayInputs, taping } = services
  const turnId = replayInputs?.turnId() ?? `turn_${randomId(16)}`
  const createdAt = Math.floor((replayInputs?.now() ?? Date.now()) / 1000)
  answerHeaders['x-dragoman-turn'] = turnId
  Object.assign(answerHeaders, door.headers?.(turnId))
  exchange.errorBody = (error) => door.errorBody(error, turnId)
  const { json, text, bytes } = await readJsonBody(exchange, services.bodyLimits)
  const notes = new Notes()
  await door.prepare?.(json)
  const request = door.read(json, notes, exchange.header)
  await pauseAfter(bytes)
  if (request.turn.origin.body === json) request.turn.origin.text = text
  const workspace = utf8(exchange.header('x-dragoman-workspace') ?? '')
  if (workspace !== '') request.turn.workspace = workspace
  const client = clientName(exchange.header('user-agent'))
  const { sink: untapped } = exchange
  const facts = {
    turnId,
    key: caller.key,
    client,
    door: door.name,
    model: request.model,
    stream: request.turn.stream,
  }
  const tape = taping?.begin(exchange, { createdAt, body: text, ...facts }, notes)
  if (!taping && exchange.header(recordHeader) !== undefined) notes.add(recordingIsOff)
  const { sink } = exchange
  const { header } = exchange
  const trace = services.tracer?.begin({ caller, request: request.turn, header, ...facts })
  const observer = new TurnObserver({ inputCharacters: bytes, notes, tape, trace, ...facts }, services)
  const { signal, release } = turnSignal(sink, services.stopping)
  const serving: Serving = {
    services,
    caller,
    clientName: client,
    door,
    request,
    notes,
    budget: new TurnBudget(services.turnBytes),
    turnId,
    observer,
    sink,
    untapped,
    signal,
    answerHeaders,
    client: services.clientTraits(client),
    createdAt,
    tape,
    tap: tape && taping?.tapFor(tape),
  }
  try {
    await (request.turn.stream ? serveStream(serving) : serveWhole(serving))
  } catch (error) {
    if (!sink.started) Object.assign(answerHeaders, turnHeaders(serving))
    throw observer.failed(GatewayError.from(error))
  } finally {
    release()
    observer.finish({ clientGone: sink.gone })
    exchange.reported = true
  }
}

async function serveStream(serving: Serving): Promise<void> {
  const { request, notes, budget, observer, sink, untapped, tape, door } = serving
  const start = () => {
    if (sink.started) return
    sink.start(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...turnHeaders(serving),
    })
  }
  const keepAliveText = door.keepAliveFor?.(serving.client) ?? door.keepAlive
  const keepAlive = startKeepAlive(() => {
    start()
    // A client that does not take what is there is not kept by more of it.
    if (sink.isBehind) return
    sink.write(keepAliveText)
    observer.keptAlive()
  }, serving.services.keepAliveMs)
  const { toolArguments } = serving.client
  const facts = { toolArguments, lateNotes: () => notes.take(), budget, ...answerFacts(serving) }
  try {
    let turn: Turn
    try {
      turn = await open(serving)
    } catch (error) {
      // Keep-alives have gone out: the status is spent, the error goes in-band.
      if (!sink.started) throw error
      sink.end(
        request.writer(facts).push(observer.see([{ type: 'turn-error', error: GatewayError.from(error) }])),
      )
      return
    }
    start()
    const writer = request.writer(facts)
    const write = (events: Parameters<typeof writer.push>[0]) => {
      const text = writer.push(observer.see(events))
      if (text !== '') keepAlive.touch()
      return text
    }
    openFastPath({
      source: turn,
      writer,
      // The tape gets each delta from `onDelta`.
      sink: untapped,
      onDelta(text, received, sent, at) {
        observer.onTextDelta(text)
        tape?.onTextDelta(text, received, writer.textDeltaFraming ?? sent, at)
        keepAlive.touch()
      },
    })
    await pump({ turn, write, sink })
  } finally {
    keepAlive.stop()
  }
}

async function serveWhole(serving: Serving): Promise<void> {
  const { request, observer, sink, budget } = serving
  const turn = await open(serving)
  const collector = new TurnCollector({ budget })
  for (let batch = await turn.next(); batch !== undefined; batch = await turn.next())
    collector.push(observer.see(batch))
  if (collector.error) throw collector.error
  const answer = request.answer(collector.turn, answerFacts(serving))
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  sink.start(200, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...turnHeaders(serving),
  })
  sink.end(text)
}

/** Resolves with the first turn that has something to show; the alias's other backends are tried before giving up. */
async function open(serving: Serving): Promise<Turn> {
  const { services, request, notes, client } = serving
  const targets = await services.catalog.resolve(request.model)
  const [{ variant } = {}] = targets
  if (variant) notes.add(variantNote(request, variant))
  const { local } = services
  const offered = local && !client.hasOwnTools ? await offerLocalTools(request.turn, local) : undefined
  if (!local || !offered) return (await openOne(serving, request.turn, targets)).turn
  notes.add("the gateway's own tools were offered to the model")
  const { turn: first, target } = await openOne(serving, offered, targets)
  const { turnId, clientName: name } = serving
  const context = { turnId, key: serving.caller.key, client: name, signal: nativeSignal(serving.signal) }
  const ask = async (next: TurnRequest) => (await openOne(serving, next, [target], true)).turn
  const abandon = (callId: string) => {
    const sessionId = sessionOf(callId)
    if (sessionId !== undefined) target.backend.sessions?.drop(sessionId)
  }
  const onOutput: LocalTurnOptions['onOutput'] = (callId, stream, text) =>
    target.backend.sessions?.onOutput?.(callId, stream, text)
  const onRan: LocalTurnOptions['onRan'] = (run) => serving.observer.ran(run)
  const options = { request: offered, executor: local, context, first, ask, onOutput, abandon, onRan }
  return new Turn(localTurn(options), serving.budget)
}

/** Opens one upstream turn. A later part of an answer can be tried again whatever the client has seen of the others. */
async function openOne(
  serving: Serving,
  asked: TurnRequest,
  targets: readonly Target[],
  isLaterPart = false,
): Promise<{ turn: Turn; target: Target }> {
  const {
    services,
    caller,
    notes,
    budget,
    turnId,
    observer,
    sink,
    signal,
    answerHeaders,
    client,
    tape,
    tap,
  } = serving
  let lasting = notes.all.length
  const keptBefore = budget.spent
  const onRepair = (kind: TextRepair) => observer.repaired(kind)
  const run = (target: Target) => {
    const traceHeaders = observer.attempts(target)
    if (tape) services.taping?.onTarget(tape, target.backendName, target.model)
    const wholeArguments = !asked.stream || client.toolArguments === 'whole'
    if (answerHeaders['x-dragoman-session'] !== undefined) delete answerHeaders['x-dragoman-session']
    observer.session = undefined
    observer.sessionWhy = undefined
    budget.rewind(keptBefore)
    const onSession = (state: SessionState, why?: string) => {
      answerHeaders['x-dragoman-session'] = state
      observer.session = state
      observer.sessionWhy = why
    }
    return target.backend.run(forTarget(asked, target), {
      turnId,
      caller,
      signal,
      notes,
      budget,
      wholeArguments,
      onSession,
      tap,
      sessionId: services.replayInputs?.sessionId,
      onRepair,
      traceHeaders,
    })
  }
  const noteFallback = ({ backendName, model }: Target, why: string) => {
    notes.rewind(lasting)
    notes.add(`${backendName}/${model} ${why}; the next of the alias was used`)
    lasting = notes.all.length
  }
  const { turn, target } = await openTurn<Target>({
    targets,
    run,
    addressOf,
    policy: services.retryPolicy ?? defaultRetryPolicy,
    budgets: services.budgets,
    breakers: services.breakers,
    continuesRun: ({ backend }) => isLaterPart || isForLiveRun(asked, backend),
    whole: !asked.stream,
    signal,
    memory: budget,
    mayRetry: () => isLaterPart || !sink.started,
    onFailure: (failed, error, next) => {
      observer.retried(error, failed.backendName, next)
      if (next === 'fallback') noteFallback(failed, `failed (${error.code})`)
    },
    onSkipped: (skipped, _refusal, next) => {
      observer.skipped(addressOf(skipped))
      if (next === 'fallback') noteFallback(skipped, 'has failed too often and is left alone for now')
    },
  })
  observer.target = { backendName: target.backendName, model: target.model }
  return { turn, target }
}

const addressOf = ({ backendName, model }: Target) => ({ backend: backendName, model })

/** Its results are for a run that waits for them, here or on another instance. */
function isForLiveRun({ messages }: TurnRequest, { sessions }: Backend): boolean | Promise<boolean> {
  const sessionId = sessionOfResults(messages)
  if (!sessions || sessionId === undefined) return false
  return sessions.has(sessionId) || (sessions.isElsewhere?.(sessionId) ?? false)
}

const answerFacts = ({ turnId, client, createdAt }: Serving) => ({
  id: turnId.slice('turn_'.length),
  createdAt,
  client,
})

function variantNote({ model, turn }: DoorRequest, variant: ModelVariant): string {
  const effort = effortOf(turn, variant)
  return `the model ${JSON.stringify(model)} was read as ${JSON.stringify(variant.name)}${effort ? ` with effort ${effort}` : ''}`
}

/** What the request itself says of effort goes before what the model's name says. */
const effortOf = (turn: TurnRequest, variant: ModelVariant | undefined) =>
  turn.reasoning || turn.otherEffort !== undefined ? undefined : variant?.effort

function forTarget(turn: TurnRequest, { model, variant }: Target): TurnRequest {
  const effort = effortOf(turn, variant)
  if (effort === undefined) return { ...turn, model }
  return { ...turn, model, reasoning: { effort }, origin: { ...turn.origin, faithful: false } }
}

/** Header values come as bytes, one to a character; paths are mostly UTF-8. */
function utf8(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? value : text
}

const longestNotes = 2_000

function turnHeaders({ answerHeaders, notes }: Serving): Record<string, string> {
  if (notes.isEmpty) return answerHeaders
  const text = notes
    .take()
    .join('; ')
    // Header values are plain ASCII.
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .slice(0, longestNotes)
  return { ...answerHeaders, ...(text === '' ? {} : { 'x-dragoman-notes': text }) }
}
