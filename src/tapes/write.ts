// The text of a tape: JSON lines with masked secrets. Built in steps, because a tape may be long.

import { inSlices, type Steps } from '../base/slices.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { maskSteps } from './find-secrets.ts'
import type { Frame } from './frame.ts'
import type { Tape } from './tape.ts'

type Shown = Pick<Tape, 'head' | 'frames'>

export const tapeText = (tape: Shown, scrubber: Scrubber): Promise<string> =>
  inSlices(tapeTextSteps(tape, scrubber))

export async function scrubbedFrames(tape: Shown, scrubber: Scrubber): Promise<Frame[]> {
  return (await inSlices(masked(tape, scrubber))).frames
}

export function* tapeTextSteps(tape: Shown, scrubber: Scrubber): Steps<string> {
  const { head, frames } = yield* masked(tape, scrubber)
  const lines = [`${JSON.stringify(head)}\n`]
  for (const { at, turn, ...body } of frames) {
    lines.push(`${JSON.stringify({ at, turn, ...body })}\n`)
    yield
  }
  return lines.join('')
}

function* masked(
  { head, frames }: Shown,
  scrubber: Scrubber,
): Steps<{ head: Tape['head']; frames: Frame[] }> {
  const { tape } = yield* maskSteps({ head, line: 1, frames: [...frames], lines: [] }, scrubber)
  return tape
}
