// Routes by need: the models of an alias for one request, and where a request goes that is too long for its model.

import type { GatewayError } from '../core/errors.ts'
import {
  chooseRow,
  closeThresholds,
  type RouteFacts,
  type RouteRow,
  rowsOfAnyLength,
} from '../core/model-route.ts'
import { recalled } from '../core/recall.ts'
import type { Message } from '../core/request.ts'
import { sessionOfResults } from '../core/session-id.ts'
import { openToolLoop } from '../core/tool-loop.ts'
import { estimateTokens } from '../protocols/anthropic-messages/count-tokens.ts'
import type { Target } from './catalog.ts'
import { countedFacts } from './count-for-route.ts'
import { hasImages } from './describe-images.ts'
import type { Serving } from './serving.ts'

interface Route {
  targets: Target[]
  note: string | undefined
}

/** `targets`: all models of the alias. */
export async function routeTargets(serving: Serving, targets: Target[]): Promise<Target[]> {
  const { services, caller, observer, notes, recall } = serving
  const [{ alias } = {}] = targets
  const rows = alias === undefined ? [] : services.catalog.rowsOf(alias)
  const route =
    alias === undefined || rows.length === 0 ? undefined : await takeRoute(serving, alias, targets)
  // A replay has the models that were asked, but not the rows.
  const note = recalled(recall, 'route', () => route?.note)
  if (note !== undefined) notes.add(note)
  if (!route || alias === undefined) return targets
  observer.onCall = (call, target) => services.routeHolds?.keep(caller, alias, call, modelName(target))
  return route.targets
}

async function takeRoute(serving: Serving, alias: string, targets: readonly Target[]): Promise<Route> {
  const rows = serving.services.catalog.rowsOf(alias)
  const estimated = factsOf(serving, serving.request.turn.messages, targets)
  const held = await heldTarget(serving, alias, targets)
  const find = (name: string) => targets.find((target) => nameOf(target) === name)
  // An open loop stays in most cases, whatever the count.
  const facts = held ? estimated : await countedFacts(serving, { alias, rows, facts: estimated, find })
  const row = chooseRow(rows, facts) ?? { use: targets.map(nameOf) }
  const heldName = held && nameOf(held)
  if (!held || heldName === undefined || heldName === row.use[0])
    return { targets: named(row.use, targets), note: rowNote(alias, rows, row, facts) }
  const why = await unfitness(serving, held, row, facts)
  if (why !== undefined)
    return {
      targets: named(row.use, targets),
      note: `${alias}: the tool loop left ${heldName}, ${why}, for ${row.use[0]}`,
    }
  const home = [row, ...openRows(serving, alias)].find(({ use }) => use.includes(heldName))
  const others = home?.use.filter((name) => name !== heldName) ?? []
  return {
    targets: named([heldName, ...others], targets),
    note: `${alias}: stays with ${heldName} while its tool loop is open`,
  }
}

/** A row for all other requests needs no note, unless it was a near thing. */
function rowNote(
  alias: string,
  rows: readonly RouteRow[],
  row: RouteRow,
  facts: RouteFacts,
): string | undefined {
  const close = closeThresholds(rows, row, facts)
  const doubt = close.map(
    ({ text }) => ` (about ${facts.inputTokens()} tokens, an estimate within 10 % of ${text})`,
  )
  if (row.words === undefined && close.length === 0 && facts.countedBy === undefined) return undefined
  const count = facts.countedBy && ` (${facts.inputTokens()} tokens, counted by ${facts.countedBy})`
  return `${alias}: ${row.words ?? 'no condition holds'}, so ${row.use[0]} was asked${count ?? doubt.join('')}`
}

/** A loop is known by call ids, which are the client's word: they open no row of another key. */
const openRows = ({ services, caller }: Serving, alias: string): RouteRow[] =>
  services.catalog.rowsOf(alias).filter(({ when }) => when?.key === undefined || when.key === caller.key)

/** The model of the open tool loop: as remembered, by its parked run, or the one that the loop's first request took. */
async function heldTarget(
  serving: Serving,
  alias: string,
  targets: readonly Target[],
): Promise<Target | undefined> {
  const { services, request, caller } = serving
  const { messages } = request.turn
  const loop = openToolLoop(messages)
  if (!loop) return undefined
  const rows = services.catalog.rowsOf(alias)
  const open = openRows(serving, alias)
  const allowed = targets.filter((target) => open.some(({ use }) => use.includes(nameOf(target))))
  const kept = services.routeHolds?.find(caller, alias, loop.calls)
  const remembered = allowed.find((target) => modelName(target) === kept)
  if (remembered) return remembered
  const row = chooseRow(rows, factsOf(serving, loop.before, targets))
  const first = targets.find((target) => nameOf(target) === row?.use[0])
  const sessionId = sessionOfResults(messages)
  if (sessionId === undefined) return first
  // Another instance tells that it has a run, but not of which model: the likely one is asked first.
  for (const target of first ? [first, ...allowed] : allowed)
    if (await hasRun(target, sessionId)) return target
  return first
}

async function hasRun({ backend: { sessions }, model }: Target, sessionId: string): Promise<boolean> {
  if (!sessions) return false
  if (sessions.has(sessionId)) return (sessions.modelOf?.(sessionId) ?? model) === model
  return (await sessions.isElsewhere?.(sessionId)) ?? false
}

/** An estimate is off by more than a little: a request is too long for a model only if it is longer by this. */
const certainty = 1.1

/** Why the model of the loop cannot take the request; undefined if it can. */
async function unfitness(
  { services: { catalog } }: Serving,
  held: Target,
  row: RouteRow,
  facts: RouteFacts,
): Promise<string | undefined> {
  const { images, contextTokens } = (await catalog.modelOf(held)) ?? {}
  if (facts.images && (images === false || (row.when?.images === true && images !== true)))
    return 'which does not see images'
  if (contextTokens !== undefined && facts.inputTokens() > contextTokens * certainty)
    return `whose window of ${contextTokens} tokens is too small`
  return undefined
}

function factsOf(serving: Serving, messages: readonly Message[], [target]: readonly Target[]): RouteFacts {
  const { request, client, clientName, caller } = serving
  const { reasoning, otherEffort, tools, opaqueTools = [], inlineTools = [] } = request.turn
  const offered = tools.length + opaqueTools.length + inlineTools.length
  let count: number | undefined
  return {
    inputTokens: () => (count ??= estimateTokens({ messages, tools })),
    images: messages.some(hasImages),
    background: client.smallModel !== undefined && (offered === 0 || client.smallModel.test(request.model)),
    thinking: (reasoning?.effort ?? otherEffort ?? target?.variant?.effort ?? 'none') !== 'none',
    client: clientName,
    key: caller.key,
  }
}

/** As the rows of an alias name it. */
const nameOf = ({ backendName, account, model }: Target) =>
  `${backendName}${account === undefined ? '' : `@${account}`}/${model}`

const modelName = ({ backendName, model }: Pick<Target, 'backendName' | 'model'>) => `${backendName}/${model}`

const named = (names: readonly string[], targets: readonly Target[]): Target[] =>
  names.flatMap((name) => targets.find((target) => nameOf(target) === name) ?? [])

/**
 * A request that is too long for a model of an alias goes to those of its list that are not known to be as small, then to models of
 * other rows that are known to be larger. Rows with other conditions that do not hold stay closed to it.
 */
export function afterOverflow(serving: Serving) {
  const { services, request } = serving
  const { catalog } = services
  const tried = new Set<string>()
  return async (
    failed: Target,
    { code }: GatewayError,
    left: readonly Target[],
  ): Promise<readonly Target[] | undefined> => {
    tried.add(nameOf(failed))
    if (code !== 'context-overflow' || failed.alias === undefined || services.replayInputs) return undefined
    const window = (await catalog.modelOf(failed))?.contextTokens
    if (window === undefined) return left
    const windowOf = async (target: Target) => (await catalog.modelOf(target))?.contextTokens
    const isLarger = await Promise.all(
      left.map(async (one) => ((await windowOf(one)) ?? window + 1) > window),
    )
    const own = left.filter((_, at) => isLarger[at])
    // Who names an account gets no other.
    if (failed.account !== undefined) return own
    const all = catalog.known(failed.alias)
    const facts = factsOf(serving, request.turn.messages, all)
    const names = rowsOfAnyLength(catalog.rowsOf(failed.alias), facts).flatMap(({ use }) => use)
    const fresh = [...new Set(names)].filter(
      (name) => !tried.has(name) && !left.some((one) => nameOf(one) === name),
    )
    const { variant } = failed
    const others = named(fresh, all).map((target) => (variant ? { ...target, variant } : target))
    const windows = await Promise.all(others.map(windowOf))
    return [...own, ...others.filter((_, at) => (windows[at] ?? 0) > window)]
  }
}
