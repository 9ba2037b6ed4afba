// The three dialects that a session can speak: its history → a request, an answer in either form → text and calls, or the
// error that it holds. A history is a list of {user}, {text, calls} and {results}.
import { eventsOf } from './wire.mjs'

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const readTool = { name: 'read', description: 'Read a file', schema }

/** An answer that violates the dialect. */
export class WrongAnswer extends Error {}

function demand(isSo, what, text) {
  if (!isSo) throw new WrongAnswer(`${what}: ${text.slice(-600)}`)
}

const chat = {
  path: '/v1/chat/completions',
  body: (model, history, stream, tools = [readTool]) => ({
    model,
    stream,
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
    messages: history.flatMap(({ user, text, calls, results }) => {
      if (user) return [{ role: 'user', content: user }]
      if (results) return results.map(({ id, content }) => ({ role: 'tool', tool_call_id: id, content }))
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      }))
      return [{ role: 'assistant', content: text || null, ...(calls.length > 0 ? { tool_calls } : {}) }]
    }),
  }),
  whole({ choices: [{ message, finish_reason }] }) {
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      input,
    }))
    return { text: message.content ?? '', calls, isOver: finish_reason === 'stop' }
  },
  stream(raw) {
    const events = eventsOf(raw)
    demand(events.at(-1)?.data === '[DONE]', 'a stream without [DONE]', raw)
    const answer = { text: '', calls: [], isOver: false, ends: 0 }
    for (const { choices = [], error } of events.slice(0, -1).map(({ data }) => JSON.parse(data))) {
      if (error) return { error }
      const [{ delta, finish_reason } = { delta: {} }] = choices
      answer.text += delta.content ?? ''
      for (const { index, id, function: piece } of delta.tool_calls ?? []) {
        answer.calls[index] ??= { id, name: piece.name, input: '' }
        answer.calls[index].input += piece.arguments ?? ''
      }
      if (finish_reason) answer.ends++
      answer.isOver ||= finish_reason === 'stop'
    }
    demand(answer.ends === 1, 'a stream without its one finish_reason', raw)
    return answer
  },
  errorOf: ({ error }) => error,
}

const messages = {
  path: '/v1/messages',
  body: (model, history, stream, tools = [readTool]) => ({
    model,
    stream,
    max_tokens: 4_000,
    tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    messages: history.map(({ user, text, calls, results }) => {
      if (user) return { role: 'user', content: user }
      if (results) {
        const content = results.map(({ id, content }) => ({ type: 'tool_result', tool_use_id: id, content }))
        return { role: 'user', content }
      }
      const uses = calls.map(({ id, name, input }) => ({
        type: 'tool_use',
        id,
        name,
        input: JSON.parse(input),
      }))
      return { role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...uses] }
    }),
  }),
  whole({ content, stop_reason }) {
    const ofType = (type) => content.filter((block) => block.type === type)
    return {
      text: ofType('text')
        .map(({ text }) => text)
        .join(''),
      calls: ofType('tool_use').map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) })),
      isOver: stop_reason === 'end_turn',
    }
  },
  stream(raw) {
    const blocks = []
    let stop
    const events = eventsOf(raw).map(({ data }) => JSON.parse(data))
    for (const { type, index, content_block, delta, error } of events) {
      if (type === 'error') return { error }
      if (type === 'content_block_start') blocks[index] = { ...content_block, json: '' }
      if (type === 'content_block_delta') {
        blocks[index].text += delta.text ?? ''
        blocks[index].json += delta.partial_json ?? ''
      }
      if (type === 'message_delta') stop = delta.stop_reason
    }
    demand(events.at(-1)?.type === 'message_stop', 'a stream without message_stop', raw)
    const content = blocks.map((block) =>
      block.type === 'tool_use' ? { ...block, input: JSON.parse(block.json || '{}') } : block,
    )
    return messages.whole({ content, stop_reason: stop })
  },
  errorOf: ({ error }) => error,
}

const responses = {
  path: '/v1/responses',
  body: (model, history, stream, tools = [readTool]) => ({
    model,
    stream,
    store: false,
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
    })),
    input: history.flatMap(({ user, text, calls, results }) => {
      if (user) return [{ role: 'user', content: user }]
      if (results)
        return results.map(({ id, content }) => ({
          type: 'function_call_output',
          call_id: id,
          output: content,
        }))
      const called = calls.map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: input,
      }))
      return [...(text ? [{ role: 'assistant', content: text }] : []), ...called]
    }),
  }),
  whole({ output, status }) {
    const ofType = (type) => output.filter((item) => item.type === type)
    const calls = ofType('function_call').map(({ call_id, name, arguments: input }) => ({
      id: call_id,
      name,
      input,
    }))
    return {
      text: ofType('message')
        .flatMap(({ content }) => content)
        .map(({ text }) => text)
        .join(''),
      calls,
      isOver: status === 'completed' && calls.length === 0,
    }
  },
  stream(raw) {
    const events = eventsOf(raw).flatMap(({ name, data }) => (name === 'keepalive' ? [] : [JSON.parse(data)]))
    const last = events.at(-1)
    const failure = events.find(({ type }) => type === 'error')
    demand(failure === undefined || last?.type === 'response.failed', 'an error without its end', raw)
    if (failure) return { error: failure.error }
    demand(last?.type === 'response.completed', 'a stream without response.completed', raw)
    const streamed = events.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''))
    const answer = responses.whole(last.response)
    demand(streamed.join('') === answer.text, 'deltas that do not add up', raw)
    return answer
  },
  errorOf: ({ error }) => error,
}

export const doors = { chat, messages, responses }

/** The codes of docs/errors.md for upstream failures. */
const openaiErrors = new Set([
  'rate_limit_error rate_limit_exceeded',
  'server_error upstream_unavailable',
  'server_error upstream_protocol_error',
  'server_error timeout',
])
const messagesErrors = new Set(['rate_limit_error', 'overloaded_error', 'api_error', 'timeout_error'])
const statuses = new Set([429, 500, 502, 503, 504])

/** Whether the error is a documented one; `status` is 200 for an error inside a stream. */
export function isDocumented(door, { status, error }) {
  if (typeof error?.message !== 'string' || error.message === '') return false
  const isKnown =
    door === 'messages'
      ? messagesErrors.has(error.type)
      : openaiErrors.has(`${error.type} ${error.code}`) && 'param' in error
  return isKnown && (status === 200 || statuses.has(status))
}

/** The error of a retry while the gateway still serves the abandoned first request. */
export const isConflict = (door, { status, error }) =>
  status === 409 && (door === 'messages' ? error?.type === 'conflict_error' : error?.code === 'conflict')
