// The processes of the bench, and one checked request through them.
import { Agent, request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { startChild } from '../sessions/children.mjs'
import { doors } from '../soak/doors.mjs'
import { inputOf, textOf } from './content.mjs'

const beside = (file) => fileURLToPath(new URL(file, import.meta.url))
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })

export const backends = ['openai', 'anthropic', 'cursor', 'text', 'qwen-web']
export const doorNames = Object.keys(doors)

const models = {
  openai: 'openai/gpt-x',
  anthropic: 'anthropic/claude-sonnet-4-5',
  cursor: 'cursor/composer-2',
  text: 'text/plain',
  'qwen-web': 'qwen-web/qwen3-max',
}

const settingsFor = (urls, toolArguments, maxSessions) => ({
  auth: 'none',
  listen: { port: 0 },
  log: { level: 'silent' },
  limits: { bodyBytes: 256 * 2 ** 20 },
  toolArguments,
  // Abandoned runs expire soon, so their cost is measured, too.
  sessions: { max: maxSessions },
  backends: {
    openai: { kind: 'openai', baseUrl: `${urls.openai}/v1` },
    text: { kind: 'openai', baseUrl: `${urls.text}/v1`, tools: 'text' },
    anthropic: { kind: 'anthropic', baseUrl: urls.anthropic, apiKey: 'x' },
    cursor: { kind: 'cursor', baseUrl: urls.cursor, apiKey: 'crsr_bench', transport: 'http2' },
    'qwen-web': { kind: 'qwen-web', baseUrl: urls['qwen-web'], token: 'x' },
  },
})

export async function startBench({ maxSessions = 4 } = {}) {
  const upstream = await startChild(beside('upstream.mjs'))
  const gateway = await startChild(beside('gateway.mjs'), { execArgv: ['--expose-gc'] })
  const urls = await upstream.call('start')
  const addresses = {}
  for (const manner of ['whole', 'streamed'])
    addresses[manner] = await gateway.call('listen', settingsFor(urls, manner, maxSessions))
  const stop = async () => {
    agent.destroy()
    await gateway.stop()
    await upstream.stop()
  }
  return { upstream, gateway, addresses, stop }
}

export function post(url, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A request as text, built once: `history`, `tools`, `stream`. */
export const requestOf = ({ door, backend, history, tools, stream = true, more = {} }) => ({
  door: doors[door],
  path: doors[door].path,
  body: JSON.stringify({ ...doors[door].body(models[backend], history, stream, tools), ...more }),
  stream,
})

/** Sends the request; throws unless the answer is what the upstream sent. */
export async function ask(address, { door, path, body, stream }, wanted) {
  const answer = await post(`${address}${path}`, body)
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.text.slice(0, 500)}`)
  const read = stream ? door.stream(answer.text) : door.whole(JSON.parse(answer.text))
  if (read.error) throw new Error(`an error in the answer: ${JSON.stringify(read.error).slice(0, 500)}`)
  if (wanted) check(read, wanted)
  return { ...answer, read }
}

function check({ text, calls }, wanted) {
  const expected = wanted.text ? textOf(wanted.text.size, wanted.text.kind) : ''
  if (text.trim() !== expected.trim())
    throw new Error(`another text than was sent: ${text.length} characters, not ${expected.length}`)
  if (calls.length !== (wanted.calls?.count ?? 0))
    throw new Error(`${calls.length} calls: ${text.slice(0, 300)}`)
  for (const [at, { name, input }] of calls.entries()) {
    const [found, sent] = [JSON.parse(input), inputOf(wanted.calls, at)]
    if (name !== 'write' || found.path !== sent.path || found.content !== sent.content)
      throw new Error(`call ${at} is not what was sent: ${input.slice(0, 300)}`)
  }
}
