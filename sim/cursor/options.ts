// Options of the simulator, and its record of an HTTP request.

import type { IncomingHttpHeaders } from 'node:http'
import type { CursorAuth } from './accounts.ts'
import type { DiscoveryMode } from './discovery.ts'
import type { InjectionMode } from './injections.ts'
import type { ModelRow } from './models.ts'
import type { CursorScript } from './script.ts'
import type { Grant } from './stage.ts'
import type { Spelling } from './tool-names.ts'
import type { RequiredTools, ToolsetMode } from './toolset.ts'

export interface CursorSimOptions {
  /** 0 or absent: a free one. */
  readonly port?: number
  readonly host?: string
  /** Only this key is exchanged; without it, any key that begins with crsr_. */
  readonly apiKey?: string
  /** The only models that exist. */
  readonly models?: readonly (string | ModelRow)[]
  /** HTTP/2 in the answer of GetServerConfig; `off` also refuses runs over HTTP/2. */
  readonly http2?: 'forced' | 'off'
  /** Agent hosts in the answer of GetServerConfig; the second defaults to the first. */
  readonly agentUrl?: string
  readonly agentnUrl?: string
  /** `agent`: a host only for runs, whose load balancer answers HTTP/1.1 with 464. */
  readonly role?: 'agent'
  /** Runs of accounts of another region are closed without a message, or refused with one. */
  readonly region?: 'wrong' | 'refused'
  /** Turns to play before the demo model answers. */
  readonly script?: CursorScript
  /** Pause between the pieces of the demo model's answers. */
  readonly paceMs?: number
  /** Delay before the first message of every run, resumed ones included. */
  readonly bootstrapMs?: number
  /** Interval of the server's heartbeats while it waits for the client. */
  readonly heartbeatMs?: number
  /** How long an exec may go without an answer or a heartbeat, and without its close. */
  readonly execPatienceMs?: number
  /** How long a blob request may stay unanswered, and an append may be missing. */
  readonly kvPatienceMs?: number
  /** How long the client may send no heartbeat. */
  readonly clientHeartbeatPatienceMs?: number
  readonly maxConcurrentStreams?: number
  /** The accounts of another simulator, whose tokens are then valid here as well. */
  readonly auth?: CursorAuth
  /** Lifetime of issued access tokens. */
  readonly tokenSeconds?: number
  /** Logins approve themselves at this poll. */
  readonly loginPolls?: number
  /** How the demo model runs commands: with a stream of events, or with one result. */
  readonly shell?: 'stream' | 'whole'
  /** False: the demo model knows only the client's tools. */
  readonly nativeTools?: boolean
  /** Extra features of the account. */
  readonly grants?: readonly Grant[]
  /** The effect of the toolset headers on the model. */
  readonly toolset?: ToolsetMode
  /** Tools that a run needs if its headers list the allowed tools. */
  readonly requiredTools?: Partial<RequiredTools>
  /** How models write the names of the client's tools. */
  readonly spelling?: Spelling
  /** When the service asks for the state of the client's MCP servers; by default before the first call of Grok models. */
  readonly mcpState?: DiscoveryMode
  /** True: every stream has notices of the service, and messages and fields that clients need not know. */
  readonly chatter?: boolean
  /** The response to words for a run under way. */
  readonly injection?: InjectionMode
  /** True: appends out of order are a violation instead of being sorted. */
  readonly strictAppends?: boolean
  /** Serves both protocols over TLS, by ALPN. */
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly onRequest?: (request: CursorRequest) => void
}

export interface CursorRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly http: '1.1' | '2'
}
