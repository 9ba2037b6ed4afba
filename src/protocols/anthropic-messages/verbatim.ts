// Forwards a Messages request unchanged to an upstream that speaks Messages: only the model is replaced, so prompt caches and
// signatures stay valid. Not if the chosen model would refuse the body: clients write for the model that they know, and an alias may
// lead to another.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { AssistantPart, CacheHint, Message, ToolCallPart, TurnRequest } from '../../core/request.ts'
import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import { isWrappedProof } from '../requests/proof-marks.ts'
import { dialect } from './dialect.ts'
import type { AnthropicModel } from './models.ts'
import { conformingId, isGoodName } from './names.ts'
import { mayPrecedeThinking } from './preserved-thinking.ts'
import { beginsWithThinking, takesThinking } from './thinking-out.ts'

export function verbatimBody(
  request: TurnRequest,
  model: AnthropicModel,
  note: (text: string) => void,
): Record<string, unknown> | undefined {
  const { origin } = request
  if (origin.dialect !== dialect || !origin.faithful) return undefined
  if (!isSound(request) || !fitsLimits(request, model)) return undefined
  if (model.recognised && !fitsModel(request, origin.body, model)) return undefined
  const body: Record<string, unknown> = { ...origin.body }
  // Clients that send null mean "absent"; the API refuses it.
  for (const name in body) if (body[name] === null) delete body[name]
  if (!model.systemMessages && hasSystemInside(body)) {
    note(inlineSystemNote)
    body.messages = foldSystem(body.messages as Fields[])
  }
  body.model = request.model
  return body
}

const hasSystemInside = ({ messages }: Readonly<Fields>) =>
  Array.isArray(messages) && messages.some((message: Fields) => message.role === 'system')

/** For models without system messages inside the conversation: they become user text. Other messages stay unchanged. */
function foldSystem(messages: readonly Fields[]): Fields[] {
  const out: Fields[] = []
  for (const message of messages) {
    if (message.role !== 'system') {
      out.push(message)
      continue
    }
    const last = out.at(-1)
    const content = blocksOf(message.content).flatMap(({ text, ...block }) =>
      block.type === 'text' ? [{ ...block, text: inlineSystem(textOf(text)) }] : [],
    )
    if (content.length === 0) continue
    if (last?.role === 'user')
      out[out.length - 1] = { ...last, content: [...blocksOf(last.content), ...content] }
    else out.push({ role: 'user', content })
  }
  return out
}

const blocksOf = (content: unknown): Fields[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: content }]

/** False for what the API refuses with any model: names and ids of other services, calls without tools, too many cache marks. */
function isSound(request: TurnRequest): boolean {
  const calls = callsOf(request.messages)
  const ids = calls.map((call) => call.callId)
  const names = [...request.tools, ...calls].map(({ name }) => name)
  return (
    names.every(isGoodName) &&
    ids.every((id) => conformingId(id) === id) &&
    new Set(ids).size === ids.length &&
    (calls.length === 0 || request.tools.length > 0 || request.opaqueTools !== undefined) &&
    cacheMarks(request) <= maxMarks &&
    request.messages.every(thinksFirst) &&
    !request.messages.some(hasForeignThoughts) &&
    conversation(request.messages)[0]?.role === 'user' &&
    !endsBlank(request.messages)
  )
}

const maxMarks = 4

const isThought = (part: AssistantPart) => part.type === 'reasoning'

/** Thinking of a service that is not Anthropic's. */
const hasForeignThoughts = (message: Message) =>
  message.role === 'assistant' &&
  message.content.some((part) => part.type === 'reasoning' && isWrappedProof(part.signature ?? part.redacted))

/** A message with thinking must begin with it, or with a block such as a compaction. */
const thinksFirst = (message: Message) =>
  message.role !== 'assistant' ||
  !message.content.some(isThought) ||
  message.content
    .slice(0, 1)
    .some((part) => isThought(part) || (part.type === 'opaque' && mayPrecedeThinking(part.value.type)))

/** A prefill must not end with white space. */
function endsBlank(messages: readonly Message[]): boolean {
  const last = conversation(messages).at(-1)
  const part = last?.role === 'assistant' ? last.content.at(-1) : undefined
  return part?.type === 'text' && /\s$/.test(part.text)
}

function callsOf(messages: readonly Message[]): ToolCallPart[] {
  const calls: ToolCallPart[] = []
  for (const message of messages)
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool-call') calls.push(part)
  return calls
}

const conversation = (messages: readonly Message[]) => messages.filter(({ role }) => role !== 'system')

function cacheMarks({ tools, messages, origin }: TurnRequest): number {
  let marks = marksIn(tools) + (isObject(origin.body.cache_control) ? 1 : 0)
  for (const message of messages) {
    if (message.role !== 'tool') marks += marksIn(message.content)
    else for (const result of message.results) marks += marksIn([result]) + marksIn(result.content)
  }
  return marks
}

function marksIn(parts: readonly object[]): number {
  let marks = 0
  for (const part of parts as readonly { cache?: CacheHint }[]) if (part.cache !== undefined) marks++
  return marks
}

function fitsLimits({ maxOutputTokens }: TurnRequest, model: AnthropicModel): boolean {
  if (maxOutputTokens === undefined) return false
  return !model.known || maxOutputTokens <= model.outputTokens
}

function fitsModel(request: TurnRequest, body: Readonly<Fields>, model: AnthropicModel): boolean {
  const thinking = isObject(body.thinking) ? body.thinking : undefined
  const on = thinking ? thinking.type !== 'disabled' : model.thinksByDefault
  return (
    fitsThinking(request, thinking, model) &&
    (on || !hasThought(request.messages)) &&
    fitsOutput(request, body, model) &&
    fitsEffortWhenOff(thinking, body, model) &&
    fitsSampling(request, on, model) &&
    fitsRoles(request.messages, body, model)
  )
}

function fitsThinking(request: TurnRequest, thinking: Fields | undefined, model: AnthropicModel): boolean {
  const forced = request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool'
  if (forced && !model.forcedToolChoice) return false
  if (!thinking) return true
  const maxTokens = request.maxOutputTokens ?? 0
  if (!takesThinking({ thinking, model, maxTokens, request })) return false
  return thinking.type !== 'enabled' || beginsWithThinking(wireMessages(request.origin.body))
}

const wireMessages = ({ messages }: Readonly<Fields>) =>
  (Array.isArray(messages) ? messages : []).map((message: Fields) => ({
    role: message.role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content: Array.isArray(message.content) ? message.content : [{ type: 'text' }],
  }))

const hasThought = (messages: readonly Message[]) =>
  messages.some((message) => message.role === 'assistant' && message.content.some(isThought))

function fitsOutput(request: TurnRequest, body: Readonly<Fields>, model: AnthropicModel): boolean {
  const output = isObject(body.output_config) ? body.output_config : {}
  const isUnknown = output.effort == null || request.otherEffort !== undefined
  const fitsEffort = isUnknown || model.efforts.some((effort) => effort === output.effort)
  return fitsEffort && (request.responseFormat === undefined || model.structuredOutput)
}

/** Some models refuse a high effort with thinking off. */
function fitsEffortWhenOff(
  thinking: Fields | undefined,
  { output_config: output }: Readonly<Fields>,
  model: AnthropicModel,
): boolean {
  const isOff = thinking?.type === 'disabled' || thinking?.type === 'between_tools'
  const isMuch = isObject(output) && (output.effort === 'xhigh' || output.effort === 'max')
  return !model.limitsEffortWhenOff || !isOff || !isMuch
}

function fitsSampling({ temperature, topP, topK }: TurnRequest, on: boolean, model: AnthropicModel): boolean {
  const set = [temperature, topP, topK].filter((value) => value !== undefined)
  if (set.length === 0) return true
  if (model.sampling === 'none') return false
  if (model.sampling === 'defaults') return set.length === 1 && (temperature === 1 || topP === 0.99)
  if (on && ((temperature ?? 1) !== 1 || (topP ?? 1) < 0.95 || topK !== undefined)) return false
  return model.sampling === 'all' || temperature === undefined || topP === undefined
}

/** False for a system message at the start of `messages`, and for a prefill that the model does not take. */
function fitsRoles(messages: readonly Message[], body: Readonly<Fields>, model: AnthropicModel): boolean {
  const first: Fields | undefined = Array.isArray(body.messages) ? body.messages[0] : undefined
  if (first?.role === 'system') return false
  return model.prefill || conversation(messages).at(-1)?.role !== 'assistant'
}
