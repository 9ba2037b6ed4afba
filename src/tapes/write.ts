// A tape as text: JSON lines, without secrets. What replaces them is as long as they were.

import type { Scrubber } from '../observe/scrub.ts'
import { maskSecrets } from './find-secrets.ts'
import type { Frame } from './frame.ts'
import type { Tape } from './tape.ts'

export function tapeText(tape: Pick<Tape, 'head' | 'frames'>, scrubber: Scrubber): string {
  const { head, frames } = masked(tape, scrubber)
  const lines = frames.map(({ at, turn, ...body }) => ({ at, turn, ...body }))
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}

export const scrubbedFrames = (tape: Pick<Tape, 'head' | 'frames'>, scrubber: Scrubber): Frame[] =>
  masked(tape, scrubber).frames

const masked = ({ head, frames }: Pick<Tape, 'head' | 'frames'>, scrubber: Scrubber) =>
  maskSecrets({ head, line: 1, frames: [...frames], lines: [] }, scrubber).tape
