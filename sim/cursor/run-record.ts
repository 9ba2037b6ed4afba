// The simulator's record of one agent run, for tests.

import type { IncomingHttpHeaders } from 'node:http'
import { create } from '@bufbuild/protobuf'
import type { RequestContext } from '../../proto/gen/agent/v1/context_pb.ts'
import type { ExecClientMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import {
  type AgentClientMessage,
  type AgentRunRequest,
  AgentRunRequestSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import { Toolset } from './toolset.ts'

type RunTransport = 'http2' | 'sse'
export type RunEnd = 'by-client' | 'finished' | 'failed'

export interface RunBlobs {
  /** Blobs that the client stored for the server, by their id in hex. */
  readonly stored: Map<string, Uint8Array>
  /** Blobs that the client returned; undefined: it had none. */
  readonly fetched: Map<string, Uint8Array | undefined>
}

export interface CursorRun {
  readonly transport: RunTransport
  readonly headers: IncomingHttpHeaders
  readonly requestId: string | undefined
  /** Which of Cursor's own tools its headers allow. */
  readonly toolset: Toolset
  /** Empty before the first message. */
  readonly request: AgentRunRequest
  /** The whole first AgentClientMessage. */
  readonly requestBytes: Uint8Array
  /**
   * In the client's order, which for appends is that of their numbers. Only the first messages include heartbeats: a run that
   * waits for hours has too many to keep.
   */
  readonly received: readonly AgentClientMessage[]
  /** Words that the client injected into the run. */
  readonly injections: readonly string[]
  /** The kinds of the requested execs, in order. */
  readonly asked: readonly string[]
  readonly execResults: ReadonlyMap<number, readonly ExecClientMessage[]>
  readonly closedExecs: ReadonlySet<number>
  readonly thrown: ReadonlyMap<number, string>
  readonly clientHeartbeats: number
  readonly execHeartbeats: ReadonlyMap<number, number>
  /** The client's answer to request_context. */
  readonly context: RequestContext | undefined
  readonly blobs: RunBlobs
  readonly closed: RunEnd | undefined
  readonly violations: readonly string[]
  /** Differences between the request and what its scripted turn expected. */
  readonly difference: string | undefined
  waitForClose(): Promise<RunEnd>
}

/** Messages after which heartbeats are counted, but not kept. */
const MAX_KEPT_HEARTBEATS = 50

export class RunRecord implements CursorRun {
  readonly transport: RunTransport
  readonly headers: IncomingHttpHeaders
  requestId: string | undefined
  readonly toolset: Toolset
  request: AgentRunRequest = create(AgentRunRequestSchema)
  requestBytes: Uint8Array = new Uint8Array()
  readonly received: AgentClientMessage[] = []
  readonly injections: string[] = []
  readonly asked: string[] = []
  readonly execResults = new Map<number, ExecClientMessage[]>()
  readonly closedExecs = new Set<number>()
  readonly thrown = new Map<number, string>()
  clientHeartbeats = 0
  readonly execHeartbeats = new Map<number, number>()
  context: RequestContext | undefined
  readonly blobs: RunBlobs = { stored: new Map(), fetched: new Map() }
  closed: RunEnd | undefined
  readonly violations: string[] = []
  difference: string | undefined
  readonly #whenClosed: Promise<RunEnd>
  #announce: (end: RunEnd) => void = () => undefined

  constructor(transport: RunTransport, headers: IncomingHttpHeaders) {
    this.transport = transport
    this.headers = headers
    this.toolset = new Toolset(headers)
    const id = headers['x-request-id']
    this.requestId = typeof id === 'string' ? id : undefined
    this.#whenClosed = new Promise((resolve) => {
      this.#announce = resolve
    })
  }

  keep(message: AgentClientMessage): void {
    if (this.received.length < MAX_KEPT_HEARTBEATS || !isHeartbeat(message)) this.received.push(message)
  }

  close(end: RunEnd): void {
    if (this.closed !== undefined) return
    this.closed = end
    this.#announce(end)
  }

  waitForClose(): Promise<RunEnd> {
    return this.#whenClosed
  }
}

function isHeartbeat({ message }: AgentClientMessage): boolean {
  if (message.case !== 'execClientControlMessage') return message.case === 'clientHeartbeat'
  return message.value.message.case === 'heartbeat'
}
