// Pinned turns: they stay when newer ones need the place. Bounded in number and bytes, so that there is room for new turns.

import { GatewayError } from '../core/errors.ts'

export const mostPins = 20

interface Pinnable {
  readonly tape: { readonly bytes: number }
  isPinned: boolean
}

/** Who pins. */
export interface Pinning {
  /** The key of the turn. */
  key: string
  /** The viewer sees the turns of all keys. */
  seesAll: boolean
}

export class Pins<Turn extends Pinnable> {
  /** With the keys of the turns, oldest pin first. */
  readonly #pinned = new Map<Turn, string>()
  readonly #mostBytes: number

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Refuses what is too much. Returns the turns that lost their pin. */
  add(turn: Turn, { key, seesAll }: Pinning): Turn[] {
    if (turn.isPinned) return []
    const own = seesAll ? this.#all() : this.#all().filter((one) => this.#pinned.get(one) === key)
    this.#check([...own, turn])
    this.#pinned.set(turn, key)
    turn.isPinned = true
    return this.#makeRoom(turn)
  }

  delete(turn: Turn): void {
    turn.isPinned = false
    this.#pinned.delete(turn)
  }

  #all(): Turn[] {
    return [...this.#pinned.keys()]
  }

  #isTooMuch(turns: readonly Turn[]): boolean {
    return turns.length > mostPins || bytesOf(turns) > this.#mostBytes
  }

  #check(turns: readonly Turn[]): void {
    if (turns.length > mostPins)
      throw new GatewayError('conflict', `${mostPins} turns are pinned, which is the most; unpin one first.`)
    if (bytesOf(turns) > this.#mostBytes)
      throw new GatewayError(
        'conflict',
        `Pinned turns may take ${mebibytes(this.#mostBytes)} together, a third of "inspector.bytes"; unpin one first, or export this turn as a tape.`,
      )
  }

  /** A viewer of one key must not learn of others' pins: the key that has most of them gives up its oldest. */
  #makeRoom(newest: Turn): Turn[] {
    const lost: Turn[] = []
    while (this.#isTooMuch(this.#all())) {
      const others = this.#all().filter((one) => one !== newest)
      const counts = new Map<string, number>()
      for (const one of others) {
        const key = this.#pinned.get(one) ?? ''
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      const [greediest] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? []
      const oldest = others.find((one) => this.#pinned.get(one) === greediest)
      if (!oldest) break
      this.delete(oldest)
      lost.push(oldest)
    }
    return lost
  }
}

const bytesOf = (turns: readonly Pinnable[]) => turns.reduce((sum, { tape }) => sum + tape.bytes, 0)

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1_048_576)} MiB`
