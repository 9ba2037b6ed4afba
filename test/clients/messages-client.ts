// The official @anthropic-ai/sdk as the contract of the Messages door uses it.

import type Anthropic from '@anthropic-ai/sdk'
import type { DoorAsk, DoorClient, DoorTurn } from '../contract/door-client.ts'
import { messagesStreamProblems } from '../messages-stream.ts'
import type { SdkLine } from './sdk-lines.ts'

const ends = new Map<string | null, 'stop' | 'calls' | 'length' | 'refusal'>([
  ['end_turn', 'stop'],
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['refusal', 'refusal'],
])

export const messagesClient = ({ name, Sdk, events }: SdkLine<typeof Anthropic>): DoorClient => ({
  name,
  conversation: 'messages',
  flagsErrors: true,
  async ask(url, request) {
    const { headers, fetch } = request
    const client = new Sdk({
      baseURL: url,
      apiKey: 'any',
      maxRetries: 0,
      logLevel: 'off',
      ...(headers ? { defaultHeaders: headers } : {}),
      ...(fetch ? { fetch } : {}),
    })
    const message = await answerTo(client, request)
    const joined = (pick: (block: Anthropic.ContentBlock) => string) => message.content.map(pick).join('')
    return {
      text: joined((block) => (block.type === 'text' ? block.text : '')),
      thinking: joined((block) => (block.type === 'thinking' ? block.thinking : '')),
      refusal: '',
      calls: message.content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
      ),
      end: ends.get(message.stop_reason),
      inputTokens: message.usage.input_tokens,
      outputTokens: message.usage.output_tokens,
      native: message.content,
    }
  },
  events,
  problems: messagesStreamProblems,
  failure: (error) =>
    error instanceof Sdk.APIError && error.type !== null
      ? { status: error.status, message: error.message }
      : undefined,
})

function answerTo(client: Anthropic, request: DoorAsk): Promise<Anthropic.Message> {
  const { model, turns, tools = [], thinking, signal, onText } = request
  const params: Anthropic.MessageCreateParamsNonStreaming = {
    model,
    max_tokens: 4_000,
    messages: turns.map(toMessage),
    tools: tools.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema as Anthropic.Tool.InputSchema,
    })),
    ...(thinking ? { thinking: { type: 'enabled', budget_tokens: 2_000 } } : {}),
  }
  const options = signal ? { signal } : {}
  if (!request.stream) return client.messages.create(params, options)
  const stream = client.messages.stream(params, options)
  if (onText) stream.once('text', onText)
  return stream.finalMessage()
}

function toMessage(turn: DoorTurn): Anthropic.MessageParam {
  if ('user' in turn) return { role: 'user', content: turn.user }
  if ('answer' in turn)
    return { role: 'assistant', content: turn.answer.native as Anthropic.ContentBlockParam[] }
  return {
    role: 'user',
    content: turn.results.map(({ callId, text, isError, image }) => ({
      type: 'tool_result',
      tool_use_id: callId,
      content: image
        ? [
            { type: 'text', text },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
          ]
        : text,
      ...(isError ? { is_error: true } : {}),
    })),
  }
}
