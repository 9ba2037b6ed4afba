// The official openai package through what every door must do: once by Chat Completions, once by Responses.

import OpenAI from 'openai'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import { describe } from 'vitest'
import {
  type DoorAnswer,
  type DoorAsk,
  type DoorClient,
  type DoorTurn,
  describeDoor,
} from '../contract/door.ts'

const clientOf = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 })
const pictureOf = (data: string) => `data:image/png;base64,${data}`
const optionsOf = ({ signal }: DoorAsk) => (signal ? { signal } : {})

const failure: DoorClient['failure'] = (error) =>
  error instanceof OpenAI.APIError && typeof error.type === 'string'
    ? { status: error.status, message: error.message }
    : undefined

type ChatMessage = OpenAI.ChatCompletionMessageParam
/** What servers with visible reasoning add; the SDK does not know it, and hands it on. */
type Thought = { reasoning_content?: string }

const chat: DoorClient = {
  name: 'openai SDK, Chat Completions',
  conversation: 'messages',
  alwaysThinks: true,
  async ask(url, request) {
    const { completion, thinking } = await completionOf(clientOf(url), request)
    const [choice] = completion.choices
    if (!choice) throw new Error('no choice')
    const { message, finish_reason: reason } = choice
    return {
      text: message.content ?? '',
      thinking,
      calls: (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }]
          : [],
      ),
      end: chatEnds.get(reason),
      inputTokens: completion.usage?.prompt_tokens ?? 0,
      outputTokens: completion.usage?.completion_tokens ?? 0,
      native: message,
    }
  },
  failure,
}

const chatEnds = new Map<string, DoorAnswer['end']>([
  ['stop', 'stop'],
  ['tool_calls', 'calls'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
])

async function completionOf(client: OpenAI, request: DoorAsk) {
  const { model, turns, tools = [], onText } = request
  const params: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    model,
    messages: turns.flatMap(toChatMessages),
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
    ...(request.thinking ? { reasoning_effort: 'low' } : {}),
  }
  if (!request.stream) {
    const completion = await client.chat.completions.create(params, optionsOf(request))
    const message = completion.choices[0]?.message as Thought | undefined
    return { completion, thinking: message?.reasoning_content ?? '' }
  }
  const stream = client.chat.completions.stream(
    { ...params, stream: true, stream_options: { include_usage: true } },
    optionsOf(request),
  )
  let thinking = ''
  stream.on('chunk', ({ choices: [choice] }) => {
    thinking += (choice?.delta as Thought | undefined)?.reasoning_content ?? ''
  })
  if (onText) stream.once('content', onText)
  return { completion: await stream.finalChatCompletion(), thinking }
}

function toChatMessages(turn: DoorTurn): ChatMessage[] {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('answer' in turn) return [turn.answer.native as ChatMessage]
  // Results are text alone in this dialect: OpenAI refuses pictures there.
  return turn.results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text }))
}

const responses: DoorClient = {
  name: 'openai SDK, Responses',
  conversation: 'input',
  alwaysThinks: true,
  async ask(url, request) {
    const response = await responseOf(clientOf(url), request)
    const { output, usage } = response
    const calls = output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    )
    return {
      text: output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : part.refusal))
        .join(''),
      thinking: output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
        .map(({ text }) => text)
        .join(''),
      calls,
      end: endOf(response, calls.length > 0),
      inputTokens: usage?.input_tokens ?? 0,
      outputTokens: usage?.output_tokens ?? 0,
      native: output,
    }
  },
  failure,
}

function endOf({ status, incomplete_details: cut }: Response, calls: boolean): DoorAnswer['end'] {
  if (status === 'completed') return calls ? 'calls' : 'stop'
  if (status !== 'incomplete') return undefined
  return cut?.reason === 'max_output_tokens' ? 'length' : 'refusal'
}

function responseOf(client: OpenAI, request: DoorAsk): Promise<Response> {
  const { model, turns, tools = [], onText } = request
  const params: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model,
    input: turns.flatMap(toItems),
    store: false,
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict: false,
    })),
    ...(request.thinking ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
  }
  if (!request.stream) return client.responses.create(params, optionsOf(request))
  const stream = client.responses.stream({ ...params, stream: true }, optionsOf(request))
  if (onText) stream.once('response.output_text.delta', onText)
  return stream.finalResponse()
}

function toItems(turn: DoorTurn): ResponseInputItem[] {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('answer' in turn) return turn.answer.native as ResponseInputItem[]
  return turn.results.map(({ callId, text, image }) => ({
    type: 'function_call_output',
    call_id: callId,
    output: image
      ? [
          { type: 'input_text', text },
          { type: 'input_image', image_url: pictureOf(image), detail: 'auto' },
        ]
      : text,
  }))
}

describe('Chat Completions', () => describeDoor(chat))
describe('Responses', () => describeDoor(responses))
