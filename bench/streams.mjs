// `npm run bench:streams`: many concurrent streams through one gateway and all three doors. Checks that every word of each stream
// arrives in its place, and measures the added latency of the first word, CPU time and memory. Also measures how long large
// requests delay others. Exit code 1 if a word is lost; figures are reported, not asserted, because a busy machine is slow.
//
//   --streams N   concurrent streams (200)
//   --rate N      words per second of each (50)
//   --seconds N   duration (60)
//   --json FILE   the figures, unrounded
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, install } from '../scripts/prepare.mjs'
import { startChild } from './sessions/children.mjs'
import { machine } from './sessions/report.mjs'
import { eventsOf } from './soak/wire.mjs'
import { hashOf, modelOf } from './streams/upstream.mjs'

const number = (fallback) => ({ type: 'string', default: String(fallback) })
const { values } = parseArgs({
  options: { streams: number(200), rate: number(50), seconds: number(60), json: { type: 'string' } },
})
const [streams, rate, seconds] = ['streams', 'rate', 'seconds'].map((name) => Number(values[name]))
const words = rate * seconds
const beside = (file) => fileURLToPath(new URL(file, import.meta.url))

const doors = [
  {
    path: '/v1/chat/completions',
    body: (model, text) => ({ model, stream: true, messages: [{ role: 'user', content: text }] }),
    deltas: (events) =>
      events
        .filter(({ data }) => data !== '[DONE]')
        .map(({ data }) => JSON.parse(data).choices[0]?.delta.content ?? ''),
  },
  {
    path: '/v1/messages',
    body: (model, text) => ({
      model,
      stream: true,
      max_tokens: 100_000,
      messages: [{ role: 'user', content: text }],
    }),
    deltas: (events) => events.map(({ data }) => JSON.parse(data).delta?.text ?? ''),
  },
  {
    path: '/v1/responses',
    body: (model, text) => ({ model, stream: true, store: false, input: text }),
    deltas: (events) =>
      events
        .map(({ data }) => JSON.parse(data))
        .map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')),
  },
]

/** The whole answer and the latency of its first word. */
function post(url, body, mark) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const startedAt = performance.now()
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      const parts = []
      let firstMs
      response.on('data', (part) => {
        parts.push(part)
        if (firstMs === undefined && part.includes(mark)) firstMs = performance.now() - startedAt
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(parts).toString(), firstMs }),
      )
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

async function stream(url, at) {
  const door = doors[at % doors.length]
  const name = `stream${at}`
  const { text } = await post(
    `${url}${door.path}`,
    door.body(`up/${modelOf(words, rate)}`, name),
    `${name}.0`,
  )
  const said = door.deltas(eventsOf(text)).join('')
  return createHash('sha256').update(said).digest('hex') === hashOf(name, words)
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/** Latency of first words under load, alternately with and without the gateway. */
async function probe(url, upstreamUrl, isOver) {
  const times = { through: [], direct: [] }
  for (let at = 0; !isOver(); at++) {
    const isThrough = at % 2 === 0
    const name = `probe${at}`
    const body = doors[0].body(`${isThrough ? 'up/' : ''}${modelOf(2, 100)}`, name)
    const { firstMs } = await post(`${isThrough ? url : upstreamUrl}${doors[0].path}`, body, `${name}.0`)
    times[isThrough ? 'through' : 'direct'].push(firstMs)
    await sleep(100)
  }
  const [through, direct] = [times.through, times.direct].map((list) => list.sort((a, b) => a - b))
  return Object.fromEntries(
    [0.5, 0.99].map((share) => [
      `p${share * 100}`,
      {
        through: quantile(through, share),
        direct: quantile(direct, share),
        added: quantile(through, share) - quantile(direct, share),
      },
    ]),
  )
}

async function measureStreams(gateway, url, upstreamUrl) {
  await gateway.call('sample')
  let isOver = false
  const probes = probe(url, upstreamUrl, () => isOver)
  const running = Array.from({ length: streams }, async (_, at) => {
    await sleep((at / streams) * 2_000)
    return stream(url, at)
  })
  const samples = []
  const watching = (async () => {
    while (!isOver) {
      await sleep(5_000)
      samples.push(await gateway.call('sample'))
    }
  })()
  const right = await Promise.all(running)
  isOver = true
  await watching
  return {
    streams,
    wordsEach: words,
    wrong: right.filter((isRight) => !isRight).length,
    firstWordMs: await probes,
    rssMb: Math.max(...samples.map(({ rss }) => rss)) / 2 ** 20,
    lagP99Ms: Math.max(...samples.map(({ lagP99Ms }) => lagP99Ms)),
    gatewayCores: (samples.at(-1).cpuMs - samples[0].cpuMs) / ((samples.length - 1) * 5_000),
  }
}

/** Sends `count` requests of this size at once. */
async function measureBodies(gateway, url, { bytes, count }) {
  await gateway.call('sample')
  const content = `body ${'x'.repeat(bytes)}`
  const body = { ...doors[0].body(`up/${modelOf(1, 1)}`, content), stream: false }
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: count }, () => post(`${url}${doors[0].path}`, body, '{')),
  )
  const tookMs = performance.now() - startedAt
  const wrong = answers.filter(({ text }) => !text.includes(`"${content.length}"`)).length
  const { lagP99Ms, rss } = await gateway.call('sample')
  return { bytes, count, wrong, tookMs, lagP99Ms, rssMb: rss / 2 ** 20 }
}

install()
build()
const upstream = await startChild(beside('streams/upstream.mjs'))
const gateway = await startChild(beside('soak/gateway.mjs'), { execArgv: ['--expose-gc'] })
try {
  const upstreamUrl = await upstream.call('listen')
  const url = await gateway.call('listen', {
    auth: 'none',
    listen: { port: 0 },
    log: { level: 'silent' },
    backends: { up: { kind: 'openai', baseUrl: `${upstreamUrl}/v1` } },
  })
  for (let at = 0; at < 50; at++)
    await post(`${url}${doors[at % 3].path}`, doors[at % 3].body(`up/${modelOf(3, 1000)}`, 'warm'), 'warm.0')
  const figures = {
    machine: machine(),
    streaming: await measureStreams(gateway, url, upstreamUrl),
    bodies: [],
  }
  for (const each of [
    { bytes: 200_000, count: 50 },
    { bytes: 5_000_000, count: 4 },
    { bytes: 31_000_000, count: 1 },
  ])
    figures.bodies.push(await measureBodies(gateway, url, each))
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`)
  if (figures.streaming.wrong > 0 || figures.bodies.some(({ wrong }) => wrong > 0)) process.exitCode = 1
} finally {
  await gateway.stop()
  await upstream.stop()
}
