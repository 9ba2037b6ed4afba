// Opens a run: plans its first message, finds a transport that works and a token that is accepted, and waits for the server's
// first message.

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
import { RecordingStream, StreamRecorder } from './recording-stream.ts'
import { withToken } from './rpc.ts'
import type { ToolHeaders, Toolsets } from './toolsets.ts'
import type { RunTransport } from './transport.ts'
import type { ChosenTransport, Transports } from './transports.ts'

interface RunOpenerOptions {
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
  /** The service's state of the conversation after its last turn. */
  known?: ConversationEnd | undefined
  /** The request's signal: it cancels the opening, not the run. */
  signal: AbortSignal
  onEnd: LiveRunOptions['onEnd']
  tap?: TurnTap | undefined
}

interface Planned extends NewRun {
  plan: RunPlan
  blobs: BlobStore
}

/** What all streams of one run share. */
interface RunStreams {
  firstToken: string
  toolHeaders: ToolHeaders
  signal: AbortSignal
  recorder: StreamRecorder | undefined
}

export function createRunOpener(options: RunOpenerOptions): (run: NewRun) => Promise<LiveRun> {
  const { backend, credentials, identity, transports, list, offers, toolsets } = options
  const steering = { isSilent: false }

  return async (run) => {
    const [chosen] = await Promise.all([transports.choose(), list.ready()])
    return openAnyhow(chosen, plan(run))
  }

  /** Tries one transport or host after the other; the error is that of the first. */
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

  /** Opens the first stream of a run and the later ones. It lives as long as the run, so it references no request. */
  function streamOpener({ firstToken, toolHeaders, signal, recorder }: RunStreams) {
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
      if (!recorder) return stream
      recorder.open({ backend, ...transport.place, headers, transport: transport.name })
      return new RecordingStream(stream, recorder)
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
    const recorder = tap && new StreamRecorder(tap)
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
        const streams = streamOpener({ firstToken: token, toolHeaders, signal: stop.signal, recorder })
        const stream = await streams.first(transport)
        const live = new LiveRun(machine, stream, { backend, reconnect: streams.another, onEnd, recorder })
        live.begin()
        await live.opened
        return live
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    })
  }
}
