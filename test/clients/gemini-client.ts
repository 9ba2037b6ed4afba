// The official @google/genai package as the contract of the Gemini door uses it.

import {
  ApiError,
  type Content,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
} from '@google/genai'
import type { DoorAnswer, DoorAsk, DoorClient, DoorResult, DoorTurn } from '../contract/door-client.ts'
import { readGeminiStream } from '../gemini-stream.ts'

export const geminiClient: DoorClient = {
  name: '@google/genai',
  conversation: 'contents',
  flagsErrors: true,
  async ask(url, request) {
    const responses = await responsesOf(url, request)
    // As the SDK's own chats do: every chunk is a content of the history.
    const native = responses.flatMap(({ candidates }) => candidates?.[0]?.content ?? [])
    const parts = native.flatMap((content) => content.parts ?? [])
    const calls = parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id ?? '', name: call.name ?? '', input: call.args }] : [],
    )
    const last = responses.at(-1)
    const reason = last?.candidates?.[0]?.finishReason
    const usage = last?.usageMetadata
    return {
      text: textOf(parts.filter(({ thought }) => !thought)),
      thinking: textOf(parts.filter(({ thought }) => thought)),
      refusal: '',
      calls,
      end: reason === 'STOP' && calls.length > 0 ? 'calls' : ends.get(reason ?? ''),
      inputTokens: usage?.promptTokenCount ?? 0,
      outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      native,
    }
  },
  async *events(response) {
    const { apiClient } = clientOf('http://127.0.0.1', {}) as unknown as { apiClient: StreamReader }
    for await (const chunk of apiClient.processStreamResponse(response)) yield await chunk.json()
  },
  problems: async (response) => (await readGeminiStream(response)).problems,
  failure: (error) => {
    if (!(error instanceof ApiError)) return undefined
    // Inside of a stream there is no status: the SDK takes the code of the error for one.
    const isLate = error.message.startsWith('got status')
    return { status: isLate ? undefined : error.status, message: error.message }
  },
}

/** The SDK's own reader of streams. */
interface StreamReader {
  processStreamResponse(response: Response): AsyncIterable<{ json(): Promise<unknown> }>
}

const ends = new Map<string, DoorAnswer['end']>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'refusal'],
])

const textOf = (parts: readonly Part[]) => parts.map(({ text = '' }) => text).join('')

const clientOf = (url: string, { headers, fetch }: Pick<DoorAsk, 'headers' | 'fetch'>) =>
  new GoogleGenAI({
    apiKey: 'any',
    httpOptions: { baseUrl: url, ...(headers ? { headers } : {}), ...(fetch ? { fetch } : {}) },
  })

async function responsesOf(url: string, request: DoorAsk): Promise<GenerateContentResponse[]> {
  const { model, turns, tools = [], thinking, signal } = request
  const client = clientOf(url, request)
  const params: GenerateContentParameters = {
    model,
    // The SDK itself refuses an empty list.
    contents: turns.length > 0 ? turns.flatMap((turn) => toContents(turn, turns)) : 'x',
    config: {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, schema }) => ({
            name,
            description,
            parametersJsonSchema: schema,
          })),
        },
      ],
      ...(thinking ? { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW } } : {}),
      ...(signal ? { abortSignal: signal } : {}),
      ...(turns.length > 0 ? {} : { httpOptions: { extraBody: { contents: [] } } }),
    },
  }
  if (!request.stream) return [await client.models.generateContent(params)]
  const responses: GenerateContentResponse[] = []
  for await (const response of await client.models.generateContentStream(params)) {
    responses.push(response)
    if (textOf(response.candidates?.[0]?.content?.parts ?? []) !== '') request.onText?.()
  }
  return responses
}

function toContents(turn: DoorTurn, turns: readonly DoorTurn[]): Content[] {
  if ('user' in turn) return [{ role: 'user', parts: [{ text: turn.user }] }]
  if ('answer' in turn) return turn.answer.native as Content[]
  const calls = turns.flatMap((each) => ('answer' in each ? each.answer.calls : []))
  return [
    {
      role: 'user',
      parts: turn.results.flatMap((result) =>
        resultParts(result, calls.find(({ id }) => id === result.callId)?.name ?? ''),
      ),
    },
  ]
}

/** A picture follows its result, as Gemini CLI sends it. */
function resultParts({ callId, text, isError, image }: DoorResult, name: string): Part[] {
  const response = isError ? { error: text } : { output: text }
  return [
    { functionResponse: { id: callId, name, response } },
    ...(image ? [{ inlineData: { mimeType: 'image/png', data: image } }] : []),
  ]
}
