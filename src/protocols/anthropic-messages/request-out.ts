// TurnRequest → the body of POST /v1/messages. Built from a whitelist: the API refuses unknown fields. Everything that
// the model or the API cannot take is left out or turned into the nearest thing, with a note.

import type { Message, ToolCallPart, TurnRequest } from '../../core/request.ts'
import { writeExact } from '../exact-json.ts'
import { unusedFields } from '../unused-fields.ts'
import { asItCame } from './as-it-came.ts'
import { fittingManagement } from './betas.ts'
import { type Block, toSystem, toUpstreamMessages, type UpstreamMessage } from './blocks-out.ts'
import { placeBreakpoints } from './cache-out.ts'
import { dialect } from './dialect.ts'
import type { KeptBlock } from './kept-blocks.ts'
import type { AnthropicModel } from './models.ts'
import { mapToolNames, type ToolNames } from './names.ts'
import { toOutputSchema } from './schema-out.ts'
import { decideThinking, type Thinking, withoutLostThinking } from './thinking-out.ts'
import { toolNamesOf, toTools } from './tools-out.ts'

export interface AnthropicRequestOptions {
  model: AnthropicModel
  recall(calls: readonly ToolCallPart[]): readonly KeptBlock[] | undefined
  promptCache: 'auto' | 'off'
  note(text: string): void
}

export interface AnthropicRequest {
  body: Record<string, unknown>
  names: ToolNames
}

export function toAnthropicRequest(request: TurnRequest, options: AnthropicRequestOptions): AnthropicRequest {
  const { model, note } = options
  const came = asItCame(request, model, note)
  if (came) return { body: came, names: mapToolNames([]) }
  const names = mapToolNames(toolNamesOf(request))
  if (names.changed.length > 0)
    note(
      `tool names were adapted for the upstream: ${names.changed.map((name) => JSON.stringify(name)).join(', ')}`,
    )

  const maxTokens = decideMaxTokens(request, model, note)
  const wanted = decideThinking({ request, model, maxTokens, note })
  const first = buildMessages(request, wanted.replays, names, options)
  const thinking = withoutLostThinking(wanted, first.messages, { model, note })
  const { system, messages } =
    thinking === wanted ? first : buildMessages(request, thinking.replays, names, options)
  const { tools, toolChoice, instruction } = toTools(request, names, model, note)
  const format = toFormat(request, model, note)
  for (const text of [instruction, format.instruction]) if (text) system.push({ type: 'text', text })

  noteUnsupported(request, note)
  const outputConfig = { ...thinking.outputConfig, ...format.outputConfig }
  // Name by name: an object of a dozen spread into it takes several times longer.
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
    ownFields(request, note),
  )
  if (request.stream) body.stream = true
  placeBreakpoints({ tools, system, messages }, options)
  return { body, names }
}

function buildMessages(
  request: TurnRequest,
  replays: boolean,
  names: ToolNames,
  options: AnthropicRequestOptions,
) {
  const { model, note } = options
  const { system, rest } = toSystem(replays ? request.messages : request.messages.map(withoutReasoning))
  const recall = replays ? options.recall : () => undefined
  const ownFiles = request.origin.dialect === dialect
  const messages = startWithUser(toUpstreamMessages(rest, { names, recall, ownFiles, note }), note)
  return { system, messages: endProperly(messages, model, note) }
}

function withoutReasoning(message: Message): Message {
  return message.role === 'assistant'
    ? { ...message, content: message.content.filter((part) => part.type !== 'reasoning') }
    : message
}

function decideMaxTokens(request: TurnRequest, model: AnthropicModel, note: (text: string) => void): number {
  const asked = request.maxOutputTokens
  if (asked === undefined)
    return Math.min(model.outputTokens, Math.max(smallestRoom, roomBehind(request, model)))
  if (asked <= model.outputTokens || !model.known) return asked
  note(`max_tokens was lowered from ${asked} to the model's ${model.outputTokens}`)
  return model.outputTokens
}

/** Text in JSON never has fewer characters than this for a token, so the estimate errs on the safe side. */
const charactersPerToken = 3
const smallestRoom = 4_096

/** What the context window leaves for the answer: the API refuses a request that asks for more. */
function roomBehind({ messages, tools }: TurnRequest, model: AnthropicModel): number {
  const roomFor = (characters: number) => Math.floor(model.contextTokens - characters / charactersPerToken)
  // Mostly lengths alone show that there is more room than the model can fill.
  const atLeast = roomFor(amplyJson(messages) + amplyJson(tools))
  return atLeast >= model.outputTokens ? atLeast : roomFor(jsonOf([messages, tools]).length)
}

/** `source` is a message as it came, or the bytes of an image, which count little. */
const jsonOf = (value: unknown) =>
  JSON.stringify(value, (key, member) => (key === 'source' ? undefined : member))

/** How many characters the JSON may have, with every second one in it to be escaped: far more than there are in any text. */
function amplyJson(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length + 3
  if (typeof value !== 'object' || value === null) return 25
  let sum = 3
  if (Array.isArray(value)) for (const element of value) sum += amplyJson(element)
  else
    for (const name in value)
      if (name !== 'source') sum += 2 * name.length + 4 + amplyJson((value as Record<string, unknown>)[name])
  return sum
}

const continuation: Block = { type: 'text', text: 'Continue.' }

function startWithUser(messages: UpstreamMessage[], note: (text: string) => void): UpstreamMessage[] {
  if (messages[0]?.role === 'user') return messages
  note('a user message was put in front, as the upstream needs one first')
  return [{ role: 'user', content: [{ ...continuation }] }, ...messages]
}

/** A last message of the assistant's is a prefill: refused by newer models, and never with white space at its end. */
function endProperly(
  messages: UpstreamMessage[],
  model: AnthropicModel,
  note: (text: string) => void,
): UpstreamMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  if (!model.prefill) {
    note('the model takes no prefilled answer; "Continue." was added as a user message')
    return [...messages, { role: 'user', content: [{ ...continuation }] }]
  }
  const block = last.content.at(-1)
  if (typeof block?.text === 'string') block.text = block.text.trimEnd()
  return messages
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
  note('response_format is not enforced by the upstream; the model was asked for it in words')
  const only = 'Answer with one valid JSON value and nothing else: no prose, no code fence.'
  return {
    instruction:
      format.type === 'json' ? only : `${only} It must match this JSON Schema: ${writeExact(format.schema)}`,
  }
}

function toSampling(
  request: TurnRequest,
  model: AnthropicModel,
  thinking: Thinking,
  note: (text: string) => void,
): Block {
  const { temperature, topP, topK } = request
  if (temperature === undefined && topP === undefined && topK === undefined) return {}
  if (model.sampling === 'none') {
    note('temperature, top_p and top_k are not taken by this model and were left out')
    return {}
  }
  if (thinking.on) {
    if (temperature !== 1 || topP !== undefined || topK !== undefined)
      note('temperature, top_p and top_k were left out, as the model thinks')
    return {}
  }
  if (temperature !== undefined && temperature > 1)
    note(`temperature ${temperature} was lowered to 1, the upstream's highest`)
  const both = temperature !== undefined && topP !== undefined && model.sampling === 'one'
  if (both) note('top_p was left out: this model takes temperature or top_p, not both')
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(topP === undefined || both ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
  }
}

function toStop(request: TurnRequest, note: (text: string) => void): Block {
  if (!request.stop) return {}
  const usable = request.stop.filter((sequence) => sequence.trim() !== '')
  if (usable.length < request.stop.length) note('blank stop sequences were left out')
  return usable.length > 0 ? { stop_sequences: usable } : {}
}

const personal = /@|^\+?[\d\s().-]{7,}$/

function toMetadata(request: TurnRequest, note: (text: string) => void): Block {
  if (request.user === undefined || request.user === '') return {}
  if (personal.test(request.user)) {
    note('user was left out: it looks like an e-mail address or a phone number')
    return {}
  }
  return { metadata: { user_id: request.user.slice(0, 256) } }
}

/** Fields of the API itself that say nothing about messages: a client that knows them means them. */
const own = ['container', 'context_management', 'diagnostics', 'inference_geo', 'service_tier', 'speed']

function ownFields({ origin }: TurnRequest, note: (text: string) => void): Block {
  if (origin.dialect !== dialect) return {}
  const given = own.flatMap((name) => (origin.body[name] == null ? [] : [[name, origin.body[name]] as const]))
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      name === 'context_management' ? fittingManagement(value, note) : value,
    ]),
  )
}

/** What this file has made use of, beside what every backend does. */
const used = [
  'max_completion_tokens', 'max_tokens', 'stop', 'temperature', 'top_k', 'top_p', 'user',
] // biome-ignore format: a list to be read as one

function noteUnsupported(request: TurnRequest, note: (text: string) => void): void {
  if (request.origin.dialect === dialect && request.origin.body.cache_control != null)
    note('cache_control of the whole request was left out: its blocks are marked instead')
  const dropped = unusedFields(request, request.origin.dialect === dialect ? [...used, ...own] : used)
  if (dropped.length > 0) note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
}
