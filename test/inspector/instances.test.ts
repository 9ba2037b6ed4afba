// The inspectors of instances that share a Redis: each shows the turns and figures of all, and names those that do not answer.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { instanceRecord } from '../../src/cluster/instance-record.ts'
import { inspectorPath } from '../../src/cluster/relay-messages.ts'
import { peerHeader, signRequest } from '../../src/cluster/signature.ts'
import type { FiguresAnswer, TurnsAnswer } from '../../src/inspector/api.ts'
import { peerSecret } from '../cluster-parts.ts'
import { expectNothingStray, freePort } from '../end-to-end/wire.ts'
import { ask, type Bench, chat, startBench, user } from '../harness.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../redis.ts'
import { json, login } from './inspected.ts'

expectNothingStray()

const keys = ['alice', 'bob'].map((name) => ({ name, key: `${name}-${'x'.repeat(32)}` }))
const keyOf = (name: string) => ({ authorization: `Bearer ${name}-${'x'.repeat(32)}` })

describeWithRedis('inspectors of two instances', () => {
  let redis: TestRedis
  let benches: Bench[]
  beforeAll(async () => {
    redis = await startRedis()
    const start = () =>
      startBench({
        settings: {
          sessions: { redis: redis.url, peerSecret },
          auth: { keys },
          inspector: { enabled: true },
        },
        gateway: { keys },
      })
    benches = [await start(), await start()]
    for (const [at, { url }] of benches.entries())
      for (const name of ['alice', 'bob'])
        await chat(url, ask('openai/gpt-4o', { messages: [user(`${name} at ${at}`)] }), keyOf(name))
  })
  afterAll(async () => {
    await Promise.all(benches.map((bench) => bench.close()))
    await redis.stop()
  })

  const figuresOf = async (bench: Bench, headers: Record<string, string>): Promise<FiguresAnswer> =>
    (await json(bench, '/inspector/figures', headers)).body
  const turnsOf = async (bench: Bench, headers: Record<string, string>): Promise<TurnsAnswer> =>
    (await json(bench, '/inspector/turns', headers)).body

  it('show the turns and figures of both', async () => {
    for (const bench of benches) {
      const headers = await login(bench)
      expect(await figuresOf(bench, headers)).toMatchObject({ processes: 2, missing: [] })
      expect((await figuresOf(bench, headers)).models[0]).toMatchObject(['openai/gpt-4o', { turns: 4 }])
      const { turns } = await turnsOf(bench, headers)
      expect(turns.map(({ title }) => title)).toEqual(['bob at 1', 'alice at 1', 'bob at 0', 'alice at 0'])
      for (const { id } of turns)
        expect((await json(bench, `/inspector/turns/${id}`, headers)).status).toBe(200)
    }
  })

  it('show a key only what is its own, at either instance', async () => {
    for (const bench of benches) {
      const alice = await turnsOf(bench, keyOf('alice'))
      expect(alice.turns.map(({ title }) => title)).toEqual(['alice at 1', 'alice at 0'])
      const { turns: bobs } = await turnsOf(bench, keyOf('bob'))
      for (const { id } of bobs)
        expect((await json(bench, `/inspector/turns/${id}`, keyOf('alice'))).status).toBe(404)
      const figures = await figuresOf(bench, keyOf('alice'))
      expect(figures.models[0]?.[1].turns).toBe(2)
      expect(figures.keys).toEqual([])
    }
  })

  it('answer another instance nothing but what a page asks for', async () => {
    const call = (asked: object) => {
      const body = JSON.stringify(asked)
      const signature = signRequest(peerSecret, { method: 'POST', path: inspectorPath, body })
      const headers = { 'content-type': 'application/json', [peerHeader]: signature }
      return fetch(`${benches[0]?.url}${inspectorPath}`, { method: 'POST', headers, body })
    }
    const status = async (asked: object) => (await call(asked)).status
    expect(await status({ path: '/inspector/turns', query: '' })).toBe(200)
    expect(await status({ path: '/inspector/turns', query: '', key: null })).toBe(400)
    for (const path of ['/metrics', '/v1/models', '/inspector/links', '/', '/inspector/app.js', 'x'])
      expect(await status({ path, query: '' })).toBe(404)
    const alone = (await (await call({ path: '/inspector/figures', query: '' })).json()) as FiguresAnswer
    expect(alone).toMatchObject({ processes: 1, models: [['openai/gpt-4o', { turns: 2 }]] })
  })

  it('name an instance that does not answer, to those who see all keys', async () => {
    const [bench] = benches as [Bench, Bench]
    const [instance, url] = ['D'.repeat(16), `http://127.0.0.1:${await freePort()}`]
    const soon = String(Date.now() + 60_000)
    await redis.command('SET', `dragoman:i:${instance}`, instanceRecord(peerSecret, instance, url))
    await redis.command('ZADD', 'dragoman:instances', soon, instance)
    const headers = await login(bench)
    expect((await figuresOf(bench, headers)).missing).toEqual([new URL(url).host])
    expect((await turnsOf(bench, headers)).missing).toEqual([new URL(url).host])
    expect((await figuresOf(bench, keyOf('bob'))).missing).toEqual(['another process'])
    expect((await figuresOf(bench, headers)).models[0]?.[1].turns).toBe(4)
  })
})
