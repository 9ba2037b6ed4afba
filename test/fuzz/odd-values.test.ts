// An object with a member named `toString` in place of each value of a request: what turns it into text with `String` throws. Doors
// take such a request or refuse it as invalid, and never fail.

import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../src/core/errors.ts'
import { Notes } from '../../src/core/notes.ts'
import { anthropicMessagesDoor } from '../../src/doors/anthropic-messages.ts'
import type { Door } from '../../src/doors/door.ts'
import { geminiDoor } from '../../src/doors/gemini.ts'
import { ollamaChatDoor, ollamaGenerateDoor } from '../../src/doors/ollama.ts'
import { openaiChatDoor } from '../../src/doors/openai-chat.ts'
import { preloadOf } from '../../src/protocols/ollama/request-in.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'

const schema = { type: 'object', properties: { path: { type: 'string', description: 'a path' } } }

const chat = {
  model: 'a/b',
  service_tier: 'auto',
  messages: [
    { role: 'system', content: 'x' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'other', other: 'x' },
      ],
    },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'x' },
    { type: 'odd', role: 'user', content: 'x' },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: schema } }, { type: 'other' }],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
}

const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
const messages = {
  model: 'a/b',
  max_tokens: 10,
  system: [{ type: 'text', text: 'x' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'odd', odd: 'x' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'x', signature: 'x' },
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'x' } },
        {
          type: 'tool_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: {
            type: 'tool_search_tool_search_result',
            tool_references: [{ type: 'tool_reference', tool_name: 'f' }],
          },
        },
        { type: 'tool_use', id: 'c', name: 'f', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
  ],
  tools: [{ name: 'f', input_schema: schema, defer_loading: true }, search],
  context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
}

const responses = {
  model: 'a/b',
  service_tier: 'auto',
  input: [
    {
      role: 'user',
      content: [{ type: 'input_text', text: 'x' }],
    },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'x' },
    { type: 'tool_search_call', id: 's', execution: 'server', call_id: null, arguments: { query: 'x' } },
    {
      type: 'tool_search_output',
      id: 't',
      execution: 'server',
      call_id: null,
      tools: [{ type: 'function', name: 'f', parameters: schema }],
    },
    { type: 'odd', id: 'x' },
  ],
  tools: [{ type: 'function', name: 'f', parameters: schema, defer_loading: true }, { type: 'tool_search' }],
  tool_choice: { type: 'function', name: 'f' },
}

const gemini = {
  systemInstruction: { parts: [{ text: 'x' }] },
  contents: [
    {
      role: 'user',
      parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }, { odd: 'x' }],
    },
    { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'x' }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: { output: 'x' } } }] },
  ],
  tools: [
    { functionDeclarations: [{ name: 'f', description: 'x', parameters: schema }] },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  generationConfig: {
    responseMimeType: 'application/json',
    responseSchema: schema,
    responseModalities: ['TEXT'],
    stopSequences: ['x'],
    thinkingConfig: { thinkingLevel: 'HIGH' },
  },
}

const ollama = {
  model: 'm',
  messages: [
    { role: 'system', content: 'x' },
    { role: 'user', content: 'x', images: ['iVBORw0KGgo='] },
    {
      role: 'assistant',
      content: '',
      thinking: 'x',
      tool_calls: [{ id: 'c', function: { name: 'f', arguments: {} } }],
    },
    { role: 'tool', content: 'x', tool_name: 'f', tool_call_id: 'c' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'x', parameters: schema } }],
  format: schema,
  think: 'high',
  options: { temperature: 1, top_k: 1, top_p: 1, num_predict: 1, stop: ['x'] },
}

const generate = {
  model: 'm',
  system: 'x',
  prompt: 'x',
  images: ['/9j/'],
  raw: false,
  suffix: '',
  context: [],
}

const earlier = { conversation: () => undefined, itemsOf: () => undefined }

/** The value with each of its members replaced in turn. */
function* withOdd(value: unknown, odd: unknown): Generator<unknown> {
  yield odd
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value))
    for (const changed of withOdd(inner, odd))
      yield Array.isArray(value)
        ? value.map((old, at) => (String(at) === name ? changed : old))
        : { ...value, [name]: changed }
}

const read = (door: Door) => (body: unknown) => void door.read(body, new Notes(), () => undefined)
const doors: [string, object, (body: unknown) => void][] = [
  ['chat', chat, read(openaiChatDoor)],
  ['messages', messages, read(anthropicMessagesDoor)],
  ['responses', responses, (body) => void fromResponsesRequest(body, new Notes(), earlier)],
  ['gemini', gemini, read(geminiDoor({ model: 'a/b', stream: false, form: 'sse' }))],
  ['ollama', ollama, read(ollamaChatDoor)],
  ['ollama, generate', generate, read(ollamaGenerateDoor)],
  ['ollama, a model to load', { model: 'm', messages: [], keep_alive: '0s' }, (body) => void preloadOf(body)],
]

describe.each(doors)('%s', (_, sample, take) => {
  it('takes its sample', () => take(sample))

  it.each([{ odd: { toString: 1 } }, { odd: [{ toString: 1 }] }])('never fails at $odd', ({ odd }) => {
    for (const body of withOdd(sample, odd))
      try {
        take(body)
      } catch (error) {
        if (!(error instanceof GatewayError)) expect([JSON.stringify(body), error]).toEqual([])
      }
  })
})
