// TurnRequest → the body of POST /v1/messages. Requests of other dialects give only known fields, because the API refuses unknown
// ones; those of this dialect keep all of theirs. What the model or the API does not take is left out or replaced by the nearest
// equivalent, with a note.

import { writeExact } from '../../base/exact-json.ts'
import { isObject } from '../../base/json.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { otherEffort, unusedFields } from '../requests/unused-fields.ts'
import { type ReturnedTurn, toSystem, toUpstreamMessages, type UpstreamMessage } from './blocks-out.ts'
import { placeBreakpoints } from './cache-out.ts'
import { dialect } from './dialect.ts'
import type { KeptTurn } from './kept-blocks.ts'
import type { Block } from './media-out.ts'
import type { AnthropicModel } from './models.ts'
import { mapToolNames, type ToolNames } from './names.ts'
import { lastThinking, prefixDigest, pruneThinking } from './preserved-thinking.ts'
import { toOutputSchema } from './schema-out.ts'
import { toMetadata, toSampling, toStop } from './settings-out.ts'
import {
  decideThinking,
  type Replays,
  roomForThinking,
  type Thinking,
  withoutLostThinking,
} from './thinking-out.ts'
import { type StrictOptions, toolNamesOf, toTools } from './tools-out.ts'
import { withUnaskedThinking } from './unasked-thinking.ts'
import { verbatimBody } from './verbatim.ts'

interface AnthropicRequestOptions extends StrictOptions {
  model: AnthropicModel
  /** The kept form of a turn, if there is one. */
  recall(turn: ReturnedTurn): KeptTurn | undefined
  /** The service has refused or dropped this thinking block. */
  isRefused(id: string): boolean
  /** The service takes `block_binding`. */
  bindsBlocks: boolean
  promptCache: 'auto' | 'off'
  note(text: string): void
}

interface AnthropicRequest {
  body: Record<string, unknown>
  names: ToolNames
  /** Betas that the request needs. */
  betas: readonly string[]
  /** The position of the coming answer; undefined for a body that is forwarded unchanged. */
  position?: TurnPosition
}

/** What precedes an answer: the keys by which its thinking is found again. */
export interface TurnPosition {
  conversation(): string
  /** Undefined for a model without a prefix check. */
  prefix(): string | undefined
  previous(): string | undefined
}

const bindingBeta = 'thinking-binding-controls-2026-08-01'

export function toAnthropicRequest(request: TurnRequest, options: AnthropicRequestOptions): AnthropicRequest {
  const { model, note } = options
  const verbatim = verbatimBody(request, model, note)
  if (verbatim) {
    const body = model.recognised ? verbatim : withUnaskedThinking(verbatim, options.recall)
    return { body, names: mapToolNames([]), betas: [] }
  }
  const names = mapToolNames(toolNamesOf(request))
  if (names.changed.length > 0)
    note(
      `tool names were adapted for the upstream: ${names.changed.map((name) => JSON.stringify(name)).join(', ')}`,
    )

  const asked = decideMaxTokens(request, model, note)
  const isOwn = request.origin.dialect === dialect
  const checks = model.prefixCheck && !isOwn
  const binds = checks && options.bindsBlocks
  const context = { request, model, maxTokens: asked, binds, note }
  const wanted = decideThinking(context)
  const { tools, toolChoice, instruction } = toTools(request, names, options)
  const first = buildMessages(request, wanted.replays, names, options)
  const thinking = withoutLostThinking(wanted, first.messages, context)
  const { system, messages, kept, digest } =
    thinking === wanted ? first : buildMessages(request, thinking.replays, names, options)
  const prefixOf = (at?: number) => prefixDigest({ system, tools }, digest.conversation(at))
  const { isRefused } = options
  if (checks && pruneThinking({ messages, kept, prefixOf, isRefused }))
    note('earlier thinking was left out: the conversation before it has changed')
  const format = toFormat(request, model, note)

  noteUnsupported(request, thinking, note)
  const maxTokens = isOwn ? asked : roomForThinking(asked, thinking, note)
  const outputConfig = { ...ownOutputConfig(request), ...thinking.outputConfig, ...format.outputConfig }
  // Assigned field by field: a literal with a dozen spreads takes several times longer.
  const body: Record<string, unknown> = { model: request.model, max_tokens: maxTokens }
  if (system.length > 0) body.system = system
  body.messages = messages
  if (tools.length > 0) body.tools = tools
  if (toolChoice) body.tool_choice = toolChoice
  Object.assign(body, thinking.field)
  if (Object.keys(outputConfig).length > 0) body.output_config = outputConfig
  Object.assign(
    body,
    toSampling(request, model, thinking, note),
    toStop(request, note),
    toMetadata(request, note),
    ownFields(request),
  )
  if (request.stream) body.stream = true
  placeBreakpoints({ tools, system, messages }, options)
  for (const text of [instruction, format.instruction]) if (text) instruct(messages, text, model)
  const position: TurnPosition = {
    conversation: () => digest.conversation(),
    prefix: () => (checks ? prefixOf() : undefined),
    previous: () => lastThinking(messages, isRefused),
  }
  return { body, names, betas: thinking.binds ? [bindingBeta] : [], position }
}

function buildMessages(
  request: TurnRequest,
  replays: Replays,
  names: ToolNames,
  options: AnthropicRequestOptions,
) {
  const { model, note } = options
  const { system, rest } = toSystem(
    replays === 'all' ? request.messages : request.messages.map(withoutReasoning),
  )
  const recall = recallFor(replays, options)
  const ownFiles = request.origin.dialect === dialect
  const { systemMessages } = model
  const out = toUpstreamMessages(rest, { names, recall, ownFiles, systemMessages, note })
  repairEnding(out.messages, model, note)
  return { system, ...out }
}

function recallFor(replays: Replays, { recall }: AnthropicRequestOptions): AnthropicRequestOptions['recall'] {
  if (replays === 'all') return recall
  if (replays === 'none') return () => undefined
  return (turn) => {
    const kept = recall(turn)
    return kept?.unasked ? kept : undefined
  }
}

/**
 * Adds an instruction for this answer at the end of the conversation. In `system` it would change the prefix of all thinking. The next
 * request does not contain it, so only the thinking of this one turn is lost then.
 */
function instruct(messages: UpstreamMessage[], text: string, { systemMessages }: AnthropicModel): void {
  const block: Block = { type: 'text', text }
  const last = messages.at(-1)
  if (systemMessages && last?.role === 'user') messages.push({ role: 'system', content: [block] })
  else if (last?.role === 'system') last.content.push(block)
  else messages.findLast(({ role }) => role === 'user')?.content.push(block)
}

function withoutReasoning(message: Message): Message {
  return message.role === 'assistant'
    ? { ...message, content: message.content.filter((part) => part.type !== 'reasoning') }
    : message
}

function decideMaxTokens(request: TurnRequest, model: AnthropicModel, note: (text: string) => void): number {
  const asked = request.maxOutputTokens
  if (asked === undefined)
    return Math.min(model.outputTokens, Math.max(smallestRoom, roomForAnswer(request, model)))
  if (asked <= model.outputTokens || !model.known) return asked
  note(`max_tokens was lowered from ${asked} to the model's ${model.outputTokens}`)
  return model.outputTokens
}

/** A lower bound of characters per token in JSON text, so the estimate errs on the safe side. */
const charactersPerToken = 3
const smallestRoom = 4_096

/** What the context window leaves for the answer. The API refuses a request for more. */
function roomForAnswer({ messages, tools }: TurnRequest, model: AnthropicModel): number {
  const roomFor = (lengthOf: (text: string) => number) =>
    Math.floor(model.contextTokens - jsonLength([messages, tools], lengthOf) / charactersPerToken)
  // In most cases there is enough room even if every character needed an escape.
  const atLeast = roomFor((text) => 2 * text.length)
  return atLeast >= model.outputTokens ? atLeast : roomFor(escapedLength)
}

/** The length of the JSON. `source` is left out: it is the original of a message, or the bytes of an image, which count little. */
function jsonLength(value: unknown, lengthOf: (text: string) => number): number {
  if (typeof value === 'string') return lengthOf(value) + 3
  if (typeof value !== 'object' || value === null) return 6
  let sum = 2
  if (Array.isArray(value)) for (const element of value) sum += jsonLength(element, lengthOf)
  else
    for (const name in value)
      if (name !== 'source')
        sum += name.length + 4 + jsonLength((value as Record<string, unknown>)[name], lengthOf)
  return sum
}

const samples = 8
const sampleLength = 128

/** With its escapes. Of a long text samples are written: to write all of it takes as long as writing the request. */
function escapedLength(text: string): number {
  if (text.length <= samples * sampleLength) return JSON.stringify(text).length - 2
  const apart = Math.floor(text.length / samples)
  let written = 0
  for (let at = 0; at < samples; at++)
    written += JSON.stringify(text.slice(at * apart, at * apart + sampleLength)).length - 2
  return (text.length * written) / (samples * sampleLength)
}

/** An assistant message at the end is a prefill. Newer models refuse it, and no model takes white space at its end. */
function repairEnding(
  messages: UpstreamMessage[],
  model: AnthropicModel,
  note: (text: string) => void,
): void {
  const last = messages.at(-1)
  if (last !== undefined && last.role !== 'assistant') return
  if (last === undefined || !model.prefill) {
    note(
      last
        ? 'the model takes no prefilled answer; "Continue." was added as a user message'
        : 'a user message was added at the start: the upstream needs one first',
    )
    messages.push({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] })
    return
  }
  const block = last.content.at(-1)
  if (typeof block?.text === 'string') block.text = block.text.trimEnd()
}

interface FormatOut {
  outputConfig?: Block
  instruction?: string
}

function toFormat(request: TurnRequest, model: AnthropicModel, note: (text: string) => void): FormatOut {
  const format = request.responseFormat
  if (!format) return {}
  const schema =
    format.type === 'json-schema' && model.structuredOutput ? toOutputSchema(format.schema) : undefined
  if (schema) return { outputConfig: { format: { type: 'json_schema', schema } } }
  note('response_format is not enforced by the upstream; the model was instructed instead')
  const only = 'Answer with one valid JSON value and nothing else: no prose, no code fence.'
  return {
    instruction:
      format.type === 'json' ? only : `${only} It must match this JSON Schema: ${writeExact(format.schema)}`,
  }
}

/** Fields that this module writes. A client of this dialect may send any other: the service knows it. */
const written: ReadonlySet<string> = new Set([
  'cache_control', 'max_tokens', 'messages', 'metadata', 'model', 'output_config', 'output_format', 'stop_sequences', 'stream',
  'system', 'temperature', 'thinking', 'tool_choice', 'tools', 'top_k', 'top_p',
]) // biome-ignore format: a list to be read as one

function ownFields({ origin }: TurnRequest): Block {
  if (origin.dialect !== dialect) return {}
  const given = Object.entries(origin.body)
  return Object.fromEntries(given.filter(([name, value]) => value !== null && !written.has(name)))
}

/** Settings of `output_config` that the canonical model does not have. */
function ownOutputConfig({ origin }: TurnRequest): Block {
  const { output_config: config } = origin.dialect === dialect ? origin.body : {}
  if (!isObject(config)) return {}
  const { effort: _, format: __, ...rest } = config
  return rest
}

/** Fields that this module writes, in addition to those that every backend writes. */
const used = [
  'max_completion_tokens', 'max_tokens', 'stop', 'temperature', 'top_k', 'top_p', 'user',
] // biome-ignore format: a list to be read as one

const sent = [...used, otherEffort]

function noteUnsupported(request: TurnRequest, thinking: Thinking, note: (text: string) => void): void {
  if (request.origin.dialect === dialect) {
    if (request.origin.body.cache_control != null)
      note('cache_control of the whole request was left out: its blocks are marked instead')
    if (request.otherEffort !== undefined && thinking.outputConfig.effort !== request.otherEffort)
      note(`not supported by the upstream and left out: reasoning effort "${request.otherEffort}"`)
    return
  }
  const isSent = thinking.outputConfig.effort === request.otherEffort
  const dropped = unusedFields(request, isSent ? sent : used)
  if (dropped.length > 0) note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
}
