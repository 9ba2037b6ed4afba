// Messages → Cursor's conversation state. It has the history twice, as content-addressed blobs: the model's prompt is built from
// `root_prompt_messages_json`, the agent uses `turns`. Both are deterministic, so an unchanged beginning keeps its blob ids.

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  AgentConversationTurnStructureSchema,
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  type UserMessage,
  UserMessageSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { parseExact, writeAll } from '../../base/exact-json.ts'
import type { AssistantPart, Message, ToolCallPart, ToolResult, UserPart } from '../../core/request.ts'
import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import type { BlobStore } from './blobs.ts'
import { noteLostDigits, toValue } from './json-value.ts'
import { imageOf, type Note, pastText, resultContent, resultText, stableUuid, textOf } from './parts-out.ts'
import { newestRoots } from './root-limit.ts'
import { offeredName, offeredToolName, toolProvider } from './tool-names.ts'

export interface ConversationOut {
  state: ConversationStateStructure
  /** The user's current message; undefined if the model continues from tool results. */
  userMessage: UserMessage | undefined
}

export const agentMode = { agent: 1, ask: 2 } as const

export interface HistoryOptions {
  system: string
  messages: readonly Message[]
  mode: number
  blobs: BlobStore
  /** The service's own model, which accepts histories of any length. */
  isOwnModel: boolean
  note: Note
}

export function toConversation(options: HistoryOptions): ConversationOut {
  const { messages, mode, blobs, note } = options
  const past = messages.slice(0, activeStart(messages))
  const state = create(ConversationStateStructureSchema, {
    rootPromptMessagesJson: rootMessages(past, options).map((root) => blobs.add(root)),
    turns: toTurns(past, { mode, blobs, note }),
    // Some servers are said to treat a state without any field as missing.
    mode,
  })
  return { state, userMessage: activeMessage(messages, mode, note) }
}

const encoder = new TextEncoder()

function rootMessages(past: readonly Message[], options: HistoryOptions): Uint8Array[] {
  const { system, isOwnModel, note } = options
  const json = (message: unknown) => encoder.encode(writeAll(message))
  const head = system === '' ? [] : [json({ role: 'system', content: system })]
  const names = new Map<string, string>()
  const told = past.map((message) => ({ message, roots: promptMessages(message, names, note).map(json) }))
  const all = told.flatMap(({ roots }) => roots)
  const kept = isOwnModel ? all : newestRoots(told, head)
  if (kept.length < all.length)
    note(
      `the oldest ${all.length - kept.length} of ${all.length} messages were left out: this model takes no longer history`,
    )
  return [...head, ...kept]
}

/** The user's current message; undefined if the model continues from tool results. */
export function activeMessage(
  messages: readonly Message[],
  mode: number,
  note: Note,
): UserMessage | undefined {
  const active = messages.slice(activeStart(messages)).flatMap((message) => userParts(message, note))
  return active.length === 0 ? undefined : toUserMessage(active, { mode, note, place: 'now' })
}

/** The index of the first message after the last answer or result. */
export function activeStart(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1
}

function userParts(message: Message, note: Note): UserPart[] {
  if (message.role === 'user') return message.content
  if (message.role !== 'system') return []
  note(inlineSystemNote)
  return [{ type: 'text', text: inlineSystem(textOf(message.content)) }]
}

type PromptPart = Record<string, unknown> & { type: 'text' | 'tool-call' | 'tool-result' }

/** `names`: tool names by call id, carried from message to message. */
function promptMessages(message: Message, names: Map<string, string>, note: Note): unknown[] {
  if (message.role === 'system') return [{ role: 'system', content: textOf(message.content) }]
  if (message.role === 'tool') {
    return message.results.map((result) => {
      const { callId } = result
      const toolName = names.get(callId) ?? ''
      const part = {
        type: 'tool-result',
        toolCallId: callId,
        toolName,
        result: pastText(result.content, note),
      }
      return { role: 'tool', id: callId, content: [part] }
    })
  }
  const content =
    message.role === 'user'
      ? [{ type: 'text', text: pastText(message.content, note) }]
      : message.content.flatMap((part) => {
          if (part.type === 'tool-call') names.set(part.callId, offeredName(part.name))
          return assistantPart(part)
        })
  return content.length === 0 ? [] : [{ role: message.role, content }]
}

function assistantPart(part: AssistantPart): PromptPart[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  // Reasoning of earlier turns is not sent: it is bound to the model that produced it.
  if (part.type !== 'tool-call') return []
  const toolName = offeredName(part.name)
  return [{ type: 'tool-call', toolCallId: part.callId, toolName, args: inputOf(part) }]
}

interface TurnOptions {
  mode: number
  blobs: BlobStore
  note: Note
}

/** A turn is a user message and everything up to the next one. */
function toTurns(messages: readonly Message[], options: TurnOptions): Uint8Array[] {
  const turns: Uint8Array[] = []
  let at = 0
  while (at < messages.length) {
    const said: UserPart[] = []
    for (; isSaid(messages[at]); at++) said.push(...userParts(messages[at] as Message, options.note))
    const steps: Uint8Array[] = []
    for (; at < messages.length && !isSaid(messages[at]); at++) {
      const message = messages[at] as Message
      if (message.role !== 'assistant') continue
      const next = messages[at + 1]
      steps.push(...toSteps(message.content, next?.role === 'tool' ? next.results : [], options))
    }
    const place = `turn ${turns.length}`
    const userMessage = toBinary(UserMessageSchema, toUserMessage(said, { ...options, place }))
    const turn = create(AgentConversationTurnStructureSchema, {
      userMessage: options.blobs.add(userMessage),
      steps,
    })
    const structure = create(ConversationTurnStructureSchema, {
      turn: { case: 'agentConversationTurn', value: turn },
    })
    turns.push(options.blobs.add(toBinary(ConversationTurnStructureSchema, structure)))
  }
  return turns
}

const isSaid = (message: Message | undefined) => message?.role === 'user' || message?.role === 'system'

function toSteps(
  content: readonly AssistantPart[],
  results: readonly ToolResult[],
  { blobs, note }: TurnOptions,
): Uint8Array[] {
  const resultOf = new Map(results.map((result) => [result.callId, result]))
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' && (part.type !== 'text' || part.text === '')) return []
    const message =
      part.type === 'text'
        ? { case: 'assistantMessage' as const, value: { text: part.text } }
        : { case: 'toolCall' as const, value: toolCall(part, resultOf.get(part.callId), note) }
    return [blobs.add(toBinary(ConversationStepSchema, create(ConversationStepSchema, { message })))]
  })
}

type StepMessage = NonNullable<MessageInitShape<typeof ConversationStepSchema>['message']>
type ToolCallInit = Extract<StepMessage, { case: 'toolCall' }>['value']

function toolCall(part: ToolCallPart, result: ToolResult | undefined, note: Note): ToolCallInit {
  const input = inputOf(part)
  noteLostDigits(input, note)
  const args = Object.entries(input).map(([name, value]) => [name, toValue(value)])
  return {
    toolCallId: part.callId,
    tool: {
      case: 'mcpToolCall',
      value: {
        args: {
          name: offeredName(part.name),
          toolName: offeredToolName(part.name),
          providerIdentifier: toolProvider,
          toolCallId: part.callId,
          args: Object.fromEntries(args),
        },
        ...(result === undefined ? {} : { result: { result: mcpOutcome(result) } }),
      },
    },
  }
}

function mcpOutcome(result: ToolResult) {
  if (result.isError) return { case: 'error' as const, value: { error: resultText(result) } }
  return { case: 'success' as const, value: { content: resultContent(result) } }
}

/** `input` is always the text of a JSON object: the request guarantees it. */
const inputOf = (part: ToolCallPart) => parseExact(part.input) as Record<string, unknown>

interface UserMessageOptions {
  mode: number
  note: Note
  place: string
}

function toUserMessage(parts: readonly UserPart[], { mode, note, place }: UserMessageOptions): UserMessage {
  const text = textOf(parts, note)
  const selectedImages = parts.flatMap((part) => imageOf(part))
  return create(UserMessageSchema, {
    text,
    messageId: stableUuid(`${place}\n${text}`),
    mode,
    ...(selectedImages.length === 0 ? {} : { selectedContext: { selectedImages } }),
  })
}
