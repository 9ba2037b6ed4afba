// The model services of the bench that speak HTTP/1.1, in one process: as lean as they can be, for their cost is not what is
// measured, and exact, for every answer is checked.
import { createServer } from 'node:http'
import { dialectOf, geminiModel, workloadOf } from './dialects.mjs'
import { play, writesOf } from './play.mjs'
import { expected, workloads } from './workloads.mjs'

const prepared = new Map()
function prepare(path, model) {
  const key = `${path} ${model}`
  if (!prepared.has(key)) prepared.set(key, writesOf(dialectOf(path), model, workloads[workloadOf(model)]))
  return prepared.get(key)
}

/** Of a request that should be large: its end has to be there, and all of its tools. */
const isWhole = (body) =>
  body.length > 150_000 && body.includes('the last word of the history') && body.includes('tool_19')

function sendJson(response, status, value) {
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

function modelIn(body) {
  const at = body.indexOf('"model":"') + 9
  return body.toString('latin1', at, body.indexOf('"', at))
}

function answer(path, body, response) {
  // Qwen's web chat has a request of its own for each new chat.
  if (path === '/api/v2/chats/new')
    return sendJson(response, 200, { success: true, request_id: 'bench', data: { id: 'chat-bench' } })
  const model = geminiModel(path) ?? modelIn(body)
  const plan = workloads[workloadOf(model)]
  const dialect = dialectOf(path)
  if (!plan || !dialect || (plan.large && !isWhole(body)))
    return sendJson(response, 400, {
      error: { message: `not in the bench: ${path} ${model} ${body.length}` },
    })
  if (!plan.stream && dialect.whole) return sendJson(response, 200, dialect.whole(model, expected(plan).text))
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  })
  // What is asked for whole, of a service that only streams, comes in one write.
  const { pace = 'together' } = plan
  return play(response, { writes: prepare(path, model), pace, finish: (last) => response.end(last) })
}

const server = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const [path] = request.url.split('?')
    // Also a collector of traces, for those who send any.
    if (path === '/v1/traces') return sendJson(response, 200, {})
    answer(path, parts.length === 1 ? parts[0] : Buffer.concat(parts), response)
  })
})
server.keepAliveTimeout = 60_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`),
)
