// Serves one turn: reads the request through its door, opens the upstream, pumps the answer. Doors and backends meet only here.

import { randomId } from '../base/ids.ts'
import type { Caller } from '../core/caller.ts'
import { TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import { openFastPath } from '../core/fast-path.ts'
import { startKeepAlive } from '../core/keep-alive.ts'
import { Notes } from '../core/notes.ts'
import { endApart, pump, type Turn } from '../core/turn.ts'
import { TurnBudget } from '../core/turn-budget.ts'
import { turnSignal } from '../core/turn-signal.ts'
import { clientName } from '../doors/clients.ts'
import type { Door, DoorRequest } from '../doors/door.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodyLimits, pauseAfter, readJsonBody } from '../http/json-body.ts'
import { TurnObserver } from '../observe/turn-observer.ts'
import { dialectHeaders } from '../protocols/requests/dialect-headers.ts'
import { recordHeader, recordingIsOff } from '../tapes/tape-source.ts'
import { openUpstream } from './open-upstream.ts'
import { refuse, shapeOf } from './refuse.ts'
import type { Serving, TurnServices } from './serving.ts'

export async function serveTurn(
  exchange: Exchange,
  door: Door,
  caller: Caller,
  services: TurnServices,
): Promise<void> {
  const { head, header } = exchange
  const { replayInputs, taping } = services
  const turnId = replayInputs?.turnId() ?? `turn_${randomId(16)}`
  const createdAt = seconds(replayInputs?.now() ?? Date.now())
  head.set('x-dragoman-turn', turnId)
  head.setAll(door.headers?.(turnId))
  const client = clientName(header('user-agent'))
  const traits = services.clientTraits(client)
  head.shapeErrors(shapeOf(door, turnId, traits))
  const notes = new Notes()
  const { request, text, bytes } = await readRequest(exchange, door, notes, services.bodyLimits)
  const facts = {
    turnId,
    key: caller.key,
    client,
    clientSession: caller.session,
    door: door.name,
    model: request.model,
    stream: request.turn.stream,
  }
  if (!taping && header(recordHeader) !== undefined) notes.add(recordingIsOff)
  const taped = taping?.begin(exchange, { createdAt, body: text, ...facts }, notes)
  const tape = taped?.tape
  const sink = taped?.sink ?? exchange.sink
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
    head,
    sink,
    untapped: exchange.sink,
    signal,
    client: traits,
    createdAt,
    tape,
    tap: tape && taping?.tapFor(tape),
  }
  const failure = await serve(serving)
  release()
  observer.finish({ clientGone: sink.gone })
  const waits = traits.silentAs?.test(header('user-agent') ?? '') ? services.silentWaits : undefined
  if (!failure) return observer.error ? waits?.seen(observer.error, caller) : waits?.end(caller)
  const { method, path } = exchange
  const told = waits?.after(failure, caller) ?? failure
  refuse({ method, path, header, head, sink }, told, services, { isLogged: true })
}

async function readRequest(
  exchange: Exchange,
  door: Door,
  notes: Notes,
  limits: BodyLimits,
): Promise<{ request: DoorRequest; text: string; bytes: number }> {
  const { json, text, bytes } = exchange.json ?? (await readJsonBody(exchange, limits))
  await door.prepare?.(json)
  const request = door.read(json, notes, exchange.header)
  await pauseAfter(bytes)
  const { turn } = request
  if (turn.origin.body === json) turn.origin.text = text
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
  const keepAlive = startKeepAlive(() => {
    start()
    // A client that does not read needs no keep-alive.
    if (sink.isBehind) return
    sink.write(writer.keepAlive?.() ?? door.keepAlive)
    observer.keptAlive()
  }, serving.services.keepAliveMs)
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

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)

/** Node gives header values as Latin-1; paths are mostly UTF-8. */
function utf8(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? value : text
}

const longestNotes = 2_000

/** Only before the answer starts: later notes travel in the stream, where the dialect has a place for them. */
function addNotes({ head, notes }: Serving): void {
  if (notes.isEmpty) return
  const text = notes
    .take()
    .join('; ')
    // Header values are plain ASCII.
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .slice(0, longestNotes)
  if (text !== '') head.set('x-dragoman-notes', text)
}
