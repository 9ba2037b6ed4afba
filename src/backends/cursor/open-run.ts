// Opens a run: plans its first message, finds a transport that works and a token that is accepted, and waits for the server's
// first message.

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type Recall, recalled } from '../../core/recall.ts'
import type { TurnRequest } from '../../core/request.ts'
import type { TurnTap } from '../../core/tap.ts'
import { BlobStore } from '../../protocols/cursor-agent/blobs.ts'
import { planRun, type RunPlan } from '../../protocols/cursor-agent/request-out.ts'
import { AgentRun } from '../../protocols/cursor-agent/run.ts'
import type { AnswerOptions, ConversationEnd } from '../../protocols/cursor-agent/run-options.ts'
import type { ToolOffers } from '../../protocols/cursor-agent/tool-offers.ts'
import { LiveRun, type LiveRunOptions } from './live-run.ts'
import type { ModelList } from './model-list.ts'
import { StreamRecorder } from './recording-stream.ts'
import { withToken } from './rpc.ts'
import { RunStreams, type StreamSources } from './run-streams.ts'
import type { Toolsets } from './toolsets.ts'
import type { ChosenTransport } from './transports.ts'

interface RunOpenerOptions extends StreamSources {
  list: ModelList
  offers: ToolOffers
  toolsets: Toolsets
  history: 'structured' | 'text'
  toolsInContext: boolean
  workspace?: string | undefined
  progressMs: number
  /** Replay only: the tape's. */
  clock?: Clock | undefined
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
  recall?: Recall | undefined
}

interface Planned extends NewRun {
  plan: RunPlan
  blobs: BlobStore
}

export function createRunOpener(options: RunOpenerOptions): (run: NewRun) => Promise<LiveRun> {
  const { backend, credentials, transports, list, toolsets } = options
  const steering = { isSilent: false }

  return async (run) => {
    const [chosen] = await Promise.all([transports.choose(), list.ready()])
    return openAnyhow(chosen, planFirst(run, options))
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
        const streams = new RunStreams(options, { token, toolHeaders, signal: stop.signal, recorder })
        const stream = await streams.first(transport)
        const { clock } = options
        const live = new LiveRun(machine, stream, {
          backend,
          reconnect: streams.another,
          onEnd,
          recorder,
          clock,
        })
        live.begin()
        await live.opened
        return live
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    })
  }
}

const otherThan = (name: string, found: string) => (found === name ? undefined : found)

/** Of this machine. To ask takes 90 µs; a traveller's changes. */
const zone = { name: '', until: 0 }
const zoneMs = 60_000

function timeZone(now = Date.now()): string {
  if (now >= zone.until) {
    zone.name = Intl.DateTimeFormat().resolvedOptions().timeZone
    zone.until = now + zoneMs
  }
  return zone.name
}

function planFirst(run: NewRun, options: RunOpenerOptions): Planned {
  const { request, answer, known, recall } = run
  const { list, offers } = options
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
    timeZone: timeZone(),
    resolveModel: (id) => recalled(recall, 'model name', () => otherThan(id, list.resolve(id))) ?? id,
    effortParameter: (id, effort) => recalled(recall, 'effort', () => list.effort(id, effort)),
    parametersOf: (id) => recalled(recall, 'parameters', () => list.parameters(id)),
    needsMaxMode: (id, parameters) =>
      recalled(recall, 'max mode', () => list.needsMaxMode(id, parameters) || undefined) === true,
    note: answer.note,
  })
  return { ...run, plan: planned, blobs }
}
