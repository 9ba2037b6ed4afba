// The service: handles each HTTP request, opens runs, and answers everything else at once.

import { ScriptError } from '../script.ts'
import { Accounts } from './accounts.ts'
import { AgentRun } from './agent-run.ts'
import { Appends } from './appends.ts'
import { FairClock } from './clock.ts'
import { Conversations } from './conversations.ts'
import { breakRun } from './faults.ts'
import { decompress, encodeEnd, MAX_MESSAGE_BYTES } from './frames.ts'
import type { AnyRequest, Listener } from './listener.ts'
import { DEFAULT_MODELS, type ModelRow, toRow } from './models.ts'
import type { CursorRequest, CursorSimOptions } from './options.ts'
import type { Patience } from './patience.ts'
import { Refusal } from './refusal.ts'
import { type CursorRun, RunRecord } from './run-record.ts'
import type { CursorScript } from './script.ts'
import { Stage } from './stage.ts'
import { type AnyResponse, StreamWriter } from './stream-writer.ts'
import { findHeadFault, isStreamType, readBidi, readSse, streamHeaders } from './streams.ts'
import { REQUIRED, Toolset } from './toolset.ts'
import { replyTo, type UnaryReply } from './unary.ts'

const MAX_KEPT_REQUESTS = 10_000
const MAX_KEPT_RUNS = 1000
const MAX_KEPT_VIOLATIONS = 1000
const RUN = '/agent.v1.AgentService/Run'
const RUN_SSE = '/agent.v1.AgentService/RunSSE'
const APPEND = '/aiserver.v1.BidiService/BidiAppend'
/** A load balancer's status for the wrong HTTP version. */
const WRONG_PROTOCOL = 464
const HTTP2_CONFIG = { forced: 2, off: 1 } as const

export class CursorService {
  readonly requests: CursorRequest[] = []
  readonly runs: RunRecord[] = []
  readonly violations: string[] = []
  /** After how many messages each of the next runs breaks. */
  readonly breaks: number[] = []
  readonly stage: Stage
  readonly accounts: Accounts
  readonly conversations: Conversations
  listener: Listener | undefined
  readonly #options: CursorSimOptions
  readonly #models: readonly ModelRow[]
  readonly #clock = new FairClock(() => this.listener?.frozen ?? false)
  readonly #appends: Appends
  readonly #patience: Patience
  readonly #openRuns = new Set<AgentRun>()

  constructor(options: CursorSimOptions) {
    this.#options = options
    this.#models = (options.models ?? DEFAULT_MODELS).map(toRow)
    const { apiKey, loginPolls, tokenSeconds = 3600 } = options
    this.accounts =
      options.auth instanceof Accounts ? options.auth : new Accounts({ apiKey, loginPolls, tokenSeconds })
    this.conversations = new Conversations(this.#clock)
    this.stage = new Stage(
      {
        models: this.#models,
        paceMs: options.paceMs ?? 0,
        bootstrapMs: options.bootstrapMs ?? 0,
        streamsShell: options.shell !== 'whole',
        nativeTools: options.nativeTools ?? true,
        spelling: options.spelling ?? 'name',
        mcpState: options.mcpState,
        grants: options.grants ?? [],
        toolset: options.toolset ?? 'kept',
        required: { ...REQUIRED, ...options.requiredTools },
      },
      this.conversations,
    )
    this.#appends = new Appends(() => this.#clock.now, options.strictAppends ?? false)
    this.#patience = {
      execMs: options.execPatienceMs ?? 10_000,
      kvMs: options.kvPatienceMs ?? 10_000,
      clientHeartbeatMs: options.clientHeartbeatPatienceMs ?? 15_000,
      serverHeartbeatMs: options.heartbeatMs ?? 5000,
    }
  }

  playScript(script: CursorScript): void {
    if (script.kind !== 'cursor') {
      throw new ScriptError(`a script of kind "${script.kind}" on the cursor simulator`)
    }
    this.stage.add(script.turns)
  }

  clear(): void {
    this.requests.length = 0
    this.runs.length = 0
    this.violations.length = 0
    this.stage.queue.length = 0
    this.breaks.length = 0
  }

  breakRuns(which: (run: CursorRun) => boolean = () => true): void {
    for (const run of this.#openRuns) if (which(run.record)) breakRun(run)
  }

  async serve(request: AnyRequest, response: AnyResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const record = recordOf(request, url.pathname)
    this.requests.push(record)
    if (this.requests.length > MAX_KEPT_REQUESTS) this.requests.shift()
    this.#options.onRequest?.(record)
    const socket = this.listener?.socketOf(request)
    const writer = new StreamWriter({ response, socket, thawed: () => this.listener?.thawed(socket) })
    try {
      if (this.#options.role === 'agent' && record.http !== '2') {
        request.resume()
        writer.reply(WRONG_PROTOCOL, {}, '')
      } else if (url.pathname === RUN) this.#serveRun(request, writer, record)
      else if (url.pathname === RUN_SSE) await this.#serveSse(request, writer)
      else await this.#serveUnary(request, writer, url)
    } catch (error) {
      // A defect of the simulator, or a client that left: never the end of the process.
      writer.reply(
        500,
        JSON_TYPE,
        JSON.stringify({ code: 'internal', message: `the simulator failed: ${error}` }),
      )
    }
  }

  #serveRun(request: AnyRequest, writer: StreamWriter, { http }: CursorRequest): void {
    if (http !== '2' || this.#options.http2 === 'off') {
      this.#violate(`a Run over HTTP/${http}, which is not served`)
      writer.reply(WRONG_PROTOCOL, {}, '')
      return
    }
    if (this.#options.region !== undefined) return this.#turnAway(writer, request)
    const run = this.#open(request, writer, 'http2')
    if (run !== undefined) readBidi(request, run)
  }

  #turnAway(writer: StreamWriter, request: AnyRequest): void {
    request.resume()
    writer.prepare(streamHeaders(request))
    writer.flushHead()
    const words = 'This region is not yet available for your team'
    const end =
      this.#options.region === 'refused' ? encodeEnd(new Refusal('failed_precondition', words)) : undefined
    void (end ? writer.raw(end) : Promise.resolve()).then(() => writer.end())
  }

  async #serveSse(request: AnyRequest, writer: StreamWriter): Promise<void> {
    const body = await readBody(request)
    const run = this.#open(request, writer, 'sse')
    if (run === undefined) return
    // Shorter than other deadlines, so that the gap is reported and not its consequences.
    const gapPatienceMs = this.#patience.kvMs / 2
    readSse(request, body, { run, appends: this.#appends, clock: this.#clock, gapPatienceMs })
  }

  /** Undefined if the request is refused. */
  #open(request: AnyRequest, writer: StreamWriter, transport: 'http2' | 'sse'): AgentRun | undefined {
    if (!isStreamType(request)) {
      this.#violate(`${transport} stream with content-type ${request.headers['content-type'] ?? 'missing'}`)
      writer.reply(415, { 'accept-post': 'application/connect+proto' }, '')
      return undefined
    }
    writer.prepare(streamHeaders(request))
    try {
      this.accounts.checkAccess(request.headers.authorization)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (request.headers.authorization === undefined)
        this.#violate(`a ${transport} run without authorization`)
      void writer.raw(encodeEnd(error)).then(() => writer.end())
      return undefined
    }
    const record = new RunRecord(transport, request.headers)
    this.runs.push(record)
    if (this.runs.length > MAX_KEPT_RUNS) this.runs.shift()
    const run = new AgentRun({
      record,
      writer,
      clock: this.#clock,
      patience: this.#patience,
      chatters: this.#options.chatter ?? false,
      injection: this.#options.injection ?? 'taken',
      onViolation: (sentence) => this.#violate(sentence),
    })
    this.#openRuns.add(run)
    const [messages] = this.breaks.splice(0, 1)
    if (messages !== undefined) {
      run.messagesToBreak = messages
      run.onBreak = () => breakRun(run)
    }
    void record.waitForClose().then(() => this.#openRuns.delete(run))
    const fault = findHeadFault(request)
    if (fault !== undefined) {
      run.violate(fault)
      return undefined
    }
    if (this.stage.mayBeginEarly) writer.flushHead()
    void this.stage.play(run)
    return run
  }

  async #serveUnary(request: AnyRequest, writer: StreamWriter, url: URL): Promise<void> {
    const { method = 'GET', headers } = request
    const encoding = headers['content-encoding']
    const sent = await readBody(request)
    const body = encoding === undefined ? sent : decompress(sent, encoding)
    const unary = { method, path: url.pathname, query: url.searchParams, headers, body }
    const reply =
      url.pathname === APPEND
        ? this.#append(request, body)
        : replyTo(unary, {
            accounts: this.accounts,
            models: this.#models,
            http2Config: this.#options.http2 === undefined ? 0 : HTTP2_CONFIG[this.#options.http2],
            agentUrl: this.#options.agentUrl,
            agentnUrl: this.#options.agentnUrl,
          })
    await this.listener?.thawed(this.listener.socketOf(request))
    writer.reply(reply.status, { 'content-type': reply.type }, reply.body)
  }

  #append({ headers }: AnyRequest, body: Uint8Array): UnaryReply {
    try {
      this.accounts.checkAccess(headers.authorization)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (headers.authorization === undefined) this.#violate('an append without authorization')
      return { status: error.status, type: 'application/json', body: JSON.stringify(error.toJson()) }
    }
    try {
      if (headers['content-type'] !== 'application/proto') {
        throw new Refusal('invalid_argument', `BidiAppend with content-type ${headers['content-type']}`)
      }
      if (headers['connect-protocol-version'] !== '1') {
        throw new Refusal('invalid_argument', 'BidiAppend without connect-protocol-version: 1')
      }
      this.#appends.add(body, new Toolset(headers))
      return { status: 200, type: 'application/proto', body: new Uint8Array() }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (!this.violations.includes(error.message)) this.#violate(error.message)
      return { status: error.status, type: 'application/json', body: JSON.stringify(error.toJson()) }
    }
  }

  #violate(sentence: string): void {
    this.violations.push(sentence)
    if (this.violations.length > MAX_KEPT_VIOLATIONS) this.violations.shift()
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function recordOf(request: AnyRequest, path: string): CursorRequest {
  const { method = 'GET', headers, httpVersion } = request
  const plain = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
  return { method, path, headers: Object.fromEntries(plain), http: httpVersion === '2.0' ? '2' : '1.1' }
}

/** Hexadecimal doubles the size of an append. */
const MAX_BODY_BYTES = 2 * MAX_MESSAGE_BYTES + 4096

async function readBody(request: AnyRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
    size += chunks.at(-1)?.length ?? 0
    if (size > MAX_BODY_BYTES) throw new Refusal('resource_exhausted', 'a body of more than 32 MiB')
  }
  return Buffer.concat(chunks)
}
