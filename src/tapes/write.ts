// The text of a tape: JSON lines with masked secrets. Built in steps, because a tape may be long.

import { inSlices, type Steps } from '../base/slices.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { maskSteps } from './find-secrets.ts'
import type { Frame } from './frame.ts'
import { replayWord } from './replayable.ts'
import type { Tape } from './tape.ts'

type Shown = Pick<Tape, 'head' | 'frames'>

export const tapeText = (tape: Shown, scrubber: Scrubber): Promise<string> =>
  inSlices(tapeTextSteps(tape, scrubber))

export async function scrubbedFrames(tape: Shown, scrubber: Scrubber): Promise<Frame[]> {
  return (await inSlices(masked(tape, scrubber))).frames
}

export function* tapeTextSteps(tape: Shown, scrubber: Scrubber): Steps<string> {
  const chunks: string[] = []
  for (const chunk of yield* chunkSteps(tape, scrubber)) {
    chunks.push(chunk)
    yield
  }
  return chunks.join('')
}

/** The same text in chunks, for a file: the whole text would take twice the memory of the tape. */
export const tapeChunks = (tape: Shown, scrubber: Scrubber): Promise<Iterable<string>> =>
  inSlices(chunkSteps(tape, scrubber))

function* chunkSteps(tape: Shown, scrubber: Scrubber): Steps<Iterable<string>> {
  return chunksOf(yield* masked(tape, scrubber))
}

/** In characters; a line is not divided. */
const chunkLength = 64 * 1024

function* chunksOf({ head, frames }: Pick<Tape, 'head'> & { frames: readonly Frame[] }): Generator<string> {
  let chunk = `${JSON.stringify({ ...head, replay: replayWord(frames, head.cut) })}\n`
  for (const { at, turn, ...body } of frames) {
    chunk += `${JSON.stringify({ at, turn, ...body })}\n`
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

function* masked(
  { head, frames }: Shown,
  scrubber: Scrubber,
): Steps<{ head: Tape['head']; frames: Frame[] }> {
  const { tape } = yield* maskSteps({ head, line: 1, frames: [...frames], lines: [] }, scrubber)
  return tape
}
