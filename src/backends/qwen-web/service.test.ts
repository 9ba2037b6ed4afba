import { describe, expect, it } from 'vitest'
import { until } from '../../../test/end-to-end/wire.ts'
import { Notes } from '../../core/notes.ts'
import { requestOf, startQwenBench, useQwenBench, user } from './bench.fixture.ts'

const hello = requestOf([user('hello')])
const signal = new AbortController().signal

describe('headers', () => {
  const bench = useQwenBench({
    cookie: 'acw_tc=abc; cna=def',
    userAgent: 'Mozilla/5.0 (mine)',
    headers: { 'BX-V': '2.5.36', Source: 'elsewhere' },
  })

  it('have credentials, origin and configured values, and nothing of the anti-bot layer', async () => {
    await bench.turn(hello)
    const { origin } = new URL(bench.sim.url)
    const [newChat, completion] = bench.sim.requests
    const shared = {
      authorization: 'Bearer test-token',
      cookie: 'acw_tc=abc; cna=def',
      'user-agent': 'Mozilla/5.0 (mine)',
      origin,
      source: 'elsewhere',
      version: '0.2.81',
      timezone: expect.stringMatching(/ GMT[+-]\d{4}$/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'bx-v': '2.5.36',
    }
    expect(newChat?.headers).toMatchObject({ ...shared, referer: `${origin}/` })
    expect(completion?.headers).toMatchObject({
      ...shared,
      referer: `${origin}/c/${bench.asked()[0]?.chatId}`,
      accept: 'text/event-stream',
    })
    expect(newChat?.headers['x-request-id']).not.toBe(completion?.headers['x-request-id'])
  })

  it('have no optional values without configuration', async () => {
    const plain = await startQwenBench()
    await plain.turn(hello)
    const names = Object.keys(plain.sim.requests.at(-1)?.headers ?? {})
    expect(names.filter((name) => /^bx-|cookie|user-agent/.test(name))).toEqual([])
    await plain.backend.close()
    await plain.sim.close()
  })
})

describe('models', () => {
  const bench = useQwenBench()

  it('have the sizes that the service lists', async () => {
    const models = await bench.backend.models(signal)
    expect(models.find(({ id }) => id === 'qwen3-max')).toMatchObject({
      contextTokens: 262_144,
      outputTokens: 32_768,
      ownedBy: 'qwen',
    })
  })

  it('tell doctor what the service is and when the token expires', async () => {
    expect(await bench.backend.describe?.(signal)).toEqual([
      { status: 'ok', message: expect.stringContaining('its expiry is unknown') },
      { status: 'warning', message: expect.stringMatching(/unofficial.*captcha.*DashScope/) },
    ])
    const claims = Buffer.from(JSON.stringify({ exp: 1_700_000_000 })).toString('base64url')
    const old = await startQwenBench({ token: `x.${claims}.x` })
    expect(await old.backend.describe?.(signal)).toContainEqual({
      status: 'warning',
      message: expect.stringMatching(/^token: expired .*log in on the web page/),
    })
    await old.backend.close()
    await old.sim.close()
  })
})

describe('unsupported settings', () => {
  const bench = useQwenBench()

  it('a stop sequence ends the answer and the request', async () => {
    bench.sim.play([{ say: 'one two', pieces: 4 }, { wait: 10_000 }])
    const turn = await bench.turn({ ...hello, stop: [' t'] })
    expect(turn.parts).toMatchObject([{ text: 'one' }])
    expect(turn.reason).toBe('stop')
    await bench.sim.requests.at(-1)?.waitForAbort()
  })

  it('settings are noted, and the effort turns thinking on or off', async () => {
    const notes = new Notes()
    bench.sim.play([{ think: 'hm' }, { say: 'so' }])
    const origin = { dialect: 'openai-chat', body: { temperature: 1 }, faithful: false }
    const request = { ...hello, temperature: 1, reasoning: { effort: 'none' as const }, origin }
    const { parts } = await bench.turn(request, { notes })
    expect(parts.map(({ type }) => type)).toEqual(['text'])
    expect(notes.all).toEqual(['not supported by the upstream and left out: temperature'])
  })

  it('an image is refused before any request', async () => {
    const image = { type: 'image' as const, source: { url: 'https://x.example/a.png' } }
    const messages = [{ role: 'user' as const, content: [image] }]
    await expect(bench.turn({ ...hello, messages })).rejects.toMatchObject({ code: 'unsupported' })
    expect(bench.sim.requests).toEqual([])
  })
})

describe('dropped chats', () => {
  it('stay in the account without deleteChats', async () => {
    const bench = await startQwenBench()
    await bench.turn(hello)
    await bench.backend.close()
    expect(bench.sim.chats.size).toBe(1)
    await bench.sim.close()
  })

  it('are deleted: after a failed answer at once, all others at shutdown', async () => {
    const bench = await startQwenBench({ deleteChats: true })
    bench.sim.fail({ name: 'internal-error', times: 1 })
    await expect(bench.turn(hello)).rejects.toMatchObject({ code: 'upstream-unavailable' })
    await until(() => bench.sim.chats.size === 0)
    await bench.turn(hello)
    expect(bench.sim.chats.size).toBe(1)
    await bench.backend.close()
    expect(bench.sim.chats.size).toBe(0)
    await bench.sim.close()
  })

  it('are not deleted while the service asks for a captcha', async () => {
    const bench = await startQwenBench({ deleteChats: true })
    bench.sim.fail({ name: 'captcha', times: 1 })
    await expect(bench.turn(hello)).rejects.toMatchObject({ code: 'upstream-challenge' })
    await bench.turn(hello)
    expect(bench.sim.requests.map(({ method }) => method)).not.toContain('DELETE')
    await bench.backend.close()
    expect(bench.sim.chats.size).toBe(0)
    await bench.sim.close()
  })

  it('a failed deletion has no effect', async () => {
    const bench = await startQwenBench({ deleteChats: true })
    await bench.turn(hello)
    bench.sim.fail({ name: 'captcha', on: 'chats' })
    await bench.backend.close()
    expect(bench.sim.chats.size).toBe(1)
    await bench.sim.close()
  })
})
