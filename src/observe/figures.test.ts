import { describe, expect, it } from 'vitest'
import { addFigures, Figures, type FiguresTurn, mostMinutes } from './figures.ts'
import { percentileOf } from './tally.ts'

const turn = (more: Partial<FiguresTurn> = {}): FiguresTurn => ({
  ...{ key: 'me', client: 'codex', backend: 'box', model: 'm', outcome: 'stop', tools: [], callIds: [] },
  ...{ inputTokens: 10, outputTokens: 2, milliseconds: 100, retries: 0, fallbacks: 0, repairs: [] },
  ...more,
})
const minuteMs = 60_000

function clocked(at = 1_000 * minuteMs) {
  const clock = { at }
  return { clock, figures: new Figures(() => clock.at) }
}

describe('figures', () => {
  it('count turns by minute, model, client, backend and key', () => {
    const { clock, figures } = clocked()
    figures.add(turn())
    clock.at += 2 * minuteMs
    figures.add(turn({ key: 'you', model: 'n', client: undefined, error: 'timeout', outcome: 'timeout' }))
    figures.add(
      turn({
        tools: ['read', 'read', 'edit'],
        cacheReadTokens: 4,
        reasoningTokens: 1,
        cost: { unknown: 'plan' },
      }),
    )
    const { from, minutes, models, clients, backends, keys } = figures.snapshot(3)
    expect(from).toBe(1_000)
    expect(minutes.map(({ turns = 0 }) => turns)).toEqual([1, 0, 2])
    expect(minutes[2]).toEqual({
      ...{
        turns: 2,
        failed: 1,
        calls: 3,
        input: 20,
        output: 4,
        cacheRead: 4,
        cacheable: 10,
        reasoning: 1,
        modelMs: 200,
      },
      ...{
        errors: [['timeout', 1]],
        tools: [
          ['read', 2],
          ['edit', 1],
        ],
      },
      cost: { dollars: 0, priced: 0, estimated: 0, noPrice: 0, plan: 1, noUsage: 0 },
    })
    const counts = (of: typeof models) => of.map(([name, { turns }]) => [name, turns])
    expect(counts(models)).toEqual([
      ['box/m', 2],
      ['box/n', 1],
    ])
    expect(counts(clients)).toEqual([
      ['codex', 2],
      ['unknown', 1],
    ])
    expect(counts(backends)).toEqual([['box', 3]])
    expect(counts(keys)).toEqual([
      ['me', 2],
      ['you', 1],
    ])
  })

  it('of one key hold nothing of another, not even the number of keys', () => {
    const { figures } = clocked()
    figures.add(turn({ key: 'you', model: 'secret', client: 'other', tools: ['hidden'] }))
    figures.add(turn())
    const own = figures.snapshot(60, 'me')
    expect(own.models.map(([name]) => name)).toEqual(['box/m'])
    expect(own.keys).toEqual([])
    expect(JSON.stringify(own)).not.toMatch(/secret|other|hidden|you/)
  })

  it('are of the last hour', () => {
    const { clock, figures } = clocked()
    for (let minute = 0; minute < 200; minute++, clock.at += minuteMs) figures.add(turn())
    clock.at -= minuteMs
    expect(figures.snapshot(1_000).minutes).toHaveLength(mostMinutes)
    const { models } = figures.snapshot(1_000)
    expect(models[0]?.[1].turns).toBe(mostMinutes)
    clock.at += 70 * minuteMs
    expect(figures.snapshot(60).models).toEqual([])
  })

  it('do not grow with 10,000 models, clients and tools in a minute, and lose no turn', () => {
    const { figures } = clocked()
    for (let at = 0; at < 10_000; at++)
      figures.add(
        turn({ model: `m${at}`.padEnd(1_000, 'x'), client: `c${at}`, tools: [`t${at}`], key: `k${at % 7}` }),
      )
    const text = JSON.stringify(figures.snapshot(60))
    expect(text.length).toBeLessThan(200_000)
    const { models, clients, minutes } = figures.snapshot(60)
    for (const named of [models, clients]) {
      expect(named.length).toBeLessThanOrEqual(101)
      expect(named.reduce((sum, [, { turns = 0 }]) => sum + turns, 0)).toBe(10_000)
    }
    expect(minutes.at(-1)?.tools?.length).toBeLessThanOrEqual(41)
  })

  it('keep what did not fit within its key', () => {
    const { figures } = clocked()
    for (let at = 0; at < 1_000; at++) figures.add(turn({ model: `m${at}`, key: 'greedy' }))
    figures.add(turn())
    expect(figures.snapshot(60, 'me').models).toHaveLength(1)
    const greedy = figures.snapshot(60, 'greedy').models
    expect(greedy.reduce((sum, [, { turns = 0 }]) => sum + turns, 0)).toBe(1_000)
  })

  it('know how long the client needed for its tools, if they saw the calls', () => {
    const { clock, figures } = clocked()
    figures.add(turn({ outcome: 'tool-calls', callIds: ['a', 'b'] }))
    clock.at += 5_000
    expect(figures.toolMs('you', ['a'])).toBeUndefined()
    expect(figures.toolMs('me', ['c'])).toBeUndefined()
    expect(figures.toolMs('me', ['b', 'a'])).toBe(5_000)
    // A request that is sent again has not waited again.
    expect(figures.toolMs('me', ['b', 'a'])).toBeUndefined()
    figures.add(turn({ results: { toolMs: 5_000 } }))
    figures.add(turn({ results: {} }))
    expect(figures.snapshot(60).minutes.at(-1)).toMatchObject({
      toolMs: 5_000,
      followUps: 2,
      timedFollowUps: 1,
    })
  })

  it('of several processes add up, also if their clocks differ', () => {
    const [one, other] = [clocked(), clocked(1_001 * minuteMs)]
    one.figures.add(turn({ firstOutputMs: 100, retries: 1, repairs: ['no-call-id'] }))
    other.figures.add(turn({ model: 'n', firstOutputMs: 100, fallbacks: 1 }))
    other.figures.add(turn({ firstOutputMs: 100 }))
    one.clock.at += minuteMs
    const sum = addFigures(one.figures.snapshot(60), [other.figures.snapshot(60)])
    expect(sum.minutes.slice(-2).map(({ turns }) => turns)).toEqual([1, 2])
    expect(sum.models.map(([name, { turns }]) => [name, turns])).toEqual([
      ['box/m', 2],
      ['box/n', 1],
    ])
    expect(sum.backends[0]?.[1]).toMatchObject({ retries: 1, fallbacks: 1, repairs: [['no-call-id', 1]] })
    expect(sum.backends[0]?.[1].first?.[0]?.[1]).toBe(3)
  })
})

describe('percentiles', () => {
  it.each([
    [0.5, 500],
    [0.95, 950],
  ])('%d of times from 1 to 1,000 ms is right to 5 %%', (share, ms) => {
    const { figures } = clocked()
    for (let at = 1; at <= 1_000; at++) figures.add(turn({ firstOutputMs: at }))
    const found = percentileOf(figures.snapshot(1).minutes[0] ?? {}, share) ?? 0
    expect(Math.abs(found - ms) / ms).toBeLessThan(0.06)
  })

  it('of nothing are unknown', () => {
    expect(percentileOf({}, 0.5)).toBeUndefined()
  })
})
