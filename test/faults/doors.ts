// The five dialects by hand: a request in each, and its answer in either form, reduced to what all have. Each exchange has a
// separate connection, so connections that stay open afterwards are the gateway's.

import { type IncomingHttpHeaders, request } from 'node:http'
import { readChatStream } from '../chat-stream.ts'
import { readGeminiStream } from '../gemini-stream.ts'
import type { Body } from '../harness.ts'
import { messagesStreamProblems } from '../messages-stream.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { type Asked, type Dialect, type Json, type Read, type ShownError, schema, tool } from './dialect.ts'
import { ollama, ollamaError } from './ollama.ts'

export type { Call, Turn } from './dialect.ts'

export interface DoorAnswer extends Read {
  status: number
  headers: IncomingHttpHeaders
}

const chat: Dialect = {
  path: () => '/v1/chat/completions',
  body: ({ model, turns, stream }) => ({
    model,
    stream,
    tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
    messages: turns.flatMap((turn): Body[] => {
      if ('user' in turn) return [{ role: 'user', content: turn.user }]
      if ('results' in turn)
        return turn.results.map(({ id, content }) => ({ role: 'tool', tool_call_id: id, content }))
      const calls = turn.calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      }))
      return [{ role: 'assistant', content: turn.text || null, tool_calls: calls }]
    }),
  }),
  whole: ({ choices: [{ message, finish_reason }] }) => ({
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).map((call: Json) => ({
      id: call.id,
      name: call.function.name,
      input: call.function.arguments,
    })),
    complete: finish_reason === 'stop' || finish_reason === 'tool_calls',
  }),
  async stream(response) {
    const { text, calls, finishReason, error, problems } = await readChatStream(response)
    return {
      text,
      calls: calls.map(({ id, name, arguments: input }) => ({ id, name, input })),
      complete: finishReason === 'stop' || finishReason === 'tool_calls',
      error,
      problems,
    }
  },
}

const messages: Dialect = {
  path: () => '/v1/messages',
  body: ({ model, turns, stream }) => ({
    model,
    stream,
    max_tokens: 1_000,
    tools: [{ ...tool, input_schema: schema }],
    messages: turns.map((turn): Body => {
      if ('user' in turn) return { role: 'user', content: turn.user }
      if ('results' in turn) {
        const content = turn.results.map(({ id, content }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content,
        }))
        return { role: 'user', content }
      }
      const uses = turn.calls.map(({ id, name, input }) => ({
        type: 'tool_use',
        id,
        name,
        input: JSON.parse(input),
      }))
      return {
        role: 'assistant',
        content: [...(turn.text ? [{ type: 'text', text: turn.text }] : []), ...uses],
      }
    }),
  }),
  whole: ({ content, stop_reason }) => ({
    text: content.map(({ text = '' }) => text).join(''),
    calls: content.flatMap((block: Json) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, input: JSON.stringify(block.input) }]
        : [],
    ),
    complete: stop_reason === 'end_turn' || stop_reason === 'tool_use',
  }),
  async stream(response) {
    const problems = await messagesStreamProblems(response.clone())
    const events: Json[] = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) =>
      JSON.parse(data ?? ''),
    )
    const blocks: Json[] = []
    for (const { type, index, content_block, delta } of events) {
      if (type === 'content_block_start') blocks[index] = { ...content_block, json: '' }
      if (type === 'content_block_delta') {
        blocks[index].text += delta.text ?? ''
        blocks[index].json += delta.partial_json ?? ''
      }
    }
    const error = events.find(({ type }) => type === 'error')?.error
    const content = blocks.map((block) => ({ ...block, input: JSON.parse(block.json || '{}') }))
    const stop_reason = events.find(({ type }) => type === 'message_delta')?.delta.stop_reason
    return { ...messages.whole({ content, stop_reason }), error, problems }
  },
}

const responses: Dialect = {
  path: () => '/v1/responses',
  body: ({ model, turns, stream }) => ({
    model,
    stream,
    store: false,
    tools: [{ type: 'function', ...tool, parameters: schema }],
    input: turns.flatMap((turn): Body[] => {
      if ('user' in turn) return [{ role: 'user', content: turn.user }]
      if ('results' in turn)
        return turn.results.map(({ id, content }) => ({
          type: 'function_call_output',
          call_id: id,
          output: content,
        }))
      const calls = turn.calls.map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: input,
      }))
      return [...(turn.text ? [{ role: 'assistant', content: turn.text }] : []), ...calls]
    }),
  }),
  whole: ({ output, status }) => ({
    text: output
      .flatMap((item: Json) => (item.type === 'message' ? item.content : []))
      .map(({ text }: Json) => text)
      .join(''),
    calls: output.flatMap((item: Json) =>
      item.type === 'function_call' ? [{ id: item.call_id, name: item.name, input: item.arguments }] : [],
    ),
    complete: status === 'completed',
  }),
  async stream(response) {
    const { events, calls, response: last, error, problems } = await readResponsesStream(response)
    return {
      // Text before the failure of a response counts, too.
      text: events.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join(''),
      calls: calls.map(({ id, name, input }) => ({ id, name, input })),
      complete: last?.status === 'completed',
      error: error?.error ?? error,
      problems,
    }
  },
}

const gemini: Dialect = {
  path: ({ model, stream }) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: ({ turns }) => {
    const made = turns.flatMap((turn) => ('calls' in turn ? turn.calls : []))
    return {
      tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: schema }] }],
      contents: turns.map((turn): Body => {
        if ('user' in turn) return { role: 'user', parts: [{ text: turn.user }] }
        if ('results' in turn) {
          const parts = turn.results.map(({ id, content }) => {
            const name = made.findLast((call) => call.id === id)?.name ?? tool.name
            return { functionResponse: { id, name, response: { output: content } } }
          })
          return { role: 'user', parts }
        }
        const calls = turn.calls.map(({ id, name, input }) => ({
          functionCall: { id, name, args: JSON.parse(input) },
        }))
        return { role: 'model', parts: [...(turn.text ? [{ text: turn.text }] : []), ...calls] }
      }),
    }
  },
  whole: ({ candidates: [{ content, finishReason }] }) => ({
    text: content.parts.map(({ text = '' }) => text).join(''),
    calls: content.parts.flatMap(({ functionCall: call }: Json) =>
      call ? [{ id: call.id, name: call.name, input: JSON.stringify(call.args) }] : [],
    ),
    complete: finishReason === 'STOP',
  }),
  async stream(response) {
    const { text, calls, finishReason, error, problems } = await readGeminiStream(response)
    return {
      text,
      calls: calls.map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) })),
      complete: finishReason === 'STOP',
      error: error && googleError(error),
      problems: error ? problems : problems.filter((problem) => !problem.startsWith('finishReason')),
    }
  },
}

/** Its `status` is a word, as the type of others. */
const googleError = ({ status, message }: Json): ShownError => ({ type: status, code: null, message })

const dialects = { chat, messages, responses, gemini, ollama }
export type DoorName = keyof typeof dialects
export const doorNames = Object.keys(dialects) as DoorName[]

export interface Exchange {
  answer: Promise<DoorAnswer>
  /** What has come so far. */
  seen(): string
  leave(): void
}

export function begin(url: string, door: DoorName, asked: Asked): Exchange {
  const { path, body } = dialects[door]
  let seen = ''
  const text = JSON.stringify(body(asked))
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const sent = request(`${url}${path(asked)}`, { method: 'POST', agent: false, headers })
  const answer = new Promise<DoorAnswer>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.on('data', (chunk) => (seen += chunk))
      response.on('error', reject)
      response.on('end', () => {
        readAnswer(door, response.statusCode ?? 0, response.headers, seen).then(resolve, reject)
      })
    })
  })
  sent.end(text)
  return { answer, seen: () => seen, leave: () => sent.destroy() }
}

function errorOf(door: DoorName, error: Json): ShownError {
  if (door === 'ollama') return ollamaError(error)
  return door === 'gemini' ? googleError(error) : error
}

export const ask = (url: string, door: DoorName, asked: Asked): Promise<DoorAnswer> =>
  begin(url, door, asked).answer

async function readAnswer(
  door: DoorName,
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
): Promise<DoorAnswer> {
  const { whole, stream } = dialects[door]
  const none = { text: '', calls: [], complete: false, error: undefined, problems: [] }
  const type = headers['content-type'] ?? ''
  if (type.startsWith('text/event-stream') || type === 'application/x-ndjson') {
    const response = new Response(text, { headers: { 'content-type': type } })
    return { status, headers, ...(await stream(response)) }
  }
  const json = JSON.parse(text)
  if (status !== 200) {
    return { status, headers, ...none, error: errorOf(door, json.error) }
  }
  return { status, headers, ...none, ...whole(json) }
}
