// Routes by need: which row of an alias a request takes. A pure function of the rows and of facts about the request.

import type { Comparison } from '../base/comparison.ts'

/** All of them must hold. */
export interface RouteConditions {
  readonly inputTokens?: Comparison | undefined
  /** The request has images. */
  readonly images?: boolean | undefined
  /** A background task of the client: a title, a summary. */
  readonly background?: boolean | undefined
  /** The request asks the model to think. */
  readonly thinking?: boolean | undefined
  readonly client?: string | undefined
  /** The name of the caller's key. */
  readonly key?: string | undefined
}

export interface RouteRow {
  /** Absent: the row is for all other requests. */
  readonly when?: RouteConditions | undefined
  /** The conditions for people: `inputTokens >180000`. */
  readonly words?: string | undefined
  /** As BACKEND/MODEL, in the order in which they are tried. */
  readonly use: readonly string[]
}

export interface RouteFacts {
  /** Only counted if a condition needs it. */
  readonly inputTokens: () => number
  readonly images: boolean
  readonly background: boolean
  readonly thinking: boolean
  readonly client: string | undefined
  readonly key: string
  /** The model that counted `inputTokens`, as BACKEND/MODEL. Absent: it is an estimate. */
  readonly countedBy?: string | undefined
}

/** The first row that fits. */
export const chooseRow = (rows: readonly RouteRow[], facts: RouteFacts): RouteRow | undefined =>
  rows.find(({ when = {} }) => fits(when, facts))

/** Rows that would fit a request of any length: where a request that is too long for one row may go. */
export const rowsOfAnyLength = (rows: readonly RouteRow[], facts: RouteFacts): RouteRow[] =>
  rows.filter(({ when = {} }) => fits({ ...when, inputTokens: undefined }, facts))

/** How near to a limit an estimate may be wrong about it. */
const doubt = 0.1
/** How near to a limit a count is worth its time. */
const worthCounting = 0.25

/**
 * The row for requests that are just shorter than a limit which the estimate is near: its model is the one that the limit is about.
 * Undefined if the estimate decides well enough.
 */
export function rowBeforeLimit(rows: readonly RouteRow[], facts: RouteFacts): RouteRow | undefined {
  const chosen = chooseRow(rows, facts)
  const [near] = chosen ? closeThresholds(rows, chosen, facts, worthCounting) : []
  return near && chooseRow(rows, { ...facts, inputTokens: () => near.limit * (1 - worthCounting) })
}

/** Limits of the length that a row was chosen by, or passed over, and that the estimate is close to. */
export function closeThresholds(
  rows: readonly RouteRow[],
  chosen: RouteRow,
  facts: RouteFacts,
  within = doubt,
): Comparison[] {
  if (facts.countedBy !== undefined) return []
  const seen = rows.slice(0, rows.indexOf(chosen) + 1)
  return rowsOfAnyLength(seen, facts).flatMap(({ when }) => {
    const limit = when?.inputTokens
    return limit && Math.abs(facts.inputTokens() - limit.limit) <= limit.limit * within ? [limit] : []
  })
}

function fits(when: RouteConditions, facts: RouteFacts): boolean {
  const { inputTokens, images, background, thinking, client, key } = when
  return (
    isAsked(images, facts.images) &&
    isAsked(background, facts.background) &&
    isAsked(thinking, facts.thinking) &&
    isAsked(client, facts.client) &&
    isAsked(key, facts.key) &&
    // Counting is the expensive part: it comes last.
    (inputTokens === undefined || inputTokens.holds(facts.inputTokens()))
  )
}

const isAsked = <Value>(wanted: Value | undefined, value: Value | undefined) =>
  wanted === undefined || wanted === value
