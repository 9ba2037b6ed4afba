// Serves Cursor runs as the service does: over HTTP/2, or over HTTP/1.1 as one long response with a request for each message.

import type { IncomingMessage, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  BidiAppendRequestSchema,
  BidiRequestIdSchema,
  GetServerConfigResponseSchema,
} from '../../proto/gen/aiserver/v1/service_pb.ts'
import { EnvelopeReader } from '../protocols/connect/envelope.ts'
import type { Playback } from './playback.ts'
import { RunPlayer, type RunWire } from './run-player.ts'
import type { ScriptedRun } from './script.ts'

const streamType = 'application/connect+proto'
const messageType = 'application/proto'

/** The value of the service's setting that forbids HTTP/2. */
const http2Forbidden = 1
const http2Demanded = 2

export class RunServer {
  readonly #runs: readonly ScriptedRun[]
  readonly #playback: Playback
  readonly #players: RunPlayer[] = []
  readonly #byRequest = new Map<string, RunPlayer>()
  readonly #sessions = new Set<http2.ServerHttp2Session>()
  readonly #server = http2.createServer()
  #url = ''

  constructor(runs: readonly ScriptedRun[], playback: Playback) {
    this.#runs = runs
    this.#playback = playback
    this.#server.on('session', (session) => {
      this.#sessions.add(session)
      session.on('close', () => this.#sessions.delete(session))
      session.on('error', () => session.destroy())
    })
    this.#server.on('stream', (stream) => this.#onStream(stream))
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  get host(): string {
    return this.#url.slice('http://'.length)
  }

  /** Every run waits for a message of the gateway. */
  get areWaiting(): boolean {
    return this.#players.every(({ isWaiting }) => isWaiting)
  }

  /** True for an HTTP/1.1 request that belongs to a run. */
  onRequest(path: string, body: Buffer, response: ServerResponse<IncomingMessage>): boolean {
    if (path.endsWith('/aiserver.v1.ServerConfigService/GetServerConfig')) this.#tellSettings(response)
    else if (path.endsWith('/agent.v1.AgentService/RunSSE')) this.#openBySse(body, response)
    else if (path.endsWith('/aiserver.v1.BidiService/BidiAppend')) this.#append(body, response)
    else return false
    return true
  }

  #tellSettings(response: ServerResponse): void {
    const next = this.#runs.find(({ isTaken }) => !isTaken)
    const settings = create(GetServerConfigResponseSchema, {
      http2Config: next?.transport === 'sse' ? http2Forbidden : http2Demanded,
      ...(next?.transport === 'sse' ? {} : { agentUrlConfig: { agentUrl: this.#url, agentnUrl: this.#url } }),
    })
    response.writeHead(200, { 'content-type': messageType })
    response.end(toBinary(GetServerConfigResponseSchema, settings))
  }

  #onStream(stream: http2.ServerHttp2Stream): void {
    stream.on('error', () => stream.destroy())
    const player = this.#player({
      write: (bytes) => void stream.write(bytes),
      end: () => stream.end(),
      break: () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
    })
    if (!player) {
      stream.respond({ ':status': 500 })
      stream.end('there is no further run on the tape')
      return
    }
    const envelopes = new EnvelopeReader({ backend: 'replay' })
    stream.on('data', (bytes: Buffer) => {
      for (const { data } of envelopes.push(bytes)) player.onMessage(data)
    })
    stream.on('close', () => player.onGone())
    stream.respond({ ':status': 200, 'content-type': streamType })
    void player.play()
  }

  #openBySse(body: Buffer, response: ServerResponse): void {
    const [id] = new EnvelopeReader({ backend: 'replay' }).push(body)
    const { requestId } = fromBinary(BidiRequestIdSchema, id?.data ?? new Uint8Array())
    const player = this.#player({
      write: (bytes) => void response.write(bytes),
      end: () => response.end(),
      break: () => response.destroy(),
    })
    if (!player) return void response.writeHead(500).end('there is no further run on the tape')
    this.#byRequest.set(requestId, player)
    response.on('close', () => player.onGone())
    response.writeHead(200, { 'content-type': streamType })
    response.flushHeaders()
    void player.play()
  }

  #append(body: Buffer, response: ServerResponse): void {
    const { data, requestId } = fromBinary(BidiAppendRequestSchema, body)
    this.#byRequest.get(requestId?.requestId ?? '')?.onMessage(Buffer.from(data, 'hex'))
    response.writeHead(200, { 'content-type': messageType })
    response.end()
  }

  #player(wire: RunWire): RunPlayer | undefined {
    const run = this.#runs.find(({ isTaken }) => !isTaken)
    if (!run) {
      this.#playback.remark('the gateway opened a run that is not on the tape')
      return undefined
    }
    run.isTaken = true
    const player = new RunPlayer(run, wire, this.#playback)
    this.#players.push(player)
    return player
  }
}
