// The turns of a shelf as their viewers see them: summaries, and the live stream.

import { inSlices, type Steps } from '../base/slices.ts'
import { version } from '../base/version.ts'
import type { Prices } from '../observe/prices.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { Abilities, SessionsView, TurnedAwayCount, TurnSummary, TurnsAnswer } from './api.ts'
import { Live } from './live.ts'
import type { Scope } from './login.ts'
import { Summaries } from './summaries.ts'
import type { TurnShelf } from './turn-shelf.ts'

interface ViewOptions {
  shelf: TurnShelf
  scrubber: Scrubber
  /** About how many there will be. */
  turns: number
  sessions(scope: Scope): SessionsView[]
  turnedAway(scope: Scope): TurnedAwayCount[]
  may: Abilities
  prices: Prices
  /** Other processes may have turns of the same conversations. */
  withThreads: boolean
}

export interface Views {
  all(scope: Scope): TurnsAnswer
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  sessions(scope: Scope): SessionsView[]
  /** Reads all summaries, in slices: the first viewer may come after thousands of turns. */
  warm(): Promise<void>
  live: Live
}

export const isWithin = (scope: Scope, key: string) => scope === 'all' || scope.key === key

export function createViews(options: ViewOptions): Views {
  const { shelf, scrubber, turns, sessions, turnedAway, may, prices, withThreads } = options
  const scrub = (text: string) => scrubber.scrub(text)
  const summaries = new Summaries(turns, scrub, { prices, withThreads })
  const all = (scope: Scope): TurnsAnswer => ({
    version,
    may,
    // Conversations are assigned in the order in which turns began; the newest is shown first.
    turns: shelf
      .all()
      .map((kept) => summaries.of(kept))
      .filter(({ key }) => isWithin(scope, key))
      .reverse(),
    sessions: sessions(scope),
    turnedAway: turnedAway(scope),
  })
  const summary = (turnId: string, scope: Scope) => {
    const kept = shelf.get(turnId)
    const found = kept && summaries.of(kept)
    return found && isWithin(scope, found.key) ? found : undefined
  }
  const warm = () => inSlices(summarize())
  function* summarize(): Steps<void> {
    for (const kept of shelf.all()) {
      summaries.of(kept)
      yield
    }
  }
  return {
    all,
    summary,
    sessions,
    warm,
    live: new Live({ shelf, all, summary, sessions, turnedAway, scrub }),
  }
}
