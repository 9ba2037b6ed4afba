// A turn that was refused before any backend was asked can be replayed if the request alone was the reason: the same code refuses it again.

import type { Frame } from './frame.ts'
import { gatewayFrames } from './summary.ts'

/** Refusals that depend on the request alone. */
const ofRequest = new Set(['invalid-request', 'unsupported', 'unsupported-media', 'not-found'])

/** Why a turn without a target cannot be replayed; undefined if it can. */
export function refusalProblem(frames: readonly Frame[]): string | undefined {
  const error = gatewayFrames(frames, 'finish').at(-1)?.error
  if (!error) return 'no backend was reached'
  const { code, message } = error
  if (gatewayFrames(frames, 'failure').some(({ skipped }) => skipped))
    return 'no backend was asked, because they had failed before and their breakers were open'
  if (code === 'not-found' && message.startsWith('The model "'))
    return 'the model was unknown, and a tape does not hold the list of models'
  if (code === 'payload-too-large')
    return 'the request was too large for that gateway, and is not on the tape'
  if (!ofRequest.has(code))
    return `no backend was asked, for a reason that is not on the tape (${code}: ${message.slice(0, 200)})`
  // A wrong media type is refused whatever the body is.
  if (code !== 'unsupported-media' && isBodyCut(frames))
    return 'the body of the request is not on the tape as a whole'
  return undefined
}

const isBodyCut = (frames: readonly Frame[]) =>
  frames.some((frame) => frame.side === 'client' && frame.do === 'request' && frame.bodyCut)
