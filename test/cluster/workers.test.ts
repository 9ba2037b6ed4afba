// `dragoman serve --workers 2`: to its clients it is one gateway, whichever worker they reach, and whatever becomes of one.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CursorSim, type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { atEnd, Home, type Running } from '../cli/program.ts'
import { peerSecret } from '../cluster-parts.ts'
import { type Answer, answerOf, askCursor, cursorKey, followUp } from '../cursor-bench.ts'
import { isNightly } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import { type Body, user } from '../harness.ts'
import { describeWithRedis, startRedis } from '../redis.ts'

let cursor: CursorSim
let openai: Sim
beforeAll(async () => {
  cursor = await startCursorSim({ apiKey: cursorKey })
  openai = await startOpenAISim({ lenient: true })
  atEnd(async () => {
    await cursor.close()
    await openai.close()
  })
})

/** Each request on a connection of its own: it reaches any worker. */
const fresh = { connection: 'close' }
const patienceMs = 60_000

interface Crew {
  running: Running
  home: Home
  url: string
}

async function start(more: Body = {}): Promise<Crew> {
  const home = new Home()
  mkdirSync(home.path('project'))
  const running = await home.serve(
    {
      auth: 'none',
      backends: {
        cursor: { kind: 'cursor', baseUrl: cursor.url, apiKey: cursorKey, transport: 'http2' },
        box: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'x' },
      },
      ...more,
    },
    ['--workers', '2'],
  )
  return { running, home, url: running.url }
}

type Line = Record<string, unknown> & { message: string }
const logOf = ({ running }: Crew): Line[] =>
  running
    .stderr()
    .split('\n')
    // The last one may not be whole yet.
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
const linesOf = (crew: Crew, message: string) => logOf(crew).filter((line) => line.message === message)
const pidsOf = async (crew: Crew) => {
  await until(() => linesOf(crew, 'workers are ready').length === 1)
  return linesOf(crew, 'workers are ready')[0]?.pids as number[]
}

const ask = (url: string, body: Body) => answerOf(url, body, 'streamed', fresh)

interface Parked {
  body: Body
  first: Answer
  word: string
}

async function park(url: string, word: string): Promise<Parked> {
  const body = askCursor('Read README.md')
  const first = await ask(url, body)
  expect(first).toMatchObject({ status: 200, session: 'fresh', finish: 'tool_calls' })
  return { body, first, word }
}

const goOn = (url: string, { body, first, word }: Parked) => ask(url, followUp(body, first, [word]))

async function figures({ url }: Crew): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`, { headers: fresh })).text()
  const lines = text.split('\n')
  expect(lines.filter((line) => line.startsWith('# TYPE dragoman_turns_total'))).toHaveLength(1)
  return (name) =>
    lines
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

const expectNothingTwice = () => {
  expect([...cursor.deliveries.values()].filter((count) => count > 1)).toEqual([])
  expect(cursor.violations).toEqual([])
}

const words = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at}`)

/** Ten tool loops each. */
const groups = isNightly ? [0, 1, 2, 3] : [0]

describe('two workers', () => {
  let crew: Crew
  let turns = 0
  beforeAll(async () => {
    crew = await start({ exec: { enabled: true, root: 'project', tools: ['read'] } })
  }, 60_000)

  it('say once that they are ready, where, and what else is to be said', async () => {
    await until(() => crew.running.stdout().includes('local tools are on'))
    expect(crew.running.stdout().match(/listening on/g)).toHaveLength(1)
    expect(crew.running.stdout().match(/"auth" is "none"/g)).toHaveLength(1)
    expect(await pidsOf(crew)).toHaveLength(2)
  })

  it('keeps every follow-up of many tool loops live over fresh connections, and gives each worker its part', async () => {
    for (const group of groups) {
      const loops = words(10, `word-${group}`).map(async (word) => {
        const parked = await park(crew.url, word)
        const answer = await goOn(crew.url, parked)
        expect(answer).toMatchObject({ status: 200, session: 'live', finish: 'stop' })
        expect(answer.text).toContain(word)
      })
      await Promise.all(loops)
    }
    turns += 20 * groups.length
    await until(() => linesOf(crew, 'turn').length >= turns)
    const done = linesOf(crew, 'turn')
    for (const session of ['fresh', 'live'])
      expect(new Set(done.flatMap((line) => (line.session === session ? [line.worker] : [])))).toEqual(
        new Set([1, 2]),
      )
    expectNothingTwice()
  })

  it('metrics of any worker cover both, and usage is in one file', async () => {
    const [one, other] = [await figures(crew), await figures(crew)]
    for (const figure of [one, other]) {
      expect(figure('dragoman_turns_total')).toBe(turns)
      expect(figure('dragoman_turn_seconds_count')).toBe(turns)
      expect(figure('dragoman_workers')).toBe(2)
      expect(figure('dragoman_relayed_turns_total')).toBeGreaterThan(0)
      expect(figure('dragoman_sessions_waiting')).toBe(0)
    }
    const file = crew.home.path('state', 'dragoman', 'usage.jsonl')
    // It begins with the first lines, some time after their turns.
    const usage = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
    await until(() => usage().length >= turns)
    expect(new Set(usage().map((line) => (JSON.parse(line) as { turn: string }).turn)).size).toBe(turns)
  })

  it('results that are handed in ahead reach the worker that has the session', async () => {
    for (const word of words(6, 'ahead')) {
      const parked = await park(crew.url, word)
      const handed = await fetch(`${crew.url}/v1/tool_results`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fresh },
        body: JSON.stringify({ tool_call_id: parked.first.calls[0]?.id, content: word }),
      })
      expect(await handed.json()).toEqual({ accepted: [parked.first.calls[0]?.id], duplicate: [] })
      expect(await goOn(crew.url, parked)).toMatchObject({ session: 'live' })
      turns += 2
    }
    expectNothingTwice()
  })

  it('a conversation goes on by previous_response_id, wherever it was before', async () => {
    const seen = new Set<unknown>()
    let previous: string | undefined
    for (const at of words(8, 'step').keys()) {
      const body = { model: 'box/gpt-4o', input: `step ${at}`, previous_response_id: previous }
      const answer = await fetch(`${crew.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fresh },
        body: JSON.stringify(body),
      })
      expect(answer.status).toBe(200)
      previous = ((await answer.json()) as { id: string }).id
      turns++
    }
    const last = openai.requests.at(-1)?.body as { messages: { content: string }[] }
    expect(JSON.stringify(last.messages)).toContain('step 0')
    await until(() => linesOf(crew, 'turn').length >= turns)
    for (const { door, worker } of linesOf(crew, 'turn')) if (door === 'openai-responses') seen.add(worker)
    expect(seen.size).toBe(2)
    const place = `${crew.url}/v1/responses/${previous}`
    for (let at = 0; at < 4; at++) expect((await fetch(place, { headers: fresh })).status).toBe(200)
    expect((await fetch(place, { method: 'DELETE', headers: fresh })).status).toBe(200)
    for (let at = 0; at < 4; at++) expect((await fetch(place, { headers: fresh })).status).toBe(404)
  })

  it('local tools run in any of them, noted in one file', async () => {
    crew.home.write('project/README.md', 'The answer is 42.\n')
    for (let at = 0; at < 4; at++) {
      const answer = await ask(crew.url, { model: 'box/gpt-4o', messages: [user('Read README.md')] })
      expect(answer.text).toContain('The answer is 42.')
    }
    turns += 4
    const audit = readFileSync(crew.home.path('state', 'dragoman', 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
    expect(audit.map((line) => (JSON.parse(line) as { event: string }).event).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'begin'),
      ...Array.from({ length: 4 }, () => 'end'),
    ])
  })

  it.runIf(existsSync('/proc/self/cmdline'))(
    'nothing private is in their arguments or variables',
    async () => {
      for (const pid of await pidsOf(crew)) {
        const read = (file: string) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean)
        expect(read('cmdline').slice(1)).toEqual([expect.stringMatching(/dist\/src\/chunks\/worker\.js$/)])
        const names = read('environ').map((entry) => entry.split('=')[0])
        const given = ['PATH', ...Object.keys(crew.home.env)]
        expect(names.filter((name) => !given.includes(name ?? '') && !name?.startsWith('NODE_'))).toEqual([])
        expect(read('environ').join('\n')).not.toContain(cursorKey)
      }
    },
  )

  it.runIf(isNightly)(
    'one is killed: what waited there begins afresh, the rest is live, and it comes back',
    async () => {
      const parked = await Promise.all(words(10, 'killed').map((word) => park(crew.url, word)))
      const before = (await figures(crew))('dragoman_turns_total')
      const [victim = Number.NaN] = await pidsOf(crew)
      process.kill(victim, 'SIGKILL')
      const answers = await Promise.all(parked.map((each) => goOn(crew.url, each)))
      for (const [at, answer] of answers.entries()) {
        expect(answer.status).toBe(200)
        if (answer.session === 'live') expect(answer.text).toContain(parked[at]?.word)
      }
      expect(new Set(answers.map(({ session }) => session))).toEqual(new Set(['live', 'fresh']))
      expectNothingTwice()
      await until(() => linesOf(crew, 'a worker was restarted').length === 1, patienceMs)
      expect(linesOf(crew, 'a worker has ended and will be restarted')).toMatchObject([
        { pid: victim, signal: 'SIGKILL' },
      ])
      const figure = await figures(crew)
      expect(figure('dragoman_turns_total')).toBeGreaterThan(before)
      expect([figure('dragoman_workers'), figure('dragoman_worker_restarts_total')]).toEqual([2, 1])
      const again = await Promise.all(words(10, 'again').map((word) => park(crew.url, word)))
      for (const each of again) expect(await goOn(crew.url, each)).toMatchObject({ session: 'live' })
      await until(() => {
        const log = logOf(crew)
        const replaced = log.findIndex(({ message }) => message === 'a worker was restarted')
        return log.slice(replaced).some(({ message, worker }) => message === 'turn' && worker === 1)
      })
    },
  )

  it.runIf(isNightly)('one that is told to stop lets its answers end, and is replaced', async () => {
    const pids = [
      linesOf(crew, 'a worker was restarted')[0]?.pid as number,
      (await pidsOf(crew))[1] as number,
    ]
    const slow: CursorStep[] = [{ say: 'begun ' }, { wait: 2_500 }, { say: 'ended' }, { end: true }]
    cursor.play(slow, slow)
    const answers = [ask(crew.url, askCursor('one')), ask(crew.url, askCursor('two'))]
    await until(() => cursor.runs.length >= 2)
    process.kill(pids[1] ?? Number.NaN, 'SIGTERM')
    for (const answer of await Promise.all(answers)) expect(answer.text).toBe('begun ended')
    await until(() => linesOf(crew, 'a worker was restarted').length === 2, patienceMs)
    expect(linesOf(crew, 'a worker has ended and will be restarted').at(-1)).toMatchObject({
      pid: pids[1],
      code: 0,
    })
  })

  it.runIf(isNightly)('are stopped in good order: running answers end, and it was one gateway', async () => {
    const slow: CursorStep[] = [{ say: 'begun ' }, { wait: 1_500 }, { say: 'ended' }, { end: true }]
    cursor.clear()
    cursor.play(slow, slow, slow, slow)
    const answers = words(4, 'last').map((word) => ask(crew.url, askCursor(word)))
    await until(() => cursor.runs.length === 4)
    crew.running.kill('SIGTERM')
    await until(() => linesOf(crew, 'stopping').length >= 2)
    const ready = await fetch(`${crew.url}/readyz`, { headers: fresh })
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }])
    for (const answer of await Promise.all(answers)) expect(answer.text).toBe('begun ended')
    const { code, signal, stdout } = await crew.running.ended
    expect([code, signal, stdout.match(/listening on/g)?.length]).toEqual([0, null, 1])
  })
})

/** In a container whose first process does not wait for orphans, the dead stay in the table. */
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

describe('the end of all', () => {
  it.runIf(isNightly)('a second signal ends them at once', async () => {
    const crew = await start()
    const pids = await pidsOf(crew)
    cursor.play([{ say: 'begun' }, { heartbeats: { everyMs: 100, count: 'forever' } }])
    const cut = ask(crew.url, askCursor('wait')).catch(() => 'cut')
    await until(() => cursor.runs.length >= 1)
    crew.running.kill('SIGINT')
    await until(() => linesOf(crew, 'stopping').length === 2)
    crew.running.kill('SIGINT')
    expect((await crew.running.ended).code).toBe(130)
    await cut
    await until(() => pids.every(isGone))
    cursor.clear()
  })

  it.runIf(isNightly)('without their parent there are no workers', async () => {
    const crew = await start()
    const pids = await pidsOf(crew)
    crew.running.kill('SIGKILL')
    await until(() => pids.every(isGone), patienceMs)
  })
})

describeWithRedis('two workers with a Redis', () => {
  it.runIf(isNightly)('are two instances in it, and relay to each other', async () => {
    const redis = await startRedis()
    atEnd(() => redis.stop())
    const crew = await start({ sessions: { redis: redis.url, peerSecret } })
    expect(await redis.command('EVAL', "return #redis.call('keys', 'dragoman:i:*')", '0')).toBe(':2')
    for (const word of words(8, 'redis')) {
      const answer = await goOn(crew.url, await park(crew.url, word))
      expect(answer).toMatchObject({ session: 'live' })
      expect(answer.text).toContain(word)
    }
    const figure = await figures(crew)
    expect(figure('dragoman_relayed_turns_total')).toBeGreaterThan(0)
    expect(figure('dragoman_cluster_redis_up')).toBe(1)
    expect((await crew.running.stop()).code).toBe(0)
    expect(await redis.command('EVAL', "return #redis.call('keys', 'dragoman:i:*')", '0')).toBe(':0')
  })
})
