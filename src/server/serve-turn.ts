// Serves one turn: reads the request through its door, opens the upstream, pumps the answer. Doors and backends meet only here.

import type { Caller } from '../core/caller.ts'
import { TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import { openFastPath } from '../core/fast-path.ts'
import { startKeepAlive } from '../core/keep-alive.ts'
import { recalled } from '../core/recall.ts'
import { endApart, pump, type Turn } from '../core/turn.ts'
import { TurnBudget } from '../core/turn-budget.ts'
import { turnSignal } from '../core/turn-signal.ts'
import type { Door, DoorRequest } from '../doors/door.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodySoFar, pauseAfter, readJsonBody } from '../http/json-body.ts'
import { dialectHeaders } from '../protocols/requests/dialect-headers.ts'
import { addNotes } from './answer-notes.ts'
import { type BegunTurn, beginTurn, observeTurn, seconds } from './begin-turn.ts'
import { openUpstream } from './open-upstream.ts'
import { refuse } from './refuse.ts'
import { refuseTurn } from './refuse-turn.ts'
import type { Serving, TurnServices } from './serving.ts'
import { asFinal } from './silent-waits.ts'

export async function serveTurn(
  exchange: Exchange,
  door: Door,
  caller: Caller,
  services: TurnServices,
): Promise<void> {
  const begun = beginTurn(exchange, door, caller, services)
  const read = await readOrRefuse(begun)
  if (!read) return
  const { head, header } = exchange
  const { turnId, createdAt, client, traits, notes } = begun
  const { request, text, bytes } = read
  const { model, turn } = request
  const trace = services.tracer?.begin({
    turnId,
    caller,
    client,
    door: door.name,
    model,
    request: turn,
    header,
  })
  const facts = { model, stream: turn.stream, body: text, bytes, trace, messages: turn.messages }
  const { tape, sink, observer } = observeTurn(begun, facts)
  const { signal, release } = turnSignal(sink, services.stopping)
  const serving: Serving = {
    services,
    caller,
    clientName: client,
    door,
    request,
    header,
    notes,
    budget: new TurnBudget(services.turnBytes),
    turnId,
    observer,
    head,
    sink,
    untapped: exchange.sink,
    signal,
    client: traits,
    createdAt,
    tape,
    tap: tape && services.taping?.tapFor(tape),
    recall: services.replayInputs?.recall ?? (tape && services.taping?.recallOnto(tape)),
  }
  const failure = await serve(serving)
  release()
  observer.finish({ clientGone: sink.gone })
  const waits = traits.silentAs?.test(header('user-agent') ?? '') ? services.silentWaits : undefined
  if (!failure) return observer.error ? waits?.seen(observer.error, caller) : waits?.end(caller)
  const { method, path } = exchange
  const final = recalled(serving.recall, 'silent wait', () =>
    otherMessage(failure, waits?.after(failure, caller)),
  )
  const told = final === undefined ? failure : asFinal(failure, final)
  refuse({ method, path, header, head, sink }, told, services, { isLogged: true })
}

interface ReadTurn {
  request: DoorRequest
  text: string
  bytes: number
}

/** Undefined if the request was refused. */
async function readOrRefuse(begun: BegunTurn): Promise<ReadTurn | undefined> {
  const soFar: BodySoFar = { text: '', isWhole: false }
  try {
    return await readRequest(begun, soFar)
  } catch (thrown) {
    refuseTurn(begun, GatewayError.from(thrown), soFar)
    return undefined
  }
}

const otherMessage = (failure: GatewayError, told: GatewayError | undefined): string | undefined =>
  told === undefined || told === failure ? undefined : told.message

async function readRequest(
  { exchange, door, notes, services }: BegunTurn,
  soFar: BodySoFar,
): Promise<ReadTurn> {
  if (exchange.json) Object.assign(soFar, exchange.json, { isWhole: true })
  const body = exchange.json ?? (await readJsonBody(exchange, services.bodyLimits, soFar))
  const { json, text, bytes, members } = body
  await door.prepare?.(json)
  const request = door.read(json, notes, exchange.header)
  await pauseAfter(bytes)
  const { turn } = request
  if (turn.origin.body === json) {
    turn.origin.text = text
    if (members) turn.origin.members = members
  }
  const passed = dialectHeaders(exchange.headerNames(), exchange.header)
  if (passed) turn.origin.headers = passed
  const workspace = utf8(exchange.header('x-dragoman-workspace') ?? '')
  if (workspace !== '') turn.workspace = workspace
  return { request, text, bytes }
}

/** Resolves with the failure that the client has yet to be sent. */
async function serve(serving: Serving): Promise<GatewayError | undefined> {
  const { request, observer, sink } = serving
  try {
    await (request.turn.stream ? serveStream(serving) : serveWhole(serving))
    return undefined
  } catch (error) {
    if (!sink.started) addNotes(serving)
    return observer.failed(GatewayError.from(error))
  }
}

async function serveStream(serving: Serving): Promise<void> {
  const { request, notes, budget, observer, sink, untapped, tape, door } = serving
  const start = () => {
    if (sink.started) return
    addNotes(serving)
    sink.start(200, {
      'content-type': request.streamType ?? 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...serving.head.headers,
    })
  }
  const { toolArguments } = serving.client
  const facts = { toolArguments, lateNotes: () => notes.take(), budget, ...answerFacts(serving) }
  const writer = request.writer(facts)
  const sendKeepAlive = () => {
    start()
    // A client that does not read needs no keep-alive.
    if (sink.isBehind) return
    const opening = writer.opening?.()
    if (opening) sink.write(opening)
    sink.write(writer.keepAlive?.() ?? door.keepAlive)
    observer.keptAlive()
  }
  const { replayInputs, keepAliveMs } = serving.services
  const keepAlive = replayInputs?.keepAlive(sendKeepAlive) ?? startKeepAlive(sendKeepAlive, keepAliveMs)
  try {
    let turn: Turn
    try {
      turn = await openUpstream(serving)
    } catch (thrown) {
      const failure = GatewayError.from(thrown)
      const belongsInStream = serving.client.failsInStream === true && failure.mayBeSentAgain
      // After a keep-alive the status has been sent: the error goes into the stream.
      if (!sink.started && !belongsInStream) throw thrown
      const error = belongsInStream ? withWait(failure) : failure
      start()
      const text = writer.push(observer.see([{ type: 'turn-error', error }]))
      return endApart(sink, text, writer.parting?.())
    }
    start()
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
    await pump({ turn, write, parting: () => writer.parting?.(), sink })
  } finally {
    keepAlive.stop()
  }
}

const [usualWaitMs, longestWaitMs] = [3_000, 60_000]

/** A failure with the time after which a retry makes sense. */
function withWait(error: GatewayError): GatewayError {
  const retryAfterMs = Math.min(error.retryAfterMs ?? usualWaitMs, longestWaitMs)
  return new GatewayError(error.code, error.message, { ...error, cause: error, retryAfterMs })
}

async function serveWhole(serving: Serving): Promise<void> {
  const { request, observer, sink, budget } = serving
  const turn = await openUpstream(serving)
  const collector = new TurnCollector({ budget })
  for (let batch = await turn.next(); batch !== undefined; batch = await turn.next())
    collector.push(observer.see(batch))
  if (collector.error) throw collector.error
  const answer = request.answer(collector.turn, answerFacts(serving))
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  addNotes(serving)
  sink.start(200, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...serving.head.headers,
  })
  sink.end(text)
}

const answerFacts = ({ turnId, client, createdAt, notes, services: { replayInputs } }: Serving) => ({
  id: turnId.slice('turn_'.length),
  createdAt,
  now: () => seconds(replayInputs?.completedAt() ?? Date.now()),
  client,
  note: (text: string) => notes.add(text),
})

/** Node gives header values as Latin-1; paths are mostly UTF-8. */
function utf8(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? value : text
}
