// Fair reading of large bodies. A socket that is never empty gives 32 pieces per iteration of the event loop. Streams that pause
// after each piece and resume here share a fixed number of pieces per iteration, however many clients send.

import { countReadBytes } from './collect-buffers.ts'

const piecesPerIteration = 4

const waiting: (() => void)[] = []
let isScheduled = false

/** Calls `resume` in one of the next iterations of the event loop, in the order of the calls. `pieceBytes` were just read. */
export function resumeInTurn(resume: () => void, pieceBytes: number): void {
  countReadBytes(pieceBytes)
  waiting.push(resume)
  if (isScheduled) return
  isScheduled = true
  setImmediate(resumeNext)
}

function resumeNext(): void {
  for (const resume of waiting.splice(0, piecesPerIteration)) resume()
  isScheduled = waiting.length > 0
  if (isScheduled) setImmediate(resumeNext)
}
