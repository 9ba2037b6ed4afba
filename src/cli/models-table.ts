// The table of `dragoman models`.

import { aligned, type Span } from '../base/painted.ts'
import { dollarWords, type Price } from '../observe/cost.ts'

export interface ModelFacts {
  id: string
  contextTokens?: number
  outputTokens?: number
  /** How tools reach the model. */
  tools?: 'native' | 'text'
  price?: Price | 'plan'
}

const headings = ['MODEL', 'CONTEXT', 'OUTPUT', 'TOOLS', 'PRICE IN', 'PRICE OUT']

/** Columns without a value are left out. */
export function modelTable(found: readonly ModelFacts[], nameOf: (model: ModelFacts) => string): Span[][] {
  const rows = found.map((model): Span[] => [
    ['cyan', nameOf(model)],
    sizeWords(model.contextTokens),
    sizeWords(model.outputTokens),
    model.tools ?? '',
    ...priceWords(model.price),
  ])
  const used = headings.map((_, at) => at === 0 || rows.some((row) => row[at] !== ''))
  const shown = [headings.map((name): Span => ['bold', name]), ...rows].map((row) =>
    row.filter((_, at) => used[at]),
  )
  const right = [1, 2, 4, 5].flatMap((at) => (used[at] ? used.slice(0, at).filter(Boolean).length : []))
  return [...aligned(shown, right), ...priceSources(found).map((line): Span[] => [['dim', line]])]
}

const sizeWords = (tokens: number | undefined) => tokens?.toLocaleString('en-US') ?? ''

function priceWords(price: Price | 'plan' | undefined): [string, string] {
  if (price === undefined) return ['', '']
  return price === 'plan' ? ['plan', ''] : [dollarWords(price.input), dollarWords(price.output)]
}

/** Where the prices come from, and how old they are. */
function priceSources(found: readonly ModelFacts[]): string[] {
  const prices = found.flatMap(({ price }) => (price === undefined || price === 'plan' ? [] : [price]))
  if (prices.length === 0) return []
  const dates = prices.flatMap(({ date }) => date ?? []).sort()
  const [first, last] = [dates[0], dates.at(-1)]
  const listed =
    first === undefined ? [] : [`list prices of ${first === last ? first : `${first} to ${last}`}`]
  const own = prices.some(({ date }) => date === undefined) ? ['prices of the configuration'] : []
  return ['', `Prices are US dollars per million tokens: ${[...own, ...listed].join(', ')}.`]
}
