// What this process knows of one account, beside its health: turns under way, limits, figures of a day. It outlives changes of the
// configuration, unless the credential or the address of the service is another.

import { type Health, healthy, type LimitWindow } from './account.ts'

/** A switch to an account brings many turns at once: they begin one after the other. */
const moveMs = 250
const rampMs = 30_000
const mostModels = 20
const hourMs = 3_600_000

interface LastError {
  readonly at: number
  readonly code: string
  readonly message: string
}

export class AccountMemory {
  health: Health = healthy
  inFlight = 0
  lastUsed = 0
  lastError: LastError | undefined
  readonly #windows = new Map<string, readonly LimitWindow[]>()
  readonly #hours = new Map<number, { turns: number; errors: number }>()
  #ramp: { since: number; last: number; moves: number } | undefined

  /** When the next turn that comes from another account may begin. */
  nextMove(now: number): number {
    const ramp = this.#ramp
    if (!ramp || now - ramp.last > rampMs || now - ramp.since > rampMs || now < ramp.last) return 0
    return ramp.since + ramp.moves * moveMs
  }

  moved(now: number): void {
    const ramp = this.#ramp
    if (!ramp || now - ramp.last > rampMs || now < ramp.last) this.#ramp = { since: now, last: now, moves: 1 }
    else this.#ramp = { since: ramp.since, last: now, moves: ramp.moves + 1 }
  }

  limited(model: string, windows: readonly LimitWindow[]): void {
    if (windows.length === 0) return
    this.#windows.delete(model)
    this.#windows.set(model, windows)
    for (const oldest of this.#windows.keys())
      if (this.#windows.size > mostModels) this.#windows.delete(oldest)
  }

  windowsOf(model: string): readonly LimitWindow[] {
    return this.#windows.get(model) ?? []
  }

  /** Those that have not been reset since. */
  windows(now: number): (LimitWindow & { model: string; usedPercent: number })[] {
    return [...this.#windows].flatMap(([model, windows]) =>
      windows
        .filter(({ reset }) => reset > now)
        .map((one) => ({
          ...one,
          model,
          usedPercent: one.limit === 0 ? 100 : Math.round(100 * (1 - one.remaining / one.limit)),
        })),
    )
  }

  ended(isError: boolean, now: number): void {
    const hour = Math.floor(now / hourMs)
    const known = this.#hours.get(hour) ?? { turns: 0, errors: 0 }
    this.#hours.set(hour, { turns: known.turns + 1, errors: known.errors + Number(isError) })
    for (const old of this.#hours.keys()) if (old <= hour - 24) this.#hours.delete(old)
  }

  lastDay(now: number): { turns: number; errors: number } {
    const since = Math.floor(now / hourMs) - 24
    const sum = { turns: 0, errors: 0 }
    for (const [hour, { turns, errors }] of this.#hours) {
      if (hour <= since) continue
      sum.turns += turns
      sum.errors += errors
    }
    return sum
  }
}
