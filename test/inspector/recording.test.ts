// The moving picture in README.md: an agent's tool loop on a Cursor model, as the inspector shows it. It is an animated PNG: GitHub and
// all browsers play it, other programs show its first picture, and text stays sharp. A GIF has 256 colours; an SVG of the real page would
// hold the same pictures, in base64.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../debian-program.ts'
import { isNightly } from '../depth.ts'
import { ask, type Body, called, chatStream, answered as resultOf, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { animatedPng, type Scene } from './animated-png.ts'
import { openInspector, useBrowser, useInspected } from './inspected.ts'

const agent = { 'user-agent': 'opencode/1.18' }
const viewport = { width: 1024, height: 768 }
const file = join(import.meta.dirname, '..', '..', 'docs', 'inspector-loop.png')

describeWith([chromiumProgram], 'the recording of the inspector', () => {
  const browsing = useBrowser()
  const own = useInspected()

  /** The agent reads a file for Cursor's model, and gets the answer. */
  async function loop(onStep: () => Promise<void>): Promise<void> {
    const messages: Body[] = [user('Read report.ts and say what is wrong with its date.')]
    const { calls } = await chatStream(own.url, ask('cursor/composer-2', { messages }), agent)
    await onStep()
    const made = calls.map(({ id, name, arguments: input }) => called(id, name, input))
    messages.push({ role: 'assistant', content: null, tool_calls: made })
    for (const { id } of made) messages.push(resultOf(String(id), 'const date = new Date("2026-11-18")'))
    await sleep(400)
    await chatStream(own.url, ask('cursor/composer-2', { messages }), agent)
    await onStep()
  }

  async function record(page: Page): Promise<Scene[]> {
    const scenes: Scene[] = []
    const take = async (milliseconds: number) => {
      await sleep(250)
      scenes.push({ png: await page.screenshot(), milliseconds })
    }
    const turns = page.getByRole('option')
    const answered = page.locator('.entry.chosen')
    await take(1_200)
    let steps = 0
    await loop(async () => {
      await expect.poll(() => turns.count()).toBe(++steps)
      await answered.waitFor()
      await take(2_400)
    })
    await turns.last().click()
    await answered.waitFor()
    await take(2_600)
    await page.getByRole('tab', { name: 'Both sides' }).click()
    await page.locator('.comparison-rows').first().waitFor()
    await take(3_000)
    return scenes
  }

  it.runIf(isNightly || process.env.UPDATE_SCREENSHOTS)(
    'has every step of the loop; the one in docs is taken anew where UPDATE_SCREENSHOTS says so',
    async () => {
      const { page, context, complaints } = await openInspector(browsing.browser, own, {
        reducedMotion: 'reduce',
        viewport,
      })
      const scenes = await record(page)
      expect(new Set(scenes.map(({ png }) => png.toString('base64'))).size).toBe(5)
      const picture = animatedPng(scenes)
      expect(picture.length).toBeLessThan(1_000_000)
      if (process.env.UPDATE_SCREENSHOTS) writeFileSync(file, picture)
      else expect(existsSync(file)).toBe(true)
      // A browser that plays it knows its size.
      const shown = `data:image/png;base64,${picture.toString('base64')}`
      const size = await page.evaluate(`(async () => {
        const image = new Image()
        image.src = '${shown}'
        await image.decode()
        return [image.naturalWidth, image.naturalHeight]
      })()`)
      expect(size).toEqual([viewport.width, viewport.height])
      expect(complaints).toEqual([])
      await context.close()
    },
  )
})
