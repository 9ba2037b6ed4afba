// Cursor's agent service for the bench, over cleartext HTTP/2: a key is exchanged, models are listed, a run is answered at
// once. It asks for nothing, checks nothing but the request's length, and remembers nothing: the simulator (sim/cursor.ts) does all
// of that, and costs more than the gateway.
import { createServer as createHttp1 } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { create, fromBinary, fromJson, toBinary } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { root } from '../../scripts/prepare.mjs'
import { play, writesOf } from './play.mjs'
import { argumentsOf, toolName, workloads } from './workloads.mjs'

const schemas = async (file) => import(join(root, 'build/proto/gen/agent/v1', file))
const { AgentClientMessageSchema, AgentServerMessageSchema } = await schemas('run_pb.js')
const { GetUsableModelsResponseSchema } = await schemas('model_pb.js')

function frame(payload, flags = 0) {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags, 0)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}
const serverMessage = (message) =>
  frame(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message })))
const update = (message) => serverMessage({ case: 'interactionUpdate', value: { message } })

let calls = 0

/** Arguments come whole, in one message; the run then waits for the result, and so it has no end. */
function wholeCall(_model, plan, stamp) {
  const args = Object.fromEntries(
    Object.entries(argumentsOf(plan, stamp)).map(([name, value]) => [name, fromJson(ValueSchema, value)]),
  )
  const value = {
    name: toolName,
    args,
    toolCallId: `tool_bench_${calls++}`,
    providerIdentifier: 'bench',
    toolName,
  }
  return serverMessage({
    case: 'execServerMessage',
    value: { id: 1, execId: 'exec-bench', message: { case: 'mcpArgs', value } },
  })
}

const usage = { inputTokens: 10n, outputTokens: 20n, reasoningTokens: 0n }

const dialect = {
  head: () => update({ case: 'heartbeat', value: {} }),
  text: (_model, text) => update({ case: 'textDelta', value: { text } }),
  wholeCall,
  end: () => Buffer.concat([update({ case: 'turnEnded', value: usage }), frame(Buffer.from('{}'), 0b10)]),
}

const prepared = new Map()
function prepare(model) {
  if (!prepared.has(model)) prepared.set(model, writesOf(dialect, model, workloads[model]))
  return prepared.get(model)
}

/** The message that opens a run is the first of the client's stream; what follows it are heartbeats. */
function serveRun(stream) {
  const parts = []
  let size = 0
  const onData = (part) => {
    parts.push(part)
    size += part.length
    if (size < 5) return
    const all = parts.length === 1 ? part : Buffer.concat(parts)
    const length = all.readUInt32BE(1)
    if (all.length < 5 + length) return
    stream.off('data', onData).resume()
    answerRun(stream, all.subarray(5, 5 + length))
  }
  stream.on('data', onData)
  stream.on('error', () => stream.destroy())
}

function answerRun(stream, opening) {
  const { message } = fromBinary(AgentClientMessageSchema, opening)
  const model = message.value?.requestedModel?.modelId
  const plan = workloads[model]
  stream.respond({ ':status': 200, 'content-type': 'application/connect+proto' })
  if (!plan || (plan.large && (opening.length < 150_000 || !opening.includes('tool_19')))) {
    const error = { code: 'invalid_argument', message: `not in the bench: ${model} ${opening.length}` }
    return stream.end(frame(Buffer.from(JSON.stringify({ error })), 0b10))
  }
  const waits = plan.answer === 'both'
  const { pace = 'together' } = plan
  const finish = (last) => (waits ? stream.write(last) : stream.end(last))
  return play(stream, { writes: prepare(model), pace, finish })
}

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const token = () => `${encode({ alg: 'none' })}.${encode({ sub: 'bench', exp: inAnHour() })}.bench`

const models = Object.keys(workloads)
const listed = toBinary(
  GetUsableModelsResponseSchema,
  create(GetUsableModelsResponseSchema, {
    models: models.map((modelId) => ({ modelId, displayName: modelId })),
  }),
)

function serveUnary(request, response) {
  request.resume()
  const isProto = String(request.headers['content-type']).includes('proto')
  const tokens = { accessToken: token(), refreshToken: token() }
  const json = (value) => [JSON.stringify(value), 'application/json']
  const [body, type] =
    request.url === '/auth/exchange_user_api_key'
      ? json(tokens)
      : request.url.endsWith('/GetUsableModels')
        ? [listed, 'application/proto']
        : isProto
          ? ['', 'application/proto']
          : json({ models: models.map((name) => ({ name })) })
  response.writeHead(200, { 'content-type': type })
  response.end(body)
}

const http1 = createHttp1(serveUnary)
const http2 = createHttp2({ settings: { maxConcurrentStreams: 1_000 } })
http2.on('stream', (stream, headers) => {
  if (headers[':path'] === '/agent.v1.AgentService/Run') return serveRun(stream)
  stream.respond({ ':status': 404 })
  return stream.end()
})
http2.on('session', (session) => session.on('error', () => session.destroy()))

/** Both on one port, told apart by their first bytes. */
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy())
  socket.once('readable', () => {
    const first = socket.read()
    if (first === null) return
    socket.unshift(first)
    const target = first.toString('latin1', 0, 4) === 'PRI ' ? http2 : http1
    target.emit('connection', socket)
  })
})
server.listen({ port: 0, host: '127.0.0.1' }, () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`),
)
