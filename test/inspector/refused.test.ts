// Refused and failed requests in the inspector: as turns for those who may ask, as counts for those who may not.

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { TurnDetail, TurnsAnswer } from '../../src/inspector/api.ts'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly, scaled } from '../depth.ts'
import { rawRequest } from '../end-to-end/wire.ts'
import { ask, type Bench, chat, quickRetries, startBench, useBench, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { json, login, openInspector, useBrowser } from './inspected.ts'

const keys = [
  { name: 'desk', key: 'key-of-desk-0123456789abcdef0123456789' },
  { name: 'other', key: 'key-of-other-0123456789abcdef012345678' },
]
type Headers = Record<string, string>
const withKey = (at: number): Headers => ({ authorization: `Bearer ${keys[at]?.key}` })
const [desk, other] = [withKey(0), withKey(1)]

const settings = {
  inspector: { enabled: true, turns: 20 },
  models: { twice: ['openai/gpt-demo', 'anthropic/claude-x'] },
}
const gateway = { keys, retryPolicy: quickRetries }
const bench = useBench({ settings, gateway })

const send = (body: string, headers: Headers = desk, path = '/v1/chat/completions') =>
  fetch(bench.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })

async function turnsOf(of: Bench, headers: Headers): Promise<TurnsAnswer> {
  return (await json(of, '/inspector/turns', headers)).body
}
const detailOf = async (turn: string, headers: Headers): Promise<TurnDetail> =>
  (await json(bench, `/inspector/turns/${turn}`, headers)).body
const turnIn = ({ headers }: { headers: { get(name: string): string | null } }) =>
  headers.get('x-dragoman-turn') ?? ''

describe('a turn that was refused or failed', () => {
  it('is in the list with a title and the status of its answer, for its own key', async () => {
    const turn = turnIn(await send('{"model": "m", '))
    const find = async (headers: Headers) =>
      (await turnsOf(bench, headers)).turns.find(({ id }) => id === turn)
    expect(await find(desk)).toMatchObject({
      ...{
        title: 'Unreadable: {"model": "m",',
        model: 'unknown',
        key: 'desk',
        tries: 0,
        running: false,
      },
      ...{ status: 400, outcome: 'invalid-request', error: { code: 'invalid-request' } },
    })
    expect(await find(other)).toBeUndefined()
    expect(await find(await login(bench))).toBeDefined()
  })

  it('has every attempt, with what the service said and what came next', async () => {
    for (const status of [429, 500])
      bench.openai.play([{ status, body: { error: { message: `no ${status}` } } }])
    bench.anthropic.play([
      { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } } },
    ])
    bench.anthropic.play([{ say: 'At last' }, { end: 'stop' }])
    const answer = await chat(bench.url, ask('twice', { messages: [user('Try hard')] }), desk)
    expect(answer.status).toBe(200)
    const { attempts, summary } = await detailOf(turnIn(answer), desk)
    expect(summary.tries).toBe(4)
    expect(attempts).toMatchObject([
      {
        backend: 'openai',
        outcome: 'failed',
        status: 429,
        code: 'rate-limited',
        next: 'retry',
        waitMs: expect.any(Number),
      },
      {
        backend: 'openai',
        outcome: 'failed',
        status: 500,
        next: 'fallback',
        body: expect.stringContaining('no 500'),
      },
      {
        backend: 'anthropic',
        outcome: 'failed',
        status: 529,
        next: 'retry',
        body: expect.stringContaining('busy'),
      },
      { backend: 'anthropic', outcome: 'answered', status: 200 },
    ])
  })

  it('names the backend that was skipped by its breaker', async () => {
    const own = await startBench({ settings, gateway: { ...gateway, breaker: { failures: 1 } } })
    for (let nth = 0; nth < 2; nth++) {
      for (let time = 0; time < 3; time++) own.openai.play([{ status: 500, body: {} }])
      await chat(own.url, ask('openai/gpt-demo'), desk)
    }
    const { turns } = await turnsOf(own, desk)
    const [last] = turns
    expect(last).toMatchObject({
      tries: 0,
      backend: 'openai',
      error: { code: 'upstream-unavailable' },
      status: 503,
    })
    const { body } = await json(own, `/inspector/turns/${last?.id}`, desk)
    expect(body.attempts).toMatchObject([{ backend: 'openai', outcome: 'skipped', next: 'give up' }])
    await own.close()
  })

  it('shows no secret of its body, and the log has nothing of the body', async () => {
    const secret = `sk-ant-api03-${'Zz9'.repeat(20)}`
    const turn = turnIn(await send(`{"messages": "${keys[1]?.key} ${secret} a plain word`))
    const shown = JSON.stringify([await detailOf(turn, desk), await turnsOf(bench, desk)])
    expect(shown).toContain('a plain word')
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(keys[1]?.key)
    const logged = bench.logs.join('')
    expect(logged).toContain(turn)
    for (const text of [secret, keys[1]?.key, 'plain word']) expect(logged).not.toContain(text)
  })
})

describe('requests without a right key, host or origin', () => {
  const strange: readonly [reason: string, headers: Headers][] = [
    ['wrong-key', { authorization: 'Bearer wrong' }],
    ['no-key', { authorization: '' }],
    ['origin', { ...desk, origin: 'http://evil.example' }],
    ['host', { ...desk, host: 'evil.example' }],
  ]

  it('are counted by their reason; they are no turns and push none out', async () => {
    const mine = turnIn(await send('{'))
    const viewer = await login(bench)
    const before = await turnsOf(bench, viewer)
    const times = scaled(500, 15)
    for (const [, headers] of strange)
      for (let nth = 0; nth < times; nth++) {
        const body = '{"a secret": "of a stranger"}'
        const lines = Object.entries({
          ...{ host: new URL(bench.url).host, 'content-type': 'application/json' },
          ...{ 'content-length': String(body.length), ...headers },
        })
        const answer = await rawRequest(bench.url, {
          method: 'POST',
          path: `/v1/${nth % 2 ? 'messages' : Math.random().toString(36)}`,
          lines: lines.map(([name, value]) => `${name}: ${value}`),
          body,
        })
        expect(answer.status).toBeGreaterThanOrEqual(401)
        expect(answer.headers.has('x-dragoman-turn')).toBe(false)
      }
    const after = await turnsOf(bench, viewer)
    expect(after.turns.map(({ id }) => id)).toEqual(before.turns.map(({ id }) => id))
    expect(after.turns[0]?.id).toBe(mine)
    const sum = (reason: string) =>
      after.turnedAway.reduce((total, one) => total + (one.reason === reason ? one.count : 0), 0)
    for (const [reason] of strange) expect(sum(reason), reason).toBeGreaterThanOrEqual(times)
    expect(after.turnedAway.length).toBeLessThanOrEqual(60 * 6)
    expect(JSON.stringify(after)).not.toContain('stranger')
  })

  it('are not shown to a viewer of one key', async () => {
    await send('{}', { authorization: 'Bearer wrong' })
    for (const headers of [desk, other]) expect((await turnsOf(bench, headers)).turnedAway).toEqual([])
    expect((await turnsOf(bench, await login(bench))).turnedAway).not.toEqual([])
  })
})

/** In two seconds at most, so 50 of them are too many. */
function beginMany({ gateway: { inspector } }: Bench): void {
  for (let nth = 0; nth < 450; nth++) inspector?.shelf.begin({ turnId: `turn_${nth}`, asked: false })
}

describe('turns that are too many in a second', () => {
  it('are counted for those who see all turns, and their requests are answered as always', async () => {
    const own = await startBench({ settings, gateway })
    beginMany(own)
    const answer = await chat(own.url, ask('openai/gpt-demo', { messages: [user('One more')] }), desk)
    expect(answer.status).toBe(200)
    const { turnedAway } = await turnsOf(own, await login(own))
    const counts = turnedAway.filter(({ reason }) => reason === 'rate').map(({ count }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(50)
    expect((await turnsOf(own, desk)).turnedAway).toEqual([])
    await own.close()
  })
})

describeWith([chromiumProgram], 'the page', () => {
  const browsing = useBrowser()

  async function open(options: Parameters<typeof openInspector>[2] = {}) {
    const opened = await openInspector(browsing.browser, bench, options)
    atTestEnd(async () => {
      expect(opened.complaints).toEqual([])
      await opened.context.close()
    })
    return opened.page
  }

  async function violations(page: Page, within = 'body'): Promise<string[]> {
    await page.evaluate(axe.source)
    const { violations: found } = (await page.evaluate(
      `axe.run(${JSON.stringify(within)})`,
    )) as axe.AxeResults
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }

  const row = (page: Page, text: string) => page.getByRole('option').filter({ hasText: text }).first()

  it.runIf(isNightly)('says how many turns it does not show, and why', async () => {
    const own = await startBench({ settings, gateway })
    beginMany(own)
    const { page, context, complaints } = await openInspector(browsing.browser, own)
    await page.getByText(/turns of the last hour not shown: too many in a second/).click()
    await page.getByText(/The log, the metrics and the figures have all of them/).waitFor()
    // The turns themselves are empty here.
    expect(await violations(page, '.turned-away')).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
    await own.close()
  })

  it.runIf(isNightly)('shows who refused a request, why, what to do, and where its body breaks', async () => {
    await send('{"model": "m", "messages": [1 }, "\u202e<img src=x onerror=alert(1)>"')
    const page = await open()
    await row(page, 'Unreadable').click()
    await expect.poll(() => row(page, 'Unreadable').innerText()).toContain('refused: invalid-request')
    const problem = page.getByRole('note', { name: 'Error' })
    expect(await problem.innerText()).toContain('Refused by the gateway with HTTP 400; no backend was asked')
    expect(await problem.innerText()).toContain('Correct the request')
    const body = page.locator('.unread')
    await body.getByText('Body as received').waitFor()
    expect(await body.locator('mark').innerText()).toBe('}')
    expect(await body.innerText()).toContain('\\u{202e}<img src=x onerror=alert(1)>')
    expect(await violations(page)).toEqual([])
  })

  it.runIf(isNightly)(
    'shows each attempt of a failed turn, and what strangers did, by keyboard alone',
    async () => {
      for (const status of [500, 500, 500])
        bench.openai.play([{ status, body: { error: { message: `the <b>fault</b> ${status}` } } }])
      await chat(bench.url, ask('openai/gpt-demo', { messages: [user('Three times')] }), desk)
      await send('{}', { authorization: 'Bearer wrong' })
      const sizes = isNightly ? [1280, 390] : [390]
      for (const width of sizes)
        for (const colorScheme of isNightly ? (['light', 'dark'] as const) : (['dark'] as const)) {
          const page = await open({ viewport: { width, height: 800 }, colorScheme })
          const away = page.locator('.turned-away summary').first()
          await away.focus()
          await page.keyboard.press('Enter')
          await page.getByText('dragoman doctor').first().waitFor()
          expect(await violations(page)).toEqual([])
          await page.keyboard.press('Enter')
          await row(page, 'Three times').click()
          const table = page.getByRole('region', { name: 'Attempts' })
          await table.waitFor()
          expect(await table.getByRole('row').allInnerTexts()).toHaveLength(4)
          expect(await table.innerText()).toContain('again after')
          await table.getByText('Answer of the service').first().click()
          expect(await table.innerText()).toContain('the <b>fault</b> 500')
          expect(await page.getByRole('note', { name: 'Error' }).innerText()).toContain(
            'Failed upstream, after 3 attempts; answered with HTTP 500',
          )
          expect(await violations(page)).toEqual([])
        }
    },
  )
})
