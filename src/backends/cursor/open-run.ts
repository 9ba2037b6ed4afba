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
import type { ToolHeaders, Toolsets } from './toolsets.ts'
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
  toolsets: Toolsets
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

/** What all streams of one run have in common. */
interface RunStreams {
  firstToken: string
  toolHeaders: ToolHeaders
  signal: AbortSignal
  watch: StreamWatch | undefined
}

export function createRunOpener(options: RunOpenerOptions): (run: NewRun) => Promise<LiveRun> {
  const { backend, credentials, identity, transports, list, offers, toolsets } = options
  const steering = { isSilent: false }

  return async (run) => {
    const [chosen] = await Promise.all([transports.choose(), list.ready()])
    return openAnyhow(chosen, plan(run))
  }

  /** By one way after the other; what went wrong with the first is what is told. */
  async function openAnyhow(chosen: ChosenTransport, run: Planned): Promise<LiveRun> {
    let way = chosen
    let firstError: unknown
    for (;;) {
      try {
        const live = await openBy(way, run)
        if (way !== chosen) transports.prefer(way)
        return live
      } catch (error) {
        firstError ??= error
        const other = run.signal.aborted ? undefined : transports.instead(way, GatewayError.from(error))
        if (other === undefined) throw firstError
        way = other
      }
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
      needsMaxMode: (id, parameters) => list.needsMaxMode(id, parameters),
      note: answer.note,
    })
    return { ...run, plan: planned, blobs }
  }

  /** Opens the streams of one run, the first and those after it. Lives as long as the run: it knows no request. */
  function streamOpener({ firstToken, toolHeaders, signal, watch }: RunStreams) {
    const originalRequestId = randomUUID()
    let token = firstToken
    const renewHeaders = async () => {
      credentials.reject(token)
      token = await credentials.accessToken(signal)
      return identity(token)
    }
    const open = async (transport: RunTransport, requestId: string) => {
      const headers = { 'x-original-request-id': originalRequestId, ...toolHeaders, ...identity(token) }
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
        { backend, sessionId, blobs, plan: run.plan, progressMs: options.progressMs, steering },
        answer,
      )
      const stop = new AbortController()
      const onAbort = () => stop.abort(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        const toolHeaders = toolsets.headers(run.plan.kept.offer.tools.length > 0)
        const streams = streamOpener({ firstToken: token, toolHeaders, signal: stop.signal, watch })
        const stream = await streams.first(transport)
        const live = new LiveRun(machine, stream, { backend, reconnect: streams.another, onEnd, watch })
        live.begin()
        await live.opened
        return live
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    })
  }
}
