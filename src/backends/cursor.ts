// Cursor's agent: each answer is a part of a run that goes on in the service until its turn ends. The client's tools are
// never run here; what the agent wants done becomes tool calls, and the run waits for their results.

import type { Backend, Finding, TurnContext } from '../core/backend.ts'
import type { TurnEvent } from '../core/events.ts'
import { randomId } from '../core/ids.ts'
import type { TurnRequest } from '../core/request.ts'
import type { CursorCredentials } from '../credentials/cursor.ts'
import { noteDropped, usableTools } from '../protocols/cursor-agent/request-out.ts'
import type { AnswerOptions } from '../protocols/cursor-agent/run.ts'
import type { ConnectOptions, UpstreamClient } from '../upstream/client.ts'
import { AgentHosts } from './cursor/agent-host.ts'
import { createIdentity, type IdentityOptions } from './cursor/identity.ts'
import { ModelList } from './cursor/model-list.ts'
import { createRunOpener } from './cursor/open-run.ts'
import { fingerprintOf, ParkedRuns, readFollowUp } from './cursor/parked-runs.ts'
import { createRpc } from './cursor/rpc.ts'
import { Transports } from './cursor/transports.ts'

export interface CursorBackendOptions extends IdentityOptions {
  name: string
  baseUrl: string
  /** For everything but runs; belongs to the backend from now on. */
  client: UpstreamClient
  connect: ConnectOptions
  credentials: CursorCredentials
  transport: 'auto' | 'http2' | 'sse'
  history: 'structured' | 'text'
  toolsInContext: boolean
  workspace?: string | undefined
  progressMs: number
  sessions: { reuse: boolean; idleMs: number; max: number }
}

/** A run outlives its requests by far: what it keeps of one must not hold on to the rest of it. */
function toAnswerOptions(request: TurnRequest, { turnId, notes }: TurnContext): AnswerOptions {
  return {
    turnId,
    model: request.model,
    tools: usableTools(request, () => undefined),
    parallelToolCalls: request.parallelToolCalls !== false,
    note: (text) => notes.add(text),
  }
}

export function createCursorBackend(options: CursorBackendOptions): Backend {
  const { name, credentials, client, clientVersion } = options
  const identity = createIdentity(options)
  const rpc = createRpc({ backend: name, client, credentials, identity, clientVersion })
  const transports = new Transports({
    backend: name,
    setting: options.transport,
    hosts: new AgentHosts({ ...options, rpc }),
    clientVersion,
    connect: options.connect,
  })
  const list = new ModelList(rpc)
  const parked = new ParkedRuns(options.sessions)
  const openRun = createRunOpener({ ...options, backend: name, identity, transports, list })

  async function* run(request: TurnRequest, context: TurnContext): AsyncGenerator<TurnEvent[]> {
    const { caller, signal } = context
    const answer = toAnswerOptions(request, context)
    const followUp = readFollowUp(request)
    let sessionId = followUp?.sessionId ?? ''
    let live = followUp && parked.take(followUp, caller, request.model)
    if (live && followUp) {
      context.onSession?.('live')
      noteDropped(request, answer.note)
      usableTools(request, answer.note)
      live.resume(followUp.results, answer)
    } else {
      context.onSession?.('fresh')
      parked.abandon(request.messages, caller)
      sessionId = randomId(12)
      live = await openRun({ request, answer, sessionId, signal, onEnd: forgetLater(sessionId) })
    }
    const current = live
    yield* current.answer(signal, () => {
      if (current.run.phase !== 'parked') return
      if (!options.sessions.reuse) return current.close()
      const fingerprint = fingerprintOf(request.messages)
      parked.park(sessionId, { live: current, caller, model: request.model, fingerprint })
    })
  }

  const forgetLater = (sessionId: string) => () => parked.forget(sessionId)

  async function describe(): Promise<Finding[]> {
    const { transport, host, why } = await transports.choose()
    const isForbidden = transport.name === 'http2' && host.http2 === 'forbidden'
    const words = { http2: 'HTTP/2 (Run)', sse: 'HTTP/1.1 (RunSSE and BidiAppend)' }[transport.name]
    const { origin } = new URL(host.baseUrl)
    const remedy = isForbidden ? ', but the server\'s settings forbid it; set "transport" to "auto"' : ''
    return [
      { status: isForbidden ? 'warning' : 'ok', message: `runs go by ${words}: ${why}${remedy}` },
      { status: 'ok', message: `agent host ${origin}: ${host.source}` },
    ]
  }

  async function close(): Promise<void> {
    parked.closeAll()
    await Promise.all([transports.close(), client.close()])
  }

  return { kind: 'cursor', models: (signal) => list.read(signal), run, describe, close }
}
