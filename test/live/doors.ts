// A turn at each door, as a program that knows the dialect reads it.

import { filteredText } from '../../src/protocols/gemini/chunk.ts'
import { filteredText as ollamaFilteredText } from '../../src/protocols/ollama/line.ts'
import { readChatStream } from '../chat-stream.ts'
import { messagesStreamProblems } from '../messages-stream.ts'
import { readOllamaStream } from '../ollama-stream.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { geminiSaid } from './gemini-said.ts'
import { type Json, type Recording, type Said, saidBy } from './recordings.ts'

interface Heard extends Said {
  problems: string[]
}

export interface Door {
  path(model: string, stream: boolean): string
  body(tools: readonly string[]): Json
  hear(answer: Response, stream: boolean): Promise<Heard>
}

const schema = { type: 'object', properties: {} }
const go = [{ role: 'user', content: 'go' }]

const recording = (api: string, body: Json): Recording => ({ id: '', service: '', api, form: 'whole', body })

export const doors: Record<string, Door> = {
  Chat: {
    path: () => '/v1/chat/completions',
    body: (tools) => ({
      messages: go,
      tools: tools.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    }),
    async hear(answer, stream) {
      if (!stream) return { ...saidBy(recording('chat', await answer.json())), problems: [] }
      const { chunks, problems } = await readChatStream(answer)
      const said = saidBy({ ...recording('chat', {}), chunks: chunks.map((chunk) => JSON.stringify(chunk)) })
      return { ...said, problems }
    },
  },
  Responses: {
    path: () => '/v1/responses',
    body: (tools) => ({
      input: go,
      tools: tools.map((name) => ({ type: 'function', name, parameters: schema })),
    }),
    async hear(answer, stream) {
      const { response, problems } = stream
        ? await readResponsesStream(answer)
        : { response: (await answer.json()) as Json, problems: [] }
      return { ...itemsSaid(response), problems }
    },
  },
  Messages: {
    path: () => '/v1/messages',
    body: (tools) => ({
      max_tokens: 4_000,
      // Without it, thinking is not shown.
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      messages: go,
      tools: tools.map((name) => ({ name, input_schema: schema })),
    }),
    async hear(answer, stream) {
      if (!stream) return { ...saidBy(recording('messages', await answer.json())), problems: [] }
      const text = await answer.text()
      const problems = await messagesStreamProblems(new Response(text))
      return { ...saidBy({ ...recording('messages', {}), chunks: datas(text) }), problems }
    },
  },
  Gemini: {
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (tools) => ({
      contents: [{ role: 'user', parts: [{ text: 'go' }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
      tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: schema })) }],
    }),
    async hear(answer, stream) {
      const said = stream
        ? geminiSaid({ chunks: datas(await answer.text()) })
        : geminiSaid({ body: await answer.json() })
      // Gemini CLI takes an answer without any text for a failure.
      const text = said.text === filteredText ? '' : said.text
      return { ...said, text, problems: [] }
    },
  },
  Ollama: {
    path: () => '/api/chat',
    body: (tools) => ({
      messages: go,
      think: true,
      tools: tools.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    }),
    async hear(answer, stream) {
      if (!stream) return { ...ollamaSaid((await answer.json()) as Json), problems: [] }
      const { text, thinking, calls, doneReason, problems } = await readOllamaStream(answer)
      const made = calls.map(({ name, input }) => ({ name, input }))
      const finish = ollamaEnd(doneReason, made.length)
      return { text: unlessFiltered(text), reasoning: thinking, calls: made, finish, problems }
    },
  },
}

function ollamaSaid({ message, done_reason: end }: Json): Said {
  const { content, thinking = '', tool_calls: made = [] } = message
  const calls = made.map(({ function: call }: Json) => ({ name: call.name, input: call.arguments }))
  const finish = ollamaEnd(end, calls.length)
  return { text: unlessFiltered(content), reasoning: thinking, calls, finish }
}

/** The dialect has no word for it. */
const unlessFiltered = (text: string) => (text === ollamaFilteredText ? '' : text)

/** The dialect has no other ends. */
const ollamaEnd = (end: string | undefined, calls: number): Said['finish'] =>
  end === 'length' ? 'length' : calls > 0 ? 'tool-calls' : 'stop'

/** The data of each event. */
const datas = (text: string) =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))

function itemsSaid({ output, status, incomplete_details: details }: Json): Said {
  const of = (type: string): Json[] => output.filter((item: Json) => item.type === type)
  const texts = (parts: Json[] = []) => parts.map((part) => part.text ?? part.refusal ?? '').join('')
  const calls = of('function_call').map((item) => ({ name: item.name, input: JSON.parse(item.arguments) }))
  const cut = details?.reason === 'content_filter' ? 'content-filter' : 'length'
  return {
    text: of('message').map(({ content }) => texts(content)).join(''), // biome-ignore format: one line
    reasoning: of('reasoning').map(({ summary, content }) => texts(content) || texts(summary)).join(''), // biome-ignore format: one line
    calls,
    finish: status === 'incomplete' ? cut : calls.length > 0 ? 'tool-calls' : 'stop',
  }
}
