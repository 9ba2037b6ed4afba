// The figures of a set of turns. Tallies add up, also those of other processes; as JSON they leave out what is zero. No imports but
// costs: the inspector's page uses it too.

import { addCost, addCosts, type Cost, type CostSum, noCosts } from './cost.ts'

export const sums = [
  'turns', 'failed', 'canceled', 'estimated', 'calls', 'input', 'output', 'cacheRead', 'cacheWrite', 'cacheable', 'reasoning', 'modelMs', 'toolMs',
  'followUps', 'timedFollowUps', 'retries', 'fallbacks',
] as const // biome-ignore format: a list to be read as one

/**
 * `failed`: ended with an error; `canceled`: the client left. `estimated`: turns whose tokens the gateway estimated. `cacheable`: input
 * of turns that report what came from a cache. `modelMs`: from requests to the ends of their answers. `toolMs`: from the ends of calls
 * to the requests with their results, of `timedFollowUps` out of `followUps` requests with results. `retries`: attempts that failed
 * and were made again; `fallbacks`: by another backend.
 */
type Sum = (typeof sums)[number]

const named = ['errors', 'tools', 'repairs', 'sessions'] as const
type Named = (typeof named)[number]

/** As JSON. */
export type PlainTally = Partial<Record<Sum, number>> &
  Partial<Record<Named, [name: string, count: number][]>> & {
    cost?: CostSum
    /** Times to the first output: how many are in each bucket. */
    first?: [bucket: number, count: number][]
  }

/** A turn that has ended. */
export interface TalliedTurn {
  outcome: string
  /** The code of its error. */
  error?: string | undefined
  /** The names of the called tools. */
  tools: readonly string[]
  inputTokens: number
  outputTokens: number
  cacheReadTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  reasoningTokens?: number | undefined
  estimated?: boolean | undefined
  /** Undefined if costs are not shown, or nothing was asked. */
  cost?: Cost | undefined
  milliseconds: number
  firstOutputMs?: number | undefined
  /** The request has results of calls, and the time they took, if it is known. */
  results?: { toolMs?: number | undefined } | undefined
  retries: number
  fallbacks: number
  repairs: readonly string[]
  session?: string | undefined
}

/** Names come from clients and services: those beyond this number count together, as the name ''. */
const mostNames = 40

export class Tally {
  readonly #sums: Record<Sum, number> = Object.fromEntries(sums.map((name) => [name, 0])) as Record<
    Sum,
    number
  >
  readonly #named = new Map<Named, Map<string, number>>()
  readonly #first = new Map<number, number>()
  #cost: CostSum | undefined

  count(turn: TalliedTurn): void {
    const own = this.#sums
    own.turns++
    if (turn.error !== undefined) own.failed++
    if (turn.outcome === 'canceled') own.canceled++
    if (turn.estimated) own.estimated++
    own.calls += turn.tools.length
    own.input += turn.inputTokens
    own.output += turn.outputTokens
    own.cacheRead += turn.cacheReadTokens ?? 0
    if (turn.cacheReadTokens !== undefined) own.cacheable += turn.inputTokens
    own.cacheWrite += turn.cacheWriteTokens ?? 0
    own.reasoning += turn.reasoningTokens ?? 0
    own.modelMs += turn.milliseconds
    if (turn.results) own.followUps++
    if (turn.results?.toolMs !== undefined) {
      own.timedFollowUps++
      own.toolMs += turn.results.toolMs
    }
    own.retries += turn.retries
    own.fallbacks += turn.fallbacks
    this.#countNames(turn)
    if (turn.firstOutputMs !== undefined) increase(this.#first, bucketOf(turn.firstOutputMs), 1)
    if (turn.cost) addCost(this.#costs(), turn.cost)
  }

  add(more: PlainTally): void {
    for (const name of sums) this.#sums[name] += more[name] ?? 0
    for (const kind of named) for (const [name, count] of more[kind] ?? []) this.#name(kind, name, count)
    for (const [bucket, count] of more.first ?? []) increase(this.#first, bucket, count)
    if (more.cost) addCosts(this.#costs(), more.cost)
  }

  toJSON(): PlainTally {
    const plain: PlainTally = {}
    for (const name of sums) if (this.#sums[name] !== 0) plain[name] = this.#sums[name]
    for (const [kind, counts] of this.#named) plain[kind] = [...counts].sort(([, a], [, b]) => b - a)
    if (this.#first.size > 0) plain.first = [...this.#first].sort(([a], [b]) => a - b)
    if (this.#cost) plain.cost = this.#cost
    return plain
  }

  #countNames({ error, tools, repairs, session }: TalliedTurn): void {
    if (error !== undefined) this.#name('errors', error, 1)
    for (const tool of tools) this.#name('tools', tool, 1)
    for (const repair of repairs) this.#name('repairs', repair, 1)
    if (session !== undefined) this.#name('sessions', session, 1)
  }

  #name(kind: Named, name: string, by: number): void {
    const counts = this.#named.get(kind) ?? new Map<string, number>()
    this.#named.set(kind, counts)
    increase(counts, counts.has(name) || counts.size < mostNames ? name : '', by)
  }

  #costs(): CostSum {
    this.#cost ??= noCosts()
    return this.#cost
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** Buckets of times grow by a tenth: a percentile is right to 5 %. */
const growth = Math.log(1.1)
const lastBucket = 160

const bucketOf = (ms: number) =>
  Math.min(lastBucket, Math.max(0, Math.ceil(Math.log(Math.max(1, ms)) / growth)))

/** The time below which this share of them lies; undefined without any. */
export function percentileOf({ first = [] }: PlainTally, share: number): number | undefined {
  const total = first.reduce((sum, [, count]) => sum + count, 0)
  let rest = Math.floor(share * total)
  for (const [bucket, count] of first) {
    if (rest < count) return Math.exp((bucket - 0.5) * growth)
    rest -= count
  }
  return undefined
}
