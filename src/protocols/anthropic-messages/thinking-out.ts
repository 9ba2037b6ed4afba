// Whether and how the model thinks in this turn, and which earlier thinking is replayed with the history.

import { type Fields, isObject } from '../../base/json.ts'
import type { ReasoningEffort, TurnRequest } from '../../core/request.ts'
import type { UpstreamMessage } from './blocks-out.ts'
import { dialect } from './dialect.ts'
import type { Block } from './media-out.ts'
import type { AnthropicModel } from './models.ts'

export interface Thinking {
  /** `{ thinking: … }`, or nothing to leave the choice to the model. */
  field: Block
  outputConfig: Block
  /** The request asks for thinking, so the API refuses sampling parameters. */
  on: boolean
  /** Requested with a budget. */
  manual: boolean
  /** Which thinking the history may contain. While the model does not think, it may contain none. */
  replays: Replays
  /** Asks the service to drop blocks that do not fit, instead of refusing the request. */
  binds?: boolean
}

/** `unasked`: only thinking that an unknown server sent without being asked. */
export type Replays = 'all' | 'unasked' | 'none'

interface ThinkingContext {
  request: TurnRequest
  model: AnthropicModel
  maxTokens: number
  /** The model checks earlier thinking, and the service can be asked to drop it. */
  binds: boolean
  note(text: string): void
}

const budgets: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

const smallestBudget = 1_024

export function decideThinking(context: ThinkingContext): Thinking {
  const { request, model, note } = context
  const own = clientThinking(context)
  if (own) return own
  const effort = request.reasoning?.effort ?? (isAdaptive(request) ? 'medium' : undefined)
  if (effort === undefined) return withUnknownEffort(context)
  if (effort === 'none') return off(context)
  if (model.thinking === 'none') {
    note('reasoning_effort is not taken by this model and was left out')
    return off(context)
  }
  if (model.thinking === 'budget') return manual(context, effort)
  return adaptive(context, { effort: nearestEffort(effort, model, note) })
}

/** An unknown effort is forwarded if the model takes efforts at all. */
function withUnknownEffort(context: ThinkingContext): Thinking {
  const { request, model } = context
  const takesEffort = model.thinking === 'adaptive' || model.thinking === 'both'
  if (request.otherEffort === undefined || !takesEffort) return unasked(context)
  return adaptive(context, { effort: request.otherEffort })
}

/**
 * A model that thinks by default shows no thinking, not even its text between calls, unless the request asks for it. A client of
 * this dialect decides that itself.
 */
function unasked(context: ThinkingContext): Thinking {
  const { request, model } = context
  if (request.origin.dialect !== dialect && model.thinksByDefault) return adaptive(context, {})
  return { field: {}, outputConfig: {}, on: false, manual: false, replays: replaysOf(model) }
}

const replaysOf = (model: AnthropicModel): Replays => (model.thinksByDefault ? 'all' : replaysWhenOff(model))

/** A server with unknown models may think by default and want that thinking back. */
const replaysWhenOff = ({ recognised }: AnthropicModel): Replays => (recognised ? 'none' : 'unasked')

function adaptive({ model, binds }: ThinkingContext, outputConfig: Block): Thinking {
  const thinking: Block = { type: 'adaptive' }
  if (model.hidesThinking) thinking.display = 'summarized'
  if (binds) thinking.block_binding = { prefix_mismatch_behavior: 'drop_block' }
  return { field: { thinking }, outputConfig, on: true, manual: false, replays: 'all', binds }
}

/** Below this limit, thinking may use up all tokens before the answer. */
const smallLimit = 2_048
const roomToThink = 1_024

/** Thinking counts toward the limit, but a client of another dialect means the limit for the answer alone. */
export function roomForThinking(limit: number, thinking: Thinking, note: (text: string) => void): number {
  if (!thinking.on || thinking.manual || limit >= smallLimit) return limit
  note(`max_tokens was raised from ${limit} to ${limit + roomToThink}: the model's thinking counts toward it`)
  return limit + roomToThink
}

/** The setting of a client of this dialect, if the model takes it. */
function clientThinking(context: ThinkingContext): Thinking | undefined {
  const { request, model, maxTokens, note } = context
  const { dialect: from, body } = request.origin
  if (from !== dialect) return undefined
  const thinking = isObject(body.thinking) ? body.thinking : undefined
  const byName = effortByName(request)
  if (!thinking && byName !== undefined) return undefined
  const outputConfig = clientEffort(byName, context)
  if (!thinking) return { field: {}, outputConfig, on: false, manual: false, replays: replaysOf(model) }
  const isManual = thinking.type === 'enabled'
  if (thinking.type === 'disabled' || thinking.type === 'between_tools') return undefined
  if (model.recognised && !takesThinking({ thinking, model, maxTokens, request })) {
    note(`thinking of type ${thinking.type} is not taken by this model as requested`)
    return undefined
  }
  return { field: { thinking }, outputConfig, on: true, manual: isManual, replays: 'all' }
}

const statedEffort = ({ output_config: output }: Readonly<Fields>): ReasoningEffort | undefined =>
  isObject(output) ? ladder.find((entry) => entry === output.effort) : undefined

/** An effort that no field of the body states: it comes from the model name. */
function effortByName({ reasoning, origin: { body } }: TurnRequest): ReasoningEffort | undefined {
  const isLeft = !isObject(body.thinking) || body.thinking.type === 'adaptive'
  return isLeft && statedEffort(body) === undefined ? reasoning?.effort : undefined
}

function clientEffort(byName: ReasoningEffort | undefined, { request, model, note }: ThinkingContext): Block {
  const { otherEffort, origin } = request
  if (otherEffort !== undefined) return { effort: otherEffort }
  const effort = byName ?? statedEffort(origin.body)
  if (effort === undefined) return {}
  if (!model.recognised) return { effort }
  if (model.efforts.length > 0) return { effort: nearestEffort(effort, model, note) }
  note('output_config.effort is not taken by this model and was left out')
  return {}
}

/** The client asks for adaptive thinking, which models with a budget do not have. */
const isAdaptive = ({ origin: { dialect: from, body } }: TurnRequest) =>
  from === dialect && isObject(body.thinking) && body.thinking.type === 'adaptive'

interface WantedThinking {
  thinking: Readonly<Fields>
  model: AnthropicModel
  maxTokens: number
  request: Pick<TurnRequest, 'toolChoice'>
}

export function takesThinking({ thinking, model, maxTokens, request }: WantedThinking): boolean {
  switch (thinking.type) {
    case 'enabled': {
      const budget = Number(thinking.budget_tokens)
      const forced = request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool'
      const takes = model.thinking === 'budget' || model.thinking === 'both'
      return takes && !forced && budget >= smallestBudget && budget < maxTokens
    }
    case 'adaptive':
      return model.thinking === 'adaptive' || model.thinking === 'both'
    case 'between_tools':
      return model.thinkingOff === 'between_tools'
    case 'disabled':
      return model.thinkingOff === 'omit' || model.thinkingOff === 'disabled'
    default:
      return true
  }
}

function off(context: ThinkingContext): Thinking {
  const { request, model, note } = context
  const outputConfig = effortWhenOff(context)
  const quiet = { outputConfig, on: false, manual: false, replays: replaysWhenOff(model) }
  switch (model.thinkingOff) {
    case 'omit':
      return { field: {}, ...quiet }
    case 'disabled':
      return { field: { thinking: { type: 'disabled' } }, ...quiet, replays: 'none' }
    case 'between_tools':
      note('this model cannot stop thinking between tool calls')
      return { field: { thinking: { type: 'between_tools' } }, ...quiet, replays: 'all' }
    case 'never': {
      note('this model cannot stop thinking; the lowest effort was asked for')
      if (request.origin.dialect !== dialect) return adaptive(context, { effort: 'low' })
      return { field: {}, ...quiet, outputConfig: { effort: 'low' }, replays: 'all' }
    }
  }
}

/** The effort of a client of this dialect while thinking is off, lowered to what the model takes then. */
function effortWhenOff({ request: { origin }, model, note }: ThinkingContext): Block {
  const stated = origin.dialect === dialect ? statedEffort(origin.body) : undefined
  if (stated === undefined || model.efforts.length === 0) return {}
  const efforts = model.limitsEffortWhenOff
    ? model.efforts.filter((each) => each !== 'xhigh' && each !== 'max')
    : model.efforts
  return { effort: nearestEffort(stated, { efforts }, note) }
}

function manual(context: ThinkingContext, effort: ReasoningEffort): Thinking {
  const { request, maxTokens, note } = context
  const without = (reason: string) => {
    note(`thinking is off for this turn: ${reason}`)
    return off(context)
  }
  if (request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool') {
    return without('this model cannot think when a tool call is forced')
  }
  if (maxTokens <= smallestBudget) return without('max_tokens leaves no room for it')
  const budget = Math.max(smallestBudget, Math.min(budgets[effort], Math.floor(maxTokens / 2)))
  return {
    field: { thinking: { type: 'enabled', budget_tokens: budget } },
    outputConfig: {},
    on: true,
    manual: true,
    replays: 'all',
  }
}

/** With a budget, the API requires that the first turn of the current tool loop begins with its thinking. */
export function withoutLostThinking(
  thinking: Thinking,
  messages: readonly UpstreamMessage[],
  context: ThinkingContext,
): Thinking {
  if (!thinking.manual || beginsWithThinking(messages)) return thinking
  context.note(
    "thinking is off for this turn: the thinking before this conversation's tool calls is no longer kept",
  )
  return off(context)
}

/** True if the current tool loop began with thinking, or there is no loop. */
export const beginsWithThinking = (messages: readonly UpstreamMessage[]): boolean =>
  startsWithThinking(messages, loopStart(messages))

/** Where the tool loop began that the last message continues with results; undefined when it does not. */
function loopStart(messages: readonly UpstreamMessage[]): number | undefined {
  let start: number | undefined
  for (let at = messages.length - 1; at > 0; at -= 2) {
    if (!messages[at]?.content.some((block) => block.type === 'tool_result')) break
    start = at - 1
  }
  return start
}

function startsWithThinking(messages: readonly UpstreamMessage[], at: number | undefined): boolean {
  const first = at === undefined ? undefined : messages[at]?.content[0]?.type
  return first === undefined || first === 'thinking' || first === 'redacted_thinking'
}

const ladder: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The wanted effort, or the next lower one that the model has. */
function nearestEffort(
  effort: ReasoningEffort,
  model: Pick<AnthropicModel, 'efforts'>,
  note: (text: string) => void,
): ReasoningEffort {
  const wanted = effort === 'minimal' ? 'low' : effort
  if (model.efforts.includes(wanted)) return wanted
  const lower =
    ladder.slice(0, ladder.indexOf(wanted)).findLast((candidate) => model.efforts.includes(candidate)) ??
    'low'
  note(`reasoning_effort ${effort} is not taken by this model; ${lower} was used`)
  return lower
}
