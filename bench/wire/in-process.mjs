// What reading and writing a text delta costs without sockets: the bytes of an upstream in, Chat events out, by the parts that
// the gateway is made of. One case for each process, so that no other has formed its code. Prints microseconds.
//
//   node bench/wire/in-process.mjs BACKEND BATCH SECONDS      BATCH: deltas in one read
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { root } from '../../scripts/prepare.mjs'
import { eventsOf } from '../soak/wire.mjs'
import { dialects } from './dialects.mjs'
import { doors } from './doors.mjs'
import { median } from './figures.mjs'
import { wordOf } from './workloads.mjs'

const load = (file) => import(join(root, 'build', file))
const { createSseReader } = await load('src/protocols/streams/sse.js')
const { ChatWriter } = await load('src/protocols/openai-chat/write.js')
const { ChatReader } = await load('src/protocols/openai-chat/read.js')
const { AnthropicReader } = await load('src/protocols/anthropic-messages/read.js')
const { TextTurnReader } = await load('src/protocols/tool-text/read.js')
const { EnvelopeReader } = await load('src/protocols/connect/envelope.js')
const { AgentRun } = await load('src/protocols/cursor-agent/run.js')
const { BlobStore } = await load('src/protocols/cursor-agent/blobs.js')
const { ToolOffers } = await load('src/protocols/cursor-agent/tool-offers.js')
const { unpacked } = await load('src/protocols/cursor-agent/packed.js')
const { AgentServerMessageSchema, AgentRunRequestSchema } = await load('proto/gen/agent/v1/run_pb.js')
const { RequestContextSchema } = await load('proto/gen/agent/v1/context_pb.js')

const [backend = 'cursor', batch = '200', seconds = '1.5'] = process.argv.slice(2)
/** Long turns: what is made once for each is not what is asked for. */
const deltas = 2_000
const windows = 7
const model = 'model-of-the-bench'
const note = () => undefined
const tools = [{ name: 'write_file', description: '', schema: { type: 'object', properties: {} } }]

const frame = (payload, flags = 0) => {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags, 0)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}
const update = (message) =>
  frame(
    toBinary(
      AgentServerMessageSchema,
      create(AgentServerMessageSchema, { message: { case: 'interactionUpdate', value: { message } } }),
    ),
  )
const cursorDialect = {
  head: () => update({ case: 'heartbeat', value: {} }),
  text: (_model, text) => update({ case: 'textDelta', value: { text } }),
  end: () => update({ case: 'turnEnded', value: { inputTokens: 10n, outputTokens: 20n } }),
}

/** The turn's bytes in reads of so many deltas. */
function readsOf(dialect, size) {
  const all = [dialect.head(model, { hasText: true })]
  for (let at = 0; at < deltas; at += size)
    all.push(Array.from({ length: size }, (_, of) => Buffer.from(dialect.text(model, wordOf(at + of)))))
  all.push(dialect.end(model, { isCall: false }))
  return all.map((read) => (Array.isArray(read) ? Buffer.concat(read) : Buffer.from(read)))
}

const readerOptions = () => ({
  turnId: 'turn-bench',
  model,
  backend: 'bench',
  wholeArguments: true,
  note,
  toolName: (name) => name,
})

/** Each turn has its own: bytes in, events out. */
const sseTurn = (reader) => {
  const sse = createSseReader()
  return (bytes) => reader.push(sse.push(bytes))
}

function textTurn() {
  const read = sseTurn(new ChatReader(readerOptions()))
  const text = new TextTurnReader({
    markup: { format: 'json', callTag: 'tool_call', resultTag: 'tool_response' },
    tools,
    salvage: true,
    isEcho: () => false,
    turnId: 'turn-bench',
    parallelCalls: true,
    callRequired: false,
    secondTry: true,
    unescape: (said) => said,
    note,
  })
  return (bytes) => text.push(read(bytes))
}

const plan = () => ({
  opening: new Uint8Array(),
  kept: {
    run: toBinary(AgentRunRequestSchema, create(AgentRunRequestSchema, { runId: 'run-bench' })),
    context: unpacked(toBinary(RequestContextSchema, create(RequestContextSchema, {}))),
    offer: new ToolOffers().share(tools),
    toolsInContext: true,
  },
  conversationId: 'conversation-bench',
  workspace: undefined,
  said: [],
})

function cursorTurn() {
  const options = { backend: 'bench', sessionId: 'SESSION00000', blobs: new BlobStore(), progressMs: 120_000 }
  const answer = { turnId: 'turn-bench', model, tools, parallelToolCalls: true, note }
  const run = new AgentRun({ ...options, plan: plan() }, answer)
  const envelopes = new EnvelopeReader({ backend: 'bench' })
  run.begin(performance.now())
  return (bytes) => {
    for (const { data } of envelopes.push(bytes)) run.receive(data, performance.now())
    return run.take().events
  }
}

const cases = {
  cursor: { dialect: cursorDialect, open: cursorTurn },
  anthropic: { dialect: dialects['/v1/messages'], open: () => sseTurn(new AnthropicReader(readerOptions())) },
  openai: { dialect: dialects['/v1/chat/completions'], open: () => sseTurn(new ChatReader(readerOptions())) },
  text: { dialect: dialects['/text/v1/chat/completions'], open: textTurn },
}

function oneTurn({ open }, inputs, take) {
  const read = open()
  const writer = new ChatWriter({
    id: 'chatcmpl-bench',
    model,
    createdAt: 1_700_000_000,
    includeUsage: false,
    toolArguments: 'whole',
    lateNotes: () => [],
  })
  for (const bytes of inputs) take(writer.push(read(bytes)))
}

function checkOnce() {
  let out = ''
  oneTurn(kind, reads, (text) => {
    out += text
  })
  const said = eventsOf(out)
    .map((event) => doors.chat.read.event(event).text)
    .join('')
  const wanted = Array.from({ length: deltas }, (_, at) => wordOf(at)).join('')
  if (said !== wanted || !out.endsWith('data: [DONE]\n\n'))
    throw new Error(`${backend}: another text: ${out.slice(0, 300)} … ${out.slice(-300)}`)
}

const microseconds = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Processor time, garbage collection included; the median of some windows. */
function timePerDelta() {
  let written = 0
  const take = (text) => {
    written += text.length
  }
  const runFor = (limitUs) => {
    const start = microseconds()
    let turns = 0
    let used = 0
    do {
      oneTurn(kind, reads, take)
      turns++
      used = microseconds() - start
    } while (used < limitUs)
    return used / turns / deltas
  }
  const windowUs = (Number(seconds) * 1e6) / (windows + 2)
  runFor(2 * windowUs)
  const taken = Array.from({ length: windows }, () => runFor(windowUs))
  if (written === 0) throw new Error('nothing was written')
  return median(taken)
}

const kind = cases[backend]
const reads = readsOf(kind.dialect, Number(batch))
checkOnce()
process.stdout.write(`${timePerDelta()}\n`)
