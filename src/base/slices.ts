// Long work in slices, so that the event loop can serve others in between. The work is a generator that yields wherever it may
// pause; callers that want the result at once run the same generator.

import { setImmediate as nextTurn } from 'node:timers/promises'

export type Steps<Result> = Generator<undefined, Result>

const sliceMs = 10

/** Runs all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Pauses after every 10 ms. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - since < sliceMs) continue
    await nextTurn()
    since = performance.now()
  }
}
