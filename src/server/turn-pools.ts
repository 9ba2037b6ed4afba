// A turn and the accounts of the backends that it is sent to. A backend with one account has nothing to choose: only its failures are
// remembered, for the operator.

import type { Signal } from '../base/signal.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnAccounts } from '../core/pool/pool-parts.ts'
import type { TurnRequest } from '../core/request.ts'
import { affinityOf } from './affinity.ts'
import { type Target, unknownAccount } from './catalog.ts'
import type { Serving } from './serving.ts'

/** In a request: the account to use. In an answer: the account that was used. */
export const accountHeader = 'x-dragoman-account'

/** The targets that have the account. Throws if none has it. */
export function withAccount(targets: Target[], account: string | undefined): Target[] {
  if (account === undefined) return targets
  const having = targets.filter(
    (target) =>
      target.backend.pool?.has(account) && (target.account === undefined || target.account === account),
  )
  if (having.length > 0) return having.map((target) => ({ ...target, account }))
  const names = new Set(targets.flatMap(({ backend }) => backend.pool?.names ?? []))
  throw unknownAccount(account, [...new Set(targets.map(({ backendName }) => backendName))], [...names])
}

type Beginning = Pick<TurnAccounts, 'pin' | 'affinity' | 'note' | 'onAccount'>

/** How a turn of a client begins at a target. */
export function clientTurn(serving: Serving, asked: TurnRequest): (target: Target) => Beginning {
  const { caller, header, notes, head, observer, turnId, services } = serving
  const answerId = turnId.slice('turn_'.length)
  return ({ backendName: backend, model, account: pin }) => ({
    pin: pin ?? services.catalog.accountOf(caller.key, backend),
    affinity: affinityOf({ backend, model, caller, header, turn: asked, answerId }),
    note: (text) => notes.add(text),
    onAccount(name) {
      head.set(accountHeader, name)
      observer.account = name
    },
  })
}

export class TurnPools {
  readonly #signal: Signal
  readonly #begin: (target: Target) => Beginning
  #turns: Map<Target, TurnAccounts> | undefined

  constructor(signal: Signal, begin: (target: Target) => Beginning) {
    this.#signal = signal
    this.#begin = begin
  }

  /** Undefined if there is nothing to choose. The same for all attempts at a target. */
  of(target: Target): TurnAccounts | undefined {
    const { pool } = target.backend
    if (!pool || pool.isSingle) return undefined
    this.#turns ??= new Map()
    const known = this.#turns.get(target)
    if (known) return known
    const turn = pool.begin(this.#begin(target))
    this.#turns.set(target, turn)
    return turn
  }

  mayHop(target: Target, error: GatewayError): boolean {
    const { pool } = target.backend
    const turn = this.#turns?.get(target)
    return turn !== undefined && pool?.isSingle === false && pool.mayHop(turn, error)
  }

  failed({ backend: { pool }, model }: Target, error: GatewayError): void {
    if (pool?.isSingle && !this.#signal.aborted) void pool.saw(error, model)
  }

  opened({ backend: { pool }, model }: Target): void {
    if (pool?.isSingle) pool.worked(model)
  }
}
