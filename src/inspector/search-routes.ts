// GET /inspector/search?words=…: one search at a time, because each reads all turns.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpRoute } from '../http/route.ts'
import type { SearchAnswer } from './api.ts'
import type { Scope } from './login.ts'
import { mergeHits } from './merged-hits.ts'
import { parseFilter } from './turn-filter.ts'
import { peersOf, respondScrubbed, scopeOf, type Viewing } from './viewer.ts'

/** Searches that wait for their turn; a page that types on gives up its earlier ones. */
const mostWaiting = 20
const longestWords = 500

export function searchRoutes(viewing: Viewing): HttpRoute<unknown>[] {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const inTurn = async (work: () => Promise<SearchAnswer>): Promise<SearchAnswer> => {
    if (waiting >= mostWaiting)
      throw new GatewayError('rate-limited', `${mostWaiting} searches are waiting already; try again soon.`, {
        retryAfterMs: 2_000,
      })
    waiting++
    const answer = last.then(work)
    last = answer.catch(() => undefined)
    return answer.finally(() => waiting--)
  }
  return [
    {
      method: 'GET',
      path: '/inspector/search',
      page: true,
      handle: async (exchange, _services, { key }) => {
        const filter = parseFilter(wordsOf(exchange))
        const scope = scopeOf(exchange, key, viewing)
        const { scrubber } = viewing
        const isGone = () => exchange.sink.gone
        // The reader of answers loads much; it is not needed before someone looks.
        const { searchTurns } = await import('./search.ts')
        const others = peersOf(exchange, viewing)?.collect(exchange, scope)
        const search = inTurn(() =>
          searchTurns({ turns: newestFirst(scope, viewing), filter, scrubber, isGone }),
        )
        respondScrubbed(exchange, mergeHits(...(await Promise.all([search, others]))), viewing)
      },
    },
  ]
}

function wordsOf({ query }: Exchange): string {
  const words = new URLSearchParams(query).get('words')?.trim() ?? ''
  if (words === '')
    throw new GatewayError('invalid-request', 'Say what to look for: /inspector/search?words=…')
  if (words.length > longestWords)
    throw new GatewayError('invalid-request', `Search for at most ${longestWords} characters.`)
  return words
}

function* newestFirst(scope: Scope, { shelf, summary }: Viewing) {
  for (const kept of shelf.all().reverse()) {
    const seen = summary(kept.tape.turn, scope)
    if (seen) yield { kept, summary: seen }
  }
}
