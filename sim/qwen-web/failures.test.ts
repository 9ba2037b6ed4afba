// Each failure of the web chat by name: as an option, by `fail`, and in scripts.

import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { FAILURES, type Failure, type QwenWebSim, startQwenWebSim } from '../qwen-web.ts'
import { parseScript, type Script } from '../script.ts'
import { type QwenAnswer, QwenClient } from './test-client.fixture.ts'

let sim: QwenWebSim
let client: QwenClient
let chatId: string
beforeAll(async () => {
  sim = await startQwenWebSim()
  client = new QwenClient(sim.url)
  chatId = await client.newChat()
})
afterAll(() => sim.close())
afterEach(() => sim.clear())

const ask = () => client.ask({ chatId, text: 'hi' })
const json = 'application/json'
const stream = 'text/event-stream; charset=utf-8'
const html = 'text/html; charset=utf-8'

type Check = (answer: QwenAnswer) => void
const refused =
  (status: number, code: string, details: string): Check =>
  (answer) => {
    expect([answer.status, answer.type]).toEqual([status, json])
    expect(answer.json).toMatchObject({ success: false, data: { code } })
    expect(answer.json?.data?.details).toContain(details)
  }
const isFinished = ({ deltas }: QwenAnswer) =>
  deltas.some(({ status, phase }) => status === 'finished' && phase === 'answer')

const checks: Record<Failure, Check> = {
  'rate-limited': (answer) => {
    refused(200, 'RateLimited', 'daily usage limit')(answer)
    expect(answer.json?.data?.num).toBe(7)
  },
  'bad-request': refused(200, 'Bad_Request', ''),
  'internal-error': refused(200, 'Bad_Request', 'internal error'),
  'not-found': refused(200, 'Not_Found', 'is not exist'),
  'in-progress': refused(200, 'Bad_Request', 'The chat is in progress'),
  unauthorized: refused(401, 'Unauthorized', ''),
  'token-expired': refused(200, 'Unauthorized', 'Token has expired'),
  'pending-activation': refused(200, 'Forbidden', 'pending activation'),
  captcha: ({ status, type, json: body }) => {
    expect([status, type]).toEqual([200, 'application/json;charset=utf-8'])
    expect(body?.ret?.[0]).toBe('FAIL_SYS_USER_VALIDATE')
    expect(body?.data?.url).toContain('punish')
  },
  waf: ({ status, type, body }) => {
    expect([status, type]).toEqual([200, html])
    expect(body).toContain('aliyun_waf')
  },
  'gateway-timeout': ({ status, type }) => expect([status, type]).toEqual([504, html]),
  'zero-deltas': ({ status, type, deltas, events }) => {
    expect([status, type, deltas, events.length]).toEqual([200, stream, [], 1])
  },
  'status-error': (answer) => {
    expect(answer.text).not.toBe('')
    expect(answer.deltas.at(-1)?.status).toBe('error')
    expect(isFinished(answer)).toBe(false)
  },
  'error-event': (answer) => {
    expect(answer.text).not.toBe('')
    expect(answer.events.at(-1)?.error).toMatchObject({ code: 'internal_error' })
    expect(isFinished(answer)).toBe(false)
  },
  'no-finish': (answer) => {
    expect(answer.text).not.toBe('')
    expect(isFinished(answer)).toBe(false)
  },
  cumulative: (answer) => {
    const contents = answer.deltas.map(({ content }) => content).slice(0, -1)
    expect(contents.length).toBeGreaterThan(2)
    for (const [at, content] of contents.slice(1).entries())
      expect(content.startsWith(contents[at]!)).toBe(true)
    expect(isFinished(answer)).toBe(true)
  },
  'web-search': (answer) => {
    expect(answer.deltas[0]).toMatchObject({ phase: 'web_search', name: 'web_search' })
    expect(answer.deltas[1]).toMatchObject({ role: 'function' })
    expect(answer.text).not.toBe('')
    expect(isFinished(answer)).toBe(true)
  },
  'finished-on-think': (answer) => {
    expect(answer.deltas[1]).toMatchObject({ phase: 'think', status: 'finished' })
    expect(answer.text).not.toBe('')
    expect(isFinished(answer)).toBe(true)
  },
}

describe.each(Object.keys(FAILURES) as Failure[])('%s', (name) => {
  it('by fail, as often as given', async () => {
    sim.fail({ name, on: 'completions', times: 1 })
    checks[name](await ask())
    const after = await ask()
    expect([after.text !== '', isFinished(after)]).toEqual([true, true])
    expect(() => checks[name](after)).toThrow()
    expect(sim.violations).toEqual([])
  })

  it('by script', async () => {
    const lines = [
      { script: 1, kind: 'qwen-web' },
      { turn: {} },
      { error: name },
      { say: 'one two three', pieces: 3 },
    ]
    const own = await startQwenWebSim({ script: toScript(lines) })
    const other = new QwenClient(own.url)
    checks[name](await other.ask({ chatId: await other.newChat(), text: 'hi' }))
    await own.close()
  })
})

function toScript(lines: object[]): Script {
  return parseScript(lines.map((line) => JSON.stringify(line)).join('\n'))
}

describe('failures', () => {
  it('have a number of hours', async () => {
    sim.fail({ name: 'rate-limited', num: 3 })
    expect((await ask()).json?.data).toMatchObject({ num: 3, details: expect.stringContaining('3 hours') })
  })

  it('happen at the given place', async () => {
    sim.fail('pending-activation')
    sim.fail({ name: 'captcha', on: 'models' })
    sim.fail({ name: 'not-found', on: 'chats' })
    const created = await client.post('/api/v2/chats/new', {})
    expect(created.body).toContain('pending activation')
    expect((await client.call('GET', '/api/models')).body).toContain('FAIL_SYS_USER_VALIDATE')
    expect((await client.call('DELETE', `/api/v2/chats/${chatId}`)).body).toContain('Not_Found')
    expect((await ask()).text).not.toBe('')
  })

  it('are options, and return after clear', async () => {
    const own = await startQwenWebSim({ errors: ['web-search', { name: 'waf', times: 1 }] })
    const other = new QwenClient(own.url)
    const id = await other.newChat()
    const question = { chatId: id, text: 'hi' }
    checks.waf(await other.ask(question))
    checks['web-search'](await other.ask(question))
    own.clear()
    checks.waf(await other.ask(question))
    await own.close()
  })

  it('store no message after a refusal', async () => {
    sim.fail({ name: 'internal-error', times: 1 })
    sim.play([{ error: 'captcha' }])
    const before = sim.chats.get(chatId)?.messages.size
    await ask()
    await ask()
    expect(sim.chats.get(chatId)?.messages.size).toBe(before)
  })

  it('are all documented', () => {
    const page = readFileSync(new URL('../../docs/simulators.md', import.meta.url), 'utf8')
    const rows = Object.entries(FAILURES).map(([name, { about }]) => `| \`${name}\` | ${about} |`)
    expect(rows.filter((row) => !page.includes(row))).toEqual([])
  })

  it('with unknown names are refused', async () => {
    const script = toScript([{ script: 1, kind: 'qwen-web' }, { turn: {} }, { error: 'bad-luck' }])
    await expect(startQwenWebSim({ script })).rejects.toThrow(/no error "bad-luck".*captcha/)
    expect(() => toScript([{ script: 1, kind: 'openai' }, { turn: {} }, { error: 'captcha' }])).toThrow(
      'line 3: a step has exactly one of',
    )
  })
})
