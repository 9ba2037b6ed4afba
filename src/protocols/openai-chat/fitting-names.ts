// Shortens tool names for OpenAI, which takes 64 letters; Anthropic takes 128. Requests in OpenAI's own dialect keep their names,
// unless they define tools in another dialect's form.

import { isObject } from '../../base/json.ts'
import type { CallCheck } from '../../core/call-check.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { AssistantPart, Message, TurnRequest } from '../../core/request.ts'
import { mapToolNames, type ToolNames } from '../anthropic-messages/names.ts'
import { toolNamesOf } from '../anthropic-messages/tools-out.ts'

const longestChatName = 64

interface FittingNames {
  request: TurnRequest
  /** Restores the client's names in the events of the answer. */
  back(events: TurnEvent[]): TurnEvent[]
  /** A check that knows the tools by the client's names. */
  check(calls: CallCheck | undefined): CallCheck | undefined
}

export interface NameRules {
  longest?: number
  /** The request is in the service's own dialect: its names stay. */
  isOwn?(request: TurnRequest): boolean
  isGood?(name: string): boolean
}

export function withFittingNames(
  request: TurnRequest,
  note: (text: string) => void,
  { longest = longestChatName, isOwn = hasOwnTools, isGood }: NameRules = {},
): FittingNames {
  const names = mapToolNames(isOwn(request) ? [] : toolNamesOf(request), longest, isGood)
  if (names.changed.length === 0) return { request, back: (events) => events, check: (calls) => calls }
  note(
    `tool names were adapted for the upstream: ${names.changed.map((name) => JSON.stringify(name)).join(', ')}`,
  )
  const { toolChoice } = request
  return {
    request: {
      ...request,
      tools: request.tools.map((tool) => ({ ...tool, name: names.toUpstream(tool.name) })),
      messages: request.messages.map((message) => withNames(message, names)),
      ...(toolChoice?.type === 'tool'
        ? { toolChoice: { ...toolChoice, name: names.toUpstream(toolChoice.name) } }
        : {}),
    },
    back: (events) =>
      events.map((event) => (isCall(event) ? { ...event, ...clientNames(event, names) } : event)),
    check: (calls) => calls && underClientNames(calls, names),
  }
}

function underClientNames(calls: CallCheck, { toClient, toUpstream }: ToolNames): CallCheck {
  return {
    check(call, isShown, value) {
      const made = { ...call, name: toClient(call.name) }
      const shown = calls.check(made, isShown, value)
      return shown === made ? call : { ...shown, name: toUpstream(shown.name) }
    },
  }
}

type CallEvent = Extract<TurnEvent, { type: 'tool-call-start' | 'tool-call-end' }>

const isCall = (event: TurnEvent): event is CallEvent =>
  event.type === 'tool-call-start' || event.type === 'tool-call-end'

function clientNames(event: CallEvent, { toClient }: ToolNames) {
  const made = 'made' in event ? event.made : undefined
  const name = toClient(event.name)
  return made ? { name, made: { ...made, name: toClient(made.name) } } : { name }
}

const hasOwnTools = ({ origin: { dialect, body } }: TurnRequest) =>
  dialect === 'openai-chat' &&
  !(Array.isArray(body.tools) && body.tools.some((tool) => isObject(tool) && !isObject(tool.function)))

function withNames(message: Message, { toUpstream }: ToolNames): Message {
  if (message.role !== 'assistant') return message
  const isOther = (part: AssistantPart) => part.type === 'tool-call' && toUpstream(part.name) !== part.name
  if (!message.content.some(isOther)) return message
  const content = message.content.map((part) =>
    part.type === 'tool-call' ? { ...part, name: toUpstream(part.name) } : part,
  )
  // `source` is dropped: it contains the client's names.
  return { role: 'assistant', content }
}
