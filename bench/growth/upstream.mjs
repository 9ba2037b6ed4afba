// All services in their own process, so their cost is not measured. They answer every request by the last plan with prepared
// bytes; Cursor's service is the simulator.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { answerCalls } from '../sessions/children.mjs'
import { cursorSteps, dialects } from './dialects.mjs'

const { startCursorSim } = await import(join(root, 'build/sim/cursor.js'))

const writeBytes = 16 * 1024
let answer
/** Prepared answers of one curve, by answer and dialect. */
const written = new Map()
const mostWritten = 12
let cursor
const seen = { requests: 0, messages: 0 }

/** Joins frames into writes as large as those of a busy service. */
function* writesOf(frames) {
  let text = ''
  for (const frame of frames) {
    text += frame
    if (text.length < writeBytes) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

function once(form, make) {
  const key = JSON.stringify([form, answer])
  if (!written.has(key)) written.set(key, make())
  const [oldest] = written.keys()
  if (written.size > mostWritten) written.delete(oldest)
  return written.get(key)
}

const streamOf = (dialect) => once(dialect, () => [...writesOf(dialects[dialect].stream(answer))])

async function sendStream(response, dialect) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const bytes of streamOf(dialect))
    if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve))
  response.end()
}

function sendJson(response, value) {
  response.setHeader('content-type', 'application/json')
  response.end(typeof value === 'string' ? value : JSON.stringify(value))
}

function serve(dialect, request, response) {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    if (request.url.endsWith('/chats/new')) return sendJson(response, { success: true, data: { id: 'chat' } })
    const body = Buffer.concat(parts).toString()
    seen.requests++
    seen.messages = new Set(body.match(/m#\d+#/g)).size
    if (/"stream": ?true/.test(body)) return void sendStream(response, dialect)
    sendJson(
      response,
      once(`${dialect} whole`, () => JSON.stringify(dialects[dialect].whole(answer))),
    )
  })
}

async function listen(dialect) {
  const server = createServer((request, response) => serve(dialect, request, response))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${server.address().port}`
}

answerCalls({
  async start() {
    cursor = await startCursorSim({ execPatienceMs: 120_000, kvPatienceMs: 120_000 })
    const urls = { cursor: cursor.url }
    for (const dialect of Object.keys(dialects)) urls[dialect] = await listen(dialect)
    return urls
  },
  /** Sets the plan; `count` is the number of Cursor runs to answer by it. */
  plan(next) {
    answer = next
  },
  playCursor(count) {
    const steps = cursorSteps(answer)
    cursor.play(...Array.from({ length: count }, () => steps))
  },
  findings() {
    const { violations } = cursor
    return { ...seen, violations: violations.slice(0, 3), queued: cursor.queued }
  },
  clear() {
    cursor.clear()
  },
})
