// The inspector's page in a real browser: by mouse, by keyboard, on a phone, in dark mode.

import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly, spread } from '../depth.ts'
import { answered, ask, called, chat, chatStream, startBench, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { linkOf, openInspector, useBrowser, useInspected } from './inspected.ts'

const bench = useInspected()
const agent = { 'user-agent': 'opencode/1.18' }

/** A question, a call, its result, the answer: two turns of one conversation. */
async function toolLoop(model: string, question = 'Read a.txt'): Promise<void> {
  const messages = [user(question)]
  const first = await chatStream(bench.url, ask(model, { messages }), agent)
  const [call] = first.calls
  if (!call) throw new Error('the model did not call')
  const made = called(call.id, call.name, call.arguments)
  messages.push({ role: 'assistant', content: null, tool_calls: [made] }, answered(call.id, 'the text of a'))
  await chatStream(bench.url, ask(model, { messages }), agent)
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

  const options = (page: Page) => page.getByRole('option')
  /** The turn with that question, not those that follow it. */
  const select = (page: Page, title: string) =>
    options(page).filter({ hasText: title, hasNotText: '· 1 result' }).first().click()

  describe('logging in', () => {
    it('takes the link once, leaves nothing of it in the address, and stays logged in', async () => {
      const { page, context } = await open()
      expect(page.url()).toBe(`${bench.url}/`)
      expect(await page.evaluate('document.cookie')).toBe('')
      await page.reload()
      await page.getByText('live, 0.').waitFor()
      const other = await context.newPage()
      await other.goto(bench.url)
      await other.getByText('live, 0.').waitFor()
    })

    it.runIf(isNightly)('explains a used link; a logged-in user may use it again', async () => {
      const link = linkOf(bench)
      const context = await browsing.browser.newContext()
      const page = await context.newPage()
      await page.goto(link)
      await page.getByText('live, 0.').waitFor()
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByText('live, 0.').waitFor()
      const stranger = await browsing.browser.newPage()
      await stranger.goto(link)
      await stranger.getByRole('heading', { name: 'This link was used already' }).waitFor()
      expect(await stranger.getByRole('main').innerText()).toContain('dragoman inspect')
      await stranger.close()
      await context.close()
    })

    it('asks for a link without a login', async () => {
      const page = await browsing.browser.newPage()
      await page.goto(bench.url)
      await page.getByRole('heading', { name: 'You are not logged in' }).waitFor()
      await page.close()
    })

    it.runIf(isNightly)('ends by logging out, in every tab', async () => {
      const { page, context } = await open()
      const other = await context.newPage()
      await other.goto(bench.url)
      await other.getByText('live, 0.').waitFor()
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
      await other.getByRole('heading', { name: 'You are logged out' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'You are not logged in' }).waitFor()
    })
  })

  it.each(spread([1280, 390], 1))('explains how to send a first request, at %i px', async (width) => {
    const own = await startBench({ settings: { inspector: { enabled: true } } })
    const viewport = { width, height: 700 }
    const { page, context } = await openInspector(browsing.browser, own, { viewport })
    await page.getByText(`curl -sN ${own.url}/v1/chat/completions`).waitFor()
    await chat(own.url, ask('openai/gpt-4o', { messages: [user('The first one')] }), agent)
    await options(page).filter({ hasText: 'The first one' }).waitFor()
    await context.close()
    await own.close()
  })

  describe('a live tool loop', () => {
    it.each(spread(['openai/gpt-4o', 'anthropic/claude-demo', 'cursor/composer-2', 'text/text-demo'], 1))(
      '%s: is shown as it happens, as one conversation',
      async (model) => {
        const { page } = await open()
        const question = `Read ${model.split('/')[0]}.txt`
        await toolLoop(model, question)
        const group = page.getByRole('group', { name: question })
        await group.getByRole('option').nth(1).waitFor()
        await expect
          .poll(() => group.getByRole('option').allInnerTexts())
          .toEqual([expect.stringContaining('done'), expect.stringContaining('tool calls')])
        await group.getByRole('option').nth(1).click()
        await page.getByRole('heading', { name: question, level: 2 }).waitFor()
        await page.getByRole('img', { name: /client’s tools took/ }).waitFor()
        await page.getByRole('tab', { name: 'Steps' }).click()
        await page.getByRole('img', { name: /^Call of read, .*\.txt/ }).waitFor()
        await page.getByText('Call of read').first().waitFor()
      },
    )

    it.runIf(isNightly)('a running turn is running, and ends', async () => {
      const { page } = await open()
      bench.openai.play([{ say: 'slowly' }, { wait: 1_500 }, { say: ' and more' }, { end: 'stop' }])
      const answer = chatStream(
        bench.url,
        ask('openai/gpt-4o', { messages: [user('Take your time')] }),
        agent,
      )
      const row = options(page).filter({ hasText: 'Take your time' })
      await row.getByText('running').waitFor()
      await page.getByRole('button', { name: 'Running' }).click()
      expect(await options(page).count()).toBe(1)
      await answer
      await page.getByRole('button', { name: 'Running' }).click()
      await row.getByText('done').waitFor()
    })

    it.runIf(isNightly)('a run that waits for results is parked', async () => {
      const { page } = await open()
      await chatStream(bench.url, ask('cursor/composer-2', { messages: [user('Read parked.txt')] }), agent)
      await page.getByRole('button', { name: /[1-9]\d* parked/ }).click()
      await page.getByRole('cell', { name: 'cursor/composer-2' }).first().waitFor()
      await options(page).filter({ hasText: 'Read parked.txt' }).getByText('waits for results').waitFor()
    })
  })

  describe('a turn', () => {
    it('has its frames decoded, and raw on click', async () => {
      const { page } = await open()
      await toolLoop('cursor/composer-2', 'Read frames.txt')
      await toolLoop('openai/gpt-4o', 'Read sse.txt')
      await select(page, 'Read sse.txt')
      await page.getByRole('tab', { name: /Client frames/ }).click()
      await page
        .getByRole('button', { name: /delta tool_calls/ })
        .first()
        .click()
      await page.getByText('read', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'As on the wire' }).click()
      await page.getByText('data: {"id":"chatcmpl-').first().waitFor()
      await select(page, 'Read frames.txt')
      await page.getByRole('tab', { name: /Upstream frames/ }).click()
      await page
        .getByRole('button', { name: /runRequest/ })
        .first()
        .click()
      await page.getByText('userMessageAction').first().waitFor()
      await page.getByRole('button', { name: 'As on the wire' }).click()
      await page
        .getByText(/^000000 {2}[0-9a-f]{2} /)
        .first()
        .waitFor()
    })

    it('shows its request, its notes, and its error with what to do', async () => {
      const { page } = await open()
      await chat(
        bench.url,
        ask('anthropic/claude-demo', { messages: [user('Note this')], logit_bias: { 5: 1 } }),
        agent,
      )
      await chat(bench.url, ask('nobody/none', { messages: [user('Fail this')] }), agent)
      await select(page, 'Note this')
      await page.getByRole('heading', { name: 'Changes by the gateway' }).waitFor()
      await page.getByRole('listitem').filter({ hasText: 'logit_bias' }).first().waitFor()
      await select(page, 'Fail this')
      await page.getByText('Check the model’s name').waitFor()
      await page.getByRole('tab', { name: 'Request' }).click()
      await page.locator('.key', { hasText: 'messages' }).waitFor()
    })

    it.runIf(isNightly)('is copied as a command without the key', async () => {
      const { page } = await open()
      await chat(bench.url, ask('openai/gpt-4o', { messages: [user("It's copied")] }), agent)
      await select(page, "It's copied")
      await page.getByRole('button', { name: 'Copy as curl' }).click()
      await page.getByText('Command copied').waitFor()
      const command = (await page.evaluate('navigator.clipboard.readText()')) as string
      expect(command).toContain(`'${bench.url}/v1/chat/completions'`)
      expect(command).toContain('"authorization: Bearer $DRAGOMAN_KEY"')
      expect(command).toContain("It'\\''s copied")
    })

    it('is exported as a tape', async () => {
      const { page } = await open()
      await chat(bench.url, ask('openai/gpt-4o', { messages: [user('Export this')] }), agent)
      await select(page, 'Export this')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export tape' }).click(),
      ])
      const [head, ...frames] = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(head).toMatchObject({ tape: 1, origin: 'recorded' })
      expect(download.suggestedFilename()).toBe(`${frames[0].turn}.jsonl`)
      expect(new Set(frames.map(({ side }: { side: string }) => side))).toEqual(
        new Set(['gateway', 'client', 'upstream']),
      )
      expect(frames.at(-1)).toMatchObject({ do: expect.stringMatching(/end|finish/) })
    })

    it.runIf(isNightly)('of a thousand frames stays fluid: not all of them are there at once', async () => {
      const { page } = await open()
      bench.openai.play([{ flood: { deltas: 1_500, text: 'word ' } }, { end: 'stop' }])
      await chatStream(bench.url, ask('openai/gpt-4o', { messages: [user('Flood')] }), agent)
      await select(page, 'Flood')
      await page.getByRole('tab', { name: /Client frames/ }).click()
      await page.locator('.frame').nth(199).waitFor()
      expect(await page.locator('.frame').count()).toBe(200)
      await page.getByRole('button', { name: /^Show 200 more/ }).click()
      expect(await page.locator('.frame').count()).toBe(400)
    })
  })

  it('is filtered by words and by kind', async () => {
    const { page } = await open()
    await chat(bench.url, ask('openai/gpt-4o', { messages: [user('Find the needle')] }), agent)
    await chat(bench.url, ask('nobody/none', { messages: [user('Find the error')] }), agent)
    await options(page).filter({ hasText: 'Find the error' }).waitFor()
    const filter = page.getByRole('searchbox', { name: 'Filter turns' })
    await filter.fill('needle')
    expect(await options(page).count()).toBe(1)
    await page.getByText(/^1 of \d+ turns$/).waitFor()
    await filter.fill('opencode not-found the error')
    expect(await options(page).count()).toBe(1)
    await filter.fill('no such thing')
    await page
      .getByRole('heading', { name: 'No turn matches the filter' })
      .or(page.getByText('0 of'))
      .first()
      .waitFor()
    await filter.press('Escape')
    await page.getByRole('button', { name: 'Errors' }).click()
    for (const text of await options(page).allInnerTexts()) expect(text).toContain('not-found')
  })

  it('is used by keyboard alone', async () => {
    const { page } = await open()
    for (const content of ['First of all', 'Second of all', 'Third of all'])
      await chat(bench.url, ask('openai/gpt-4o', { messages: [user(content)] }), agent)
    await options(page).filter({ hasText: 'Third of all' }).waitFor()
    const selected = () => page.locator('[role=option][aria-selected=true]').innerText()
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the turn')
    await page.keyboard.press('/')
    await page.keyboard.type('of all')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Home')
    await expect.poll(selected).toContain('Third of all')
    await page.keyboard.press('j')
    await expect.poll(selected).toContain('Second of all')
    await page.keyboard.press('ArrowDown')
    await expect.poll(selected).toContain('First of all')
    await page.keyboard.press('k')
    await expect.poll(selected).toContain('Second of all')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Second of all')
    await page.getByRole('tab', { name: 'Transcript' }).waitFor()
    await page.getByRole('button', { name: 'Resend…' }).waitFor()
    const names: unknown[] = []
    for (let nth = 0; nth < 7; nth++) {
      await page.keyboard.press('Tab')
      names.push(
        await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'),
      )
    }
    expect(names.slice(0, 3)).toEqual(['Copy as curl', 'Export tape', 'Copy id'])
    expect(names.slice(3, 6)).toEqual(['Pin', 'Compare with…', 'Resend…'])
    expect(names[6]).toBe('Transcript')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    // The frames come from the gateway: until then, a Tab would go elsewhere.
    await page.locator('.frame').first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.frame[aria-expanded=true]').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('listbox')
  })

  it.runIf(isNightly)('says that the gateway is gone, and comes back with it', async () => {
    const settings = { inspector: { enabled: true } }
    const own = await startBench({ settings })
    const { page, context } = await openInspector(browsing.browser, own)
    await own.close()
    await page.getByText('gateway unreachable, retrying').waitFor()
    const port = Number(new URL(own.url).port)
    const again = await startBench({ settings: { ...settings, listen: { port } } })
    // It knows of no login before its own.
    await page.getByRole('heading', { name: 'Your login has ended' }).waitFor()
    await page.goto(linkOf(again))
    await page.getByText('live, 0.').waitFor()
    await context.close()
    await again.close()
  })

  it.runIf(isNightly)('is light or dark as the system is, until one is chosen, which is kept', async () => {
    const { page } = await open({ colorScheme: 'dark' })
    const back = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const dark = await back()
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await back()
    expect(light).not.toBe(dark)
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(await back()).toBe(dark)
    await page.reload()
    await page.getByText('live, 0.').waitFor()
    expect(await back()).toBe(dark)
  })

  it.runIf(isNightly)('goes from the list to a turn and back, on a phone', async () => {
    const { page } = await open({ viewport: { width: 390, height: 700 } })
    await toolLoop('openai/gpt-4o', 'Read phone.txt')
    const list = page.getByRole('listbox')
    const heading = page.getByRole('heading', { name: 'Read phone.txt', level: 2 })
    await options(page).filter({ hasText: 'Read phone.txt' }).first().waitFor()
    expect(await heading.isVisible()).toBe(false)
    await select(page, 'Read phone.txt')
    await heading.waitFor()
    expect(await list.isVisible()).toBe(false)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'All turns' }).click()
    await list.waitFor()
    await select(page, 'Read phone.txt')
    await heading.waitFor()
    await page.goBack()
    await list.waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })

  describe.runIf(isNightly).each(['light', 'dark'] as const)('accessible, %s', (colorScheme) => {
    const check = async (page: Page) => {
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate(
        'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })',
      )) as axe.AxeResults
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])
    }

    it.each([1280, 390])('at %i px: the list, a turn with everything open, and the login', async (width) => {
      const { page } = await open({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      await toolLoop('cursor/composer-2', 'Read axe.txt')
      await chat(bench.url, ask('nobody/none', { messages: [user('Fail for axe')] }), agent)
      await options(page).filter({ hasText: 'Fail for axe' }).first().waitFor()
      await page.getByRole('button', { name: 'With calls' }).click()
      await page.getByRole('button', { name: /parked/ }).click()
      expect(await check(page)).toEqual([])
      await page.getByRole('button', { name: /parked/ }).click()
      await page.getByRole('button', { name: 'With calls' }).click()
      await select(page, 'Fail for axe')
      await page.getByText('Check the model’s name').waitFor()
      expect(await check(page)).toEqual([])
      await page.keyboard.press('Escape')
      await select(page, 'Read axe.txt')
      for (const tab of spread(['Transcript', 'Steps', 'Client frames', 'Upstream frames', 'Request'], 2)) {
        await page.getByRole('tab', { name: tab }).click()
        if (tab.includes('frames')) await page.locator('.frame').nth(2).click()
        expect([tab, await check(page)]).toEqual([tab, []])
      }
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
      expect(await check(page)).toEqual([])
    })
  })
})
