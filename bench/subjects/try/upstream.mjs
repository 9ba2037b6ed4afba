// An upstream for `try.mjs`: whatever is asked, it says one sentence and calls two tools, in the dialect of the path, whole or in
// pieces. It keeps what it was asked.
import { once } from 'node:events'
import { createServer } from 'node:http'

export const sentence = 'I look at both files: "a" and ü.'
export const calls = [
  { id: 'call_1', name: 'read', input: { path: 'src/a.ts', limit: 10, note: 'a "quoted"\n\\ line ü' } },
  { id: 'call_2', name: 'list', input: {} },
]

export async function startUpstream() {
  const asked = []
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}')
    asked.push({ path: request.url, headers: request.headers, body })
    const dialect = dialects[new URL(request.url, 'http://localhost').pathname]
    if (dialect === undefined) return response.writeHead(404).end('{"error":{"message":"no such path"}}')
    if (!body.stream)
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(dialect.whole(body.model)))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of dialect.events(body.model)) {
      response.write(event)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const piecesOf = (text, size = 5) => text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []

const chat = {
  whole: (model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: sentence,
          refusal: null,
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50 },
  }),
  *events(model) {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model }
    const chunk = (delta, finish_reason = null) =>
      `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`
    yield chunk({ role: 'assistant', content: '', refusal: null })
    for (const content of piecesOf(sentence)) yield chunk({ content })
    for (const [index, { id, name, input }] of calls.entries()) {
      yield chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
      for (const piece of piecesOf(JSON.stringify(input)))
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
    yield chunk({}, 'tool_calls')
    const usage = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50 }
    yield `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`
    yield 'data: [DONE]\n\n'
  },
}

const message = (model, content, stop_reason, usage) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason,
  stop_sequence: null,
  usage,
})

const messages = {
  whole: (model) =>
    message(
      model,
      [{ type: 'text', text: sentence }, ...calls.map((call) => ({ type: 'tool_use', ...call }))],
      'tool_use',
      { input_tokens: 20, output_tokens: 30 },
    ),
  *events(model) {
    const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
    yield event('message_start', {
      message: message(model, [], null, { input_tokens: 20, output_tokens: 1 }),
    })
    yield event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    yield event('ping', {})
    for (const text of piecesOf(sentence))
      yield event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
    yield event('content_block_stop', { index: 0 })
    for (const [at, { id, name, input }] of calls.entries()) {
      const index = at + 1
      yield event('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
      const pieces = Object.keys(input).length === 0 ? [''] : ['', ...piecesOf(JSON.stringify(input))]
      for (const partial_json of pieces)
        yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })
      yield event('content_block_stop', { index })
    }
    yield event('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 30 },
    })
    yield event('message_stop', {})
  },
}

const dialects = { '/v1/chat/completions': chat, '/v1/messages': messages }
