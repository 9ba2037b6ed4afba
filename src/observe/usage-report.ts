// Sums of the usage record: by model, client, key or day, and over time.

import { createReadStream } from 'node:fs'
import { isObject, parseJson } from '../base/json.ts'
import { addCost, type CostSum, costOf, noCosts, type Price } from './cost.ts'
import type { Prices } from './prices.ts'
import { rotatedNames } from './rotating-file.ts'

export type UsageGroup = 'model' | 'client' | 'key' | 'day'

export interface UsageSum {
  turns: number
  /** Complete tool calls. */
  calls: number
  errors: number
  inputTokens: number
  /** Of the input. */
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
  /** Of the output. */
  reasoningTokens: number
  /** Turns whose tokens the gateway estimated. */
  estimated: number
  cost: CostSum
}

export interface UsageReport {
  /** By name of the group; days in their order, others by their tokens. */
  groups: [name: string, sum: UsageSum][]
  total: UsageSum
  /** Tokens over time, without gaps. */
  times: [time: string, tokens: number][]
  /** Prices of the models that have one. */
  prices: [model: string, price: Price][]
  /** Lines that could not be read. */
  unreadable: number
}

interface UsageQuestion {
  file: string
  since: Date
  until: Date
  by: UsageGroup
  prices: Prices
}

/** Names come from requests. */
const mostGroups = 1_000
const otherGroup = 'other'
const longestLine = 65_536

export async function readUsage({ file, since, until, by, prices }: UsageQuestion): Promise<UsageReport> {
  const sums = new UsageSums(by, prices, scaleOf(since, until))
  // The oldest file first.
  for (const path of rotatedNames(file).reverse())
    for await (const line of linesOf(path)) if (isSince(line, since.toISOString())) sums.addLine(line)
  return sums.report(until)
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + chunk).split('\n')
      // What is too long stays so.
      rest = (lines.pop() ?? '').slice(0, longestLine + 1)
      yield* lines
    }
  } catch (error) {
    // Most installations have one file, and a new one has none.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  yield rest
}

const timeMark = '{"time":"'

/** Older lines are not parsed: there may be millions. */
const isSince = (line: string, since: string) =>
  !line.startsWith(timeMark) || line.slice(timeMark.length, timeMark.length + since.length) >= since

type TimeScale = 'hour' | 'day' | 'month'

const hourMs = 3_600_000

function scaleOf(since: Date, until: Date): TimeScale {
  const hours = (until.getTime() - since.getTime()) / hourMs
  return hours <= 48 ? 'hour' : hours <= 24 * 62 ? 'day' : 'month'
}

const pad = (value: number) => String(value).padStart(2, '0')

/** In local time: `2026-11`, `2026-11-18`, `2026-11-18 09:00`. */
function timeName(date: Date, scale: TimeScale): string {
  const month = `${date.getFullYear()}-${pad(date.getMonth() + 1)}`
  if (scale === 'month') return month
  const day = `${month}-${pad(date.getDate())}`
  return scale === 'day' ? day : `${day} ${pad(date.getHours())}:00`
}

/** Outcomes of turns that did not fail. */
const goodOutcomes = new Set(['stop', 'length', 'tool-calls', 'content-filter', 'other', 'canceled'])

class UsageSums {
  readonly #by: UsageGroup
  readonly #prices: Prices
  readonly #scale: TimeScale
  readonly #groups = new Map<string, UsageSum>()
  readonly #times = new Map<string, number>()
  readonly #priced = new Map<string, Price>()
  readonly #total = noUsage()
  #unreadable = 0
  /** The earliest time of a turn. */
  #first: number | undefined

  constructor(by: UsageGroup, prices: Prices, scale: TimeScale) {
    this.#by = by
    this.#prices = prices
    this.#scale = scale
  }

  addLine(line: string): void {
    if (line === '') return
    const record = line.length > longestLine ? undefined : recordOf(line)
    if (record === undefined) this.#unreadable++
    else this.#add(record)
  }

  #add(record: ReadRecord): void {
    const price = this.#priceOf(record)
    const cost = costOf(record.usage, price)
    for (const sum of [this.#group(record), this.#total]) {
      sum.turns++
      sum.calls += record.calls
      if (!goodOutcomes.has(record.outcome)) sum.errors++
      if (record.usage.estimated) sum.estimated++
      sum.inputTokens += record.usage.inputTokens
      sum.cacheReadTokens += record.usage.cacheReadTokens
      sum.cacheWriteTokens += record.usage.cacheWriteTokens
      sum.outputTokens += record.usage.outputTokens
      sum.reasoningTokens += record.reasoningTokens
      addCost(sum.cost, cost)
    }
    const time = timeName(record.time, this.#scale)
    this.#first = Math.min(this.#first ?? Number.POSITIVE_INFINITY, record.time.getTime())
    this.#times.set(time, (this.#times.get(time) ?? 0) + record.usage.inputTokens + record.usage.outputTokens)
  }

  #priceOf({ model, backend }: ReadRecord): Price | 'plan' | undefined {
    const price = this.#prices.of({ backend, model: model.slice(backend.length + 1) })
    if (typeof price === 'object' && this.#priced.size < mostGroups) this.#priced.set(model, price)
    return price
  }

  #group(record: ReadRecord): UsageSum {
    const named = this.#by === 'day' ? timeName(record.time, 'day') : record[this.#by]
    const name = this.#groups.has(named) || this.#groups.size < mostGroups ? named : otherGroup
    const sum = this.#groups.get(name) ?? noUsage()
    this.#groups.set(name, sum)
    return sum
  }

  report(until: Date): UsageReport {
    const groups = [...this.#groups]
    if (this.#by === 'day') groups.sort(([one], [other]) => (one < other ? -1 : 1))
    else groups.sort(([, one], [, other]) => tokensOf(other) - tokensOf(one))
    return {
      groups,
      total: this.#total,
      times: this.#timeline(until),
      prices: [...this.#priced],
      unreadable: this.#unreadable,
    }
  }

  /** From the first turn on. */
  #timeline(until: Date): [string, number][] {
    if (this.#first === undefined) return []
    const names: string[] = []
    // Half an hour at a time meets every hour, also where clocks change.
    const stepMs = this.#scale === 'hour' ? hourMs / 2 : 12 * hourMs
    for (let at = this.#first; at < until.getTime(); at += stepMs) {
      const name = timeName(new Date(at), this.#scale)
      if (names.at(-1) !== name) names.push(name)
    }
    const last = timeName(until, this.#scale)
    if (names.at(-1) !== last) names.push(last)
    return names.map((name) => [name, this.#times.get(name) ?? 0])
  }
}

export const tokensOf = ({ inputTokens, outputTokens }: UsageSum): number => inputTokens + outputTokens

const noUsage = (): UsageSum => ({
  ...{ turns: 0, calls: 0, errors: 0, estimated: 0 },
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 },
  cost: noCosts(),
})

/** A line of the record, with zeros for what earlier versions did not write. */
interface ReadRecord {
  time: Date
  key: string
  client: string
  model: string
  backend: string
  outcome: string
  calls: number
  reasoningTokens: number
  usage: {
    inputTokens: number
    outputTokens: number
    cacheReadTokens: number
    cacheWriteTokens: number
    estimated: boolean
  }
}

function recordOf(line: string): ReadRecord | undefined {
  const found = parseJson(line)
  if (!isObject(found)) return undefined
  const time = new Date(String(found.time))
  if (Number.isNaN(time.getTime()) || typeof found.model !== 'string') return undefined
  const text = (name: string) => (typeof found[name] === 'string' ? found[name] : 'unknown')
  const count = (name: string) => {
    const value = Number(found[name] ?? 0)
    return Number.isFinite(value) && value > 0 ? value : 0
  }
  return {
    ...{ time, key: text('key'), client: text('client'), model: found.model },
    ...{ backend: text('backend'), outcome: text('outcome') },
    ...{ calls: count('calls'), reasoningTokens: count('reasoningTokens') },
    usage: {
      inputTokens: count('inputTokens'),
      outputTokens: count('outputTokens'),
      cacheReadTokens: count('cacheReadTokens'),
      cacheWriteTokens: count('cacheWriteTokens'),
      estimated: found.estimated === true,
    },
  }
}
