// Opens a run: plans its first message, finds a transport that works and a token that is taken, and waits for the first
// sign of the server.

import { randomUUID } from 'node:crypto'
import { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import type { TurnTap } from '../../core/tap.ts'
import type { CursorCredentials } from '../../credentials/cursor.ts'
import { BlobStore } from '../../protocols/cursor-agent/blobs.ts'
import { planRun, type RunPlan } from '../../protocols/cursor-agent/request-out.ts'
import { AgentRun } from '../../protocols/cursor-agent/run.ts'
import type { AnswerOptions, ConversationEnd } from '../../protocols/cursor-agent/run-options.ts'
import type { ToolOffers } from '../../protocols/cursor-agent/tool-offers.ts'
import type { Identity } from './identity.ts'
import { LiveRun, type LiveRunOptions } from './live-run.ts'
import type { ModelList } from './model-list.ts'
import { withToken } from './rpc.ts'
import type { RunTransport } from './transport.ts'
import type { ChosenTransport, Transports } from './transports.ts'
import { StreamWatch, WatchedStream } from './watched-stream.ts'

export interface RunOpenerOptions {
  backend: string
  credentials: CursorCredentials
  identity: Identity
  transports: Transports
  list: ModelList
  offers: ToolOffers
  history: 'structured' | 'text'
  toolsInContext: boolean
  workspace?: string | undefined
  progressMs: number
}

export interface NewRun {
  request: TurnRequest
  answer: AnswerOptions
  sessionId: string
  /** Where the conversation stood after its last turn. */
  known?: ConversationEnd | undefined
  /** Of the request: it ends the opening, not the run. */
  signal: AbortSignal
  onEnd: LiveRunOptions['onEnd']
  tap?: TurnTap | undefined
}

interface Planned extends NewRun {
  plan: RunPlan
  blobs: BlobStore
}

export function createRunOpener(options: RunOpenerOptions): (run: NewRun) => Promise<LiveRun> {
  const { backend, credentials, identity, transports, list, offers } = options

  return async (run) => {
    const { signal } = run
    const [chosen] = await Promise.all([transports.choose(), list.ready()])
    const planned = plan(run)
    try {
      return await openBy(chosen, planned)
    } catch (error) {
      const other = transports.instead(chosen, GatewayError.from(error))
      if (other === undefined || signal.aborted) throw error
      const live = await openBy(other, planned).catch(() => {
        throw error
      })
      transports.prefer(other)
      return live
    }
  }

  function plan(run: NewRun): Planned {
    const { request, answer, known } = run
    const blobs = new BlobStore()
    for (const blob of known?.blobs ?? []) blobs.restore(blob)
    const planned = planRun(request, {
      blobs,
      offers,
      known,
      conversationId: randomUUID(),
      runId: randomUUID(),
      history: options.history,
      toolsInContext: options.toolsInContext,
      workspace: options.workspace,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      resolveModel: (id) => list.resolve(id),
      effortParameter: (id, effort) => list.effort(id, effort),
      parametersOf: (id) => list.parameters(id),
      note: answer.note,
    })
    return { ...run, plan: planned, blobs }
  }

  /** Opens the streams of one run, the first and those after it. Lives as long as the run: it knows no request. */
  function streamOpener(firstToken: string, signal: AbortSignal, watch: StreamWatch | undefined) {
    const originalRequestId = randomUUID()
    let token = firstToken
    const renewHeaders = async () => {
      credentials.reject(token)
      token = await credentials.accessToken(signal)
      return identity(token)
    }
    const open = async (transport: RunTransport, requestId: string) => {
      const headers = { ...identity(token), 'x-original-request-id': originalRequestId }
      const stream = await transport.open({ headers, renewHeaders, requestId, signal })
      if (!watch) return stream
      watch.open({ backend, ...transport.place, headers, transport: transport.name })
      return new WatchedStream(stream, watch)
    }
    return {
      first: (transport: RunTransport) => open(transport, originalRequestId),
      another: async () => {
        const [{ transport }, current] = await Promise.all([
          transports.choose(),
          credentials.accessToken(signal),
        ])
        token = current
        return open(transport, randomUUID())
      },
    }
  }

  function openBy({ transport }: ChosenTransport, run: Planned): Promise<LiveRun> {
    const { sessionId, blobs, signal, answer, onEnd, tap } = run
    const watch = tap && new StreamWatch(tap)
    return withToken(credentials, signal, async (token) => {
      const machine = new AgentRun(
        { backend, sessionId, blobs, plan: run.plan, progressMs: options.progressMs },
        answer,
      )
      const stop = new AbortController()
      const onAbort = () => stop.abort(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        const streams = streamOpener(token, stop.signal, watch)
        const stream = await streams.first(transport)
        const live = new LiveRun(machine, stream, { reconnect: streams.another, onEnd, watch })
        live.begin()
        await live.opened
        return live
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    })
  }
}
