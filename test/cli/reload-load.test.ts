// Reloads under load: streams and tool loops go on while the file changes again and again, half of the time to something wrong.

import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { answerOf, askCursor, cursorKey, followUp } from '../cursor-bench.ts'
import { scaled, spread } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import { answered, type Body, called, chatStream, readTool, user } from '../harness.ts'
import { atEnd, Home, type Running } from './program.ts'

const streams = scaled(200, 30)
const perSecond = 20
const changes = scaled(100, 16)
const key = 'laptop-key-0123456789'
/** Each request on a connection of its own: with workers, it reaches any of them. */
const headers = { authorization: `Bearer ${key}`, connection: 'close' }

let cursor: CursorSim
let upstreams: string[]
beforeAll(async () => {
  cursor = await startCursorSim({ apiKey: cursorKey, paceMs: 5 })
  const sims = [
    await startOpenAISim({ lenient: true, paceMs: 10 }),
    await startOpenAISim({ lenient: true, paceMs: 10 }),
  ]
  upstreams = sims.map(({ url }) => `${url}/v1`)
  atEnd(async () => {
    await Promise.all([cursor, ...sims].map((sim) => sim.close()))
  })
})

/** Every setting that a reload takes over changes at some time. */
function good(nth: number): Body {
  const box = (which: number) => ({
    kind: 'openai',
    baseUrl: upstreams[which % 2],
    apiKey: `upstream-${nth >> 1}-key`,
  })
  return {
    auth: {
      keys: [
        { name: 'laptop', key },
        ...(nth % 3 === 0 ? [{ name: 'phone', key: `phone-${nth}-0123456` }] : []),
      ],
    },
    backends: {
      box: box(0),
      other: box(nth),
      ...(nth % 4 === 0 ? { [`spare-${nth}`]: box(1) } : {}),
      cursor: {
        kind: 'cursor',
        baseUrl: cursor.url,
        apiKey: cursorKey,
        transport: 'http2',
        privacy: nth % 2 === 0,
      },
    },
    models: { m: nth % 2 === 0 ? 'box/gpt-4o' : ['other/gpt-4o', 'box/gpt-4o'] },
    limits: { bodyBytes: 1_000_000 + nth },
    calls: { check: nth % 2 === 0 ? 'repair' : 'note' },
    toolArguments: nth % 3 === 0 ? 'streamed' : 'whole',
    log: { level: nth % 5 === 0 ? 'debug' : 'info' },
  }
}

const wrongs: readonly ((config: Body, folder: string) => string)[] = [
  (config) => JSON.stringify(config).slice(0, -20),
  (config) => JSON.stringify({ ...config, bakends: {} }),
  (config) => JSON.stringify({ ...config, sessions: { max: 7 } }),
  (config) => JSON.stringify({ ...config, models: { m: '{env:NOT_SET}' } }),
  // Only the gateway itself, or each of its workers, can find out.
  (config, folder) => {
    const backends = config.backends as Record<string, Body>
    return JSON.stringify({
      ...config,
      backends: { ...backends, box: { ...backends.box, connect: { ca: folder } } },
    })
  },
]

function controlOf(home: Home): { url: string; token: string } {
  const folder = home.path('state', 'dragoman', 'running')
  return JSON.parse(readFileSync(`${folder}/${readdirSync(folder)[0]}`, 'utf8'))
}

async function changeAgainAndAgain(home: Home, file: string): Promise<string[]> {
  const { url, token } = controlOf(home)
  const unexpected: string[] = []
  for (let nth = 1; nth <= changes; nth++) {
    const pause = sleep((streams / perSecond / changes) * 1_000)
    const isWrong = nth % 2 === 0
    const make = wrongs[(nth / 2) % wrongs.length]
    writeFileSync(`${file}.new`, isWrong && make ? make(good(nth), home.folder) : JSON.stringify(good(nth)))
    renameSync(`${file}.new`, file)
    const answer = await fetch(`${url}/control/reload`, {
      method: 'POST',
      headers: { 'x-dragoman-control': token },
    })
    const outcome = (await answer.json()) as { state: string }
    // The file is watched, too.
    const expected = isWrong ? ['refused'] : ['taken', 'unchanged']
    if (!expected.includes(outcome.state)) unexpected.push(`${nth}: ${JSON.stringify(outcome)}`)
    await pause
  }
  return unexpected
}

/** Undefined if it was right. */
async function streamOnce(url: string, nth: number): Promise<string | undefined> {
  const word = `word-${nth}-canary`
  const messages = [
    user('Read README.md'),
    { role: 'assistant', content: null, tool_calls: [called('call_1', 'read', { path: 'README.md' })] },
    answered('call_1', word),
  ]
  const answer = await chatStream(url, { model: 'm', messages, tools: [readTool] }, headers)
  const isRight = answer.finishReason === 'stop' && answer.text.includes(word) && answer.problems.length === 0
  return isRight ? undefined : `${nth}: ${answer.status} ${answer.raw.slice(-300)}`
}

async function loopOnce(url: string, nth: number): Promise<string | undefined> {
  const word = `word-${nth}-canary`
  const body = askCursor('Read README.md')
  const first = await answerOf(url, body, 'streamed', headers)
  await sleep(150)
  const last =
    first.finish === 'tool_calls'
      ? await answerOf(url, followUp(body, first, [word]), 'streamed', headers)
      : first
  const isRight = last.session === 'live' && last.finish === 'stop' && last.text.includes(word)
  return isRight ? undefined : `${nth}: ${JSON.stringify(last)}`
}

async function load({ url }: Running): Promise<string[]> {
  const all: Promise<string | undefined>[] = []
  for (let nth = 0; nth < streams; nth++) {
    const one = nth % 4 === 0 ? loopOnce(url, nth) : streamOnce(url, nth)
    all.push(one.catch((error: Error) => `${nth}: ${error.message} ${String(error.cause ?? '')}`))
    await sleep(1_000 / perSecond)
  }
  return (await Promise.all(all)).flatMap((problem) => problem ?? [])
}

it.each(spread([1, 2], 1).reverse())(
  `${streams} streams while the file changes ${changes} times, half of them wrong: none is dropped or wrong (workers: %i)`,
  async (workers) => {
    const home = new Home()
    const file = home.write('dragoman.jsonc', good(0))
    const args = workers === 1 ? [] : ['--workers', String(workers)]
    const running = await home.start(['serve', '--config', file, '--port', '0', ...args])
    const [problems, unexpected] = await Promise.all([load(running), changeAgainAndAgain(home, file)])
    expect(problems).toEqual([])
    expect(unexpected).toEqual([])
    expect([...cursor.deliveries.values()].filter((count) => count > 1)).toEqual([])
    expect(cursor.violations).toEqual([])
    // Only the backends in force are left.
    await until(() => cursor.connections <= workers)
    expect((await running.stop()).code).toBe(0)
  },
  120_000,
)
