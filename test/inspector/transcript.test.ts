// The tab Transcript in a real browser: a tool loop, hostile content, long parts, by keyboard, on a phone, in the dark.

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly, spread } from '../depth.ts'
import { answered, ask, type Body, called, chatStream, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { json, login, openInspector, useBrowser, useInspected } from './inspected.ts'

const bench = useInspected({ openai: { requiresReasoning: true } })
const agent = { 'user-agent': 'opencode/1.18' }
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A question, calls, their results, an answer; returns the conversation so far. */
async function turn(messages: Body[], steps: Step[], results: readonly string[] = []): Promise<Body[]> {
  bench.openai.play([...steps, { end: steps.some((step) => 'call' in step) ? 'tool_calls' : 'stop' }])
  const { calls } = await chatStream(bench.url, ask('openai/gpt-4o', { messages }), agent)
  const made = calls.map(({ id, name, arguments: input }) => called(id, name, input))
  return [
    ...messages,
    { role: 'assistant', content: null, tool_calls: made },
    ...calls.map(({ id }, at) => answered(id, results[at] ?? 'done')),
  ]
}

const read = (path: string): Step => ({ call: { name: 'read', arguments: { path } } })

async function toolLoop(question: string): Promise<void> {
  const messages = await turn(
    [user(question)],
    [{ think: 'I should look.' }, { say: 'I **will** read it.' }, read('a.txt')],
    ['The text of a'],
  )
  await turn(messages, [{ say: '# Done\n\n- one\n- `two`' }])
}

describeWith([chromiumProgram], 'the tab Transcript', () => {
  const browsing = useBrowser()

  async function open(title: string, options: Parameters<typeof openInspector>[2] = {}) {
    const opened = await openInspector(browsing.browser, bench, options)
    atTestEnd(async () => {
      expect(opened.complaints).toEqual([])
      await opened.context.close()
    })
    await opened.page.getByRole('option').filter({ hasText: title }).first().click()
    await opened.page.locator('.entry.chosen').waitFor()
    return opened.page
  }

  const entry = (page: Page, nth: number) => page.locator('.entry').nth(nth)

  it('shows the conversation, its turns, and results beside their calls', async () => {
    await toolLoop('Look into a.txt')
    const page = await open('Look into a.txt')
    await page.getByRole('heading', { name: 'Look into a.txt · 1 result', level: 2 }).waitFor()
    await entry(page, 0).getByText('Look into a.txt').waitFor()
    const call = entry(page, 1).locator('.call-part')
    await call.getByText('a.txt').waitFor()
    await call.getByText('The text of a').waitFor()
    expect(await call.innerText()).toMatch(/Result\s+13 B · \d+ ms/)
    const answer = page.locator('.entry.chosen')
    await answer.getByText('This turn').waitFor()
    expect(await answer.locator('.md-heading, li, code').allInnerTexts()).toEqual([
      'Done',
      'one',
      'two',
      'two',
    ])
    await answer.getByRole('button', { name: 'Show as text' }).click()
    await answer.getByText('# Done').waitFor()
    // The answer of the first turn leads to it.
    await entry(page, 1).getByRole('button', { name: 'Turn 1' }).click()
    await page.getByRole('heading', { name: 'Look into a.txt', level: 2, exact: true }).waitFor()
    const chosen = page.locator('.entry.chosen')
    await chosen.locator('strong', { hasText: 'will' }).waitFor()
    expect(await chosen.getByText('I should look.').isVisible()).toBe(false)
    await chosen.getByText('Reasoning').click()
    await chosen.getByText('I should look.').waitFor()
    await chosen.getByRole('button', { name: 'Copy arguments' }).click()
    await chosen.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('{"path":"a.txt"}')
    await chosen.getByRole('button', { name: 'Tree' }).click()
    await chosen.getByText('{"path":"a.txt"}').waitFor()
    await entry(page, 2).getByText('Turn 2').waitFor()
  })

  it.runIf(isNightly)('shows a long part in full, in slices', async () => {
    const long = 'a line of some words\n'.repeat(20_000)
    await turn(
      [user('Write much')],
      [{ call: { name: 'write', arguments: { path: 'b', text: `${long}END` } } }],
    )
    const page = await open('Write much')
    const call = page.locator('.entry.chosen .call-part')
    expect((await call.innerText()).length).toBeLessThan(4_000)
    await call.getByRole('button', { name: /^Show all, 4\d\d\.\d KiB$/ }).click()
    await call.locator('.long .slice').nth(3).waitFor()
    expect(await call.locator('.long .slice').count()).toBeLessThan(20)
    await call.getByRole('button', { name: 'Copy arguments' }).click()
    await call.getByText('Copied').waitFor()
    expect(JSON.parse((await page.evaluate('navigator.clipboard.readText()')) as string).text).toBe(
      `${long}END`,
    )
    await call.getByRole('button', { name: 'Tree' }).click()
    await call.getByRole('button', { name: /^Show all, 420,003 characters/ }).click()
    await call.locator('.long .slice').nth(3).waitFor()
  })

  it('hostile content is text: markup, pictures from elsewhere, links, control and bidi characters', async () => {
    const hostile = [
      '<img src=x onerror="alert(1)"><svg onload="alert(1)"></svg><script>alert(1)</script>',
      '![x](https://example.invalid/tracker.png) [click](javascript:alert(1)) [docs](https://example.invalid/a)',
      '\u001b[31mred\u001b[0m a\u202eb\u2066c \u200bhidden שלום עולם',
      '<iframe src="https://example.invalid"></iframe>\n\n| a | <b>x</b> |\n|---|---|\n| <i>1</i> | 2 |',
    ].join('\n\n')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString('base64')
    const pictures = [
      { type: 'text', text: `Hostile ${hostile}` },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      { type: 'image_url', image_url: { url: `data:image/svg+xml;base64,${svg}` } },
      { type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } },
    ]
    const messages = await turn(
      [{ role: 'user', content: pictures }],
      [{ say: hostile }, { call: { name: 'read', arguments: { path: hostile } } }],
      [hostile],
    )
    await turn(messages, [{ say: hostile }])
    const page = await open('Hostile')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const asText = page.locator('.text-part').getByRole('button', { name: 'Show as text' })
    for (const button of [...(await asText.all()), ...(await asText.all())]) await button.click()
    await page.locator('.value').getByRole('button', { name: 'Show as text' }).click()
    const text = await page.locator('.transcript').innerText()
    for (const shown of [
      '<script>alert(1)</script>',
      '\\u{1b}[31mred',
      'a\\u{202e}b\\u{2066}c',
      '\\u{200b}hidden',
      '<iframe',
      '<b>x</b>',
    ])
      expect(text).toContain(shown)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(text).not.toMatch(/[\u001b\u202e\u2066\u200b]/)
    const strange = 'script, iframe, svg, style, form, meta, object, embed, [onload], [onerror], [style]'
    expect(await page.locator(`.transcript :is(${strange})`).count()).toBe(0)
    const sources = await page
      .locator('.transcript img')
      .evaluateAll((all) => all.map((one) => (one as unknown as { src: string }).src))
    expect(sources).toEqual([`data:image/png;base64,${pixel}`])
    const links = await page
      .locator('.transcript a')
      .evaluateAll((all) =>
        all.map((one) =>
          ['href', 'rel', 'target'].map((name) =>
            (one as unknown as { getAttribute(name: string): string | null }).getAttribute(name),
          ),
        ),
      )
    for (const [href, rel, target] of links)
      expect([href?.startsWith('https://example.invalid/'), rel, target]).toEqual([
        true,
        'noreferrer noopener',
        '_blank',
      ])
    expect(text).toContain('docs https://example.invalid/a')
    expect(requests.filter((url) => !url.startsWith(bench.url) && !url.startsWith('data:'))).toEqual([])
  })

  it.runIf(isNightly)('a request that no model gets is shown too', async () => {
    await chatStream(bench.url, ask('nobody/none', { messages: [user('Fail in words')] }), agent)
    const page = await open('Fail in words')
    await page.locator('.entry.chosen .problem').getByText('nobody/none').waitFor()
    await entry(page, 0).getByText('Fail in words').waitFor()
  })

  it.runIf(isNightly)('a running turn shows what has come, and a long history is folded', async () => {
    let messages: Body[] = []
    for (let nth = 0; nth < 12; nth++)
      messages = [...messages, user(`Question ${nth}`), { role: 'assistant', content: `Answer ${nth}` }]
    bench.openai.play([{ say: 'The beginning' }, { wait: 3_000 }, { say: ' and the end' }, { end: 'stop' }])
    const running = chatStream(
      bench.url,
      ask('openai/gpt-4o', { messages: [...messages, user('Take your time')] }),
      agent,
    )
    const page = await open('Take your time')
    const chosen = page.locator('.entry.chosen')
    await chosen.getByText('The beginning').waitFor()
    await chosen.getByText('still running').waitFor()
    expect(await page.locator('.entry').count()).toBe(9)
    await page.getByRole('button', { name: 'Show 17 earlier messages of 17' }).click()
    expect(await page.locator('.entry').count()).toBe(26)
    await running
    await chosen.getByText('The beginning and the end').waitFor()
  })

  it.runIf(isNightly)('is used by keyboard alone', async () => {
    await toolLoop('By keys alone')
    const page = await open('By keys alone')
    await page.getByRole('tab', { name: 'Transcript' }).focus()
    const pressed: unknown[] = []
    for (let nth = 0; nth < 9; nth++) {
      await page.keyboard.press('Tab')
      pressed.push(
        await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'),
      )
    }
    expect(pressed.slice(1)).toEqual([
      ...['Show as text', 'Copy user text', 'Turn 1', 'Tree', 'Copy arguments'],
      ...[expect.stringMatching(/^\{1\}/), 'Copy result', 'Show as text'],
    ])
    await page.keyboard.press('Enter')
    await page.locator('.entry.chosen').getByText('# Done').waitFor()
  })

  describe.each(spread(['light', 'dark'] as const, 1))('accessible, %s', (colorScheme) => {
    it.each(spread([390, 1280], 1))('at %i px, everything open', async (width) => {
      await toolLoop('For axe alone')
      const viewport = { width, height: 800 }
      const page = await open('For axe alone', { colorScheme, viewport, bypassCSP: true })
      await page
        .locator('.reasoning-part summary')
        .first()
        .click({ timeout: 1_000 })
        .catch(() => undefined)
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate(
        'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })',
      )) as axe.AxeResults
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    })
  })
})

describe('the routes of a transcript', () => {
  it('parts have their type; what is not there is not found', async () => {
    await turn([user('Parts of it')], [{ say: 'Some words' }, read('a.txt')])
    const headers = await login(bench)
    const { body } = await json(bench, '/inspector/turns', headers)
    const { id } = body.turns.find(({ title }: { title: string }) => title === 'Parts of it')
    const { body: transcript } = await json(bench, `/inspector/turns/${id}/transcript`, headers)
    expect(transcript).toMatchObject({ summary: { id }, isPartial: false, leftOut: 0 })
    const parts = transcript.entries.at(-1).parts as { kind: string; number: number }[]
    const types = await Promise.all(
      parts.map(async ({ kind, number }) => {
        const answer = await fetch(`${bench.url}/inspector/turns/${id}/parts/${number}`, { headers })
        return [kind, answer.status, answer.headers.get('content-type'), await answer.text()]
      }),
    )
    expect(types).toEqual([
      ['text', 200, 'text/plain; charset=utf-8', 'Some words'],
      ['call', 200, 'application/json', '{"path":"a.txt"}'],
    ])
    for (const path of [
      `${id}/parts/99`,
      `${id}/parts/x`,
      'turn_x/transcript',
      'turn_x/parts/0',
      `${id}/parts/1/2`,
    ])
      expect((await fetch(`${bench.url}/inspector/turns/${path}`, { headers })).status).toBe(404)
  })
})
