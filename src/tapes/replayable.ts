// Whether a tape can be replayed. Its head says so when it is recorded.

import { isObject, parseJson } from '../base/json.ts'
import { answerOfItem } from '../protocols/openai-responses/items-out.ts'
import { referencesIn } from './earlier-turns.ts'
import type { Frame } from './frame.ts'
import { refusalProblem } from './refused-turn.ts'
import { gatewayFrames } from './summary.ts'

const kinds = new Set(['anthropic', 'gemini', 'openai', 'cursor', 'qwen-web'])

/** The reason why the turn cannot be replayed; undefined if it can. */
export function replayProblem(frames: readonly Frame[], cut: true | undefined): string | undefined {
  const targets = gatewayFrames(frames, 'target')
  if (cut)
    return 'part of the tape is missing: the turn was too long (raise "tapes.maxBytes"), or an earlier turn was not recorded'
  if (!frames.some((frame) => frame.side === 'client' && frame.do === 'request'))
    return "the client's request is missing"
  if (!frames.some((frame) => frame.side === 'client' && frame.do === 'response'))
    return "the client's answer is missing"
  if (targets.length === 0) return refusalProblem(frames)
  const unknown = targets.find(({ kind }) => !kinds.has(kind))
  if (unknown) return `the kind of backend "${unknown.kind}" is unknown`
  const reference = referenceProblem(frames)
  if (reference !== undefined) return reference
  const isLocal = gatewayFrames(frames, 'note').some(({ text }) => text.startsWith(localToolsNote))
  return isLocal && !frames.some(({ side }) => side === 'tool')
    ? "it used the gateway's local tools, whose results are not on the tape"
    : undefined
}

/** Answers that a gateway remembers for one connection, or by an id that is not its own, are not found again. */
function referenceProblem(frames: readonly Frame[]): string | undefined {
  const [begin] = gatewayFrames(frames, 'begin')
  const request = frames.find((frame) => frame.side === 'client' && frame.do === 'request')
  const body = request && 'body' in request ? parseJson(request.body) : undefined
  if (!isObject(body)) return undefined
  if (begin?.socket && typeof body.previous_response_id === 'string')
    return 'it continues an earlier answer of its WebSocket connection'
  return referencesIn(body).some((id) => answerOfItem(id) === undefined)
    ? "it refers to an item of an earlier answer by the service's own id"
    : undefined
}

const localToolsNote = "the gateway's own tools were offered"

/** For the head of a tape. */
export function replayWord(frames: readonly Frame[], cut: true | undefined): string {
  const problem = replayProblem(frames, cut)
  return problem === undefined ? 'yes' : `no: ${problem}`
}
