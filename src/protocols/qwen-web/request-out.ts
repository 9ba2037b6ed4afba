// Request bodies of Qwen's web chat, and the fields that it does not support. Ids and times are parameters: wire code uses
// neither randomness nor a clock.

import { GatewayError } from '../../core/errors.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { unusedFields } from '../requests/unused-fields.ts'

export type Thinking = 'auto' | 'on' | 'off'

export function toNewChat(model: string, nowMs: number): Record<string, unknown> {
  return {
    title: 'New Chat',
    models: [model],
    chat_mode: 'normal',
    chat_type: 't2t',
    timestamp: nowMs,
    project_id: '',
  }
}

interface Completion {
  chatId: string
  /** The answer that this message follows; null for the first of a chat. */
  parentId: string | null
  model: string
  text: string
  thinking: Thinking
  messageId: string
  /** The id for the answer's message. */
  answerId: string
  nowMs: number
}

export function toCompletion(completion: Completion): Record<string, unknown> {
  const { chatId, parentId, model, text, messageId, answerId } = completion
  const timestamp = Math.floor(completion.nowMs / 1000)
  return {
    stream: true,
    version: '2.1',
    incremental_output: true,
    chat_id: chatId,
    chat_mode: 'normal',
    model,
    parent_id: parentId,
    timestamp,
    // Exactly one: with two, the service sends an empty answer.
    messages: [
      {
        fid: messageId,
        // The web page sends both spellings.
        parentId,
        parent_id: parentId,
        childrenIds: [answerId],
        role: 'user',
        content: text,
        user_action: 'chat',
        files: [],
        timestamp,
        models: [model],
        chat_type: 't2t',
        sub_chat_type: 't2t',
        extra: { meta: { subChatType: 't2t' } },
        feature_config: featureConfig(completion.thinking),
      },
    ],
  }
}

const thinkingModes = { auto: 'Auto', on: 'Thinking', off: 'Disabled' }

const featureConfig = (thinking: Thinking) => ({
  thinking_enabled: thinking !== 'off',
  // Without it, chunks do not distinguish thinking from the answer.
  output_schema: 'phase',
  research_mode: 'normal',
  auto_thinking: thinking === 'auto',
  thinking_mode: thinkingModes[thinking],
  thinking_format: 'summary',
  auto_search: false,
})

/** The setting decides; with `auto`, the request; without either, the service. */
export function thinkingFor(setting: Thinking, { reasoning }: TurnRequest): Thinking {
  if (setting !== 'auto' || reasoning === undefined) return setting
  return reasoning.effort === 'none' ? 'off' : 'on'
}

/** Refuses content that the service cannot receive. */
export function refuseUnsupported({ messages, stop = [] }: TurnRequest, backend: string): void {
  const kind = messages.flatMap(partTypes).find((type) => type in media)
  if (kind !== undefined) {
    throw new GatewayError(
      'unsupported',
      `${backend}: this service is asked in plain text, and the conversation holds ${media[kind as keyof typeof media]}. ` +
        'Leave it out, or take a model of another backend.',
      { param: 'messages' },
    )
  }
  if (stop.length > mostStops || stop.some((sequence) => sequence.length > longestStop)) {
    throw new GatewayError(
      'unsupported',
      `${backend}: there may be ${mostStops} stop sequences of ${longestStop} characters at most.`,
      { param: 'stop' },
    )
  }
}

const media = { image: 'an image', file: 'a file', audio: 'audio' }
/** Each delta is searched for all of them. */
const mostStops = 16
const longestStop = 1_000

function partTypes(message: Message): string[] {
  const parts = message.role === 'tool' ? message.results.flatMap(({ content }) => content) : message.content
  return parts.map(({ type }) => type)
}

const used = ['stop']

export function noteLeftOut(request: TurnRequest, note: (text: string) => void): void {
  const dropped = unusedFields(request, used)
  if (dropped.length > 0) note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
  const effort = request.reasoning?.effort
  if (effort !== undefined && effort !== 'none')
    note('the upstream has no reasoning effort, only thinking on or off')
  if (request.responseFormat) note('the upstream has no JSON mode: it was asked for in words')
}
