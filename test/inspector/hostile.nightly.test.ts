// Text that wants to be more than text, on the views that have texts of turns beside the transcript: search hits, two turns compared.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { ask, chat, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { openInspector, useBrowser, useInspected } from './inspected.ts'

const bench = useInspected()

/** Markdown, HTML, SVG, a terminal's colours, right-to-left text and its overrides. */
const hostile = [
  '**bold** [click](javascript:alert(1)) ![x](https://example.invalid/tracker.png)',
  '<img src=x onerror="alert(1)"><script>alert(1)</script>',
  '<svg onload="alert(1)"><foreignObject><b>x</b></foreignObject></svg>',
  '\u001b[31mred\u001b[0m a\u202eb\u2066c \u200bhidden שלום',
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
const rawControls = /[\u001b\u202e\u2066\u200b]/
const elements =
  'script, iframe, img, object, embed, foreignObject, [onload], [onerror], a[href^="javascript:"]'

describeWith([chromiumProgram], 'hostile text', () => {
  const browsing = useBrowser()

  async function open() {
    const { page, context, complaints } = await openInspector(browsing.browser, bench)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    atTestEnd(async () => {
      expect(complaints).toEqual([])
      expect(requests.filter((url) => !url.startsWith(bench.url))).toEqual([])
      await context.close()
    })
    return page
  }

  async function answerWith(text: string, question: string): Promise<void> {
    bench.openai.play([{ say: text }, { end: 'stop' }])
    await chat(bench.url, ask('openai/gpt-4o', { messages: [user(question)] }))
  }

  async function expectText(page: Page, selector: string, shown: readonly string[]): Promise<void> {
    const place = page.locator(selector)
    const text = (await place.allInnerTexts()).join('\n')
    for (const one of shown) expect(text).toContain(one)
    expect(text).not.toMatch(rawControls)
    expect(await place.locator(elements).count()).toBe(0)
  }

  it('is text in the hits of a search', async () => {
    for (const [at, text] of hostile.entries()) await answerWith(`needle ${text}`, `Question ${at}`)
    const page = await open()
    await page.getByRole('searchbox', { name: 'Filter turns' }).fill('needle')
    await expect.poll(() => page.locator('mark').count()).toBeGreaterThanOrEqual(hostile.length)
    await expectText(page, '.rows', [
      '**bold** [click](javascript:alert(1))',
      '<img src=x onerror="alert(1)">',
      '<svg onload="alert(1)">',
      '\\u{1b}[31mred',
      'a\\u{202e}b\\u{2066}c',
    ])
  })

  it('is text where two turns are compared', async () => {
    await answerWith(hostile.join('\n'), 'Left of the hostile')
    await answerWith(hostile.toReversed().join('\n'), `Right of the hostile ${hostile.join(' ')}`)
    const page = await open()
    const turn = (title: string) => page.getByRole('option').filter({ hasText: title }).first()
    await turn('Left of the hostile').click()
    await turn('Right of the hostile').click({ modifiers: ['Shift'] })
    await page.getByRole('heading', { name: 'Two turns compared' }).waitFor()
    await page.getByRole('region', { name: 'Answer' }).getByRole('cell').first().waitFor()
    await expectText(page, 'main', [
      '**bold** [click](javascript:alert(1))',
      '<script>alert(1)</script>',
      '<svg onload="alert(1)">',
      '\\u{1b}[31mred',
      'a\\u{202e}b\\u{2066}c',
    ])
  })
})
