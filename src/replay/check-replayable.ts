// Why a tape cannot be played to the current code, if it cannot.

import type { Frame } from '../tapes/frame.ts'
import { type ReadTape, TapeError } from '../tapes/read.ts'
import { gatewayFrames } from '../tapes/summary.ts'

const kinds = new Set(['anthropic', 'openai', 'cursor', 'qwen-web'])

/** Throws a TapeError. */
export function checkReplayable({ head, turn, frames }: ReadTape, path: string): void {
  const problem = isTurnId(turn) ? problemOf(frames, head.cut) : 'its turn has an id that none could have'
  if (problem !== undefined) throw new TapeError(path, `${turn} cannot be replayed: ${problem}`)
}

/** It is sent along as a header. */
const isTurnId = (turn: string) => /^[\w-]{1,100}$/.test(turn)

function problemOf(frames: readonly Frame[], cut: true | undefined): string | undefined {
  const targets = gatewayFrames(frames, 'target')
  if (cut)
    return 'something was left out of the tape, for it was too long (raise "tapes.maxBytes"), or for a turn before it was not recorded'
  if (!frames.some((frame) => frame.side === 'client' && frame.do === 'request'))
    return "the client's request is not on it"
  if (!frames.some((frame) => frame.side === 'client' && frame.do === 'response'))
    return 'the client was not answered on it'
  if (targets.length === 0) return 'no backend was reached'
  const unknown = targets.find(({ kind }) => !kinds.has(kind))
  if (unknown) return `there is no kind of backend "${unknown.kind}"`
  if (
    gatewayFrames(frames, 'note').some(({ text }) => text.startsWith("the gateway's own tools were offered"))
  )
    return "the gateway's own tools took part in it, and they would run again"
  return undefined
}
