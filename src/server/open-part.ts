// Opens one upstream turn: the targets of its model in order, with retries, breakers and accounts. An answer with searches, with the
// gateway's own tools or with a second try has several.

import { type Attempt, defaultRetryPolicy, openTurn } from '../core/attempts.ts'
import type { Backend, SessionState, TextRepair, TurnContext } from '../core/backend.ts'
import { errorFacts } from '../core/error-facts.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnRequest } from '../core/request.ts'
import { sessionOfResults } from '../core/session-id.ts'
import type { Turn } from '../core/turn.ts'
import type { DoorRequest } from '../doors/door.ts'
import type { TurnCalls } from '../protocols/call-check/turn-calls.ts'
import { answerHeadersFor } from '../protocols/requests/dialect-headers.ts'
import { withoutForeignParts } from '../protocols/requests/opaque-parts.ts'
import type { Target } from './catalog.ts'
import { runWithWords } from './describe-images.ts'
import { afterOverflow } from './model-routes.ts'
import type { ModelVariant } from './model-variants.ts'
import type { Serving } from './serving.ts'
import { type DeferredTurn, deferralNote } from './tool-deferral.ts'
import { clientTurn, TurnPools } from './turn-pools.ts'
import { offerWebTools, type WebPlan } from './web-offer.ts'

export interface OpenedTurn {
  turn: Turn
  target: Target
  deferred: DeferredTurn | undefined
  web: WebPlan | undefined
  /** The check of its calls; undefined if they are not checked. */
  calls: TurnCalls | undefined
}

/** Opens one upstream turn: the only one of the client's turn, or a part. A later part can be retried, whatever the client has seen. */
export async function openPart(
  serving: Serving,
  asked: TurnRequest,
  targets: readonly Target[],
  part: 'only' | 'first' | 'later' | 'again' = 'only',
): Promise<OpenedTurn> {
  const { services, caller, notes, budget, turnId, observer, sink, signal, head, client, tape, tap } = serving
  const isLaterPart = part === 'later' || part === 'again'
  let deferred: DeferredTurn | undefined
  let web: WebPlan | undefined
  let calls: TurnCalls | undefined
  const keptBefore = budget.spent
  const accounts = new TurnPools(signal, clientTurn(serving, asked))
  const onSession = sessionTeller(serving)
  const onRepair = (kind: TextRepair) => observer.repaired(kind)
  const run = (target: Target) => {
    const traceHeaders = observer.attempts(target)
    if (tape) services.taping?.onTarget(tape, target.backendName, target.model)
    const conflict = services.replayInputs?.attempts.conflict()
    if (conflict) throw conflict
    const wholeArguments = !asked.stream || client.toolArguments === 'whole'
    onSession(undefined)
    const ofPool = accounts.of(target)
    head.pass(undefined)
    budget.rewind(keptBefore)
    const onAnswerHeaders: TurnContext['onAnswerHeaders'] = (form, headers) =>
      head.pass(scrubbed(answerHeadersFor(asked.origin.dialect, form, headers), services))
    const note = (text: string) => notes.add(text)
    deferred = part === 'only' ? deferredFor(asked, target, serving) : undefined
    web = part === 'only' && !deferred ? offerWebTools(asked, target, serving) : undefined
    const upstreamRequest = forTarget(deferred?.request ?? web?.request ?? asked, target, note)
    calls = beginChecks(serving, upstreamRequest, target)
    return runWithWords(upstreamRequest, target, serving, {
      turnId,
      caller,
      signal,
      notes,
      budget,
      wholeArguments,
      onSession,
      tap,
      recall: serving.recall,
      sessionId: services.replayInputs?.sessionId,
      onRepair,
      onAnswerHeaders,
      traceHeaders,
      mayOpenLane:
        part === 'only' && !deferred && !web && services.callChecks?.modeOf(target.backendName) !== 'retry',
      calls,
      isSecondTry: part === 'again',
      accounts: ofPool,
    })
  }
  const opening = openTurn<Target>({
    targets,
    run,
    addressOf,
    policy: services.retryPolicy ?? defaultRetryPolicy,
    budgets: services.budgets,
    breakers: services.breakers,
    continuesRun: ({ backend }) => isLaterPart || isForLiveRun(asked, backend),
    whole: !asked.stream,
    signal,
    memory: budget,
    mayRetry: () => isLaterPart || !sink.started,
    mayHop: (failed, error) => accounts.mayHop(failed, error),
    ...attemptReports(serving, accounts),
    recorded: services.replayInputs?.attempts,
    ...(isLaterPart ? {} : { othersAfter: afterOverflow(serving) }),
  })
  const { turn, target } = await opening.catch((error: unknown) => fail(serving, error))
  observer.target = { backendName: target.backendName, model: target.model }
  accounts.opened(target)
  return { turn, target, deferred, web, calls }
}

type AttemptReports = Pick<Attempt<Target>, 'onFailure' | 'onSkipped'>

/** Failed and skipped targets, for accounts, log and tape. A note about each replaces the notes of its attempt. */
function attemptReports(serving: Serving, accounts: TurnPools): AttemptReports {
  const { notes, observer } = serving
  let lasting = notes.all.length
  const noteFallback = ({ backendName, model }: Target, why: string) => {
    notes.rewind(lasting)
    notes.add(`${backendName}/${model} ${why}; the next of the alias was used`)
    lasting = notes.all.length
  }
  return {
    onFailure: (failed, error, next, waitMs) => {
      accounts.failed(failed, error)
      observer.retried(error, failed.backendName, next)
      tapeFailure(serving, failed, { error, next, waitMs })
      if (next === 'fallback') noteFallback(failed, `failed (${error.code})`)
    },
    onSkipped: (skipped, refusal, next) => {
      observer.skipped(addressOf(skipped))
      tapeFailure(serving, skipped, { error: refusal, next, isSkipped: true })
      if (next === 'fallback') noteFallback(skipped, 'has failed too often and is left alone for now')
    },
  }
}

function deferredFor(asked: TurnRequest, { backend, model }: Target, serving: Serving) {
  const deferred = serving.services.deferral?.defer(withModel(asked, model), backend, serving)
  if (deferred) serving.notes.add(deferralNote(deferred.plan))
  return deferred
}

const sessionTeller =
  ({ head, observer }: Serving) =>
  (state: SessionState | undefined, why?: string) => {
    head.set('x-dragoman-session', state)
    observer.session = state
    observer.sessionWhy = why
  }

interface AttemptFailure {
  error: GatewayError
  next: 'retry' | 'fallback' | 'give up'
  waitMs?: number | undefined
  isSkipped?: boolean
}

function tapeFailure(
  { tape, services: { scrubber } }: Serving,
  target: Target,
  { error: failure, next, waitMs, isSkipped }: AttemptFailure,
): void {
  if (!tape) return
  const error = scrubber.scrubError(failure)
  const { code, message, upstream } = error
  const status = upstream?.status
  tape.add({
    ...{ side: 'gateway', do: 'failure', ...addressOf(target), code, message, next },
    ...(status === undefined ? {} : { status }),
    ...(waitMs === undefined ? {} : { waitMs: Math.round(waitMs) }),
    ...(isSkipped ? { skipped: true } : {}),
    error: errorFacts(error),
  })
}

/** The client's own tools count as offered, also those that the model has not loaded. */
function beginChecks(
  { services, request: { turn }, turnId, caller, notes, observer }: Serving,
  asked: TurnRequest,
  { backend, backendName }: Target,
): TurnCalls | undefined {
  const tools = asked.tools === turn.tools ? turn.tools : [...asked.tools, ...turn.tools]
  return services.callChecks?.begin(
    { ...asked, tools },
    {
      backend: backendName,
      caller,
      turnId,
      keepsRecords: backend.sessions === undefined,
      note: (text) => notes.add(text),
      onChecked: (outcome) => observer.checked(outcome),
    },
  )
}

function fail({ head }: Serving, error: unknown): never {
  const failure = withoutBlame(GatewayError.from(error))
  if (failure.code === 'upstream-credential') head.pass(undefined)
  throw failure
}

/**
 * The caller's own key was accepted before: this is about the credential of the backend. A 401 would make clients tell their users
 * to log in again.
 */
function withoutBlame(failure: GatewayError): GatewayError {
  const { code, message, upstream } = failure
  if (code !== 'unauthenticated' && !(code === 'forbidden' && upstream)) return failure
  const options = { ...failure, status: undefined, retryable: false, said: undefined, cause: failure }
  return new GatewayError('upstream-credential', message, options)
}

function scrubbed(
  headers: Readonly<Record<string, string>> | undefined,
  { scrubber }: Serving['services'],
): Record<string, string> | undefined {
  if (!headers) return undefined
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrubber.scrub(value)]))
}

const addressOf = ({ backendName, model }: Target) => ({ backend: backendName, model })

/** Whether the request's results belong to a run that waits for them, here or on another instance. */
function isForLiveRun({ messages }: TurnRequest, { sessions }: Backend): boolean | Promise<boolean> {
  const sessionId = sessionOfResults(messages)
  if (!sessions || sessionId === undefined) return false
  return sessions.has(sessionId) || (sessions.isElsewhere?.(sessionId) ?? false)
}

export function variantNote({ model, turn }: DoorRequest, variant: ModelVariant): string {
  const effort = effortOf(turn, variant)
  return `the model ${JSON.stringify(model)} was read as ${JSON.stringify(variant.name)}${effort ? ` with effort ${effort}` : ''}`
}

/** An effort in the request overrides the one in the model's name. */
const effortOf = (turn: TurnRequest, variant: ModelVariant | undefined) =>
  turn.reasoning || turn.otherEffort !== undefined ? undefined : variant?.effort

/** Not a literal with the model after the spread: that takes ten times as long. */
function withModel(request: TurnRequest, model: string): TurnRequest {
  const named = { ...request }
  named.model = model
  return named
}

function forTarget(
  turn: TurnRequest,
  { backend, model, variant }: Target,
  note: (text: string) => void,
): TurnRequest {
  const known = withoutForeignParts(turn, backend.dialects ?? [], note)
  const effort = effortOf(turn, variant)
  if (effort === undefined) return withModel(known, model)
  return { ...known, model, reasoning: { effort }, origin: { ...turn.origin, faithful: false } }
}
