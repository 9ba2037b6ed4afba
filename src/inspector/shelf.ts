// The newest turns, bounded in number and bytes. Running turns are never dropped. Where more turns begin in a second than anybody
// could look at, the others are only counted.

import { version } from '../base/version.ts'
import { Tape } from '../tapes/tape.ts'
import type { TapeSource, TurnBeginning } from '../tapes/tape-source.ts'
import { type Pinning, Pins } from './pins.ts'
import type { KeepingShelf, Kept } from './turn-shelf.ts'

export type { Kept } from './turn-shelf.ts'

export interface ShelfLimits {
  turns: number
  bytes: number
  /** The limit of one tape; without it, a third of `bytes`. */
  tapeBytes?: number
}

/** Of a shelf for fewer turns, too. */
const leastTurnsASecond = 200

interface Held extends Kept {
  readonly tape: Tape
  /** Its share of the byte count. */
  counted: number
  isDropped: boolean
  isPinned: boolean
}

/** Of all bytes, for one tape. A long conversation is on it twice: the client's request and the upstream request. */
const tapeShare = 1 / 3

export class Shelf implements TapeSource, KeepingShelf {
  readonly #limits: Required<ShelfLimits>
  /**
   * Oldest first. An array, not a map: a map whose entries come and go copies them to new tables, and the old tables keep dropped tapes
   * alive until V8 collects its old generation.
   */
  readonly #kept: Held[] = []
  readonly #listeners = new Set<(tape: Tape) => void>()
  readonly #dropListeners = new Set<(turnId: string) => void>()
  readonly #pins: Pins<Held>
  readonly #onSkipped: (() => void) | undefined
  #bytes = 0
  #second = 0
  #begun = 0

  /** `onSkipped`: a turn is not kept, because of too many in this second. */
  constructor(limits: ShelfLimits, onSkipped?: () => void) {
    this.#onSkipped = onSkipped
    this.#limits = { tapeBytes: Math.floor(limits.bytes * tapeShare), ...limits }
    this.#pins = new Pins(limits.bytes / 3)
  }

  begin({ turnId, isResent = false }: TurnBeginning): Tape | undefined {
    const startedAt = Date.now()
    if (!this.#mayBegin(startedAt) && !isResent) return void this.#onSkipped?.()
    const tape = new Tape({
      head: { tape: 1, dragoman: version, recordedAt: startedAt, origin: 'recorded' },
      turn: turnId,
      maxBytes: this.#limits.tapeBytes,
      onChange: () => this.#changed(kept),
    })
    const kept: Held = { tape, startedAt, counted: 0, isDropped: false, isPinned: false }
    this.#kept.push(kept)
    this.#makeRoom()
    return tape
  }

  #mayBegin(now: number): boolean {
    const second = Math.floor(now / 1000)
    if (second !== this.#second) this.#begun = 0
    this.#second = second
    this.#begun++
    return this.#begun <= Math.max(leastTurnsASecond, this.#limits.turns)
  }

  /** Oldest first. */
  all(): Kept[] {
    return [...this.#kept]
  }

  get(turnId: string): Kept | undefined {
    return this.#find(turnId)
  }

  get bytes(): number {
    return this.#bytes
  }

  pin(turnId: string, pinning: Pinning): void {
    const kept = this.#find(turnId)
    if (!kept) return
    for (const changed of [kept, ...this.#pins.add(kept, pinning)]) this.#tell(changed)
    this.#makeRoom()
  }

  unpin(turnId: string): void {
    const kept = this.#find(turnId)
    if (!kept) return
    this.#pins.delete(kept)
    this.#tell(kept)
    this.#makeRoom()
  }

  remove(turnIds: readonly string[]): void {
    for (const turnId of turnIds) {
      const kept = this.#find(turnId)
      if (kept?.tape.isOver) this.#drop(kept)
    }
  }

  onChange(listener: (tape: Tape) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onDrop(listener: (turnId: string) => void): () => void {
    this.#dropListeners.add(listener)
    return () => this.#dropListeners.delete(listener)
  }

  /** Runs for each delta: only sums, unless there are listeners. */
  #changed(kept: Held): void {
    if (kept.isDropped) return
    this.#bytes += kept.tape.bytes - kept.counted
    kept.counted = kept.tape.bytes
    if (this.#bytes > this.#limits.bytes || kept.tape.isOver) this.#makeRoom()
    if (this.#listeners.size > 0) this.#tell(kept)
  }

  #tell({ tape }: Held): void {
    for (const listener of this.#listeners) listener(tape)
  }

  /** From the newest: those are asked for. */
  #find(turnId: string): Held | undefined {
    return this.#kept.findLast(({ tape }) => tape.turn === turnId)
  }

  #makeRoom(): void {
    const { turns, bytes } = this.#limits
    for (let at = 0; this.#kept.length > turns || this.#bytes > bytes; ) {
      const kept = this.#kept[at]
      if (kept === undefined) return
      if (kept.tape.isOver && !kept.isPinned) this.#drop(kept, at)
      else at++
    }
  }

  #drop(kept: Held, at = this.#kept.indexOf(kept)): void {
    this.#kept.splice(at, 1)
    this.#pins.delete(kept)
    kept.isDropped = true
    this.#bytes -= kept.counted
    for (const listener of this.#dropListeners) listener(kept.tape.turn)
  }
}
