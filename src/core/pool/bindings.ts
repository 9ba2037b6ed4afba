// Which conversation stays with which account. Entries leave in the order of their last use.

interface Binding {
  readonly account: string
  readonly expiresAt: number
}

/** Beyond this, the conversation that was longest without a turn may get another account. */
const most = 20_000

export class Bindings {
  /** The least recently used first. */
  readonly #bindings = new Map<string, Binding>()
  readonly #counts = new Map<string, number>()

  get(key: string, now: number): string | undefined {
    this.#sweep(now)
    return this.#bindings.get(key)?.account
  }

  set(key: string, account: string, { now, ttlMs }: { now: number; ttlMs: number }): void {
    this.delete(key)
    this.#bindings.set(key, { account, expiresAt: now + ttlMs })
    this.#count(account, 1)
    this.#sweep(now)
  }

  delete(key: string): void {
    const known = this.#bindings.get(key)
    if (!known) return
    this.#bindings.delete(key)
    this.#count(known.account, -1)
  }

  /** The operator has taken the account out, or it is gone: its conversations go elsewhere. */
  release(account: string): void {
    for (const [key, binding] of this.#bindings) if (binding.account === account) this.#bindings.delete(key)
    this.#counts.delete(account)
  }

  countOf(account: string, now: number): number {
    this.#sweep(now)
    return this.#counts.get(account) ?? 0
  }

  #count(account: string, by: number): void {
    const count = (this.#counts.get(account) ?? 0) + by
    if (count > 0) this.#counts.set(account, count)
    else this.#counts.delete(account)
  }

  #sweep(now: number): void {
    for (const [key, { expiresAt }] of this.#bindings) {
      if (expiresAt > now && this.#bindings.size <= most) return
      this.delete(key)
    }
  }
}
