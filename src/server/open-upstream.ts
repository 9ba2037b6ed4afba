// Opens the upstream turn of a request: the targets of its model in order, with retries and breakers; with the local tools,
// if the gateway has any.

import { nativeSignal } from '../base/signal.ts'
import { type Attempt, defaultRetryPolicy, openTurn } from '../core/attempts.ts'
import type { Backend, SessionState, TextRepair, TurnContext } from '../core/backend.ts'
import { errorFacts } from '../core/error-facts.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnRequest } from '../core/request.ts'
import { sessionOf, sessionOfResults } from '../core/session-id.ts'
import { Turn } from '../core/turn.ts'
import type { DoorRequest } from '../doors/door.ts'
import { type LocalTurnOptions, localTurn, offerLocalTools } from '../local-tools/local-turn.ts'
import { type LocalTools, TapedTools } from '../local-tools/tools.ts'
import type { TurnCalls } from '../protocols/call-check/turn-calls.ts'
import { answerHeadersFor } from '../protocols/requests/dialect-headers.ts'
import { withoutForeignParts } from '../protocols/requests/opaque-parts.ts'
import type { Target } from './catalog.ts'
import { runWithWords } from './describe-images.ts'
import { afterOverflow, routeTargets } from './model-routes.ts'
import type { ModelVariant } from './model-variants.ts'
import { resolveModel } from './resolve-model.ts'
import { type RetryTurnOptions, retryTurn } from './retry-turn.ts'
import { searchTurn } from './search-turn.ts'
import type { Serving } from './serving.ts'
import { type DeferredTurn, deferralNote, learnedLimit } from './tool-deferral.ts'
import { accountHeader, clientTurn, TurnPools, withAccount } from './turn-pools.ts'
import { offerWebTools, type WebPlan } from './web-offer.ts'
import { webTurn } from './web-turn.ts'

/** Resolves with the first turn that has visible output; tries every target of an alias before it fails. */
export async function openUpstream(serving: Serving): Promise<Turn> {
  const { services, request, notes, client } = serving
  const targets = withAccount(await targetsOf(serving), serving.header(accountHeader))
  const [{ variant } = {}] = targets
  if (variant) notes.add(variantNote(request, variant))
  const local = localToolsOf(serving)
  const note = (text: string) => notes.add(text)
  const turn = services.callChecks?.restore(request.turn, serving, note) ?? request.turn
  const offered = local && !client.hasOwnTools ? await offerLocalTools(turn, local) : undefined
  if (!local || !offered) return openForClient(serving, turn, targets)
  notes.add("the gateway's own tools were offered to the model")
  const { turn: first, target } = await openOne(serving, offered, targets, 'first')
  const { turnId, clientName: name } = serving
  const context = { turnId, key: serving.caller.key, client: name, signal: nativeSignal(serving.signal) }
  const ask = askLater(serving, target)
  const abandon = abandonAt(target)
  const onOutput: LocalTurnOptions['onOutput'] = (callId, stream, text) =>
    target.backend.sessions?.onOutput?.(callId, stream, text)
  const onRan: LocalTurnOptions['onRan'] = (run) => serving.observer.ran(run)
  const options = { request: offered, executor: local, context, first, ask, onOutput, abandon, onRan }
  return new Turn(localTurn(options), serving.budget)
}

function localToolsOf({ services: { local }, tape }: Serving): LocalTools | undefined {
  return local && tape ? new TapedTools(local, (frame) => tape.add(frame)) : local
}

/** A run goes on where it began, also if the name of its model means something else by now. */
async function targetsOf(serving: Serving): Promise<Target[]> {
  const { services, request, notes } = serving
  const { earlierRuns, catalog } = services
  const resolve = async () => routeTargets(serving, await resolveModel(catalog, request, notes))
  const sessionId = earlierRuns && sessionOfResults(request.turn.messages)
  if (!earlierRuns || sessionId === undefined) return resolve()
  const own = earlierRuns.find(sessionId, request.model)
  try {
    const targets = await resolve()
    return own ? [own, ...targets] : targets
  } catch (error) {
    const target = own ?? (await earlierRuns.findElsewhere(sessionId, request.model))
    if (target) return [target]
    throw error
  }
}

/** A turn with the client's tools: the model may have to search for some of them, or be asked again for a call. */
async function openForClient(
  serving: Serving,
  asked: TurnRequest,
  targets: readonly Target[],
): Promise<Turn> {
  const opened = await openFitting(serving, asked, targets)
  const { target, deferred, web } = opened
  const isPart = deferred !== undefined || web !== undefined
  const first = withRetry(serving, deferred?.request ?? web?.request ?? asked, opened, isPart)
  if (deferred) {
    const { backendName: backend } = target
    const onSearch = (found: number) =>
      serving.services.metrics.count('dragoman_tool_searches_total', {
        backend,
        outcome: found > 0 ? 'found' : 'none',
      })
    const legs = { ask: askNext(serving, target), abandon: abandonAt(target), onSearch }
    return new Turn(searchTurn({ deferred, first, ...legs }), serving.budget)
  }
  if (web) {
    const legs = { ask: askNext(serving, target), abandon: abandonAt(target) }
    return new Turn(webTurn({ plan: web, serving, first, ...legs }), serving.budget)
  }
  return first
}

/** Opens it once more if the service has refused the number of tools, and said how many it takes: now the others are deferred. */
async function openFitting(
  serving: Serving,
  asked: TurnRequest,
  targets: readonly Target[],
): Promise<OpenedTurn> {
  const mayLearn =
    serving.services.deferral?.isOn === true && learnedLimit(asked, targets) >= asked.tools.length
  try {
    return await openOne(serving, asked, targets)
  } catch (error) {
    if (!mayLearn || learnedLimit(asked, targets) >= asked.tools.length) throw error
    return openOne(serving, asked, targets)
  }
}

/** The model is asked again for calls that do not fit, in whichever part of an answer they are: once for all parts. */
function withRetry(serving: Serving, request: TurnRequest, opened: OpenedTurn, isPart: boolean): Turn {
  const retried = retryOptions(serving, request, opened, isPart)
  return retried ? new Turn(retryTurn(retried), serving.budget) : opened.turn
}

/** The next part of an answer with searches. Calls of a second try go back as the model made them. */
const askNext = (serving: Serving, target: Target) => async (next: TurnRequest) => {
  const note = (text: string) => serving.notes.add(text)
  const request = serving.services.callChecks?.restore(next, serving, note) ?? next
  return withRetry(serving, request, await openOne(serving, request, [target], 'later'), true)
}

/** Undefined if the model is not asked again for calls that do not fit. */
function retryOptions(
  serving: Serving,
  request: TurnRequest,
  { turn: first, target, calls }: OpenedTurn,
  isPart: boolean,
): RetryTurnOptions | undefined {
  const { services, caller, notes, observer } = serving
  const { callChecks } = services
  const { backend, backendName } = target
  if (!calls || callChecks?.modeOf(backendName) !== 'retry') return undefined
  return {
    turnId: serving.turnId,
    request,
    first,
    calls,
    isSession: backend.sessions !== undefined,
    isPart,
    mayAsk: () => !observer.hasAskedAgain,
    ask: (next) => openOne(serving, next, [target], 'again'),
    keep: (shown, record) => callChecks.keep(caller, shown, record),
    abandon: abandonAt(target),
    note: (text) => notes.add(text),
    onRetried: () => observer.askedAgain(),
  }
}

const askLater = (serving: Serving, target: Target) => async (next: TurnRequest) =>
  (await openOne(serving, next, [target], 'later')).turn

const abandonAt =
  ({ backend }: Target) =>
  (callId: string) => {
    const sessionId = sessionOf(callId)
    if (sessionId !== undefined) backend.sessions?.drop(sessionId)
  }

interface OpenedTurn {
  turn: Turn
  target: Target
  deferred: DeferredTurn | undefined
  web: WebPlan | undefined
  /** The check of its calls; undefined if they are not checked. */
  calls: TurnCalls | undefined
}

/** Opens one upstream turn: the only one of the client's turn, or a part. A later part can be retried, whatever the client has seen. */
async function openOne(
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

function variantNote({ model, turn }: DoorRequest, variant: ModelVariant): string {
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
