// Opens the upstream turn of a request: in one part, or in several for searches, a second try or the gateway's own tools.

import { nativeSignal } from '../base/signal.ts'
import type { TurnRequest } from '../core/request.ts'
import { sessionOf, sessionOfResults } from '../core/session-id.ts'
import { Turn } from '../core/turn.ts'
import { type LocalTurnOptions, localTurn, offerLocalTools } from '../local-tools/local-turn.ts'
import { type LocalTools, TapedTools } from '../local-tools/tools.ts'
import type { Target } from './catalog.ts'
import { routeTargets } from './model-routes.ts'
import { type OpenedTurn, openPart, variantNote } from './open-part.ts'
import { resolveModel } from './resolve-model.ts'
import { type RetryTurnOptions, retryTurn } from './retry-turn.ts'
import { searchTurn } from './search-turn.ts'
import type { Serving } from './serving.ts'
import { learnedLimit } from './tool-deferral.ts'
import { accountHeader, withAccount } from './turn-pools.ts'
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
  const { turn: first, target } = await openPart(serving, offered, targets, 'first')
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
    return await openPart(serving, asked, targets)
  } catch (error) {
    if (!mayLearn || learnedLimit(asked, targets) >= asked.tools.length) throw error
    return openPart(serving, asked, targets)
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
  return withRetry(serving, request, await openPart(serving, request, [target], 'later'), true)
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
    ask: (next) => openPart(serving, next, [target], 'again'),
    keep: (shown, record) => callChecks.keep(caller, shown, record),
    abandon: abandonAt(target),
    note: (text) => notes.add(text),
    onRetried: () => observer.askedAgain(),
  }
}

const askLater = (serving: Serving, target: Target) => async (next: TurnRequest) =>
  (await openPart(serving, next, [target], 'later')).turn

const abandonAt =
  ({ backend }: Target) =>
  (callId: string) => {
    const sessionId = sessionOf(callId)
    if (sessionId !== undefined) backend.sessions?.drop(sessionId)
  }
