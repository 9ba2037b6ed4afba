// Logins of several workers: links and sessions are kept by their parent, and each worker knows the sessions, so that a page is
// logged in wherever its requests arrive.

import type { Exchange } from '../http/exchange.ts'
import {
  type LoginChange,
  type LoginDesk,
  Logins,
  nameOf,
  type Redeemed,
  type Scope,
  type Session,
} from './login.ts'

/** The parent. It tells a change to all workers, before it answers. */
export interface LoginOffice {
  link(scope: Scope): Promise<string>
  redeem(token: string): Promise<Redeemed>
  change(change: LoginChange): void
}

/** A session ends hours after its last use: the others need not know each one. */
const tellMs = 10 * 60_000

export class SharedLogins implements LoginDesk {
  readonly #office: LoginOffice
  readonly #known = new Logins()
  readonly #toldAt = new WeakMap<Session, number>()

  constructor(office: LoginOffice) {
    this.#office = office
  }

  take(change: LoginChange): void {
    this.#known.take(change)
  }

  link(scope: Scope): Promise<string> {
    return this.#office.link(scope)
  }

  redeem(token: string): Promise<Redeemed> {
    return this.#office.redeem(token)
  }

  find(exchange: Exchange): Session | undefined {
    return this.#known.find(exchange)
  }

  relay(exchange: Exchange, scope: Scope): void {
    this.#known.relay(exchange, scope)
  }

  isRelayed(exchange: Exchange): boolean {
    return this.#known.isRelayed(exchange)
  }

  touch(session: Session): void {
    this.#known.touch(session)
    const at = Date.now()
    if (at - (this.#toldAt.get(session) ?? 0) < tellMs) return
    this.#toldAt.set(session, at)
    this.#office.change({ used: nameOf(session), at })
  }

  end(session: Session): void {
    this.#known.end(session)
    this.#office.change({ ended: nameOf(session) })
  }

  endKey(name: string): void {
    this.#known.endKey(name)
    this.#office.change({ endedKey: name })
  }
}

/** The parent's side. `tell` resolves once all workers know the change. */
export class LoginRegistry implements LoginOffice {
  readonly #logins = new Logins()
  readonly #tell: (change: LoginChange) => Promise<void>

  constructor(tell: (change: LoginChange) => Promise<void>) {
    this.#tell = tell
  }

  /** For a worker that starts. */
  get all(): LoginChange[] {
    return this.#logins.plain().map((begun) => ({ begun }))
  }

  async link(scope: Scope): Promise<string> {
    return this.#logins.link(scope)
  }

  async redeem(token: string): Promise<Redeemed> {
    const before = new Set(this.#logins.plain().map(({ cookie }) => cookie))
    const redeemed = this.#logins.redeem(token)
    if ('problem' in redeemed) return redeemed
    const after = this.#logins.plain()
    const names = new Set(after.map(({ cookie }) => cookie))
    // A new session may have ended the oldest one.
    const ended = [...before].filter((name) => !names.has(name)).map((name) => ({ ended: name }))
    const begun = after.filter(({ cookie }) => !before.has(cookie)).map((session) => ({ begun: session }))
    for (const change of [...ended, ...begun]) await this.#tell(change)
    return redeemed
  }

  change(change: LoginChange): void {
    this.#logins.take(change)
    void this.#tell(change)
  }
}
