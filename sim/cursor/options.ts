// What can be chosen about the simulator, and what it remembers of each HTTP request.

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
  /** When set, only this key is exchanged; when absent, any that begins with crsr_. */
  readonly apiKey?: string
  /** The only ones that exist. */
  readonly models?: readonly (string | ModelRow)[]
  /** What GetServerConfig says; `off` also refuses runs over HTTP/2. */
  readonly http2?: 'forced' | 'off'
  /** Where GetServerConfig sends runs; the second without it is the first. */
  readonly agentUrl?: string
  readonly agentnUrl?: string
  /** `agent`: a host for runs alone, whose balancer answers HTTP/1.1 with 464. */
  readonly role?: 'agent'
  /** Runs of accounts of another region are closed without a word, or refused in words. */
  readonly region?: 'wrong' | 'refused'
  /** Turns to play before the demo model answers. */
  readonly script?: CursorScript
  /** Pause between the pieces of the demo model's answers. */
  readonly paceMs?: number
  /** What every new run costs before its first message, those that take up an older one too. */
  readonly bootstrapMs?: number
  /** Between the server's heartbeats while it waits for the client. */
  readonly heartbeatMs?: number
  /** How long an exec may go without an answer or a heartbeat, and without its close. */
  readonly execPatienceMs?: number
  /** How long a blob request may go unanswered, and a missing append may be missed. */
  readonly kvPatienceMs?: number
  /** How long the client may go without a heartbeat of its own. */
  readonly clientHeartbeatPatienceMs?: number
  readonly maxConcurrentStreams?: number
  /** The accounts of another simulator, whose tokens are then good here, too. */
  readonly auth?: CursorAuth
  /** Life of the access tokens that it issues. */
  readonly tokenSeconds?: number
  /** Logins approve themselves at this poll. */
  readonly loginPolls?: number
  /** How the demo model asks for commands: as events, or as one result. */
  readonly shell?: 'stream' | 'whole'
  /** False: the demo model knows only the client's tools. */
  readonly nativeTools?: boolean
  /** What the account may have beyond the usual. */
  readonly grants?: readonly Grant[]
  /** What the headers that name Cursor's own tools mean to the model. */
  readonly toolset?: ToolsetMode
  /** What a run ends without, where its headers name the tools that it may have. */
  readonly requiredTools?: Partial<RequiredTools>
  /** How models write the names of the client's tools. */
  readonly spelling?: Spelling
  /** When the state of the client's MCP servers is asked for; without it, before the first call of models called grok. */
  readonly mcpState?: DiscoveryMode
  /** True: every stream has notices of the service, and messages and fields that clients need not know. */
  readonly chatter?: boolean
  /** What becomes of words for a run that is under way. */
  readonly injection?: InjectionMode
  /** True: appends that come out of order are a violation instead of being put in order. */
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
