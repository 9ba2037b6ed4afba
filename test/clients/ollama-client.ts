// The official `ollama` package as the contract of the Ollama door uses it.

import { type ChatRequest, type ChatResponse, type Message, Ollama } from 'ollama/browser'
import type { DoorAnswer, DoorAsk, DoorClient, DoorTurn } from '../contract/door-client.ts'
import { readOllamaStream } from '../ollama-stream.ts'

export const ollamaClient: DoorClient = {
  name: 'ollama',
  conversation: 'messages',
  alwaysThinks: true,
  hidesRefusals: true,
  isLines: true,
  async ask(url, request) {
    const responses = await responsesOf(url, request)
    const said = responses.map(({ message }) => message)
    const calls = said.flatMap(({ tool_calls = [] }) => tool_calls)
    const last = responses.at(-1)
    const text = said.map(({ content }) => content).join('')
    const thinking = said.map((message) => message.thinking ?? '').join('')
    return {
      ...{ text, thinking, refusal: '' },
      calls: calls.map((call) => ({
        id: (call as { id?: string }).id ?? '',
        name: call.function.name,
        input: call.function.arguments,
      })),
      end: endOf(last, calls.length),
      inputTokens: last?.prompt_eval_count ?? 0,
      outputTokens: last?.eval_count ?? 0,
      native: { role: 'assistant', content: text, thinking, tool_calls: calls },
    }
  },
  async *events(response) {
    const client = clientOf('http://127.0.0.1', { fetch: async () => response })
    for await (const event of await quietly(() => client.chat({ model: 'm', stream: true }))) yield event
  },
  problems: async (response) => (await readOllamaStream(response)).problems,
  failure: (error) => {
    if (!(error instanceof Error)) return undefined
    const { status_code: status } = error as { status_code?: number }
    if (error.name === 'ResponseError') return { status, message: error.message }
    // Inside of a stream the package throws plain errors.
    return error.constructor === Error ? { status: undefined, message: error.message } : undefined
  },
}

function endOf(last: ChatResponse | undefined, calls: number): DoorAnswer['end'] {
  if (!last?.done) return undefined
  if (last.done_reason === 'length') return 'length'
  return last.done_reason === 'stop' ? (calls > 0 ? 'calls' : 'stop') : undefined
}

/** The package has its own user agent, and no signal. */
const clientOf = (url: string, { headers, fetch: given, signal }: Partial<DoorAsk>) =>
  new Ollama({
    host: url,
    fetch: (input, init) => {
      const all = new Headers(init?.headers)
      for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value)
      return (given ?? fetch)(input, { ...init, headers: all, ...(signal ? { signal } : {}) })
    },
  })

/** The package complains of lines that tests have cut. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  console.warn = () => undefined
  return run()
}

async function responsesOf(url: string, request: DoorAsk): Promise<ChatResponse[]> {
  const { model, turns, tools = [], thinking } = request
  const client = clientOf(url, request)
  const asked: ChatRequest = {
    model,
    // No message at all would only load the model.
    messages: turns.length > 0 ? turns.flatMap(toMessages) : [{ role: 'system', content: 'x' }],
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
    ...(thinking ? { think: true } : {}),
  }
  if (!request.stream) return [await client.chat({ ...asked, stream: false })]
  const responses: ChatResponse[] = []
  for await (const response of await quietly(() => client.chat({ ...asked, stream: true }))) {
    responses.push(response)
    if (response.message.content !== '') request.onText?.()
  }
  return responses
}

function toMessages(turn: DoorTurn): Message[] {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('answer' in turn) return [turn.answer.native as Message]
  return turn.results.map(({ callId, text, image }) => ({
    ...{ role: 'tool', content: text, tool_call_id: callId },
    ...(image ? { images: [image] } : {}),
  }))
}
