// Cursor's agent as a backend: each answer is a part of a run that stays open in the service until its turn ends. The gateway
// never runs the client's tools: the agent's requests become tool calls, and the run waits for their results.

import type { Backend, Finding } from '../../core/backend.ts'
import type { Clock } from '../../core/clock.ts'
import type { CursorCredentials } from '../../credentials/cursor.ts'
import { ToolOffers, type ToolSchemas } from '../../protocols/cursor-agent/tool-offers.ts'
import type { ConnectOptions, UpstreamClient } from '../../upstream/client.ts'
import { AgentHosts } from './agent-host.ts'
import { type ConversationFolder, Conversations } from './conversations.ts'
import { createIdentity, type IdentityOptions } from './identity.ts'
import { ModelList } from './model-list.ts'
import { createRunOpener } from './open-run.ts'
import type { Roads } from './roads.ts'
import { createRpc } from './rpc.ts'
import { Sessions } from './sessions.ts'
import { type NativeTools, Toolsets } from './toolsets.ts'
import { Transports } from './transports.ts'
import { Turns } from './turns.ts'

export interface CursorBackendOptions extends IdentityOptions {
  name: string
  baseUrl: string
  /** For everything but runs; the backend closes it. */
  client: UpstreamClient
  connect: ConnectOptions
  credentials: CursorCredentials
  transport: 'auto' | 'http2' | 'sse'
  history: 'structured' | 'text'
  toolsInContext: boolean
  nativeTools: NativeTools
  toolSchemas?: ToolSchemas | undefined
  workspace?: string | undefined
  progressMs: number
  sessions: { reuse: boolean; idleMs: number; max: number }
  /** Keeps conversations on disk as well. */
  conversations?: ConversationFolder | undefined
  /** Replay only. */
  played?: PlayedRuns | undefined
}

/** Recorded runs in place of connections, and their time. */
export interface PlayedRuns {
  roads: Roads
  clock: Clock
}

export function createCursorBackend(options: CursorBackendOptions): Backend {
  const { name, credentials, client, clientVersion } = options
  const identity = createIdentity(options)
  const rpc = createRpc({ backend: name, client, credentials, identity, clientVersion })
  const transports =
    options.played?.roads ??
    new Transports({
      backend: name,
      setting: options.transport,
      baseUrl: options.baseUrl,
      hosts: new AgentHosts({ ...options, rpc }),
      clientVersion,
      connect: options.connect,
    })
  const list = new ModelList(rpc)
  const sessions = new Sessions(options.sessions)
  const offers = new ToolOffers(options.toolSchemas)
  const toolsets = new Toolsets(options.nativeTools)
  const turns = new Turns({
    offers,
    toolsets,
    reuse: options.sessions.reuse,
    sessions,
    conversations: new Conversations(options.conversations),
    openRun: createRunOpener({
      ...options,
      ...{ backend: name, identity, transports, list, offers, toolsets, clock: options.played?.clock },
    }),
  })

  async function describe(): Promise<Finding[]> {
    const { transport, host, at, why } = await transports.choose()
    const isForbidden = transport.name === 'http2' && host.http2 === 'forbidden'
    const words = { http2: 'HTTP/2 (Run)', sse: 'HTTP/1.1 (RunSSE and BidiAppend)' }[transport.name]
    const { origin } = new URL(at)
    const source =
      transport.name === 'sse' && host.baseUrl !== at
        ? 'the hosts that the server names accept only HTTP/2'
        : host.source
    const remedy = isForbidden ? ', but the server\'s settings forbid it; set "transport" to "auto"' : ''
    return [
      { status: isForbidden ? 'warning' : 'ok', message: `runs go by ${words}: ${why}${remedy}` },
      { status: 'ok', message: `agent host ${origin}: ${source}` },
    ]
  }

  async function close(): Promise<void> {
    sessions.closeAll()
    await Promise.all([transports.close(), client.close()])
  }

  return {
    kind: 'cursor',
    models: (signal) => list.read(signal),
    run: (request, context) => turns.run(request, context),
    sessions: {
      has: (sessionId) => sessions.has(sessionId),
      resume: (request, context) => turns.resume(request, context),
      deliver: async (results, caller) => results.map((result) => sessions.deliver(result, caller)),
      onOutput: (callId, stream, text) => sessions.onOutput(callId, stream, text),
      drop: (sessionId) => sessions.drop(sessionId, 'another instance has taken it over'),
      dropWaiting: () => sessions.dropWaiting(),
      onGone: (listener) => sessions.onGone(listener),
      counts: () => sessions.counts,
      list: () => sessions.list(),
      modelOf: (sessionId) => sessions.modelOf(sessionId),
    },
    describe,
    close,
  }
}
