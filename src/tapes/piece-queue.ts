// Pieces of many answers, which come one by one and in turn, wait here for a moment and are put on their tapes together: what a tape is
// made of is then found in the processor's caches by all but the first of them.

import { whenPieceCame } from '../base/moment.ts'
import type { PieceForm } from '../core/tap.ts'

interface Waiting {
  tape: PieceTape
  piece: string
  from: PieceForm
  to: PieceForm
  /** Milliseconds, as of `performance.now()`. */
  at: number
}

interface PieceTape {
  keepPiece(piece: string, from: PieceForm, to: PieceForm, at: number): void
}

const most = 512
const longestMs = 100

const none: PieceForm = { before: '', after: '' }
const nobody: PieceTape = { keepPiece: () => undefined }

/** A time that is no whole number: V8 keeps such a field as a number, where another would become an object with each change. */
const nowhere = (): Waiting => ({ tape: nobody, piece: '', from: none, to: none, at: 0.5 })

class PieceQueue {
  /** Used again and again. */
  readonly #places: Waiting[] = Array.from({ length: most }, nowhere)
  #used = 0

  /** It came just now. */
  add(tape: PieceTape, piece: string, from: PieceForm, to: PieceForm): void {
    const at = whenPieceCame()
    const place = this.#places[this.#used] as Waiting
    place.tape = tape
    place.piece = piece
    place.from = from
    place.to = to
    place.at = at
    this.#used++
    if (this.#used === most || at - (this.#places[0] as Waiting).at > longestMs) this.empty()
  }

  /** To be called before anything else is told to a tape, or is asked of it. */
  empty(): void {
    const used = this.#used
    this.#used = 0
    for (let at = 0; at < used; at++) {
      const place = this.#places[at] as Waiting
      place.tape.keepPiece(place.piece, place.from, place.to, place.at)
      place.tape = nobody
      place.piece = ''
    }
  }
}

export const pieceQueue = new PieceQueue()
