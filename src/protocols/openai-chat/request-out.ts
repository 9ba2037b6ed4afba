// TurnRequest → the body of POST /chat/completions. A Chat request that needed no repair goes out as it came, with
// whatever fields it had; anything else is written anew from the canonical form. Values that need no change stay the very
// ones that came, by which `body-text.ts` knows them.

import { createHash } from 'node:crypto'
import type { KnownCall } from '../../core/call-key.ts'
import type { Tool, TurnRequest } from '../../core/request.ts'
import { isObject } from '../json.ts'
import { unusedFields } from '../unused-fields.ts'
import { type KeptTurn, withKept, withOwnIds } from './kept-turn.ts'
import { type ChatMessage, toChatMessages } from './messages-out.ts'
import { withOneSystem } from './one-system.ts'
import type { ServerTraits } from './servers.ts'

export interface ChatRequestOptions {
  traits: ServerTraits
  /** What this server gave with the turn that made a call, where it is still known. */
  recall(call: KnownCall): KeptTurn | undefined
  note(text: string): void
}

type Body = Record<string, unknown>

export function toChatRequest(request: TurnRequest, options: ChatRequestOptions): Body {
  const { origin } = request
  const sameDialect = isChat(request)
  // Null means absent to the clients that send it; strict servers refuse it.
  const body: Body = sameDialect
    ? Object.fromEntries(Object.entries(origin.body).filter(([, value]) => value !== null))
    : {}
  body.model = request.model
  const strict = options.traits.strictMessages && hasCacheHints(request)
  if (!sameDialect || !origin.faithful || strict)
    writeAnew(body, request, { verbatim: sameDialect && !strict, ...options })
  writeStreaming(body, request, options.traits)
  writeLimit(body, options)
  dropSampling(body, options)
  // Without tools, servers refuse an empty list of them and all that is said about them.
  if (request.tools.length === 0) for (const field of toolFields) delete body[field]
  body.messages = adaptMessages(body.messages as ChatMessage[], { sameDialect, ...options })
  downgradeForcedChoice(body, request, options)
  return body
}

const isChat = ({ origin }: TurnRequest) => origin.dialect === 'openai-chat'

const toolFields = ['tools', 'tool_choice', 'parallel_tool_calls']

function adaptMessages(
  messages: readonly ChatMessage[],
  options: ChatRequestOptions & { sameDialect: boolean },
): readonly ChatMessage[] {
  const { traits, note, sameDialect } = options
  const kept = messages.map((message) => recallTurn(message, options))
  let adapted = withReasoning(messages, kept, traits)
  if (!traits.uniqueCallIds) adapted = withOwnIds(adapted, kept)
  if (!traits.developerRole) adapted = adapted.map(withSystemRole)
  // A client of this dialect may know its server; what is translated keeps to the common ground.
  const unsure = traits.systemMessages === 'unknown' && !sameDialect
  if (unsure || traits.systemMessages === 'in front') adapted = withOneSystem(adapted, note)
  if (traits.nineCharacterIds) adapted = adapted.map(withShortIds)
  if (traits.assistantAfterTool) adapted = withBridges(adapted, note)
  // The list itself where nothing was changed: it goes out as it was spelled.
  const isSame =
    adapted.length === messages.length && adapted.every((message, at) => message === messages[at])
  return isSame ? messages : adapted
}

const withSystemRole = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message

/** The user spoke before the model had answered its results. */
function withBridges(messages: readonly ChatMessage[], note: (text: string) => void): ChatMessage[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'user' || messages[at - 1]?.role !== 'tool') return [message]
    note('an assistant message was put between tool results and the user, as the upstream needs one there')
    return [{ role: 'assistant', content: 'Understood.' }, message]
  })
}

/** One limit under two names, of which some services know only one. */
function writeLimit(body: Body, { traits: { limitField }, note }: ChatRequestOptions): void {
  if (limitField === undefined) return
  const other = limitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  if (body[other] === undefined) return
  body[limitField] ??= body[other]
  delete body[other]
  note(`${other} was sent as ${limitField}, which is what the upstream takes`)
}

/** OpenAI's reasoning models refuse everything but the default. */
function dropSampling(body: Body, { traits, note }: ChatRequestOptions): void {
  const set = ['temperature', 'top_p'].filter((name) => body[name] !== undefined && body[name] !== 1)
  if (traits.sampling || set.length === 0) return
  for (const name of set) delete body[name]
  note(`${set.join(' and ')} left out: this model takes only the default`)
}

function writeAnew(
  body: Body,
  request: TurnRequest,
  options: ChatRequestOptions & { verbatim: boolean },
): void {
  // Thinking that a client of another dialect brings may be any service's: it goes to servers that insist on having one.
  const reasoning = isChat(request) || options.traits.reasoningFiller !== undefined
  body.messages = toChatMessages(request.messages, { verbatim: options.verbatim, reasoning })
  delete body.functions
  delete body.function_call
  delete body.tool_choice
  // Tools stand in front of all else in the prompt cache: a repair of the messages does not touch them.
  if (!options.verbatim || !areTools(body.tools, request.tools)) {
    body.tools = request.tools.map(({ name, description, schema, strict }) => ({
      type: 'function',
      function: {
        name,
        ...(description ? { description } : {}),
        parameters: schema,
        ...(strict === undefined ? {} : { strict }),
      },
    }))
  }
  const choice = request.toolChoice
  if (choice && request.tools.length > 0) {
    body.tool_choice =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type
  }
  if (!isChat(request)) writeParameters(body, request, options)
  // Asked for in another way than this dialect's own: by a field of another, or by the model's name.
  else if (body.reasoning_effort === undefined && body.reasoning === undefined)
    writeEffort(body, request, options)
}

/** These are the request's tools, as they came. */
const areTools = (given: unknown, tools: readonly Tool[]) =>
  Array.isArray(given) &&
  given.length === tools.length &&
  tools.every(({ name, schema }, at) => {
    const { name: givenName, parameters }: Body = isObject(given[at]?.function) ? given[at].function : {}
    return name === givenName && schema === parameters
  })

function hasCacheHints({ messages, tools }: TurnRequest): boolean {
  const parts = messages.flatMap((message): object[] =>
    message.role === 'tool'
      ? message.results.flatMap((result) => [result, ...result.content])
      : message.content,
  )
  return [...tools, ...parts].some((part) => 'cache' in part)
}

/** What this file makes use of in a request of another dialect, beside what every backend does. */
const used = ['max_tokens', 'temperature', 'top_p', 'stop', 'user']

function writeParameters(body: Body, request: TurnRequest, options: ChatRequestOptions): void {
  const { responseFormat: format } = request
  const dropped = unusedFields(request, used)
  if (dropped.length > 0) options.note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
  const fields: Body = {
    parallel_tool_calls: request.tools.length > 0 ? request.parallelToolCalls : undefined,
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    reasoning_effort: toEffort(request, options),
    user: toUser(request, options),
    response_format:
      format?.type === 'json-schema'
        ? {
            type: 'json_schema',
            json_schema: { name: format.name, schema: format.schema, strict: format.strict },
          }
        : format && { type: 'json_object' },
  }
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) body[key] = value
}

function writeEffort(body: Body, request: TurnRequest, options: ChatRequestOptions): void {
  const effort = toEffort(request, options)
  if (effort !== undefined) body.reasoning_effort = effort
}

const commonUser = /^[a-zA-Z0-9_-]{1,64}$/

/** Claude Code's is a piece of JSON, which services refuse for its length or its letters. The same user keeps the same name. */
function toUser({ user }: TurnRequest, { note }: ChatRequestOptions): string | undefined {
  if (user === undefined || user === '' || commonUser.test(user)) return user || undefined
  note('the id of the user was sent as a digest: services take at most 64 letters, digits, "_" and "-"')
  return createHash('sha256').update(user).digest('hex')
}

/** The efforts that all services with such a setting know; a client of another dialect cannot know which more. */
function toEffort({ reasoning }: TurnRequest, { traits, note }: ChatRequestOptions): string | undefined {
  const effort = reasoning?.effort
  if (effort === undefined) return undefined
  if (!traits.reasoningEffort || effort === 'none') {
    note(`reasoning effort "${effort}" was left out: the upstream has no setting for it`)
    return undefined
  }
  if (effort !== 'xhigh' && effort !== 'max') return effort
  note(`reasoning effort "${effort}" was sent as "high"`)
  return 'high'
}

/** Usage is always asked for: the gateway counts it, whether or not the client wants to see it. */
function writeStreaming(body: Body, request: TurnRequest, traits: ServerTraits): void {
  if (request.stream) body.stream = true
  if (!request.stream || !traits.streamOptions) {
    delete body.stream_options
    return
  }
  const asked = isObject(body.stream_options) ? body.stream_options : {}
  if (asked.include_usage !== true) body.stream_options = { ...asked, include_usage: true }
}

/** What this server gave with the calls of a message, where it is still known. */
function recallTurn({ role, tool_calls: calls }: ChatMessage, { recall }: ChatRequestOptions) {
  if (role !== 'assistant' || !Array.isArray(calls)) return undefined
  for (const call of calls) {
    const kept = recall(toKnownCall(call))
    if (kept) return kept
  }
  return undefined
}

/** Clients drop reasoning; some services refuse the conversation without it. What is known goes back as it came. */
function withReasoning(
  messages: readonly ChatMessage[],
  turns: readonly (KeptTurn | undefined)[],
  traits: ServerTraits,
): ChatMessage[] {
  if (traits.strictMessages) return messages.map(withoutReasoning)
  return messages.map((message, at) => {
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls) || message.tool_calls.length === 0)
      return message
    const kept = turns[at]
    if (kept) return withKept(message, kept)
    const known =
      hasText(message.reasoning_content) || hasText(message.reasoning) || traits.reasoningFiller === undefined
    return known ? message : { ...message, reasoning_content: traits.reasoningFiller }
  })
}

function toKnownCall(call: Body): KnownCall {
  const { name, arguments: input } = isObject(call.function) ? call.function : {}
  return { callId: String(call.id), name: String(name), input: String(input) }
}

function withoutReasoning(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant' || !('reasoning_content' in message || 'reasoning' in message))
    return message
  const { reasoning_content: _, reasoning: __, ...rest } = message
  // Without its reasoning nothing may be left, and null needs calls beside it.
  return { ...rest, role: message.role, content: rest.content ?? (rest.tool_calls ? null : '') }
}

const hasText = (value: unknown) => typeof value === 'string' && value !== ''

function withShortIds(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, tool_call_id: shortId(String(message.tool_call_id)) }
  if (!Array.isArray(message.tool_calls)) return message
  return {
    ...message,
    tool_calls: message.tool_calls.map((call: Body) => ({ ...call, id: shortId(String(call.id)) })),
  }
}

const shortId = (id: string) =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)

function downgradeForcedChoice(body: Body, request: TurnRequest, { traits, note }: ChatRequestOptions): void {
  const forced = request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool'
  if (!forced || traits.forcedWhileThinking || !(traits.thinks || asksForThinking(request))) return
  body.tool_choice = 'auto'
  note('tool_choice was lowered to auto: the model cannot be forced to call a tool while it thinks')
}

function asksForThinking({ origin: { body }, reasoning }: TurnRequest): boolean {
  const thinking = isObject(body.thinking) ? body.thinking.type : undefined
  return (
    body.enable_thinking === true ||
    thinking === 'enabled' ||
    (reasoning !== undefined && reasoning.effort !== 'none')
  )
}
