// A source of tapes that keeps them all in memory.

import type { Frame } from '../../src/tapes/frame.ts'
import { Tape } from '../../src/tapes/tape.ts'
import type { TapeSource } from '../../src/tapes/tape-source.ts'

export class KeptTapes implements TapeSource {
  readonly #tapes = new Map<string, Tape>()

  begin({ turnId }: { turnId: string }): Tape {
    const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
    const tape = new Tape({ head, turn: turnId, maxBytes: 4_000_000 })
    this.#tapes.set(turnId, tape)
    return tape
  }

  /** In the order in which they began. */
  get turns(): string[] {
    return [...this.#tapes.keys()]
  }

  frames(turn: string): readonly Frame[] {
    return this.#tapes.get(turn)?.frames ?? []
  }

  isOver(turn: string): boolean {
    return this.#tapes.get(turn)?.isOver === true
  }
}
