// The comparison of both sides of a turn, and its long values in full.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { scrubbedFrames } from '../tapes/write.ts'
import type { TurnSummary } from './api.ts'
import type { Comparison } from './comparison/compare-turn.ts'
import type { LoginDesk, Scope } from './login.ts'
import { Renderings, respondSlowly } from './renderings.ts'
import type { Kept, TurnShelf } from './turn-shelf.ts'

interface ComparisonSource {
  shelf: TurnShelf
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  logins: LoginDesk
  scrubber: Scrubber
}

const pattern = /^\/inspector\/turns\/(turn_[A-Za-z0-9]{1,64})\/comparison$/

export function comparisonRoutes(source: ComparisonSource): HttpRoute<unknown>[] {
  const renderings = new Renderings()
  const comparisons = new Comparisons(source.scrubber)
  return [
    {
      method: 'GET',
      path: '/inspector/turns/*/comparison',
      oneSegment: true,
      page: true,
      handle: async (exchange, _services, { key }) => {
        const scope: Scope = source.logins.find(exchange)?.scope ?? { key }
        const kept = keptOf(exchange, scope, source)
        const asked = askedOf(exchange)
        const shared = kept.tape.isOver ? `${exchange.path}?${exchange.query}` : undefined
        const text = await renderings.render(shared, () => comparisons.text(kept, asked))
        const type = asked.row === undefined ? 'application/json' : 'text/plain; charset=utf-8'
        await respondSlowly(exchange, type, text)
      },
    },
  ]
}

interface Asked {
  exchange: number | undefined
  /** The value of a row in full. */
  row: number | undefined
  side: 'client' | 'upstream'
}

function askedOf({ query }: Exchange): Asked {
  const parameters = new URLSearchParams(query)
  const number = (name: string) => {
    const value = parameters.get(name)
    if (value === null) return undefined
    if (!/^\d{1,9}$/.test(value))
      throw new GatewayError('invalid-request', `"${name}" must be a whole number.`)
    return Number(value)
  }
  const side = parameters.get('side') === 'upstream' ? 'upstream' : 'client'
  return { exchange: number('exchange'), row: number('row'), side }
}

function keptOf({ path }: Exchange, scope: Scope, { shelf, summary }: ComparisonSource): Kept {
  const turnId = pattern.exec(path)?.[1] ?? ''
  const kept = summary(turnId, scope) && shelf.get(turnId)
  if (kept) return kept
  throw new GatewayError(
    'not-found',
    'This turn is not kept: it was never seen, or newer ones needed its place.',
  )
}

class Comparisons {
  readonly #scrubber: Scrubber
  /** The last one: the page asks for its long values next. */
  #last: { kept: Kept; exchange: number | undefined; frames: number; comparison: Comparison } | undefined

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
  }

  async text(kept: Kept, { exchange, row, side }: Asked): Promise<string> {
    const { wholeValue, viewOf } = await import('./comparison/view.ts')
    const comparison = await this.#compare(kept, exchange)
    if (row === undefined)
      return this.#scrubber.scrubInSlices(JSON.stringify(viewOf(comparison, kept.tape.isCut)))
    const value = wholeValue(comparison, row, side)
    if (value === undefined)
      throw new GatewayError('not-found', 'This comparison has no such value; load it again.')
    return this.#scrubber.scrubInSlices(value)
  }

  async #compare(kept: Kept, exchange: number | undefined): Promise<Comparison> {
    const known = this.#last
    const { length } = kept.tape.frames
    if (known?.kept === kept && known.exchange === exchange && known.frames === length)
      return known.comparison
    const { compareTurn } = await import('./comparison/compare-turn.ts')
    const comparison = await compareTurn(await scrubbedFrames(kept.tape, this.#scrubber), exchange)
    if (!comparison) throw new GatewayError('not-found', 'This turn has no such exchange.')
    this.#last = { kept, exchange, frames: length, comparison }
    return comparison
  }
}
