// What goes wrong in a turn replays byte for byte: refusals, second tries, fallbacks, breaks.

import { describe, expect, it } from 'vitest'
import { type Bench, quickRetries, user } from '../harness.ts'
import { expectEqual } from './equal.ts'
import { asked, recorded } from './recorded.ts'

describe('what goes wrong replays byte-equal', () => {
  const chat = (bench: Bench, model: string, more = {}) =>
    asked(bench, '/v1/chat/completions', { model, stream: true, messages: [user('Hello')], ...more })

  it('a refusal', async () => {
    const tapes = await recorded(async (bench) => {
      const error = { type: 'invalid_request_error', message: 'messages: not like this' }
      bench.anthropic.play([{ status: 400, body: { type: 'error', error } }])
      await chat(bench, 'anthropic/m')
    })
    await expectEqual(tapes)
  })

  it('a second try', async () => {
    const tapes = await recorded(
      async (bench) => {
        const body = { error: { message: 'later', type: 'server_error' } }
        bench.openai.play([{ status: 503, headers: { 'retry-after': '1' }, body }])
        bench.openai.play([{ say: 'now' }])
        await chat(bench, 'openai/m')
      },
      { gateway: { retryPolicy: quickRetries } },
    )
    await expectEqual(tapes)
  })

  it('a row of an alias, and a request that was too long for it', async () => {
    const rows = [{ when: { images: false }, use: ['anthropic/claude-haiku-4-5'] }, 'openai/m']
    const error = {
      type: 'invalid_request_error',
      message: 'prompt is too long: 225010 tokens > 200000 maximum',
    }
    const tapes = await recorded(
      async (bench) => {
        bench.anthropic.play([{ say: 'hello' }], [{ status: 400, body: { type: 'error', error } }])
        for (const model of ['rows', 'list'])
          await asked(bench, '/v1/chat/completions', { model, stream: true, messages: [user('hello')] })
      },
      { settings: { models: { rows, list: ['anthropic/claude-haiku-4-5', 'openai/m'] } } },
    )
    expect(tapes).toHaveLength(2)
    for (const tape of tapes) await expectEqual([tape])
  })

  it("the alias's next backend", async () => {
    const tapes = await recorded(
      async (bench) => {
        bench.anthropic.play([
          { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'no' } } },
        ])
        await chat(bench, 'both')
      },
      { settings: { models: { both: ['anthropic/m', 'openai/m'] } } },
    )
    await expectEqual(tapes)
  })

  it('an error in the middle of a stream', async () => {
    const tapes = await recorded(async (bench) => {
      const error = { type: 'overloaded_error', message: 'Overloaded' }
      bench.anthropic.play([{ say: 'half' }, { frame: { type: 'error', error }, event: 'error' }])
      await chat(bench, 'anthropic/m')
    })
    await expectEqual(tapes)
  })

  it('a connection that breaks', async () => {
    const tapes = await recorded(async (bench) => {
      bench.openai.play([{ say: 'half' }, { fault: 'reset' }])
      await chat(bench, 'openai/m')
    })
    await expectEqual(tapes)
  })

  it('every byte by itself', async () => {
    const tapes = await recorded(async (bench) => {
      bench.anthropic.play([{ split: 7 }, { think: 'Well.' }, { say: 'Grüße, 世界 🌍', pieces: 5 }])
      await chat(bench, 'anthropic/m')
    })
    await expectEqual(tapes)
  })
})
