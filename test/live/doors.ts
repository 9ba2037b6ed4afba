// A turn at each door, as a program that knows the dialect reads it.

import { readChatStream } from '../chat-stream.ts'
import { messagesStreamProblems } from '../messages-stream.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { type Json, type Recording, type Said, saidBy } from './recordings.ts'

interface Heard extends Said {
  problems: string[]
}

export interface Door {
  path: string
  body(tools: readonly string[]): Json
  hear(answer: Response, stream: boolean): Promise<Heard>
}

const schema = { type: 'object', properties: {} }
const go = [{ role: 'user', content: 'go' }]

const recording = (api: string, body: Json): Recording => ({ id: '', service: '', api, form: 'whole', body })

export const doors: Record<string, Door> = {
  Chat: {
    path: '/v1/chat/completions',
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
    path: '/v1/responses',
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
    path: '/v1/messages',
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
      const chunks = text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice('data: '.length))
      const problems = await messagesStreamProblems(new Response(text))
      return { ...saidBy({ ...recording('messages', {}), chunks }), problems }
    },
  },
}

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
