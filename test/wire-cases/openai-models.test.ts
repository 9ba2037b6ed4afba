// T50, T51: what OpenAI's own models refuse on Chat Completions. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { addresses, useServers } from '../server-bench.ts'
import { acceptedAt, askAt, doorForms } from './at-doors.ts'

const bench = useServers({
  openai: { server: 'openai', baseUrl: addresses.openai, settings: { api: 'chat' } },
})
const accepted = (at: (typeof doorForms)[number], question: Parameters<typeof acceptedAt>[3]) =>
  acceptedAt(bench.url, bench.sims.openai, at, question)

describe.each(doorForms)('T50: function tools on Chat Completions ($door, stream $stream)', (at) => {
  it.each(['gpt-5.4', 'gpt-5.4-mini-2026-03-05', 'gpt-5.5'])(
    '%s accepts them only with effort none: the lost effort is a note',
    async (name) => {
      const { sent, notes } = await accepted(at, { model: `openai/${name}`, effort: 'high' })
      expect(sent.reasoning_effort).toBe('none')
      if (!at.stream) expect(notes).toContain('without reasoning')
      expect((await accepted(at, { model: `openai/${name}` })).sent.reasoning_effort).toBeUndefined()
    },
  )

  it.each(['gpt-5.6', 'gpt-5.6-terra', 'gpt-6-sol', 'gpt-6-luna', 'gpt-6.1-terra'])(
    '%s needs it set explicitly, whatever was requested',
    async (name) => {
      for (const effort of [undefined, 'none', 'low', 'max']) {
        const { sent, notes } = await accepted(at, { model: `openai/${name}`, ...(effort ? { effort } : {}) })
        expect(sent.reasoning_effort).toBe('none')
        if (!at.stream && effort !== 'none') expect(notes).toContain('without reasoning')
      }
    },
  )

  it.each(['gpt-6-astra', 'gpt-6.1-sol', 'gpt-6.1-sol-2026-10-01'])(
    '%s accepts none: an error that says so, before anything is sent',
    async (name) => {
      const before = bench.sims.openai?.requests.length
      const { status, text } = await askAt(bench.url, at, { model: `openai/${name}` })
      expect(status).toBe(400)
      expect(text).toContain('/v1/responses')
      expect(bench.sims.openai?.requests.length).toBe(before)
    },
  )

  it('without tools every effort is kept', async () => {
    for (const name of ['gpt-5.4', 'gpt-5.6-sol', 'gpt-6-astra']) {
      const { sent } = await accepted(at, { model: `openai/${name}`, effort: 'high', tools: false })
      expect(sent.reasoning_effort).toBe('high')
    }
  })

  it('an unknown model gets the requested value', async () => {
    const { sent } = await accepted(at, { model: 'openai/gpt-7', effort: 'max', stop: ['END'] })
    expect(sent.reasoning_effort).toBe('max')
    if (at.door !== 'responses') expect(sent.stop).toEqual(['END'])
  })
})

describe.each(doorForms)('T51: settings of reasoning models ($door, stream $stream)', (at) => {
  it.each(['gpt-5', 'gpt-5.2', 'gpt-6-sol', 'gpt-6-astra', 'o3'])('%s', async (name) => {
    const question = { model: `openai/${name}`, tools: false, temperature: 0.3, stop: ['END'] } as const
    const { sent, notes } = await accepted(at, { ...question, stop: ['END'], effort: 'low' })
    expect(sent).toMatchObject({ max_completion_tokens: 500, reasoning_effort: 'low' })
    expect([sent.max_tokens, sent.temperature, sent.stop]).toEqual([undefined, undefined, undefined])
    if (at.stream) return
    expect(notes).toContain('temperature')
    if (at.door !== 'responses') expect(notes).toContain('stop')
  })

  it('with the effort none, gpt-5.1 and later take a temperature', async () => {
    for (const name of ['gpt-5.1', 'gpt-5.6-sol']) {
      const { sent } = await accepted(at, { model: `openai/${name}`, temperature: 0.3, effort: 'none' })
      expect(sent.temperature).toBe(0.3)
    }
  })
})
