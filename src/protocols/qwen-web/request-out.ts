// What is asked of Qwen's web chat: the bodies, and what a request says that this service has no place for. Ids and times
// are given in: wire code has neither chance nor clock.

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

export interface Completion {
  chatId: string
  /** The answer that this message follows; null for the first of a chat. */
  parentId: string | null
  model: string
  text: string
  thinking: Thinking
  messageId: string
  /** Under which the answer is to be kept. */
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
    // Exactly one: with two of them the service answers nothing.
    messages: [
      {
        fid: messageId,
        // Its own client sends both spellings.
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
  // Without it the chunks do not say what is thought and what is answered.
  output_schema: 'phase',
  research_mode: 'normal',
  auto_thinking: thinking === 'auto',
  thinking_mode: thinkingModes[thinking],
  thinking_format: 'summary',
  auto_search: false,
})

/** The setting decides; where that is `auto`, the request does, and else the service. */
export function thinkingFor(setting: Thinking, { reasoning }: TurnRequest): Thinking {
  if (setting !== 'auto' || reasoning === undefined) return setting
  return reasoning.effort === 'none' ? 'off' : 'on'
}

/** What cannot be carried at all is refused, with its name. */
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
/** Each delta is searched for each of them. */
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
    note('the upstream knows no reasoning effort, only thinking on or off')
  if (request.responseFormat) note('the upstream has no JSON mode: it was asked for in words')
}
