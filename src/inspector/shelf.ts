// The newest turns, bounded in number and bytes. Running turns are never dropped.

import { version } from '../base/version.ts'
import { Tape } from '../tapes/tape.ts'
import type { TapeSource, TurnBeginning } from '../tapes/tape-source.ts'

export interface ShelfLimits {
  turns: number
  bytes: number
  /** The limit of one tape. */
  tapeBytes?: number
}

/** A tape, and the start of its turn. */
export interface Kept {
  readonly tape: Tape
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Its share of the byte count. */
  counted: number
  isDropped: boolean
}

/** A long conversation is on the tape twice: the client's request and the upstream request. */
const defaultTapeBytes = 4 * 1024 * 1024

export class Shelf implements TapeSource {
  readonly #limits: Required<ShelfLimits>
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>()
  readonly #listeners = new Set<(tape: Tape) => void>()
  readonly #dropListeners = new Set<(turnId: string) => void>()
  #bytes = 0

  constructor(limits: ShelfLimits) {
    this.#limits = { tapeBytes: defaultTapeBytes, ...limits }
  }

  begin({ turnId }: TurnBeginning): Tape {
    const startedAt = Date.now()
    const tape = new Tape({
      head: {
        tape: 1,
        dragoman: version,
        recordedAt: new Date(startedAt).toISOString(),
        origin: 'recorded',
      },
      turn: turnId,
      maxBytes: this.#limits.tapeBytes,
      onChange: () => this.#changed(kept),
    })
    const kept: Kept = { tape, startedAt, counted: 0, isDropped: false }
    this.#kept.set(turnId, kept)
    this.#makeRoom()
    return tape
  }

  /** Oldest first. */
  all(): Kept[] {
    return [...this.#kept.values()]
  }

  get(turnId: string): Kept | undefined {
    return this.#kept.get(turnId)
  }

  get bytes(): number {
    return this.#bytes
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
  #changed(kept: Kept): void {
    if (kept.isDropped) return
    this.#bytes += kept.tape.bytes - kept.counted
    kept.counted = kept.tape.bytes
    if (this.#bytes > this.#limits.bytes || kept.tape.isOver) this.#makeRoom()
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener(kept.tape)
  }

  #makeRoom(): void {
    const { turns, bytes } = this.#limits
    for (const [turnId, kept] of this.#kept) {
      if (this.#kept.size <= turns && this.#bytes <= bytes) return
      if (!kept.tape.isOver) continue
      this.#kept.delete(turnId)
      kept.isDropped = true
      this.#bytes -= kept.counted
      for (const listener of this.#dropListeners) listener(turnId)
    }
  }
}
