// Valid and invalid tool results: each has one documented outcome, and the service gets each result at most once.
// test/end-to-end/tool-results.test.ts has results ahead of their request, test/end-to-end/cluster-cursor.test.ts results that
// reach another instance.

import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { atTestEnd } from '../at-end.ts'
import { resultsText } from '../cursor-bench.ts'
import { spread } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import { startGateway } from '../harness.ts'
import { documented } from './documented.ts'
import { ask, begin, type Call, type DoorName, doorNames, type Turn } from './doors.ts'
import { useWatch } from './frame.ts'
import { clear, cursorModels, nextModel, useFaultGateway, useUpstreams } from './upstreams.ts'

type Results = { id: string; content: string }[]

const upstreams = useUpstreams()
const watch = useWatch()
const running = useFaultGateway(upstreams, {}, { progressMs: 10_000, firstByteMs: 10_000 })

beforeAll(async () => {
  for (let warm = 0; warm < 2; warm++)
    await ask(running.url, 'chat', { model: nextModel('cursor'), turns: [{ user: 'hello' }], stream: true })
  clear(upstreams)
  watch.mark()
})

const call = (path: string): CursorStep => ({ exec: { mcp: { name: 'read', args: { path } } } })
const given =
  (...contents: string[]) =>
  (calls: readonly Call[]): Results =>
    contents.map((content, at) => ({ id: calls[at]?.id ?? '', content }))

interface Parked {
  door: DoorName
  url?: string
  model?: string
}

/** A run with two calls that wait for their results. */
async function park({ door, url = running.url, model = nextModel('cursor') }: Parked) {
  atTestEnd(() => clear(upstreams))
  upstreams.cursor.play([call('a.txt'), call('b.txt'), { await: 'results' }, { say: 'live' }, { end: true }])
  const turns: Turn[] = [{ user: 'read both' }]
  const first = await ask(url, door, { model, turns, stream: true })
  expect(first.calls).toHaveLength(2)
  const asked = (results: Results) => ({ model, turns: [...turns, first, { results }], stream: true })
  return { calls: first.calls, model, asked }
}

/** As results, and as words for the run. */
const received = () => {
  const [run] = upstreams.cursor.runs
  return [resultsText(run), ...(run?.injections ?? [])].join('\n')
}

async function expectDone(): Promise<void> {
  expect(Math.max(0, ...upstreams.cursor.deliveries.values())).toBeLessThanOrEqual(1)
  expect(upstreams.cursor.violations).toEqual([])
  await watch.expectNothingLeft(running.gateway)
  clear(upstreams)
}

/** The results sent, and what the model must receive. */
const taken: { name: string; results: (calls: readonly Call[]) => Results; told: string[] }[] = [
  {
    name: 'out of order',
    results: (calls) => given('of a', 'of b')(calls).reverse(),
    told: ['of a', 'of b'],
  },
  {
    name: 'the same twice',
    results: (calls) => [...given('of a', 'of b')(calls), ...given('of a')(calls)],
    told: ['of a', 'of b'],
  },
  { name: 'one missing', results: given('of a'), told: ['of a', '"case":"error"'] },
  {
    name: 'one of an unknown id',
    results: (calls) => [...given('of a', 'of b')(calls), { id: 'call_unknown', content: 'of nothing' }],
    // As text of the client.
    told: ['of a', 'of b', 'of nothing'],
  },
  { name: 'empty', results: given('', 'of b'), told: ['of b'] },
  {
    name: '1 MiB',
    results: given(`${'x'.repeat(1024 * 1024 - 8)} the end`, 'of b'),
    told: [' the end', 'of b'],
  },
  {
    name: 'bytes that are no text',
    results: given('PNG\u0000\u0001\ufffd\u001b[31m\u2028', 'of b'),
    told: ['PNG\\u0000\\u0001\ufffd\\u001b[31m', 'of b'],
  },
]

describe.each(spread(doorNames, 4))('%s', (door) => {
  it.each(spread(taken, 2))('$name: the run continues', async ({ results, told }) => {
    const { calls, asked } = await park({ door })
    const answer = await ask(running.url, door, asked(results(calls)))
    expect(answer).toMatchObject({ status: 200, text: 'live', complete: true, problems: [] })
    expect(answer.headers['x-dragoman-session']).toBe('live')
    for (const text of told) expect(received().includes(text), text).toBe(true)
    await expectDone()
  })

  it('a lone surrogate arrives as what JSON can carry', async () => {
    const { calls, asked } = await park({ door })
    const answer = await ask(running.url, door, asked(given('half \ud83d', 'of b')(calls)))
    expect(answer).toMatchObject({ status: 200, text: 'live', complete: true })
    expect(received()).toContain('half \ufffd')
    await expectDone()
  })

  it('twice at once: the second gets 409 while the first is being answered', async () => {
    const { calls, asked } = await park({ door })
    upstreams.cursor.clear()
    const results = given('of a', 'of b')(calls)
    const both = [begin(running.url, door, asked(results)), begin(running.url, door, asked(results))]
    const answers = await Promise.all(both.map(({ answer }) => answer))
    const [done, refused] = answers.sort((one, other) => one.status - other.status)
    const { code, ...expected } = documented(door, 'conflict')
    // If the first has already been answered, the second starts a new run from the history.
    if (refused?.status !== 200) {
      expect({ status: refused?.status, type: refused?.error?.type }).toEqual(expected)
      if (code !== undefined) expect(refused?.error?.code).toBe(code)
    }
    expect(done).toMatchObject({ text: 'live', complete: true })
    await expectDone()
  })

  it('a result that differs from the one handed in before: 409, and the first is kept', async () => {
    const { calls, asked } = await park({ door })
    const handed = await fetch(`${running.url}/v1/tool_results`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ tool_call_id: calls[0]?.id, content: 'of a' }),
    })
    expect(await handed.json()).toMatchObject({ accepted: [calls[0]?.id] })
    const other = await ask(running.url, door, asked(given('not of a', 'of b')(calls)))
    const { code, ...expected } = documented(door, 'conflict')
    expect({ status: other.status, type: other.error?.type }).toEqual(expected)
    if (code !== undefined) expect(other.error?.code).toBe(code)
    const answer = await ask(running.url, door, asked(given('of a', 'of b')(calls)))
    expect(answer).toMatchObject({ text: 'live', complete: true })
    expect(received()).not.toContain('not of a')
    await expectDone()
  })

  it('again after the answer: a new run from the history, and no run gets a result twice', async () => {
    const { calls, asked } = await park({ door })
    const results = given('of a', 'of b')(calls)
    expect(await ask(running.url, door, asked(results))).toMatchObject({ text: 'live' })
    upstreams.cursor.play([{ say: 'once more' }, { end: true }])
    const again = await ask(running.url, door, asked(results))
    expect(again).toMatchObject({ status: 200, text: 'once more', complete: true, problems: [] })
    await expectDone()
  })

  it('after expiry and after a restart: from the history', async () => {
    const cursor = { kind: 'cursor', baseUrl: upstreams.cursor.url, apiKey: 'crsr_test', transport: 'http2' }
    const start = async () => {
      const started = await startGateway({ sessions: { idleMs: 150 }, backends: { cursor } })
      atTestEnd(() => started.gateway.close())
      return started
    }
    const old = await start()
    const model = `cursor/${cursorModels[0]}`
    const { calls, asked } = await park({ door, url: old.url, model })
    const results = given('of a', 'of b')(calls)
    expect(await upstreams.cursor.runs[0]?.waitForClose()).toBe('by-client')
    for (const run of [1, 2]) {
      upstreams.cursor.play([{ say: 'from the history' }, { end: true }])
      const { gateway, url } = run === 1 ? old : await start()
      const answer = await ask(url, door, asked(results))
      expect(answer).toMatchObject({ status: 200, text: 'from the history', complete: true })
      expect(answer.headers['x-dragoman-session']).toBe('fresh')
      const told = Buffer.from(upstreams.cursor.runs.at(-1)?.requestBytes ?? []).toString('latin1')
      const blobs = [...(upstreams.cursor.runs.at(-1)?.blobs.fetched.values() ?? [])]
      const all = told + blobs.map((blob) => Buffer.from(blob ?? []).toString('latin1')).join()
      expect(all).toContain('of a')
      await gateway.close()
    }
    await until(() => upstreams.cursor.runs.every(({ closed }) => closed !== undefined))
    await expectDone()
  })
})
