// The part that all HTTP simulators share: a real node:http server that records requests, keeps a queue of
// scripted turns, and plays the next one or else what the demo model answers. It knows no wire format.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SimAccounts } from './accounts.ts'
import { isServedHost, misdirected } from './host.ts'
import { findDifference } from './match.ts'
import { type Answer, answer, type Conversation } from './model.ts'
import { type Framing, type Performance, play, type Renderer } from './player.ts'
import { type RecordedRequest, RequestLog, RequestRecord } from './recording.ts'
import { ResponseWriter } from './response-writer.ts'
import { type Script, ScriptError, type Step, type Turn } from './script.ts'

export interface SimOptions {
  /** 0 or absent: a free one. */
  readonly port?: number
  readonly host?: string
  /** Names beside loopback under which it may be called, as by a proxy. */
  readonly names?: readonly string[]
  /** When set, any other key is refused; when absent, any key or none will do. */
  readonly apiKey?: string
  /** When set, these are listed and all others do not exist; when absent, any name is served. */
  readonly models?: readonly string[]
  /** Turns to play before the demo model answers. */
  readonly script?: Script
  readonly onRequest?: (request: RecordedRequest) => void
  /** More headers of every answer. Read anew for each, so that a test may change them. */
  readonly answerHeaders?: Readonly<Record<string, string>>
  /** Pause between the pieces of the demo model's answers. */
  readonly paceMs?: number
  /** Accounts that misbehave. */
  readonly accounts?: Pick<SimAccounts, 'answer'>
}

/** A turn, or only its steps. */
type TurnInput = Turn | readonly Step[]

export interface Sim {
  readonly kind: string
  readonly url: string
  readonly port: number
  /** All requests so far, oldest first, but for those of `listings`. */
  readonly requests: readonly RecordedRequest[]
  /** Requests for the list of models, which a gateway may send beside any turn. */
  readonly listings: readonly RecordedRequest[]
  /** How many scripted turns were not yet used. */
  readonly queued: number
  play(...turns: TurnInput[]): void
  /** Forgets requests and queued turns. */
  clear(): void
  /** Stops listening and destroys open connections. */
  close(): Promise<void>
}

export interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  /** A string is sent as it is, anything else as JSON. */
  readonly body: unknown
}

/** A valid request for a model's answer: what is needed to play any turn in this wire form. */
export interface Exchange {
  readonly stream: boolean
  readonly headers: Record<string, string>
  readonly renderer: Renderer
  readonly framing?: Framing
  readonly conversation: Conversation
  /** Whether this answer may show the model's reasoning. */
  readonly showsReasoning: boolean
  /** Replaces these steps for a service that writes its answers in its own way. */
  readonly prepare?: (steps: readonly Step[]) => readonly Step[]
  /** The same for what the model itself answers; a script is played as it is written. */
  readonly prepareAnswer?: (steps: readonly Step[]) => readonly Step[]
  /** The response is over, however it ended. */
  readonly onClose?: () => void
}

/** One wire format: checks a request strictly and says how it is to be answered. */
export interface Dialect {
  readonly kind: string
  receive(request: RecordedRequest): Reply | Exchange
  /** Kept apart from the other requests. */
  isListing?(request: RecordedRequest): boolean
  /** An error in this dialect's shape, for scripts that did not get what they expected. */
  failure(status: number, message: string): Reply
}

export async function startSim(dialect: Dialect, options: SimOptions = {}): Promise<Sim> {
  const { host = '127.0.0.1', port = 0 } = options
  const stage = new Stage(dialect, options)
  if (options.script !== undefined) stage.playScript(options.script)
  const server = createServer((request, response) => {
    if (isServedHost(request.headers.host, host, options.names)) return void stage.serve(request, response)
    request.resume()
    return void response.writeHead(421, { 'content-type': 'text/plain' }).end(misdirected)
  })
  // Longer than any client's idle pool, so that a reused connection is never closed under it.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    kind: dialect.kind,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    requests: stage.log.records,
    listings: stage.listings.records,
    get queued() {
      return stage.queue.length
    },
    play: (...turns) => stage.add(turns),
    clear: () => stage.clear(),
    close: () =>
      new Promise((resolve) => {
        stage.closing = true
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class Stage {
  readonly log = new RequestLog()
  readonly listings = new RequestLog()
  readonly queue: Turn[] = []
  closing = false
  readonly #dialect: Dialect
  readonly #options: SimOptions

  constructor(dialect: Dialect, options: SimOptions) {
    this.#dialect = dialect
    this.#options = options
  }

  playScript(script: Script): void {
    if (script.kind !== this.#dialect.kind) {
      throw new ScriptError(`a script of kind "${script.kind}" on the ${this.#dialect.kind} simulator`)
    }
    this.add(script.turns)
  }

  add(turns: readonly TurnInput[]): void {
    this.queue.push(...turns.map((turn) => ('steps' in turn ? turn : { steps: turn })))
  }

  clear(): void {
    this.log.clear()
    this.listings.clear()
    this.queue.length = 0
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const writer = new ResponseWriter(response)
    try {
      const record = await readRequest(request)
      if (record !== undefined) await this.#answer(record, response, writer)
    } catch (error) {
      // A predicate of a test, or our own mistake: shown to the client, and never the end of the process.
      const { status, body } = this.#dialect.failure(500, `the simulator failed: ${error}`)
      if (response.headersSent) response.destroy()
      else writer.reply(status, { 'content-type': 'application/json' }, JSON.stringify(body))
    }
  }

  async #answer(record: RequestRecord, response: ServerResponse, writer: ResponseWriter): Promise<void> {
    const log = this.#dialect.isListing?.(record) ? this.listings : this.log
    log.add(record)
    this.#options.onRequest?.(record)
    response.once('close', () => {
      record.status = response.headersSent ? response.statusCode : undefined
      const left = !response.writableFinished && !writer.endedHere && !this.closing
      record.settle(left ? { closedByClientAt: Date.now() } : { finished: true })
    })
    const answered = (await this.#options.accounts?.answer(record)) ?? this.#dialect.receive(record)
    const received = { ...answered, headers: { ...answered.headers, ...this.#options.answerHeaders } }
    if ('renderer' in received) response.once('close', () => received.onClose?.())
    const next = 'renderer' in received ? this.#stage(received, record) : received
    if ('renderer' in next) await play(next, writer)
    else sendReply(next, writer)
  }

  #stage(exchange: Exchange, record: RequestRecord): Performance | Reply {
    const { prepare = (steps) => steps, prepareAnswer = prepare } = exchange
    const turn = this.#takeTurn(record)
    if (turn === undefined) {
      const steps = prepareAnswer(toSteps(answer(exchange.conversation), exchange.showsReasoning))
      return { ...exchange, steps, paceMs: this.#options.paceMs ?? 0 }
    }
    const difference = findDifference(turn.expect ?? {}, record.body)
    if (difference === undefined) return { ...exchange, steps: prepare(turn.steps), paceMs: 0 }
    record.difference = difference
    return this.#dialect.failure(500, `the request is not what the script expects: ${difference}`)
  }

  #takeTurn(record: RequestRecord): Turn | undefined {
    const index = this.queue.findIndex(({ when }) => {
      if (typeof when === 'function') return when(record)
      return when === undefined || findDifference(when, record.body) === undefined
    })
    return index < 0 ? undefined : this.queue.splice(index, 1)[0]
  }
}

/** Undefined where the client left before it had sent its whole body. */
async function readRequest(request: IncomingMessage): Promise<RequestRecord | undefined> {
  const startedAt = Date.now()
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch (error) {
    if (request.destroyed) return undefined
    throw error
  }
  const bytes = Buffer.concat(chunks)
  const url = new URL(request.url ?? '/', 'http://simulator')
  return new RequestRecord({
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    bodyText: bytes.toString('utf8'),
    bodyBytes: bytes.length,
    startedAt,
  })
}

function sendReply(reply: Reply, writer: ResponseWriter): void {
  writer.reply(
    reply.status,
    { 'content-type': 'application/json', ...reply.headers },
    typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body),
  )
}

/** Word-sized pieces, so that streaming can be seen. */
function toSteps({ reasoning, text, calls }: Answer, showsReasoning: boolean): Step[] {
  const pieces = (said: string) => Math.max(1, said.split(/\s+/).length)
  const steps: Step[] = []
  if (reasoning !== undefined && showsReasoning) steps.push({ think: reasoning, pieces: pieces(reasoning) })
  if (text !== undefined) steps.push({ say: text, pieces: pieces(text) })
  for (const call of calls) steps.push({ call, pieces: 3 })
  return steps
}
