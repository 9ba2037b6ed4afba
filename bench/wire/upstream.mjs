// The model services of the bench, in one process: as lean as they can be, for their cost is not what is measured, and exact,
// for every answer is checked. `POST /v1/messages` is Anthropic's, `POST /v1/chat/completions` OpenAI's.
import { createServer } from 'node:http'
import { callText, expected, now, noStamp, pieces, stampedWord, stampOf, toolName, wordOf, workloads } from './workloads.mjs'

const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`

const chatChunk = (model, delta, finish_reason = null) =>
  event({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }

const chat = {
  head: (model) => chatChunk(model, { role: 'assistant', content: '' }),
  text: (model, text) => chatChunk(model, { content: text }),
  callHead: (model) =>
    chatChunk(model, {
      tool_calls: [{ index: 0, id: 'call_bench', type: 'function', function: { name: toolName, arguments: '' } }],
    }),
  callPiece: (model, text) => chatChunk(model, { tool_calls: [{ index: 0, function: { arguments: text } }] }),
  end: (model, isCall) =>
    `${chatChunk(model, {}, isCall ? 'tool_calls' : 'stop')}${event({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model, choices: [], usage })}data: [DONE]\n\n`,
  whole: (model, text) => ({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' }],
    usage,
  }),
}

const message = (model) => ({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
})
const delta = (value) => event({ type: 'content_block_delta', index: 0, delta: value }, 'content_block_delta')
const blockStart = (content_block) => event({ type: 'content_block_start', index: 0, content_block }, 'content_block_start')

const messages = {
  head: (model, isCall) =>
    event({ type: 'message_start', message: message(model) }, 'message_start') +
    (isCall ? '' : blockStart({ type: 'text', text: '' })),
  text: (_model, text) => delta({ type: 'text_delta', text }),
  callHead: () => blockStart({ type: 'tool_use', id: 'toolu_bench', name: toolName, input: {} }),
  callPiece: (_model, text) => delta({ type: 'input_json_delta', partial_json: text }),
  end: (_model, isCall) =>
    event({ type: 'content_block_stop', index: 0 }, 'content_block_stop') +
    event(
      { type: 'message_delta', delta: { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 20 } },
      'message_delta',
    ) +
    event({ type: 'message_stop' }, 'message_stop'),
  whole: (model, text) => ({ ...message(model), content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
}

const dialects = { '/v1/chat/completions': chat, '/v1/messages': messages }

/** All writes of an answer, made once; those with a stamp are functions of nothing. */
function answerOf(dialect, model) {
  const plan = workloads[model]
  const isCall = plan.answer === 'call'
  const head = dialect.head(model, isCall)
  const end = dialect.end(model, isCall)
  if (plan.answer === 'words')
    return [head, ...Array.from({ length: plan.count }, (_, at) => dialect.text(model, wordOf(at))), end].map((text) => Buffer.from(text))
  if (plan.answer === 'stamps')
    return [head, ...Array.from({ length: plan.count }, (_, at) => () => dialect.text(model, stampedWord(at))), end]
  const all = pieces(callText(plan), plan.count)
  const last = all.pop()
  return [
    head + dialect.callHead(model),
    ...all.map((piece) => Buffer.from(dialect.callPiece(model, piece))),
    // The end of the block comes with the last piece: what follows is the gateway's own time.
    () => dialect.callPiece(model, last.replace(noStamp, stampOf(now()))) + end,
  ]
}

const prepared = new Map()
function prepare(path, model) {
  const key = `${path} ${model}`
  if (!prepared.has(key)) prepared.set(key, answerOf(dialects[path], model))
  return prepared.get(key)
}

const textOf = (write) => (typeof write === 'function' ? write() : write)

function play(response, writes, pace) {
  if (pace === 'together') return response.end(Buffer.concat(writes.map((write) => Buffer.from(textOf(write)))))
  let at = 0
  const next = () => {
    if (response.destroyed) return stop()
    if (at === writes.length - 1) {
      stop()
      return response.end(textOf(writes[at]))
    }
    response.write(textOf(writes[at++]))
    if (pace === 'each') setImmediate(next)
  }
  const timer = pace === 'each' ? undefined : setInterval(next, pace)
  const stop = () => clearInterval(timer)
  return next()
}

/** Of a request that should be large: its end has to be there, and all of its tools. */
const isWhole = (body) =>
  body.length > 150_000 && body.includes('the last word of the history') && body.includes('tool_19')

const server = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const at = body.indexOf('"model":"') + 9
    const model = body.toString('latin1', at, body.indexOf('"', at))
    const plan = workloads[model]
    const dialect = dialects[request.url]
    if (!plan || !dialect || (plan.large && !isWhole(body))) {
      response.writeHead(400, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ error: { message: `not in the bench: ${request.url} ${model} ${body.length}` } }))
    }
    if (!plan.stream) {
      const text = JSON.stringify(dialect.whole(model, expected(plan).text))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      return response.end(text)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    return play(response, prepare(request.url, model), plan.pace)
  })
})
server.keepAliveTimeout = 60_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`))
