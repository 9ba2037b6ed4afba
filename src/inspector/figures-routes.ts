// GET /inspector/figures: the last minutes, of what the viewer may see.

import { isObject } from '../base/json.ts'
import type { AccountView } from '../core/pool/account.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpRoute } from '../http/route.ts'
import { addFigures, type FiguresSnapshot } from '../observe/figures.ts'
import type { FiguresAnswer, SessionsView } from './api.ts'
import type { Scope } from './login.ts'
import { mergeSessions } from './merged-turns.ts'
import type { Peers } from './peers.ts'

export interface FiguresSource {
  version: string
  snapshot(minutes: number, scope: Scope): FiguresSnapshot
  sessions(scope: Scope): SessionsView[]
  accounts(scope: Scope): AccountView[]
}

interface Answering {
  scopeOf(exchange: Exchange, key: string): Scope
  json(exchange: Exchange, body: unknown): void
  /** Other processes to ask; undefined if there are none, or if one of them asks. */
  peersOf(exchange: Exchange): Peers | undefined
}

const usualMinutes = 60

export const figuresRoutes = (source: FiguresSource, answering: Answering): HttpRoute<unknown>[] => [
  {
    method: 'GET',
    path: '/inspector/figures',
    page: true,
    handle: async (exchange, _services, { key }) => {
      const scope = answering.scopeOf(exchange, key)
      answering.json(exchange, await figuresFor(exchange, scope, source, answering.peersOf(exchange)))
    },
  },
]

async function figuresFor(
  exchange: Exchange,
  scope: Scope,
  source: FiguresSource,
  peers: Peers | undefined,
): Promise<FiguresAnswer> {
  const { answers, missing } = (await peers?.collect(exchange, scope)) ?? { answers: [], missing: [] }
  const others = answers.filter(isFigures)
  const own = source.snapshot(minutesOf(exchange), scope)
  return {
    ...{ version: source.version, at: Date.now(), processes: others.length + 1, missing },
    ...(others.length === 0 ? own : addFigures(own, others)),
    sessions: mergeSessions([source.sessions(scope), ...others.map(({ sessions }) => sessions)]),
    accounts: mergeAccounts([source.accounts(scope), ...others.map(({ accounts }) => accounts ?? [])]),
  }
}

/** Each process counts its own turns; the state of an account is the same for all. */
function mergeAccounts(lists: readonly (readonly AccountView[])[]): AccountView[] {
  const merged = new Map<string, AccountView>()
  for (const one of lists.flat()) {
    const name = `${one.backend}@${one.account}`
    const known = merged.get(name)
    merged.set(name, known ? addAccounts(known, one) : one)
  }
  return [...merged.values()]
}

const addAccounts = (one: AccountView, other: AccountView): AccountView => ({
  ...(one.state === 'ready' ? other : one),
  conversations: Math.max(one.conversations, other.conversations),
  inFlight: one.inFlight + other.inFlight,
  turns24h: one.turns24h + other.turns24h,
  errors24h: one.errors24h + other.errors24h,
  lastError: (one.lastError?.at ?? 0) >= (other.lastError?.at ?? 0) ? one.lastError : other.lastError,
})

/** Another version may answer what this one does not know. */
const isFigures = (answer: unknown): answer is FiguresAnswer =>
  isObject(answer) &&
  Number.isInteger(answer.from) &&
  ['minutes', 'models', 'clients', 'backends', 'keys', 'sessions'].every((name) =>
    Array.isArray(answer[name]),
  )

/** A whole number from 1; anything else is the usual hour. */
function minutesOf({ query }: Exchange): number {
  const wanted = Number(new URLSearchParams(query).get('minutes'))
  return Number.isInteger(wanted) && wanted >= 1 ? wanted : usualMinutes
}
