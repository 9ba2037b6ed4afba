// The hits of several processes as one answer.

import type { SearchAnswer, SearchHit } from './api.ts'
import type { Collected } from './peers.ts'

/** In one answer. */
export const mostHits = 50

/** The hits of this process and of those that have answered: the newest of all. */
export function mergeHits(own: SearchAnswer, collected: Collected | undefined): SearchAnswer {
  if (!collected) return own
  const answers = [own, ...(collected.answers as SearchAnswer[]).filter(({ hits }) => Array.isArray(hits))]
  const hits = answers.flatMap((answer) => answer.hits).sort(newestFirst)
  return {
    hits: hits.slice(0, mostHits),
    searched: answers.reduce((sum, { searched }) => sum + searched, 0),
    more: hits.length > mostHits || answers.some(({ more }) => more),
    missing: collected.missing,
  }
}

const newestFirst = (a: SearchHit, b: SearchHit) => b.startedAt - a.startedAt || (a.turn < b.turn ? 1 : -1)
