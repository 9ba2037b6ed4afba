// The page in a real browser: search and filters, pause, clear, pins, two turns compared, requests sent again.

import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { parseTapes } from '../../src/tapes/read.ts'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly } from '../depth.ts'
import { answered, ask, called, chat, chatStream, startBench, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { linkOf, login, openInspector, useBrowser, useInspected } from './inspected.ts'

const bench = useInspected()
const agent = { 'user-agent': 'opencode/1.18' }

const say = (text: string, model = 'openai/gpt-4o', headers: Record<string, string> = agent) =>
  chat(bench.url, ask(model, { messages: [user(text)] }), headers)

async function toolLoop(question: string, result: string): Promise<void> {
  const messages = [user(question)]
  const first = await chatStream(bench.url, ask('openai/gpt-4o', { messages }), agent)
  const [call] = first.calls
  if (!call) throw new Error('the model did not call')
  const made = called(call.id, call.name, call.arguments)
  messages.push({ role: 'assistant', content: null, tool_calls: [made] }, answered(call.id, result))
  await chatStream(bench.url, ask('openai/gpt-4o', { messages }), agent)
}

describeWith([chromiumProgram], 'the page of the inspector', () => {
  const browsing = useBrowser()

  async function open(options: Parameters<typeof openInspector>[2] = {}) {
    const opened = await openInspector(browsing.browser, bench, options)
    atTestEnd(async () => {
      expect(opened.complaints).toEqual([])
      await opened.context.close()
    })
    return opened
  }

  const options = (page: Page) => page.locator('[role=option]')
  const titled = (page: Page, title: string) => options(page).filter({ hasText: title })
  const filterOf = (page: Page) => page.getByRole('searchbox', { name: 'Filter turns' })
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

  it.runIf(isNightly)('finds words in content, and keeps filter and turn in its address', async () => {
    await toolLoop('Read haystack.txt', 'here is the golden needle')
    await say('Something else')
    const { page } = await open()
    await filterOf(page).fill('"golden needle" tool:read')
    await page.getByRole('heading', { name: 'No turn matches the filter' }).waitFor()
    await filterOf(page).fill('"golden needle"')
    await page.locator('mark', { hasText: 'golden needle' }).first().waitFor()
    expect(await options(page).count()).toBe(1)
    await options(page).first().click()
    await page.reload()
    await page.locator('mark', { hasText: 'golden needle' }).first().waitFor()
    expect([await filterOf(page).inputValue(), await options(page).count()]).toEqual(['"golden needle"', 1])
    await filterOf(page).fill('no such words anywhere')
    await page.getByRole('heading', { name: 'No turn matches the filter' }).waitFor()
    expect(new URL(page.url()).hash).not.toContain('turn_')
    await press(page, 'Clear the filter')
    await titled(page, 'Something else').first().waitFor()
  })

  it.runIf(isNightly)('sends a request again to another model, and compares both turns', async () => {
    await say('Ask two models')
    const { page } = await open()
    await titled(page, 'Ask two models').first().click()
    await press(page, 'Resend…')
    await page.getByLabel('Send this request again to').fill('anthropic/claude-demo')
    await press(page, 'Send')
    await press(page, 'Compare with the original')
    await page.getByRole('heading', { name: 'Two turns compared' }).waitFor()
    const request = page.getByRole('region', { name: 'Request' })
    await request.getByRole('cell', { name: 'model: anthropic/claude-demo' }).waitFor()
    await request.getByRole('cell', { name: 'model: openai/gpt-4o' }).waitFor()
    await request.getByText('1 of').waitFor()
    await page.goBack()
    await page.getByText('was sent again').waitFor()
  })

  describe.runIf(isNightly)('filters', () => {
    it('combine buttons, menus and words, with counts', async () => {
      await say('One for the menus', 'anthropic/claude-demo')
      await say('Fails for the menus', 'nobody/none')
      const { page } = await open()
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'nobody/none (1)' })
      expect(await filterOf(page).inputValue()).toBe('model:"nobody/none"')
      expect(await options(page).count()).toBe(1)
      await page.getByRole('button', { name: /^Errors/ }).click()
      expect(await filterOf(page).inputValue()).toBe('model:"nobody/none" error:')
      await page.getByRole('combobox', { name: 'Error' }).selectOption('not-found')
      expect(await options(page).count()).toBe(1)
      await page.getByRole('combobox', { name: 'Model' }).selectOption('')
      for (const text of await options(page).allInnerTexts()) expect(text).toContain('not-found')
      await page.goBack()
      expect(await filterOf(page).inputValue()).toBe('model:"nobody/none" error:"not-found"')
      await filterOf(page).fill('slower:soon')
      await page.getByRole('alert').filter({ hasText: 'write slower:500ms' }).waitFor()
    })
  })

  it.runIf(isNightly)('holds changes back while it is paused, and tells how many', async () => {
    await say('Before the pause')
    const { page } = await open()
    await titled(page, 'Before the pause').first().waitFor()
    await press(page, 'Pause')
    await say('During the pause')
    await page.getByRole('button', { name: 'Resume, 1 waiting' }).waitFor()
    expect(await titled(page, 'During the pause').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume, 1 waiting' }).click()
    await titled(page, 'During the pause').first().waitFor()
  })

  it.runIf(isNightly)('clears what is not pinned, after a question', async () => {
    await say('To be kept')
    await say('To be cleared')
    const { page } = await open()
    await titled(page, 'To be kept').first().click()
    await press(page, 'Pin')
    await page.getByRole('button', { name: 'Pinned', exact: true, pressed: true }).waitFor()
    await press(page, 'Clear…')
    await page.getByText(/^Clear \d+ turns for all who see them\?$/).waitFor()
    await press(page, 'Clear')
    await expect.poll(() => options(page).count()).toBe(1)
    await titled(page, 'To be kept').getByText('pinned').waitFor()
    await press(page, 'Pinned')
  })

  it.runIf(isNightly)('compares by shift and click, or by choosing, and by keyboard', async () => {
    for (const text of ['Left of two', 'Right of two']) await say(text)
    const { page } = await open()
    await titled(page, 'Left of two').first().click()
    await titled(page, 'Right of two')
      .first()
      .click({ modifiers: ['Shift'] })
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('equal', { exact: true }).waitFor()
    await press(page, 'Swap')
    await press(page, 'Close the comparison')
    await page.getByRole('heading', { name: 'Right of two', level: 2 }).waitFor()
    await press(page, 'Compare with…')
    await page.getByText('Choose the turn to compare with.').waitFor()
    await titled(page, 'Left of two').first().click()
    await page.getByRole('heading', { name: 'Two turns compared' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Right of two', level: 2 }).waitFor()
  })

  it.runIf(isNightly)('exports a conversation as one file', async () => {
    await toolLoop('Read export.txt', 'the text')
    const { page } = await open()
    await titled(page, 'Read export.txt').first().click()
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export conversation')])
    expect(parseTapes(readFileSync(await download.path(), 'utf8'), 'exported')).toHaveLength(2)
  })

  it.runIf(isNightly)('says of an unknown turn that it is not kept', async () => {
    await say('A known one')
    const { page } = await open()
    await page.goto(`${bench.url}/#turn_neverSeen`)
    await page.getByRole('heading', { name: 'This turn is not kept' }).waitFor()
    await press(page, 'Show the newest turn')
    await page.getByRole('heading', { name: 'A known one', level: 2 }).waitFor()
  })

  it.runIf(isNightly)('says that too many pages are open', async () => {
    const headers = await login(bench)
    const stop = new AbortController()
    atTestEnd(() => stop.abort())
    for (let nth = 0; nth < 20; nth++)
      await fetch(`${bench.url}/inspector/events`, { headers, signal: stop.signal })
    const context = await browsing.browser.newContext()
    const page = await context.newPage()
    await page.goto(linkOf(bench))
    await page.getByText('The inspector has 20 pages open already; close some.').waitFor()
    await context.close()
  })

  it.runIf(isNightly)(
    'renders what is in view of 2,000 turns, and reaches the last by keyboard',
    async () => {
      const own = await startBench({ settings: { inspector: { enabled: true, turns: 2_000 } } })
      atTestEnd(() => own.close())
      for (let nth = 0; nth < 2_000; nth++) {
        const tape = own.gateway.inspector?.shelf.begin({ turnId: `turn_${nth}`, asked: false })
        const model = `box/m${nth % 7}`
        tape?.add({
          ...{ side: 'gateway', do: 'begin', door: 'openai-chat', model, stream: true, key: 'k' },
          createdAt: 1,
        })
        tape?.add({ side: 'client', do: 'end' })
        tape?.add({
          ...{ side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 },
        })
      }
      const { page, context } = await openInspector(browsing.browser, own)
      await page.getByText('2000 turns').waitFor()
      const inView = () => options(page).count()
      expect(await inView()).toBeLessThan(60)
      await page.getByRole('listbox').focus()
      await page.keyboard.press('End')
      await page.locator('#turn_0[aria-selected=true]').waitFor()
      expect(await inView()).toBeLessThan(60)
      await filterOf(page).fill('model:m3')
      await page.getByText('286 of 2000 turns').waitFor()
      expect(await inView()).toBeLessThan(60)
      await context.close()
    },
  )

  it.runIf(isNightly)('says where resending is switched off', async () => {
    const own = await startBench({ settings: { inspector: { enabled: true, resend: false } } })
    atTestEnd(() => own.close())
    await chat(own.url, ask('openai/gpt-4o', { messages: [user('Only once')] }), agent)
    const { page, context } = await openInspector(browsing.browser, own)
    await titled(page, 'Only once').click()
    await press(page, 'Resend…')
    await page.getByRole('alert').filter({ hasText: '"inspector.resend" is false' }).waitFor()
    await context.close()
  })

  describe.runIf(isNightly).each(['light', 'dark'] as const)('axe: %s', (colorScheme) => {
    it.each([1280, 390])('at %i px: filters, hits, a form, two turns', async (width) => {
      await say('Checked by axe')
      const { page } = await open({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      await page.evaluate(axe.source)
      const check = async () => {
        const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
        return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])
      }
      await page.getByRole('button', { name: 'Filters' }).click()
      await filterOf(page).fill('simulated')
      await page.locator('mark').first().waitFor()
      expect(await check()).toEqual([])
      await page.getByRole('button', { name: 'Filters' }).click()
      await filterOf(page).fill('')
      await titled(page, 'Checked by axe').first().click()
      await press(page, 'Resend…')
      expect(await check()).toEqual([])
      await press(page, 'Send')
      await press(page, 'Compare with the original')
      await page.getByRole('region', { name: 'Request' }).waitFor()
      expect(await check()).toEqual([])
    })
  })
})
