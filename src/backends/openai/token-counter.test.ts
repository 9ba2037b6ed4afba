import { describe, expect, it, vi } from 'vitest'
import { scaled, spread } from '../../../test/depth.ts'
import { Cancellation } from '../../base/signal.ts'
import type { TurnRequest } from '../../core/request.ts'
import { createTokenCounter } from './token-counter.ts'

const asking = (text: string, model = 'gpt-5'): TurnRequest => ({
  model,
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  tools: [],
  stream: false,
  origin: { dialect: 'openai-chat', body: {}, faithful: true },
})
const surrounding = 7
const count = createTokenCounter({ backend: 'openai' })
const signal = new Cancellation()

// Known counts of the public tokenizers.
it.each([
  ['hello world', 'gpt-4o', 2],
  ['hello world', 'gpt-4', 2],
  ['antidisestablishmentarianism', 'gpt-5', 6],
  ['antidisestablishmentarianism', 'gpt-4-turbo', 6],
  ['お誕生日おめでとう', 'o3', 8],
  ['お誕生日おめでとう', 'gpt-3.5-turbo', 9],
  // Not the special token, which would be one, or an error.
  ['<|endoftext|>', 'gpt-5', 7],
])('%s on %s: %d tokens', async (text, model, tokens) => {
  expect(await count(asking(text, model), signal)).toBe(tokens + surrounding)
})

it('slices change a count of prose by less than one in a hundred', async () => {
  const text = 'The gateway reads each request once, and counts (by pieces) what it says: 12345 words.\n'
  const one = ((await count(asking(text), signal)) ?? 0) - surrounding
  const many = ((await count(asking(text.repeat(500)), signal)) ?? 0) - surrounding
  expect(Math.abs(many / 500 / one - 1)).toBeLessThan(0.01)
})

it.each(['claude-opus-5', 'gemini-3.8-flash', 'qwen3-coder'])('%s: nothing is loaded', async (model) => {
  const load = vi.fn()
  expect(await createTokenCounter({ backend: 'box', load })(asking('a', model), signal)).toBeUndefined()
  expect(load).not.toHaveBeenCalled()
})

it('without the library there is no count, and it is looked for once', async () => {
  const load = vi.fn(async () => Promise.reject(new Error('ERR_MODULE_NOT_FOUND')))
  const without = createTokenCounter({ backend: 'openai', load })
  for (let time = 0; time < 3; time++) expect(await without(asking('a'), signal)).toBeUndefined()
  expect(load).toHaveBeenCalledTimes(1)
})

describe('a hostile text', () => {
  // As one piece, 300,000 of each would take from minutes to hours.
  it.each(spread(['a', ' ', '\n', '!', '中', '👩‍👩‍👧', '\ud800', '!？', '!\n/', 'é', '<|'], 3))('%j, again and again: is counted, or given up', async (unit) => {
    const text = unit.repeat(scaled(1_000_000, 300_000) / unit.length)
    const counted = await count(asking(text), signal).catch(({ code }) => code)
    expect(counted === 'timeout' || counted > 0).toBe(true)
  }, 60_000) // biome-ignore format: a list to be read as one

  it('lets other work go on in between', async () => {
    let turns = 0
    const slicesIn = new Map<number, number>()
    const tick = () => {
      turns++
      ticking = setImmediate(tick)
    }
    let ticking = setImmediate(tick)
    const busy = {
      setMergeCacheSize: () => undefined,
      countTokens: () => {
        slicesIn.set(turns, (slicesIn.get(turns) ?? 0) + 1)
        const begun = performance.now()
        while (performance.now() - begun < 4);
        return 1
      },
    }
    const counter = createTokenCounter({ backend: 'openai', load: async () => busy, mostWorkMs: 60_000 })
    await counter(asking('中文字'.repeat(3_000)), signal)
    clearImmediate(ticking)
    expect(slicesIn.size).toBeGreaterThan(10)
    // 4 ms each, and 10 ms at a time.
    expect(Math.max(...slicesIn.values())).toBeLessThanOrEqual(3)
  })

  it('that takes longer than its time is not counted', async () => {
    const hasty = createTokenCounter({ backend: 'openai', mostWorkMs: 0 })
    await expect(hasty(asking('中文字'.repeat(50_000)), signal)).rejects.toThrow(/takes too long/)
  })

  it('is not counted on for a client that left', async () => {
    const gone = new Cancellation()
    const counting = count(asking('中文字'.repeat(100_000)), gone)
    gone.abort(new Error('gone'))
    await expect(counting).rejects.toThrow('gone')
  })
})
