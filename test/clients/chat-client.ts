// The official openai package as the contract of the Chat Completions door uses it.

import type OpenAI from 'openai'
import { readChatStream } from '../chat-stream.ts'
import type { DoorAnswer, DoorAsk, DoorClient, DoorTurn } from '../contract/door-client.ts'
import { clientOf, openaiFailure, optionsOf, pictureOf } from './openai-client.ts'
import type { SdkLine } from './sdk-lines.ts'

type ChatMessage = OpenAI.ChatCompletionMessageParam
/** What servers with visible reasoning add; the SDK does not know it, and hands it on. */
type Thought = { reasoning_content?: string }

export const chatClient = ({ name, Sdk, events }: SdkLine<typeof OpenAI>): DoorClient => ({
  name,
  conversation: 'messages',
  alwaysThinks: true,
  refusesApart: true,
  async ask(url, request) {
    const { completion, thinking } = await completionOf(clientOf(Sdk, url, request), request)
    const [choice] = completion.choices
    if (!choice) throw new Error('no choice')
    const { message, finish_reason: reason } = choice
    return {
      text: message.content ?? '',
      thinking,
      refusal: message.refusal ?? '',
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
  events,
  problems: async (response) => (await readChatStream(response)).problems,
  failure: (error) => openaiFailure(Sdk, error),
})

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
  return turn.results.map(({ callId, text, image }) => ({
    role: 'tool',
    tool_call_id: callId,
    content: image ? withPicture(text, image) : text,
  }))
}

/** OpenAI takes text alone here, and so do the types; servers that show pictures to their models take them like this. */
function withPicture(text: string, image: string): OpenAI.ChatCompletionContentPartText[] {
  const parts = [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: pictureOf(image) } },
  ]
  return parts as OpenAI.ChatCompletionContentPartText[]
}
