import { describe, expect, it, vi } from 'vitest'
import { scaled } from '../../../test/depth.ts'
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
  // A million of each would take minutes or hours as one piece.
  it.each(['a', ' ', '\n', '!', '中', '👩‍👩‍👧', '\ud800', '!？', '!\n/', 'é', '<|'])('%j, again and again: no long hold', async (unit) => {
    await count(asking('warm'), signal)
    const text = unit.repeat(scaled(1_000_000, 300_000) / unit.length)
    let longest = 0
    let before = performance.now()
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - before)
      before = performance.now()
    }, 1)
    const begun = performance.now()
    await count(asking(text), signal).catch(() => undefined)
    clearInterval(watch)
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(longest).toBeLessThan(1_500)
  }) // biome-ignore format: a list to be read as one

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
