// An account as the operator sees it.

import type { AccountView } from './account.ts'
import type { AccountMemory } from './account-memory.ts'
import { coolingAt, standingOf } from './health.ts'

interface Seen {
  backend: string
  account: string
  memory: AccountMemory
  conversations: number
}

export function viewOf({ backend, account, memory, conversations }: Seen, now: number): AccountView {
  const { status: state, reason, since, until } = standingOf(memory.health, undefined, now)
  const { turns, errors } = memory.lastDay(now)
  const models = [...memory.health.models].flatMap(([model, known]) => {
    const cooling = coolingAt(known, now)
    return cooling ? [{ model, ...cooling }] : []
  })
  return {
    ...{ backend, account, state, reason, since, until, models, windows: memory.windows(now), conversations },
    inFlight: memory.inFlight,
    turns24h: turns,
    errors24h: errors,
    lastError: memory.lastError,
  }
}
