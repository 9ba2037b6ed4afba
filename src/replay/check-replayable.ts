// Checks whether the current code can replay a tape, and says why not.

import type { Frame } from '../tapes/frame.ts'
import { type ReadTape, TapeError } from '../tapes/read.ts'
import { gatewayFrames } from '../tapes/summary.ts'

const kinds = new Set(['anthropic', 'openai', 'cursor', 'qwen-web'])

/** Throws a TapeError. */
export function checkReplayable({ head, turn, frames }: ReadTape, path: string): void {
  const problem = isTurnId(turn) ? problemOf(frames, head.cut) : 'its turn id is invalid'
  if (problem !== undefined) throw new TapeError(path, `${turn} cannot be replayed: ${problem}`)
}

/** The id is sent as a header. */
const isTurnId = (turn: string) => /^[\w-]{1,100}$/.test(turn)

function problemOf(frames: readonly Frame[], cut: true | undefined): string | undefined {
  const targets = gatewayFrames(frames, 'target')
  if (cut)
    return 'part of the tape is missing: the turn was too long (raise "tapes.maxBytes"), or an earlier turn was not recorded'
  if (!frames.some((frame) => frame.side === 'client' && frame.do === 'request'))
    return "the client's request is missing"
  if (!frames.some((frame) => frame.side === 'client' && frame.do === 'response'))
    return "the client's answer is missing"
  if (targets.length === 0) return 'no backend was reached'
  const unknown = targets.find(({ kind }) => !kinds.has(kind))
  if (unknown) return `the kind of backend "${unknown.kind}" is unknown`
  if (
    gatewayFrames(frames, 'note').some(({ text }) => text.startsWith("the gateway's own tools were offered"))
  )
    return "it used the gateway's local tools, which would run again"
  return undefined
}
