// The length of a request for the rows of an alias: estimated, and near a limit counted by the model that the limit is about.

import { Cancellation } from '../base/signal.ts'
import { GatewayError } from '../core/errors.ts'
import { type RouteFacts, type RouteRow, rowBeforeLimit } from '../core/model-route.ts'
import { Notes } from '../core/notes.ts'
import type { Target } from './catalog.ts'
import type { Serving } from './serving.ts'

/** The client waits for it. */
const mostMs = 2_000

interface Asked {
  alias: string
  rows: readonly RouteRow[]
  /** With an estimate. */
  facts: RouteFacts
  find(name: string): Target | undefined
}

export async function countedFacts(serving: Serving, asked: Asked): Promise<RouteFacts> {
  const { alias, rows, facts, find } = asked
  const name = rowBeforeLimit(rows, facts)?.use[0]
  const target = name === undefined ? undefined : find(name)
  if (name === undefined || !target?.backend.countTokens) return facts
  try {
    const count = await countBy(target, serving)
    return count === undefined ? facts : { ...facts, inputTokens: () => count, countedBy: name }
  } catch (error) {
    const { code } = GatewayError.from(error)
    const why = code === 'canceled' ? `within ${mostMs / 1_000} s` : `(${code})`
    serving.notes.add(`${alias}: ${name} did not count the tokens ${why}, so an estimate decided`)
    return facts
  }
}

async function countBy({ backend, model }: Target, serving: Serving): Promise<number | undefined> {
  const { request, caller, turnId } = serving
  const signal = new Cancellation()
  const stop = () => signal.abort(serving.signal.reason)
  if (serving.signal.aborted) stop()
  serving.signal.addEventListener('abort', stop, { once: true })
  const deadline = setTimeout(() => signal.abort(), mostMs)
  // What the count leaves out is no change of the turn.
  const context = { turnId, caller, notes: new Notes(), wholeArguments: true, signal }
  try {
    return await backend.countTokens?.({ ...request.turn, model }, context)
  } finally {
    clearTimeout(deadline)
    serving.signal.removeEventListener('abort', stop)
  }
}
