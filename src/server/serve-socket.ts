// WebSocket mode of the Responses API: each `response.create` message is one turn, served as over HTTP. The last response of each lane
// (`stream_id`) is kept for the connection, so that the next message can continue it although it is not stored.

import { randomId } from '../base/ids.ts'
import { isObject } from '../base/json.ts'
import type { Caller } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'
import { Notes } from '../core/notes.ts'
import { openaiResponsesDoor } from '../doors/openai-responses.ts'
import type { CallerResponses } from '../doors/response-store.ts'
import { AnswerHead } from '../http/answer-head.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Guard } from '../http/guard.ts'
import { type BodySoFar, type JsonBody, readJsonBody } from '../http/json-body.ts'
import type { WebSocketConnection } from '../http/websocket/connection.ts'
import { closeCodes } from '../http/websocket/frames.ts'
import { SocketSink } from '../http/websocket/sse-sink.ts'
import { stoppingError } from './admit.ts'
import { beginTurn } from './begin-turn.ts'
import type { Entries, Entry } from './entry.ts'
import { refuse } from './refuse.ts'
import { nothingRead, refuseTurn } from './refuse-turn.ts'
import type { RouteServices } from './routes.ts'
import { serveTurn } from './serve-turn.ts'

/** The limits that OpenAI documents. */
const mostInFlight = 16
const mostLanes = 32
const longestLaneName = 64
const longestMs = 60 * 60 * 1000
const idleMs = 15 * 60 * 1000

interface SocketTimes {
  longestMs?: number
  idleMs?: number
}

interface ResponsesSocketOptions {
  connection: WebSocketConnection
  caller: Caller
  header: Exchange['header']
  headerNames: Exchange['headerNames']
  entries: Pick<Entries, 'current' | 'onSwitch'>
  /** Counts a turn as a request in progress, on the configuration in force. */
  track(run: (entry: Entry) => Promise<void>): Promise<void>
  /** Why the client may not send another message. */
  problem?(guard: Guard): GatewayError | undefined
  times?: SocketTimes | undefined
}

interface Lane {
  tail: Promise<void>
  /** The response that the next message may continue. */
  last: string | undefined
}

export class ResponsesSocket {
  readonly #options: ResponsesSocketOptions
  /** Responses of this connection are for it alone. */
  readonly #owner: Caller
  readonly #lanes = new Map<string | undefined, Lane>()
  readonly #ends: (() => void)[] = []
  #inFlight = 0
  #waitingBytes = 0
  #expired = false
  #idle: NodeJS.Timeout | undefined

  constructor(options: ResponsesSocketOptions) {
    this.#options = options
    const { connection, caller, entries, times } = options
    this.#owner = { key: caller.key, session: `socket ${randomId(16)}` }
    const expiry = setTimeout(() => this.#expire(), times?.longestMs ?? longestMs).unref()
    this.#ends.push(
      () => clearTimeout(expiry),
      () => clearTimeout(this.#idle),
      this.#services.stopping.on(() => this.#closeWhenIdle(closeCodes.goingAway)),
      entries.onSwitch(() => this.#onSwitch()),
      connection.onGone(() => this.#end()),
    )
    this.#armIdle()
  }

  get #services(): RouteServices {
    return this.#options.entries.current.services
  }

  get #problem(): GatewayError | undefined {
    return this.#options.problem?.(this.#options.entries.current.guard)
  }

  /** The key may be gone. A running turn may end. */
  #onSwitch(): void {
    if (this.#problem) this.#closeWhenIdle(closeCodes.policy)
  }

  onMessage(bytes: Buffer): void {
    const { track } = this.#options
    const services = this.#services
    const problem = this.#problem
    if (problem) {
      this.#refuseMessage(problem)
      return this.#closeWhenIdle(closeCodes.policy)
    }
    if (this.#inFlight >= mostInFlight || this.#waitingBytes + bytes.length > services.bodyLimits.bytes)
      return this.#refuseMessage(
        tooMany(`At most ${mostInFlight} responses may be in progress on one connection.`),
      )
    this.#inFlight++
    this.#waitingBytes += bytes.length
    clearTimeout(this.#idle)
    void track((entry) => this.#serve(bytes, entry.services))
      .catch(() => this.#options.connection.close(closeCodes.internal))
      .finally(() => {
        this.#inFlight--
        this.#armIdle()
        if (services.stopping.tripped || services.draining()) this.#closeWhenIdle(closeCodes.goingAway)
        if (this.#expired) this.#closeWhenIdle(closeCodes.normal)
        this.#onSwitch()
      })
  }

  /** Reads the message and takes its place in its lane. */
  async #serve(bytes: Buffer, services: RouteServices): Promise<void> {
    const soFar: BodySoFar = { text: '', isWhole: false }
    const frame = await readJsonBody(this.#exchange(bytes), services.bodyLimits, soFar).catch(
      (error: unknown) => this.#refuseMessage(GatewayError.from(error), soFar),
    )
    const lane = frame && this.#laneOf(frame)
    if (!frame || !lane) {
      this.#waitingBytes -= bytes.length
      return
    }
    const served = lane.tail.then(() => {
      this.#waitingBytes -= bytes.length
      return this.#options.connection.gone ? undefined : this.#turn(frame, lane, services)
    })
    lane.tail = served.catch(() => undefined)
    await served
  }

  /** Undefined if the message was refused. */
  #laneOf(message: JsonBody): Lane | undefined {
    const { json } = message
    const refuse = (error: GatewayError) => this.#refuseMessage(error, { ...message, isWhole: true }, name)
    const fields: Fields = isObject(json) ? json : {}
    const id = fields.stream_id
    const name = typeof id === 'string' ? id : undefined
    const problem =
      (!isObject(json) && bad('A message must be a JSON object.')) ||
      (fields.type !== 'response.create' && bad('type: must be "response.create"', 'type')) ||
      ((id ?? undefined) !== name && bad('stream_id: must be a string', 'stream_id')) ||
      ((name?.length ?? 0) > longestLaneName && bad('stream_id: is too long', 'stream_id')) ||
      (this.#services.draining() && stoppingError()) ||
      (this.#expired && expired())
    if (problem) return refuse(problem)
    const known = this.#lanes.get(name)
    if (known) return known
    const named = this.#lanes.size - (this.#lanes.has(undefined) ? 1 : 0)
    if (name !== undefined && named >= mostLanes)
      return refuse(tooMany(`At most ${mostLanes} values of stream_id may be used on one connection.`))
    const lane = { tail: Promise.resolve(), last: undefined }
    this.#lanes.set(name, lane)
    return lane
  }

  async #turn({ json, bytes }: JsonBody, lane: Lane, services: RouteServices): Promise<void> {
    const { caller } = this.#options
    const {
      type: _type,
      stream_id: id,
      generate,
      stream: _stream,
      background: _b,
      ...fields
    } = json as Fields
    const body = { stream: true, ...fields }
    const message = { json: body, text: JSON.stringify(body), bytes }
    const streamId = typeof id === 'string' ? id : undefined
    const exchange = this.#exchange(undefined, { streamId, json: message })
    const kept: string[] = []
    const isBeginning = generate === false
    const responses = this.#responses((response) => kept.push(response))
    const door = openaiResponsesDoor(responses, { isBeginning })
    try {
      if (isBeginning) await warmUp(exchange, door, body)
      else await serveTurn(exchange, door, caller, services)
    } catch (error) {
      const turn = beginTurn(exchange, door, caller, services)
      refuseTurn(turn, GatewayError.from(error), { ...message, isWhole: true })
    }
    const [fresh] = kept
    const before = typeof fields.previous_response_id === 'string' ? fields.previous_response_id : undefined
    // A failed continuation must not be tried again from a state that the client may not share.
    if (exchange.sink.failed && before !== undefined) this.#forget(before)
    if (fresh === undefined) return
    if (lane.last !== undefined) this.#forget(lane.last)
    lane.last = fresh
    await exchange.sink.drained()
  }

  /** What this connection keeps, before what is stored. */
  #responses(onKept: (id: string) => void): CallerResponses {
    const { caller } = this.#options
    const services = this.#services
    const own = services.socketResponses.of(this.#owner)
    const stored = services.responses.of(caller)
    return {
      ...stored,
      conversation: (id) => own.conversation(id) ?? stored.conversation(id),
      itemsOf: (id) => own.itemsOf(id) ?? stored.itemsOf(id),
      keep(request, answer) {
        own.keep({ ...request, store: true }, answer)
        onKept(String(answer.response.id))
        stored.keep(request, answer)
      },
    }
  }

  #forget(id: string): void {
    this.#services.socketResponses.delete(id, this.#owner)
  }

  #exchange(bytes: Buffer | undefined, answer: { streamId?: string | undefined; json?: JsonBody } = {}) {
    const { connection, header, headerNames } = this.#options
    const { streamId, json } = answer
    return {
      method: 'POST',
      path: '/v1/responses',
      query: '',
      header: (name: string) => (name.startsWith('content-') ? contentHeader(name) : header(name)),
      headerNames,
      ambiguousHost: false,
      ambiguousKey: false,
      inProcess: false,
      crowded: false,
      readBody: async ({ take }: Parameters<Exchange['readBody']>[0]) => {
        take(bytes ?? Buffer.alloc(0))
        return bytes?.length ?? 0
      },
      sink: new SocketSink(connection, streamId),
      head: new AnswerHead(),
      ...(json ? { json } : {}),
    } satisfies Exchange
  }

  /** A message that gets no answer is a turn too. */
  #refuseMessage(error: GatewayError, body: BodySoFar = nothingRead, streamId?: string): undefined {
    const { caller } = this.#options
    const services = this.#services
    const exchange = this.#exchange(undefined, { streamId })
    const door = openaiResponsesDoor(services.responses.of(caller))
    refuseTurn(beginTurn(exchange, door, caller, services), error, body)
  }

  #expire(): void {
    this.#expired = true
    refuse(this.#exchange(undefined), expired(), this.#services)
    this.#closeWhenIdle(closeCodes.normal)
  }

  #closeWhenIdle(code: number): void {
    if (this.#inFlight === 0) this.#options.connection.close(code)
  }

  #armIdle(): void {
    clearTimeout(this.#idle)
    const { connection, times } = this.#options
    if (this.#inFlight > 0 || connection.gone) return
    this.#idle = setTimeout(() => connection.close(closeCodes.normal), times?.idleMs ?? idleMs).unref()
  }

  #end(): void {
    for (const end of this.#ends) end()
    for (const { last } of this.#lanes.values()) if (last !== undefined) this.#forget(last)
    this.#lanes.clear()
  }
}

type Fields = Readonly<Record<string, unknown>>

const contentHeader = (name: string) => (name === 'content-type' ? 'application/json' : undefined)

/** `generate: false` prepares a conversation: a response without output, which the next message continues. */
async function warmUp(
  { sink, header, head }: Pick<Exchange, 'sink' | 'header' | 'head'>,
  door: ReturnType<typeof openaiResponsesDoor>,
  body: Fields,
): Promise<void> {
  head.shapeErrors((error) => ({ status: error.status, body: door.errorBody(error) }))
  await door.prepare?.(body)
  const request = door.read(body, new Notes(), header)
  const now = () => Math.floor(Date.now() / 1000)
  const writer = request.writer({
    id: randomId(16),
    createdAt: now(),
    now,
    client: {},
    toolArguments: 'whole',
    lateNotes: () => [],
    note: () => undefined,
  })
  sink.start(200, { 'content-type': 'text/event-stream' })
  const usage = { inputTokens: 0, outputTokens: 0 }
  sink.end(
    writer.push([
      { type: 'turn-start', id: '', model: request.model },
      { type: 'turn-end', reason: 'stop', usage },
    ]),
  )
}

const bad = (message: string, param?: string) =>
  new GatewayError('invalid-request', message, { param, detail: 'invalid_request' })

const tooMany = (message: string) =>
  new GatewayError('rate-limited', message, { detail: 'websocket_stream_limit_reached' })

const expired = () =>
  new GatewayError('invalid-request', 'A connection may last 60 minutes; open another one.', {
    detail: 'websocket_connection_limit_reached',
  })
