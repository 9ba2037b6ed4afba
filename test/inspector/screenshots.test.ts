// The inspector's screenshots in the documents.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly } from '../depth.ts'
import { answered, ask, type Body, called, chat, chatStream, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { openInspector, useBrowser, useInspected } from './inspected.ts'

const agent = { 'user-agent': 'opencode/1.18' }

describeWith([chromiumProgram], 'screenshots of the inspector', () => {
  const browsing = useBrowser()
  const own = useInspected({ openai: { requiresReasoning: true } })

  /** Typical turns: streamed text, slow tools, an error, and a running turn. */
  async function atWork(): Promise<void> {
    const tools = ['read_file', 'edit_file', 'run_tests'].map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: {} } },
    }))
    const pieces = (kind: 'think' | 'say', text: string): Step[] =>
      text.split(/(?<=[.,] )/).flatMap((piece) => [{ [kind]: piece } as unknown as Step, { wait: 60 }])
    const turn = async (messages: Body[], steps: Step[], model = 'openai/gpt-4o') => {
      own.openai.play([...steps, { end: steps.some((step) => 'call' in step) ? 'tool_calls' : 'stop' }])
      const { calls } = await chatStream(own.url, { model, messages, tools }, agent)
      const made = calls.map(({ id, name, arguments: input }) => called(id, name, input))
      return [
        ...messages,
        { role: 'assistant', content: null, tool_calls: made },
        ...made.map(({ id }) => answered(String(id), 'done')),
      ]
    }
    await chat(own.url, { model: 'local/none', messages: [user('Summarise the change log')] }, agent)
    let messages: Body[] = [user('The date in the report is off by one. Find out why, and mend it.')]
    messages = await turn(messages, [
      { wait: 180 },
      ...pieces(
        'think',
        'An off-by-one in a date is often a time zone. I should look at how it is parsed, and at its test. ',
      ),
      ...pieces('say', 'I will read the code, and its test, first.'),
      { call: { name: 'read_file', arguments: { path: 'src/report/date.ts' } } },
      { wait: 90 },
      { call: { name: 'read_file', arguments: { path: 'src/report/date.test.ts' } } },
      { wait: 90 },
    ])
    await sleep(250)
    messages = await turn(messages, [
      { wait: 120 },
      ...pieces('think', 'It is parsed as UTC, but shown in local time. '),
      {
        call: {
          name: 'edit_file',
          arguments: { path: 'src/report/date.ts', text: 'new Date(year, month, day)' },
        },
      },
      { wait: 60 },
      { call: { name: 'run_tests', arguments: { only: 'report' } } },
    ])
    await sleep(400)
    await turn(messages, [
      { wait: 100 },
      ...pieces('say', 'Mended: the date was parsed as UTC, and shown in local time. All tests pass.'),
    ])
  }

  it.runIf(isNightly || process.env.UPDATE_SCREENSHOTS)(
    'are of that size; those in docs are taken anew where UPDATE_SCREENSHOTS says so',
    async () => {
      const { page, context, complaints } = await openInspector(browsing.browser, own, {
        reducedMotion: 'reduce',
      })
      await atWork()
      own.openai.play([{ say: 'Three things ' }, { wait: 3_000 }, { end: 'stop' }])
      const running = chatStream(own.url, ask('openai/gpt-4o', { messages: [user('What is left to do?')] }), {
        'user-agent': 'codex_cli/1',
      })
      await page.getByRole('option', { name: /running/ }).waitFor()
      await page.getByRole('option').filter({ hasText: 'The date in the report' }).last().click()
      await page.locator('.entry.chosen').waitFor()
      for (const [name, colorScheme] of [
        ['inspector.png', 'light'],
        ['inspector-dark.png', 'dark'],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        const image = await page.screenshot()
        expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1280, 800])
        const file = join(import.meta.dirname, '..', '..', 'docs', name)
        if (process.env.UPDATE_SCREENSHOTS) writeFileSync(file, image)
        else expect(existsSync(file)).toBe(true)
      }
      await running
      expect(complaints).toEqual([])
      await context.close()
    },
  )
})
