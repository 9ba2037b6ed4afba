// What turns cost: tokens times prices, and sums that say what they do not contain. No imports: the inspector's page uses it too.

/** The same as in core/events.ts: `inputTokens` includes the cached tokens. */
interface Usage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  estimated?: boolean | undefined
}

/** US dollars per million tokens. */
interface TokenPrices {
  input: number
  output: number
  /** Input that came from the service's cache. Absent: not known. */
  cacheRead?: number | undefined
  /** Input that the service put into its cache. Absent: not known. */
  cacheWrite?: number | undefined
}

/** A price, and the requests for which it holds. */
export interface Price extends TokenPrices {
  /** Requests with more input tokens have another price, which is not known. */
  upTo?: number | undefined
  /** The price of requests with more input tokens than `tokens`. */
  above?: ({ tokens: number } & TokenPrices) | undefined
  /** A URL, or `configuration`. */
  source: string
  /** The day on which the source stated the price. */
  date?: string | undefined
}

/**
 * Why a cost is not known. `no-price`: a price for the model or its cached tokens is missing. `plan`: the account's plan covers the
 * turn. `no-usage`: the turn failed before the service reported tokens.
 */
type UnknownCost = 'no-price' | 'plan' | 'no-usage'

export type Cost =
  | { dollars: number; estimated?: true | undefined; source: string; date?: string | undefined }
  | { unknown: UnknownCost }

/** The cost of several turns: the known sum, and the number of turns that it lacks. */
export interface CostSum {
  dollars: number
  /** Turns with a known cost. */
  priced: number
  /** Turns with a known cost whose tokens the gateway estimated. */
  estimated: number
  noPrice: number
  plan: number
  noUsage: number
}

const perMillion = 1_000_000

/** A usage without tokens means that the service reported none: even a refused prompt has some. */
export function costOf(usage: Usage, price: Price | 'plan' | undefined): Cost {
  if (price === 'plan') return { unknown: 'plan' }
  if (usage.inputTokens === 0 && usage.outputTokens === 0) return { unknown: 'no-usage' }
  const prices = price && pricesFor(usage, price)
  const dollars = prices && dollarsOf(usage, prices)
  if (!price || dollars === undefined) return { unknown: 'no-price' }
  const { source, date } = price
  return { dollars, ...(usage.estimated ? { estimated: true } : {}), source, date }
}

function pricesFor({ inputTokens }: Usage, price: Price): TokenPrices | undefined {
  const { upTo, above } = price
  if (upTo !== undefined && inputTokens > upTo) return undefined
  return above && inputTokens > above.tokens ? above : price
}

function dollarsOf(usage: Usage, { input, output, cacheRead, cacheWrite }: TokenPrices): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage
  if ((read > 0 && cacheRead === undefined) || (written > 0 && cacheWrite === undefined)) return undefined
  const fresh = Math.max(0, inputTokens - read - written)
  const sum = fresh * input + read * (cacheRead ?? 0) + written * (cacheWrite ?? 0) + outputTokens * output
  return sum / perMillion
}

export const noCosts = (): CostSum => ({
  ...{ dollars: 0, priced: 0, estimated: 0 },
  ...{ noPrice: 0, plan: 0, noUsage: 0 },
})

export function addCost(sum: CostSum, cost: Cost): void {
  if ('dollars' in cost) {
    sum.dollars += cost.dollars
    sum.priced++
    if (cost.estimated) sum.estimated++
  } else if (cost.unknown === 'plan') sum.plan++
  else if (cost.unknown === 'no-usage') sum.noUsage++
  else sum.noPrice++
}

export function addCosts(sum: CostSum, more: CostSum): void {
  for (const name of Object.keys(sum) as (keyof CostSum)[]) sum[name] += more[name]
}

export const costsOf = (costs: Iterable<Cost>): CostSum => {
  const sum = noCosts()
  for (const cost of costs) addCost(sum, cost)
  return sum
}

/** Small amounts keep two significant digits. */
export function dollarWords(dollars: number): string {
  if (dollars === 0) return '$0'
  const digits = dollars >= 0.095 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(dollars)))
  return `$${dollars.toFixed(digits)}`
}

const turns = (number: number) => `${number} turn${number === 1 ? '' : 's'}`

const unknownWords: Record<UnknownCost, string> = {
  'no-price': 'not known: no price is known for this model',
  plan: "covered by the account's plan, not known",
  'no-usage': 'not known: the service reported no tokens',
}

export function costWords(cost: Cost): string {
  if ('unknown' in cost) return unknownWords[cost.unknown]
  return `${cost.estimated ? 'about ' : ''}${dollarWords(cost.dollars)}`
}

/** The known sum in words. Undefined if no cost is known, which is not zero. */
export const knownWords = ({ dollars, priced, estimated }: CostSum): string | undefined =>
  priced === 0 ? undefined : `${estimated > 0 ? 'about ' : ''}${dollarWords(dollars)}`

/** The parts of a sum that are not known, in words. */
export const missingWords = ({ noPrice, plan, noUsage }: CostSum): string[] => [
  ...(noPrice > 0 ? [`${turns(noPrice)} without a price`] : []),
  ...(plan > 0 ? [`${turns(plan)} covered by a plan`] : []),
  ...(noUsage > 0 ? [`${turns(noUsage)} without usage`] : []),
]

/** "$0.12 + 3 turns without a price" */
export function costSumWords(sum: CostSum): string {
  const parts = [knownWords(sum) ?? [], missingWords(sum)].flat()
  return parts.length === 0 ? 'none' : sum.priced === 0 ? `not known: ${parts.join(', ')}` : parts.join(' + ')
}
