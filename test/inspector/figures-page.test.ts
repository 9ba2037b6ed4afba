// The page of the last hour in a real browser: real turns, and an hour of made-up ones.

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { FiguresAnswer } from '../../src/inspector/api.ts'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly } from '../depth.ts'
import { ask, chat, user } from '../harness.ts'
import { keyOf, say, startPoolBench } from '../pools/pool-bench.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { madeHour } from './figures.fixture.ts'
import { openInspector, useBrowser, useInspected } from './inspected.ts'

const tile = (page: Page, name: string) =>
  page.locator('.tile').filter({ has: page.getByRole('heading', { name, exact: true }) })

async function violationsOf(page: Page) {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })',
  )) as axe.AxeResults
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])
}

describeWith([chromiumProgram], 'the page of the last hour', () => {
  const browsing = useBrowser()
  const own = useInspected({ settings: { prices: { 'openai/gpt-4o': { input: 1_000, output: 1_000 } } } })

  const open = (options = {}) => openInspector(browsing.browser, own, { reducedMotion: 'reduce', ...options })

  async function showHour(page: Page, changes: Partial<FiguresAnswer> = {}): Promise<void> {
    await page.route('**/inspector/figures*', (route) =>
      route.fulfill({ json: { ...madeHour(), ...changes } }),
    )
    await page.getByRole('link', { name: 'Last hour' }).click()
    await page.getByRole('heading', { name: 'Last hour' }).waitFor()
    await tile(page, 'Turns').waitFor()
  }

  it('shows turns, tokens and costs; what is unknown is unknown, not zero', async () => {
    const { page, context, complaints } = await open()
    await chat(own.url, ask('openai/gpt-4o', { messages: [user('Priced')] }), {
      'user-agent': 'opencode/1.18',
    })
    await chat(own.url, ask('openai/gpt-5', { messages: [user('Not priced')] }))
    await chat(own.url, ask('cursor/composer-2', { messages: [user('By plan')] }))
    await page.getByRole('link', { name: 'Last hour' }).click()
    await expect.poll(() => tile(page, 'Turns').locator('.big').textContent()).toBe('3')
    expect(await tile(page, 'Cost').textContent()).toMatch(
      /\$\d.*\+ 1 turn without a price \+ 1 turn covered by a plan/,
    )
    const models = page.getByRole('table', { name: 'Models' })
    expect(await models.getByRole('row', { name: /gpt-5/ }).textContent()).toContain('unknown')
    expect(await page.getByRole('table', { name: 'Clients' }).textContent()).toContain('opencode')
    // The address stays, and the way back is a link.
    await page.reload()
    await tile(page, 'Turns').waitFor()
    await page.getByRole('link', { name: 'Turns' }).click()
    await page.getByRole('option').filter({ hasText: 'Not priced' }).click()
    expect(await page.locator('.facts').textContent()).toContain('no price is known')
    expect(complaints).toEqual([])
    await context.close()
  })

  it.runIf(isNightly)('is live: a new turn counts within seconds', async () => {
    const { page, context } = await open()
    await page.getByRole('link', { name: 'Last hour' }).click()
    const turns = tile(page, 'Turns').locator('.big')
    const before = Number(await turns.textContent())
    await chat(own.url, ask('openai/gpt-4o', { messages: [user('One more')] }))
    await expect.poll(() => turns.textContent(), { timeout: 15_000 }).toBe(String(before + 1))
    await context.close()
  })

  it.runIf(isNightly)('names processes that do not answer', async () => {
    const { page, context } = await open()
    await showHour(page, { missing: ['10.0.0.7:18741'], processes: 3 })
    expect(await page.getByRole('alert').textContent()).toContain('10.0.0.7:18741')
    expect(await page.getByRole('status').textContent()).toContain('3 processes')
    await context.close()
  })

  it.runIf(isNightly)('shows hostile names as text', async () => {
    const { page, context, complaints } = await open()
    const name =
      '**b** [c](javascript:alert(1)) <img src=x onerror=alert(1)><svg onload=alert(1)> \u001b[31m \u202emoc.live'
    const named = [[name, { turns: 1 }]] as FiguresAnswer['models']
    await showHour(page, { models: named, clients: named, missing: [name] })
    for (const table of ['Models', 'Clients']) {
      const text = await page.getByRole('table', { name: table }).innerText()
      expect(text).toContain(
        '**b** [c](javascript:alert(1)) <img src=x onerror=alert(1)><svg onload=alert(1)>',
      )
      expect(text).toContain('\\u{1b}[31m \\u{202e}moc.live')
    }
    expect(
      await page.locator('main :is(img, script, [onload], [onerror], a[href^="javascript:"])').count(),
    ).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it.runIf(isNightly).each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    '%s at %i px: accessible, usable by keyboard, and not wider than the screen',
    async (colorScheme, width) => {
      const { page, context } = await open({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      await showHour(page)
      const details = page.getByText('Minute by minute')
      await details.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('table', { name: /^Each minute of the last hour/ }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await violationsOf(page)).toEqual([])
      await context.close()
    },
  )

  it.runIf(isNightly).each([1280, 390])(
    'shows what is wrong with the accounts of a pool, at %i px',
    async (width) => {
      const pool = await startPoolBench({ settings: { inspector: { enabled: true } } })
      atTestEnd(() => pool.close())
      for (const session of ['s1', 's2', 's3']) await say(pool.url, { session })
      pool.accounts.revoke(keyOf('b'))
      pool.accounts.limit(keyOf('c'), 600_000)
      for (const session of ['s2', 's3']) await say(pool.url, { session })
      const viewport = { width, height: 800 }
      const { page, context, complaints } = await openInspector(browsing.browser, pool, {
        viewport,
        bypassCSP: true,
      })
      await page.getByRole('link', { name: 'Last hour' }).click()
      const table = page.getByRole('table', { name: 'Accounts' })
      await table.waitFor()
      const textOf = (name: string) => table.getByRole('row', { name: `claude@${name}` }).textContent()
      expect(await textOf('a')).toMatch(/ready/)
      expect(await textOf('b')).toMatch(/needs-login: .*last error/)
      expect(await textOf('c')).toMatch(/claude-sonnet-4-5: its rate limit is reached.*until/)
      expect(await page.content()).not.toContain('sk-pool-')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      // A name is read in one line, or two.
      const name = await table.getByRole('rowheader', { name: 'claude@b' }).boundingBox()
      expect(name?.width).toBeGreaterThan(70)
      expect(await violationsOf(page)).toEqual([])
      expect(complaints).toEqual([])
      await context.close()
    },
  )
})
