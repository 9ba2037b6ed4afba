// The figures of the last hour: what turns add to them, and who may see which.

import { describe, expect, it } from 'vitest'
import type { FiguresAnswer, TurnsAnswer } from '../../src/inspector/api.ts'
import { expectNothingStray } from '../end-to-end/wire.ts'
import { answered, ask, called, chat, quickRetries, readTool, user } from '../harness.ts'
import { json, login, useInspected } from './inspected.ts'

expectNothingStray()

const keys = ['alice', 'bob'].map((name) => ({ name, key: `${name}-${'x'.repeat(32)}` }))
const keyOf = (name: string) => ({ authorization: `Bearer ${name}-${'x'.repeat(32)}` })

const bench = useInspected({
  settings: {
    prices: { 'anthropic/*': { input: 10, output: 50, cacheRead: 1, cacheWrite: 12 } },
    auth: { keys },
  },
  gateway: { keys, retryPolicy: quickRetries },
})

async function figuresFor(headers: Record<string, string>, query = ''): Promise<FiguresAnswer> {
  const { status, body } = await json(bench, `/inspector/figures${query}`, headers)
  expect(status).toBe(200)
  return body
}

const named = (list: FiguresAnswer['models'], name: string) => list.find(([found]) => found === name)?.[1]

describe('figures', () => {
  it('have the accounts of all backends, for a viewer of all turns', async () => {
    const { accounts } = await figuresFor(await login(bench))
    expect(accounts).toContainEqual(
      expect.objectContaining({ backend: 'anthropic', account: 'default', state: 'ready' }),
    )
    expect(JSON.stringify(accounts)).not.toContain('canary')
    expect((await figuresFor(keyOf('alice'))).accounts).toEqual([])
  })

  it('have tokens, cached ones too, costs, tools and the time of the tools', async () => {
    const messages = [user('word '.repeat(3_000))]
    const body = (more: object[]) =>
      ask('anthropic/claude-opus-4-6', { messages: [...messages, ...more], tools: [readTool] })
    bench.anthropic.play([{ call: { name: 'read', arguments: { path: 'a' } } }])
    const first = await chat(bench.url, body([]), keyOf('alice'))
    const id = String(first.json.choices[0].message.tool_calls[0].id)
    await chat(
      bench.url,
      body([{ role: 'assistant', tool_calls: [called(id, 'read', { path: 'a' })] }, answered(id, 'content')]),
      keyOf('alice'),
    )

    const figures = await figuresFor(keyOf('alice'))
    expect(figures.minutes).toHaveLength(60)
    const model = named(figures.models, 'anthropic/claude-opus-4-6')
    expect(model).toMatchObject({ turns: 2, calls: 1, tools: [['read', 1]], followUps: 1, timedFollowUps: 1 })
    expect(model?.cacheWrite).toBeGreaterThan(100)
    expect(model?.cacheRead).toBeGreaterThan(100)
    expect(model?.cost).toMatchObject({ priced: 2, noPrice: 0 })

    const { turns } = (await json(bench, '/inspector/turns', keyOf('alice'))).body as TurnsAnswer
    expect(turns[0]).toMatchObject({ cacheReadTokens: expect.any(Number), cost: { source: 'configuration' } })
    const dollars = turns.reduce((sum, { cost }) => sum + (cost && 'dollars' in cost ? cost.dollars : 0), 0)
    expect(model?.cost?.dollars).toBeCloseTo(dollars, 10)
  })

  it('count retries, errors and repairs; models without a price and accounts have no cost', async () => {
    bench.openai.play([{ status: 503, body: 'busy' }])
    await chat(bench.url, ask('openai/gpt-4o', { messages: [user('Once more')] }), keyOf('bob'))
    bench.openai.play([{ status: 400, body: 'wrong' }])
    await chat(bench.url, ask('openai/gpt-4o', { messages: [user('Wrong')] }), keyOf('bob'))
    await chat(bench.url, ask('cursor/gpt-5', { messages: [user('Hello')] }), keyOf('bob'))
    const { models, clients } = await figuresFor(keyOf('bob'))
    expect(named(models, 'openai/gpt-4o')).toMatchObject({
      turns: 2,
      retries: 1,
      failed: 1,
      errors: [['invalid-request', 1]],
    })
    expect(named(models, 'openai/gpt-4o')?.cost).toMatchObject({ priced: 0, noPrice: 1, noUsage: 1 })
    expect(named(models, 'cursor/gpt-5')?.cost).toMatchObject({ priced: 0, plan: 1 })
    expect(clients[0]?.[1].turns).toBe(3)
  })

  it('of a key are that key’s; a link of the gateway shows all keys', async () => {
    const bob = await figuresFor(keyOf('bob'))
    expect(JSON.stringify(bob)).not.toMatch(/alice|anthropic/)
    expect(bob.keys).toEqual([])
    const all = await figuresFor(await login(bench))
    expect(all.keys.map(([name]) => name).sort()).toEqual(['alice', 'bob'])
    expect((await json(bench, '/inspector/figures', {})).status).toBe(401)
  })

  it('are of as many minutes as one asks for, up to the hour that is kept', async () => {
    const lengths = await Promise.all(
      ['?minutes=5', '?minutes=99999', '?minutes=-1', '?minutes=x'].map(
        async (query) => (await figuresFor(keyOf('bob'), query)).minutes.length,
      ),
    )
    expect(lengths).toEqual([5, 61, 60, 60])
  })
})
