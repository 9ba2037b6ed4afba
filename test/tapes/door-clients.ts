// One small client for each door: asks, and answers calls until the model makes none.

import type { Bench, Body } from '../harness.ts'
import { asked } from './recorded.ts'

export interface AskOptions {
  prompt?: string
  maxTokens?: number
  /** More tools than a small model takes. */
  manyTools?: boolean
}

export interface DoorClient {
  name: string
  stream: boolean
  ask(bench: Bench, model: string, options?: AskOptions): Promise<unknown>
  /** The whole tool loop. */
  loop(bench: Bench, model: string, prompt?: string): Promise<unknown>
}

interface Call {
  id: string
  name: string
  input: string
}

/** What differs between the doors. */
interface Dialect {
  name: string
  path(model: string, stream: boolean): string
  body(history: readonly Entry[], options: AskOptions): Body
  /** The calls of a whole answer. */
  calls(answer: Body): Call[]
}

/** The user's words, or calls with their results. */
type Entry = { prompt: string } | { answer: Body; calls: Call[] }

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const names = ['read', 'weather', ...Array.from({ length: 10 }, (_, at) => `tool_${at}`)]
const toolNames = ({ manyTools }: AskOptions) => names.slice(0, manyTools ? names.length : 1)
const description = 'Works with a file'
// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Any = any

const chat: Dialect = {
  name: 'chat',
  path: () => '/v1/chat/completions',
  body: (history, options) => ({
    messages: history.flatMap((entry) =>
      'prompt' in entry
        ? [{ role: 'user', content: entry.prompt }]
        : [
            (entry.answer as Any).choices[0].message,
            ...entry.calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'It.' })),
          ],
    ),
    tools: toolNames(options).map((name) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    ...(options.maxTokens ? { max_tokens: options.maxTokens } : {}),
  }),
  calls: (answer: Any) =>
    (answer.choices?.[0].message.tool_calls ?? []).map((call: Any) => ({ id: call.id, ...call.function })),
}

const messages: Dialect = {
  name: 'messages',
  path: () => '/v1/messages',
  body: (history, options) => ({
    max_tokens: options.maxTokens ?? 4_000,
    messages: history.flatMap((entry) =>
      'prompt' in entry
        ? [{ role: 'user', content: entry.prompt }]
        : [
            { role: 'assistant', content: (entry.answer as Any).content },
            {
              role: 'user',
              content: entry.calls.map(({ id }) => ({
                type: 'tool_result',
                tool_use_id: id,
                content: 'It.',
              })),
            },
          ],
    ),
    tools: toolNames(options).map((name) => ({ name, description, input_schema: parameters })),
  }),
  calls: (answer: Any) => (answer.content ?? []).filter(({ type }: Any) => type === 'tool_use'),
}

const responses: Dialect = {
  name: 'responses',
  path: () => '/v1/responses',
  body: (history, options) => ({
    store: false,
    input: history.flatMap((entry) =>
      'prompt' in entry
        ? [{ role: 'user', content: entry.prompt }]
        : [
            ...(entry.answer as Any).output,
            ...entry.calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: 'It.' })),
          ],
    ),
    tools: toolNames(options).map((name) => ({ type: 'function', name, description, parameters })),
    ...(options.maxTokens ? { max_output_tokens: options.maxTokens } : {}),
  }),
  calls: (answer: Any) =>
    (answer.output ?? [])
      .filter(({ type }: Any) => type === 'function_call')
      .map((item: Any) => ({ ...item, id: item.call_id })),
}

const gemini: Dialect = {
  name: 'gemini',
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (history, options) => ({
    contents: history.flatMap((entry) =>
      'prompt' in entry
        ? [{ role: 'user', parts: [{ text: entry.prompt }] }]
        : [
            (entry.answer as Any).candidates[0].content,
            {
              role: 'user',
              parts: entry.calls.map(({ id, name }) => ({
                functionResponse: { id, name, response: { output: 'It.' } },
              })),
            },
          ],
    ),
    tools: [
      {
        functionDeclarations: toolNames(options).map((name) => ({
          ...{ name, description, parametersJsonSchema: parameters },
        })),
      },
    ],
    ...(options.maxTokens ? { generationConfig: { maxOutputTokens: options.maxTokens } } : {}),
  }),
  calls: (answer: Any) =>
    (answer.candidates?.[0].content?.parts ?? []).flatMap(({ functionCall }: Any) => functionCall ?? []),
}

const ollama: Dialect = {
  name: 'ollama',
  path: () => '/api/chat',
  body: (history, options) => ({
    messages: history.flatMap((entry) =>
      'prompt' in entry
        ? [{ role: 'user', content: entry.prompt }]
        : [
            (entry.answer as Any).message,
            ...entry.calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'It.' })),
          ],
    ),
    tools: toolNames(options).map((name) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    ...(options.maxTokens ? { options: { num_predict: options.maxTokens } } : {}),
  }),
  calls: (answer: Any) =>
    (answer.message.tool_calls ?? []).map((call: Any) => ({ id: call.id, ...call.function })),
}

/** A whole answer continues the loop, also where the last request is streamed: its own answer would have to be put together. */
const clientOf = (dialect: Dialect): Omit<DoorClient, 'stream'> => ({
  name: dialect.name,
  ask(bench, model, options = {}) {
    const { stream } = this as DoorClient
    const history = [{ prompt: options.prompt ?? 'Read README.md' }]
    const body = { model, stream, ...dialect.body(history, options) }
    return asked(bench, dialect.path(model, stream), body)
  },
  async loop(bench, model, prompt = 'Read a, then stop.') {
    const { stream } = this as DoorClient
    const history: Entry[] = [{ prompt }]
    for (let turn = 0; turn < 6; turn++) {
      const body = { model, stream: false, ...dialect.body(history, {}) }
      const answer = JSON.parse(await asked(bench, dialect.path(model, false), body)) as Body
      const calls = dialect.calls(answer)
      if (calls.length === 0) break
      history.push({ answer, calls })
    }
    if (stream) await asked(bench, dialect.path(model, true), { model, stream, ...dialect.body(history, {}) })
  },
})

export const doorClients: readonly Omit<DoorClient, 'stream'>[] = [
  ...[chat, messages, responses, gemini, ollama],
].map(clientOf)
