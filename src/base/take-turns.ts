// Fair reading of sockets. One that is never empty gives 32 pieces per iteration of the event loop. Streams that pause after a
// piece and resume here share a fixed number of pieces per iteration, however many peers send.

const piecesPerIteration = 4

const waiting: (() => void)[] = []
let isScheduled = false

/** Calls `resume` in one of the next iterations of the event loop, in the order of the calls. */
export function resumeInTurn(resume: () => void): void {
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
