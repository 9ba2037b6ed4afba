// A test client that behaves like the official one, on both transports. `alter` sees every message before it is sent, so that a test
// can make one thing wrong.

import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type { ExecClientMessageSchema, ExecServerMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
  type AgentRunRequestSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
  type ConversationStateStructure,
} from '../../proto/gen/agent/v1/run_pb.ts'
import { BidiAppendRequestSchema, BidiRequestIdSchema } from '../../proto/gen/aiserver/v1/service_pb.ts'
import { decompress, encodeFrame } from './frames.ts'
import { hex } from './kv-ledger.ts'

type ClientInit = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>['message']>
export type RunInit = Exclude<MessageInitShape<typeof AgentRunRequestSchema>, AgentRunRequest>
export type ResultInit = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>['message']>

export interface TestClientOptions {
  readonly url: string
  readonly transport: 'http2' | 'sse'
  readonly token: string
  readonly request?: RunInit
  /** Several results are events of one exec; without any, the exec stays unanswered; a string is thrown. */
  readonly onExec?: (exec: ExecServerMessage) => ResultInit[] | string | Promise<ResultInit[] | string>
  /** What is sent in place of a message. */
  readonly alter?: (message: AgentClientMessage) => AgentClientMessage[]
  /** Headers of the stream only. Appends are separate requests that race with it, so a mistake in both could be reported for either. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly appendHeaders?: Readonly<Record<string, string | undefined>>
  readonly heartbeatMs?: number
  readonly execHeartbeatMs?: number
  readonly requestId?: string
  /** HTTP/2 only: a connection that is shared, and left open. */
  readonly session?: ClientHttp2Session
  /** The number and data of the n-th append. */
  readonly append?: (n: number, data: string) => { seqno: number; data: string; afterMs?: number }
  readonly blobs?: Map<string, Uint8Array>
  /** Delay of RunSSE after the first append. */
  readonly openAfterMs?: number
}

interface TestOutcome {
  readonly status: number | undefined
  readonly messages: readonly AgentServerMessage[]
  readonly text: string
  readonly thinking: string
  /** The JSON of the end frame; undefined if there is none. */
  readonly end: { error?: { code: string; message: string; details?: { value: string }[] } } | undefined
  /** Bytes after the last whole frame. */
  readonly restBytes: number
  readonly brokenBy: string | undefined
}

export class TestClient {
  readonly #options: TestClientOptions
  readonly blobs: Map<string, Uint8Array>
  readonly messages: AgentServerMessage[] = []
  readonly #requestId: string
  readonly #settled: Promise<TestOutcome>
  #settle: (outcome: TestOutcome) => void = () => undefined
  #held = Buffer.alloc(0)
  #end: TestOutcome['end']
  #status: number | undefined
  #appends = 0
  #session: ClientHttp2Session | undefined
  #stream: ClientHttp2Stream | undefined
  #answer: IncomingMessage | undefined
  #heartbeat: NodeJS.Timeout | undefined
  readonly #beating = new Set<NodeJS.Timeout>()

  constructor(options: TestClientOptions) {
    this.#options = options
    this.#requestId = options.requestId ?? randomUUID()
    this.blobs = options.blobs ?? new Map()
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Opens the run, sends its request, and resolves when the response is over, however it ended. */
  run(): Promise<TestOutcome> {
    if (this.#options.transport === 'http2') this.#openHttp2()
    else setTimeout(() => this.#openSse(), this.#options.openAfterMs ?? 0)
    const { request = {}, heartbeatMs = 1000 } = this.#options
    this.send({ case: 'runRequest', value: { conversationState: {}, ...request } })
    this.#heartbeat = setInterval(() => this.send({ case: 'clientHeartbeat', value: {} }), heartbeatMs)
    return this.#settled
  }

  send(message: ClientInit): void {
    const made = create(AgentClientMessageSchema, { message })
    for (const altered of this.#options.alter?.(made) ?? [made]) {
      this.sendBytes(toBinary(AgentClientMessageSchema, altered))
    }
  }

  sendBytes(bytes: Uint8Array): void {
    if (this.#options.transport === 'sse') this.#append(bytes)
    else if (!this.#stream?.destroyed && !this.#stream?.writableEnded)
      this.#stream?.write(encodeFrame(0, bytes))
  }

  /** HTTP/2 only: raw bytes, or the end of the request. */
  get stream(): ClientHttp2Stream | undefined {
    return this.#stream
  }

  get checkpoints(): ConversationStateStructure[] {
    return this.messages.flatMap(({ message }) =>
      message.case === 'conversationCheckpointUpdate' ? [message.value] : [],
    )
  }

  leave(): void {
    this.#stream?.close(8)
    this.#answer?.destroy()
    if (!this.#options.session) this.#session?.destroy()
    this.#over('left')
  }

  #openHttp2(): void {
    this.#session = this.#options.session ?? connect(this.#options.url)
    if (!this.#options.session) this.#session.on('error', (error) => this.#over(String(error)))
    this.#stream = this.#session.request({
      ':method': 'POST',
      ':path': '/agent.v1.AgentService/Run',
      ...this.#headers('application/connect+proto', this.#options.headers),
    })
    this.#stream.on('response', (headers) => {
      this.#status = headers[':status']
    })
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#stream.on('end', () => this.#stream?.end())
    this.#stream.on('error', (error) => this.#over(String(error)))
    this.#stream.on('close', () => this.#over(undefined))
  }

  #openSse(): void {
    const opening = httpRequest(`${this.#options.url}/agent.v1.AgentService/RunSSE`, {
      method: 'POST',
      headers: this.#headers('application/connect+proto', this.#options.headers),
    })
    opening.on('error', (error) => this.#over(String(error)))
    opening.on('response', (response) => {
      this.#answer = response
      this.#status = response.statusCode
      response.on('data', (chunk: Buffer) => this.#take(chunk))
      response.on('error', (error) => this.#over(String(error)))
      response.on('close', () => this.#over(undefined))
    })
    const id = create(BidiRequestIdSchema, { requestId: this.#requestId })
    opening.end(encodeFrame(0, toBinary(BidiRequestIdSchema, id)))
  }

  #append(bytes: Uint8Array): void {
    const n = this.#appends++
    const {
      seqno,
      data,
      afterMs = 0,
    } = this.#options.append?.(n, hex(bytes)) ?? { seqno: n, data: hex(bytes) }
    const body = create(BidiAppendRequestSchema, {
      data,
      requestId: { requestId: this.#requestId },
      appendSeqno: BigInt(seqno),
    })
    setTimeout(() => {
      const append = httpRequest(`${this.#options.url}/aiserver.v1.BidiService/BidiAppend`, {
        method: 'POST',
        headers: this.#headers('application/proto', this.#options.appendHeaders),
      })
      append.on('error', () => undefined)
      append.on('response', (response) => response.resume())
      append.end(toBinary(BidiAppendRequestSchema, body))
    }, afterMs)
  }

  #headers(type: string, changed: TestClientOptions['headers']): Record<string, string> {
    const all = {
      authorization: `Bearer ${this.#options.token}`,
      'content-type': type,
      'connect-protocol-version': '1',
      'connect-accept-encoding': 'gzip',
      'x-request-id': this.#requestId,
      ...changed,
    }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return Object.fromEntries(given)
  }

  #take(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk])
    while (this.#held.length >= 5 && this.#held.length >= 5 + this.#held.readUInt32BE(1)) {
      const flags = this.#held.readUInt8(0)
      const payload = this.#held.subarray(5, 5 + this.#held.readUInt32BE(1))
      this.#held = this.#held.subarray(5 + payload.length)
      if (flags & 2) this.#end = JSON.parse(payload.toString('utf8'))
      else
        this.#onMessage(
          fromBinary(AgentServerMessageSchema, flags & 1 ? decompress(payload, 'gzip') : payload),
        )
    }
  }

  #onMessage(server: AgentServerMessage): void {
    this.messages.push(server)
    const { message } = server
    if (message.case === 'execServerMessage') void this.#perform(message.value)
    else if (message.case === 'interactionQuery') this.#reject(message.value.id, message.value.query.case)
    else if (message.case === 'kvServerMessage') {
      const { id, message: kv } = message.value
      if (kv.case === 'setBlobArgs') {
        this.blobs.set(hex(kv.value.blobId), kv.value.blobData)
        this.send({ case: 'kvClientMessage', value: { id, message: { case: 'setBlobResult', value: {} } } })
      } else if (kv.case === 'getBlobArgs') {
        const blobData = this.blobs.get(hex(kv.value.blobId))
        const value = blobData === undefined ? {} : { blobData }
        this.send({ case: 'kvClientMessage', value: { id, message: { case: 'getBlobResult', value } } })
      }
    }
  }

  async #perform(exec: ExecServerMessage): Promise<void> {
    const { id } = exec
    const control = (message: object) =>
      this.send({ case: 'execClientControlMessage', value: { message } } as ClientInit)
    const { execHeartbeatMs = 500 } = this.#options
    const beating = setInterval(() => control({ case: 'heartbeat', value: { id } }), execHeartbeatMs)
    this.#beating.add(beating)
    const results = await (this.#options.onExec?.(exec) ?? [])
    clearInterval(beating)
    this.#beating.delete(beating)
    if (typeof results === 'string') control({ case: 'throw', value: { id, error: results } })
    else if (results.length === 0 && exec.message.case === 'requestContextArgs') {
      this.#answerContext(id)
    } else {
      for (const message of results) this.send({ case: 'execClientMessage', value: { id, message } })
    }
    if (results.length > 0 || exec.message.case === 'requestContextArgs') {
      control({ case: 'streamClose', value: { id } })
    }
  }

  #answerContext(id: number): void {
    const requestContext = { env: { osVersion: 'linux 6', workspacePaths: ['/project'], shell: 'bash' } }
    const result = { case: 'success' as const, value: { requestContext } }
    const message = { case: 'requestContextResult' as const, value: { result } }
    this.send({ case: 'execClientMessage', value: { id, message } })
  }

  #reject(id: number, query: string | undefined): void {
    if (query !== 'webSearchRequestQuery') return
    const result = { case: 'rejected' as const, value: { reason: 'no' } }
    const value = { id, result: { case: 'webSearchRequestResponse' as const, value: { result } } }
    this.send({ case: 'interactionResponse', value })
  }

  #over(brokenBy: string | undefined): void {
    clearInterval(this.#heartbeat)
    if (!this.#options.session) this.#session?.close()
    for (const beating of this.#beating) clearInterval(beating)
    const join = (kind: 'textDelta' | 'thinkingDelta') =>
      this.messages.map(({ message }) => updateText(message, kind)).join('')
    this.#settle({
      status: this.#status,
      messages: this.messages,
      text: join('textDelta'),
      thinking: join('thinkingDelta'),
      end: this.#end,
      restBytes: this.#held.length,
      brokenBy,
    })
  }
}

function updateText(message: AgentServerMessage['message'], kind: 'textDelta' | 'thinkingDelta'): string {
  const update = message.case === 'interactionUpdate' ? message.value.message : undefined
  return update?.case === kind ? update.value.text : ''
}
