// Foreign pages in a real browser against a gateway without a key: only its checks of Host, Origin and Sec-Fetch-Site protect it.
// No request may reach a handler, and no answer may be readable.

import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../debian-program.ts'
import { spread } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import { ask, type Bench, startBench, useBench } from '../harness.ts'
import { chromiumProgram, html, sandboxOf, tryOn, useForeignPages } from './browser.ts'
import { type Attempt, attempts } from './cases/browser.ts'

const body = JSON.stringify(ask('openai/gpt-4o'))

interface Refused {
  message: string
  code: string
  path: string
}

const refusals = (bench: Bench): Refused[] =>
  bench.logs.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request refused')

const upstreamRequests = (bench: Bench) =>
  [bench.openai, bench.anthropic, bench.text, bench.cursor].flatMap((sim) => [...sim.requests])

describeWith([chromiumProgram], 'a real browser', () => {
  const pages = useForeignPages()
  const bench = useBench()
  let page: Page

  async function expectRefused(frame: Frame, attempt: Attempt, url = bench.url, code = 'forbidden') {
    const read = await tryOn(frame, attempt, url, body)
    await until(() => refusals(bench).length > 0)
    expect(new Set(refusals(bench).map((refused) => refused.code))).toEqual(new Set([code]))
    expect(upstreamRequests(bench)).toEqual([])
    return read
  }

  async function open(origin: string) {
    page = await pages.browser.newPage()
    await page.goto(origin)
  }

  describe.each(['http://evil.example', 'http://127.0.0.1'])('a page of %s on another port', (origin) => {
    beforeAll(() => open(`${origin}:${pages.port}`))
    afterAll(() => page.close())
    it.each(spread(attempts, 10))('$name', async (attempt) => {
      expect(await expectRefused(page.mainFrame(), attempt)).toBe('')
    })
  })

  describe('a page without an origin, in a sandbox', () => {
    beforeAll(() => open(`http://evil.example:${pages.port}`))
    afterAll(() => page.close())
    it.each(spread(attempts, 10))('$name', async (attempt) => {
      expect(await expectRefused(sandboxOf(page), attempt)).toBe('')
    })
  })

  describe('a page whose name has been bound to this machine since it was loaded', () => {
    let url = ''
    beforeAll(async () => {
      url = `http://rebound.example:${new URL(bench.url).port}`
      page = await pages.browser.newPage()
      await page.route(`${url}/page`, (route) => route.fulfill({ contentType: 'text/html', body: html }))
      await page.goto(`${url}/page`)
    })
    afterAll(() => page.close())
    it.each(spread(attempts, 10))('$name', async (attempt) => {
      const read = await expectRefused(page.mainFrame(), attempt, url, 'misdirected')
      // It is the page's own origin: it may read that it was refused.
      expect(read).toMatch(/^$|This Host is not served here/)
    })
  })

  it('a link that is followed shows nothing either', async () => {
    const other = await pages.browser.newPage()
    await other.goto(`http://evil.example:${pages.port}`)
    const [answer] = await Promise.all([
      other.waitForResponse((response) => response.url().startsWith(bench.url)),
      other.evaluate(`location.href = ${JSON.stringify(`${bench.url}/v1/models`)}`),
    ])
    expect(answer.status()).toBe(403)
    await other.close()
  })

  it('all this would be seen: a page that is allowed reads, and is answered', async () => {
    const origin = `http://good.example:${pages.port}`
    const friendly = await startBench({ settings: { allow: { origins: [origin] } } })
    await open(origin)
    const named = (name: string) => attempts.find((attempt) => attempt.name === name) as Attempt
    const read = (name: string) => tryOn(page.mainFrame(), named(name), friendly.url, body)
    expect(await read('fetch')).toContain('gpt-4o')
    expect(await read('a post of JSON')).toContain('chat.completion')
    expect(upstreamRequests(friendly).length).toBeGreaterThan(1)
    await page.close()
    await friendly.close()
  })
})
