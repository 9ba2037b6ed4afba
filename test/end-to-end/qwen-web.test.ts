// Qwen's web chat as a backend: tool calls, errors, and secrets that must not leak.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type QwenWebSim, startQwenWebSim } from '../../sim/qwen-web.ts'
import { ask, type Bench, chat, chatStream, readTool, startBench, user } from '../harness.ts'
import { expectNothingStray } from './wire.ts'

expectNothingStray()

const token = 'eyJ-token-canary-3141592653'
const cookie = 'acw_tc=cookie-canary-2653589793; theme=dark'
let sim: QwenWebSim
let bench: Bench

beforeAll(async () => {
  sim = await startQwenWebSim({ apiKey: token })
  bench = await startBench({
    settings: {
      backends: {
        qwen: { kind: 'qwen-web', baseUrl: sim.url, token, cookie },
        dead: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' },
      },
      models: { best: ['qwen/qwen3-max', 'dead/x'] },
    },
  })
})
afterEach(() => {
  sim.clear()
  bench.logs.length = 0
})
afterAll(async () => {
  await bench.close()
  await sim.close()
})

const question = (more: Record<string, unknown> = {}) => ask('qwen/qwen3-max', more)

describe('an agent', () => {
  it('calls a tool and continues with its result, in one chat', async () => {
    sim.play([{ say: 'Let me see.' }, { call: { name: 'read', arguments: { path: 'a "b".txt' } } }])
    const first = await chatStream(bench.url, question({ messages: [user('what is in it?')] }))
    expect(first.finishReason).toBe('tool_calls')
    const [call] = first.calls
    expect(call).toMatchObject({ name: 'read', arguments: JSON.stringify({ path: 'a "b".txt' }) })
    sim.play([{ say: 'A poem.' }])
    const messages = [
      user('what is in it?'),
      {
        role: 'assistant',
        content: first.text,
        tool_calls: [
          { id: call?.id, type: 'function', function: { name: 'read', arguments: call?.arguments } },
        ],
      },
      { role: 'tool', tool_call_id: call?.id, content: 'Roses are red' },
    ]
    const second = await chat(bench.url, question({ messages, tools: [readTool] }))
    expect(second.json.choices[0].message.content).toBe('A poem.')
    expect(sim.requests.filter(({ path }) => path.endsWith('/new'))).toHaveLength(1)
    expect(sim.violations).toEqual([])
  })
})

describe('errors before the answer are true statuses', () => {
  it('a captcha is a 403 with a clear message, without retries by gateway or client', async () => {
    sim.fail('captcha')
    const { status, json } = await chat(bench.url, question())
    expect(status).toBe(403)
    expect(json.error).toMatchObject({
      type: 'permission_error',
      code: 'upstream_challenge',
      message: expect.stringContaining('not be bypassed'),
    })
    expect(sim.requests.filter(({ path }) => path.endsWith('/completions'))).toHaveLength(1)
  })

  it('permanent errors tell the SDKs not to retry', async () => {
    sim.fail('zero-deltas')
    const { status, headers } = await chat(bench.url, question())
    expect([status, headers.get('x-should-retry')]).toEqual([502, 'false'])
  })

  it('a quota is 429 with its hours', async () => {
    sim.fail({ name: 'rate-limited', num: 3 })
    const { status, headers } = await chat(bench.url, question())
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('10800')
  })

  it('a captcha gives way to the next backend of an alias', async () => {
    sim.fail('captcha')
    const { json } = await chat(bench.url, ask('best'))
    expect(json.error.message).toMatch(/could not be reached .*Tried before it: qwen: .*captcha/)
  })
})

it('token and cookies are in no answer and no log, even if the service repeats them', async () => {
  const echo = `${token} ${cookie}`
  sim.play(
    [{ status: 200, body: { success: false, data: { code: 'Teapot', details: echo } } }],
    [{ status: 200, headers: { 'content-type': 'text/html' }, body: `<html>${echo}</html>` }],
    [{ say: 'half' }, { frame: { error: { message: echo } } }],
  )
  const answers = [
    JSON.stringify(await chat(bench.url, question())),
    JSON.stringify(await chat(bench.url, question())),
    JSON.stringify(await chatStream(bench.url, question())),
  ]
  const shown = [...answers, ...bench.logs].join('\n')
  expect(shown).toContain('[secret]')
  expect(shown).not.toMatch(/canary/)
})
