// One request in the dialects of all doors, and its answer: for threats that all doors share.

import { expect } from 'vitest'
import type { Body } from '../harness.ts'

export interface Question {
  model: string
  text?: string
  tools?: readonly { name: string; schema?: unknown }[]
  /** A call that was made and answered before. */
  made?: { id: string; name: string; input: string; result: string }
  stream?: boolean
  more?: Body
}

export interface DoorAnswer {
  status: number
  headers: Headers
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  json: any
  calls: { id: string; name: string; input: unknown }[]
  text: string
}

export interface ThreatDoor {
  name: string
  path(question: Pick<Question, 'model' | 'stream'>): string
  /** The model and the form are in the path. */
  isAllInPath?: true
  toBody(question: Question): Body
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  read(json: any): Pick<DoorAnswer, 'calls' | 'text'>
}

const anySchema = { type: 'object', properties: {} }

const chat: ThreatDoor = {
  name: 'Chat',
  path: () => '/v1/chat/completions',
  toBody: ({ text = 'hello', tools = [], made }) => {
    const call = made && {
      id: made.id,
      type: 'function',
      function: { name: made.name, arguments: made.input },
    }
    return {
      messages: [
        { role: 'user', content: text },
        ...(made
          ? [
              { role: 'assistant', tool_calls: [call] },
              { role: 'tool', tool_call_id: made.id, content: made.result },
            ]
          : []),
      ],
      tools: tools.map(({ name, schema = anySchema }) => ({
        type: 'function',
        function: { name, parameters: schema },
      })),
    }
  },
  read: (json) => {
    const { message } = json.choices[0]
    const calls: { id: string; function: { name: string; arguments: string } }[] = message.tool_calls ?? []
    return {
      text: message.content ?? '',
      calls: calls.map((call) => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      })),
    }
  },
}

const messages: ThreatDoor = {
  name: 'Messages',
  path: () => '/v1/messages',
  toBody: ({ text = 'hello', tools = [], made }) => {
    const call = made && { type: 'tool_use', id: made.id, name: made.name, input: JSON.parse(made.input) }
    return {
      max_tokens: 1000,
      messages: [
        { role: 'user', content: text },
        ...(made
          ? [
              { role: 'assistant', content: [call] },
              {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: made.id, content: made.result }],
              },
            ]
          : []),
      ],
      tools: tools.map(({ name, schema = anySchema }) => ({ name, input_schema: schema })),
    }
  },
  read: (json) => ({
    text: json.content.map((block: { text?: string }) => block.text ?? '').join(''),
    calls: json.content.filter((block: { type: string }) => block.type === 'tool_use'),
  }),
}

interface Item {
  type: string
  call_id: string
  name: string
  arguments: string
  content?: { text?: string }[]
}

const responses: ThreatDoor = {
  name: 'Responses',
  path: () => '/v1/responses',
  toBody: ({ text = 'hello', tools = [], made }) => ({
    input: [
      { role: 'user', content: text },
      ...(made
        ? [
            { type: 'function_call', call_id: made.id, name: made.name, arguments: made.input },
            { type: 'function_call_output', call_id: made.id, output: made.result },
          ]
        : []),
    ],
    tools: tools.map(({ name, schema = anySchema }) => ({ type: 'function', name, parameters: schema })),
  }),
  read: ({ output }: { output: Item[] }) => ({
    text: output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join(''),
    calls: output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) })),
  }),
}

interface Part {
  text?: string
  functionCall?: { id: string; name: string; args: unknown }
}

const gemini: ThreatDoor = {
  name: 'Gemini',
  isAllInPath: true,
  path: ({ model, stream }) =>
    `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  toBody: ({ text = 'hello', tools = [], made }) => ({
    contents: [
      { role: 'user', parts: [{ text }] },
      ...(made
        ? [
            {
              role: 'model',
              parts: [{ functionCall: { id: made.id, name: made.name, args: JSON.parse(made.input) } }],
            },
            {
              role: 'user',
              parts: [
                { functionResponse: { id: made.id, name: made.name, response: { output: made.result } } },
              ],
            },
          ]
        : []),
    ],
    tools: [
      {
        functionDeclarations: tools.map(({ name, schema = anySchema }) => ({
          name,
          parametersJsonSchema: schema,
        })),
      },
    ],
  }),
  read: ({ candidates: [{ content }] }: { candidates: [{ content: { parts: Part[] } }] }) => ({
    text: content.parts.map(({ text = '' }) => text).join(''),
    calls: content.parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id, name: call.name, input: call.args }] : [],
    ),
  }),
}

interface OllamaCall {
  id: string
  function: { name: string; arguments: unknown }
}

const ollama: ThreatDoor = {
  name: 'Ollama',
  path: () => '/api/chat',
  toBody: ({ text = 'hello', tools = [], made, stream = false }) => ({
    stream,
    messages: [
      { role: 'user', content: text },
      ...(made
        ? [
            {
              ...{ role: 'assistant', content: '' },
              tool_calls: [{ id: made.id, function: { name: made.name, arguments: JSON.parse(made.input) } }],
            },
            { role: 'tool', tool_call_id: made.id, tool_name: made.name, content: made.result },
          ]
        : []),
    ],
    tools: tools.map(({ name, schema = anySchema }) => ({
      type: 'function',
      function: { name, parameters: schema },
    })),
  }),
  read: ({ message }: { message: { content: string; tool_calls?: OllamaCall[] } }) => ({
    text: message.content,
    calls: (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      input: call.function.arguments,
    })),
  }),
}

export const threatDoors: readonly ThreatDoor[] = [chat, messages, responses, gemini, ollama]

export const bodyFor = (door: ThreatDoor, question: Question): Body => ({
  ...(door.isAllInPath ? {} : { model: question.model, ...(question.stream ? { stream: true } : {}) }),
  ...door.toBody(question),
  ...question.more,
})

/** `body`: as text, where no JavaScript object could say it. */
export async function askDoor(
  url: string,
  door: ThreatDoor,
  question: Question,
  options: { headers?: Record<string, string>; body?: string } = {},
): Promise<DoorAnswer> {
  const answer = await fetch(url + door.path(question), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: options.body ?? JSON.stringify(bodyFor(door, question)),
  })
  const raw = await answer.text()
  const shown = { status: answer.status, headers: answer.headers, raw, json: undefined, calls: [], text: '' }
  if (question.stream && answer.ok) return shown
  const json = JSON.parse(raw)
  return { ...shown, json, ...(answer.ok ? door.read(json) : {}) }
}

/** Lines of an event stream that hold JSON, names and comments of ours, and no other byte; gives what they hold. */
export function expectCleanStream({ raw, headers }: DoorAnswer): unknown[] {
  expect([...headers.keys()].filter((name) => name.includes('inject'))).toEqual([])
  expect(raw).not.toMatch(/[\r\0]/)
  const data: unknown[] = []
  const isLines = headers.get('content-type') === 'application/x-ndjson'
  for (const line of raw.split('\n')) {
    if (isLines && line !== '') {
      data.push(JSON.parse(line))
      continue
    }
    if (line === '' || line === 'data: [DONE]' || /^event: [a-z_.]+$/.test(line)) continue
    if (/^: ?[\x20-\x7e]*$/.test(line)) continue
    // Google's clients get a late error once more, bare.
    if (line.startsWith('{"error"') && raw.endsWith(`data: ${line}\n\n${line}`)) continue
    expect(line).toMatch(/^data: /)
    data.push(JSON.parse(line.slice('data: '.length)))
  }
  return data
}
