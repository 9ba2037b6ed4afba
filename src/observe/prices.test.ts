import { describe, expect, it } from 'vitest'
import { configSchema } from '../config/schema.ts'
import { addCost, type Cost, costOf, costSumWords, costsOf, costWords, dollarWords, noCosts } from './cost.ts'
import { priceRows } from './price-rows.ts'
import { Prices, undated } from './prices.ts'

const usage = (inputTokens: number, outputTokens: number, more = {}) => ({
  ...{ inputTokens, outputTokens },
  ...more,
})
const backends = {
  claude: { kind: 'anthropic', apiKey: 'sk-ant-api-x' },
  plan: { kind: 'anthropic', apiKey: 'sk-ant-oat01-x' },
  cursor: { kind: 'cursor' },
  gpt: { kind: 'openai', baseUrl: 'https://api.openai.com/v1' },
  box: { kind: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' },
}
const pricesOf = (more: object = {}, own: object = {}) =>
  new Prices(configSchema.parse({ backends: { ...backends, ...own }, ...more }))

describe('the rows', () => {
  it.each(priceRows.map((row) => [row.models.join(', '), row] as const))(
    '%s: has source, date and figures',
    (_models, { source, date, input, output, cacheRead = input, cacheWrite = input, above, upTo }) => {
      expect(new URL(source).protocol).toBe('https:')
      expect(date).toMatch(/^202\d-\d\d-\d\d$/)
      expect(Number.isNaN(Date.parse(date))).toBe(false)
      expect(input).toBeGreaterThan(0)
      expect(output).toBeGreaterThan(input)
      expect(cacheRead).toBeLessThanOrEqual(input)
      expect(cacheWrite).toBeGreaterThanOrEqual(input)
      if (above) expect([above.input > input, above.output > output]).toEqual([true, true])
      expect(above && upTo).toBeUndefined()
    },
  )

  it('name each model of a host once, also without its date', () => {
    const places = priceRows.flatMap(({ host, models }) => models.map((model) => `${host} ${undated(model)}`))
    expect(new Set(places).size).toBe(places.length)
    expect(places).toEqual(priceRows.flatMap(({ host, models }) => models.map((model) => `${host} ${model}`)))
  })
})

describe('the price of a model', () => {
  it('is the list price of its service, also for a dated snapshot', () => {
    expect(pricesOf().of({ backend: 'claude', model: 'claude-opus-5' })).toMatchObject({
      input: 5,
      output: 25,
    })
    expect(pricesOf().of({ backend: 'claude', model: 'claude-haiku-4-5-20251001' })).toMatchObject({
      input: 1,
    })
    expect(pricesOf().of({ backend: 'gpt', model: 'gpt-5.4-2026-03-05' })).toMatchObject({ input: 2.5 })
  })

  it.each([
    ['another model of the service', { backend: 'gpt', model: 'gpt-5.4-mini-audio' }],
    ['a model on another host', { backend: 'box', model: 'gpt-5.4' }],
    ['a backend that is not configured, without its host', { backend: 'gone', model: 'gpt-5.4' }],
    ['a name of the language', { backend: 'constructor', model: '__proto__' }],
  ])('is not known for %s', (_case, asked) => {
    expect(pricesOf().of(asked)).toBeUndefined()
  })

  it('is that of the host on a tape, if the backend is not configured', () => {
    const asked = { backend: 'gone', kind: 'openai', host: 'api.openai.com', model: 'gpt-5.4' }
    expect(pricesOf().of(asked)).toMatchObject({ input: 2.5 })
    expect(pricesOf().of({ ...asked, kind: 'cursor' })).toBe('plan')
  })

  it('is not a list price for accounts and subscriptions', () => {
    expect(pricesOf().of({ backend: 'cursor', model: 'claude-opus-5' })).toBe('plan')
    expect(pricesOf().of({ backend: 'plan', model: 'claude-opus-5' })).toBe('plan')
    const accounts = [{ name: 'mine', apiKey: 'sk-ant-oat01-x' }]
    const single = pricesOf({}, { single: { kind: 'anthropic', accounts } })
    expect(single.of({ backend: 'single', model: 'claude-opus-5' })).toBe('plan')
  })

  it('follows a reload, also for a model that was asked before', () => {
    let config = configSchema.parse({ backends })
    const prices = new Prices({
      get backends() {
        return config.backends
      },
      get prices() {
        return config.prices
      },
    })
    const asked = { backend: 'box', model: 'm' }
    expect(prices.of(asked)).toBeUndefined()
    config = configSchema.parse({ backends, prices: { 'box/m': { input: 1, output: 2 } } })
    expect(prices.of(asked)).toMatchObject({ input: 1, output: 2 })
  })

  it('is the configured one first: of the backend, then of all, the narrower before the wider', () => {
    const price = (input: number) => ({ input, output: 1 })
    const box = { ...backends.box, prices: { m: price(1), '*': price(2) } }
    const prices = pricesOf(
      {
        prices: {
          'box/m': price(3),
          'cursor/*': price(4),
          m: price(5),
          'gpt/gpt-5.4': price(6),
          'cursor/a': price(7),
        },
      },
      { box },
    )
    const input = (backend: string, model: string) => prices.of({ backend, model })
    expect(input('box', 'm')).toEqual({
      ...{ input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
      source: 'configuration',
    })
    expect(input('box', 'other')).toMatchObject({ input: 2 })
    expect(input('cursor', 'a')).toMatchObject({ input: 7 })
    expect(input('cursor', 'b')).toMatchObject({ input: 4 })
    expect(input('claude', 'm')).toMatchObject({ input: 5 })
    expect(input('gpt', 'gpt-5.4')).toMatchObject({ input: 6 })
    expect(input('gpt', 'gpt-5.4-mini')).toMatchObject({ input: 0.75 })
  })

  it('can be switched off, for all or for a backend', () => {
    const asked = { backend: 'gpt', model: 'gpt-5.4' }
    expect(pricesOf({ prices: 'off' }).of(asked)).toBeUndefined()
    expect([pricesOf({ prices: 'off' }).areOff, pricesOf().areOff]).toEqual([true, false])
    expect(pricesOf({}, { gpt: { ...backends.gpt, prices: 'off' } }).of(asked)).toBeUndefined()
  })
})

describe('the cost of a turn', () => {
  const price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, source: 'configuration' }

  it('counts cached input at its own price', () => {
    const cached = usage(1_000_000, 100_000, { cacheReadTokens: 600_000, cacheWriteTokens: 200_000 })
    expect(costOf(cached, price)).toMatchObject({ dollars: 2 + 0.6 + 2.5 + 5 })
    expect(costOf(usage(1_000, 0), price)).toMatchObject({ dollars: 0.01 })
  })

  it('takes the price of long requests for all their tokens', () => {
    const tiers = { ...price, above: { tokens: 200_000, input: 20, output: 100 } }
    expect(costOf(usage(200_000, 1_000), tiers)).toMatchObject({ dollars: 2.05 })
    expect(costOf(usage(200_001, 1_000), tiers)).toMatchObject({ dollars: 4.10002 })
  })

  it.each<[string, Cost, ReturnType<typeof usage>, Parameters<typeof costOf>[1]]>([
    ['no price', { unknown: 'no-price' }, usage(1, 1), undefined],
    ['a plan', { unknown: 'plan' }, usage(1, 1), 'plan'],
    ['no tokens', { unknown: 'no-usage' }, usage(0, 0), price],
    ['more input than its price holds for', { unknown: 'no-price' }, usage(11, 1), { ...price, upTo: 10 }],
    [
      'cached input whose price is not known',
      { unknown: 'no-price' },
      usage(10, 1, { cacheReadTokens: 1 }),
      { ...price, cacheRead: undefined },
    ],
  ])('is unknown, never zero, with %s', (_case, cost, used, found) => {
    expect(costOf(used, found)).toEqual(cost)
  })

  it('of estimated tokens says so', () => {
    expect(costWords(costOf(usage(1_000, 0, { estimated: true }), price))).toBe('about $0.010')
  })
})

describe('a sum of costs', () => {
  const known: Cost = { dollars: 0.06, source: 'configuration' }

  it.each<[string, Cost[]]>([
    ['$0.12 + 3 turns without a price', [known, known, ...Array(3).fill({ unknown: 'no-price' })]],
    [
      '$0.060 + 1 turn covered by a plan + 1 turn without usage',
      [known, { unknown: 'plan' }, { unknown: 'no-usage' }],
    ],
    ['not known: 1 turn without a price', [{ unknown: 'no-price' }]],
    ['about $0.060', [{ ...known, estimated: true }]],
    ['none', []],
  ])('%s', (words, costs) => {
    expect(costSumWords(costsOf(costs))).toBe(words)
  })

  it('of nothing known is not zero', () => {
    const sum = noCosts()
    addCost(sum, { unknown: 'plan' })
    expect(costSumWords(sum)).not.toContain('$')
  })

  it.each([
    [12.345, '$12.35'],
    [0.1, '$0.10'],
    [0.01234, '$0.012'],
    [0.000012, '$0.000012'],
    [0, '$0'],
  ])('%d dollars are %s', (dollars, words) => {
    expect(dollarWords(dollars)).toBe(words)
  })
})
