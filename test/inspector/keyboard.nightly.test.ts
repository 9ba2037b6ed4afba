// What one does with a turn, by keyboard alone: pin, export, send again, clear.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { parseTapes } from '../../src/tapes/read.ts'
import { describeWith } from '../debian-program.ts'
import { ask, chat, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { openInspector, useBrowser, useInspected } from './inspected.ts'

const bench = useInspected()

/** More than there are places on the page. */
const mostTabs = 60

/** Moves the focus as a user does, until it is on the element with that name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: unknown[] = []
  for (let nth = 0; nth < mostTabs; nth++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(
      '(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()',
    )
    if (focused === name) return
    seen.push(focused)
  }
  throw new Error(`no Tab leads to ${name}: ${JSON.stringify(seen)}`)
}

async function pressOn(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

describeWith([chromiumProgram], 'by keyboard alone', () => {
  const browsing = useBrowser()

  it.each([1280, 390])(
    'a turn is pinned, exported, sent again; the others are cleared: %i px',
    async (width) => {
      const title = `Kept by keys at ${width}`
      for (const text of ['Cleared by keys', title])
        await chat(bench.url, ask('openai/gpt-4o', { messages: [user(text)] }))
      const viewport = { width, height: 800 }
      const { page, context, complaints } = await openInspector(browsing.browser, bench, { viewport })
      const options = page.getByRole('option')
      await options.filter({ hasText: title }).waitFor()
      const choose = async () => {
        await page.keyboard.press('/')
        await page.keyboard.type(title)
        await page.keyboard.press('Enter')
        await page.keyboard.press('End')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: title, level: 2 }).waitFor()
      }
      await choose()
      await pressOn(page, 'Pin')
      await page.getByRole('button', { name: 'Pinned', exact: true, pressed: true }).waitFor()
      await page.getByRole('heading', { name: title, level: 2 }).focus()
      const [download] = await Promise.all([page.waitForEvent('download'), pressOn(page, 'Export tape')])
      expect(parseTapes(readFileSync(await download.path(), 'utf8'), 'exported')).toHaveLength(1)
      await pressOn(page, 'Resend…')
      await pressOn(page, 'Send')
      await page.getByText('was sent again').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('/')
      await page.keyboard.press('Escape')
      await pressOn(page, 'Clear…')
      await page.getByText(/^Clear \d+ turns? for all who see them\?$/).waitFor()
      await pressOn(page, 'Clear')
      await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringContaining(title)])
      expect(complaints).toEqual([])
      await context.close()
      for (const { tape } of bench.gateway.inspector?.shelf.all() ?? []) {
        bench.gateway.inspector?.shelf.unpin(tape.turn)
        bench.gateway.inspector?.shelf.remove([tape.turn])
      }
    },
  )
})
