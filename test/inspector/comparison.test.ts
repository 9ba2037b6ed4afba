// The comparison of both sides of a turn: its route, and its tab in a real browser.

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ComparisonView, RowView } from '../../src/inspector/comparison/api.ts'
import { atTestEnd } from '../at-end.ts'
import { describeWith } from '../debian-program.ts'
import { isNightly } from '../depth.ts'
import { ask, type Body, chat, chatStream, quickRetries, startBench, upstreamKey, user } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'
import { json, login, openInspector, useBrowser, useInspected } from './inspected.ts'

const bench = useInspected()
const agent = { 'user-agent': 'opencode/1.18' }

/** Something of every kind: renamed, changed, dropped, added. */
const changed: Body = { temperature: 1.7, seed: 4, stop: ['END'], max_tokens: 99, reasoning_effort: 'high' }

async function turn(
  question: string,
  model = 'anthropic/claude-demo',
  more: Body = changed,
): Promise<string> {
  const { headers } = await chat(bench.url, ask(model, { messages: [user(question)], ...more }), agent)
  return headers.get('x-dragoman-turn') ?? ''
}

const rowsOf = (view: ComparisonView, group: string): RowView[] =>
  view.groups.find(({ name }) => name === group)?.rows ?? []

describe('the route', () => {
  const look = async (id: string, query = '') =>
    json(bench, `/inspector/turns/${id}/comparison${query}`, await login(bench))

  it.each(['anthropic/claude-demo', 'openai/gpt-4o', 'cursor/composer-2', 'text/text-demo'])(
    'compares requests, answers and headers: %s',
    async (model) => {
      const { status, body } = await look(await turn(`Read a.txt with ${model}`, model, {}))
      expect(status).toBe(200)
      const view = body as ComparisonView
      expect(view.exchanges).toHaveLength(1)
      expect(view.groups.map(({ name, problem }) => [name, problem])).toEqual([
        ['request', undefined],
        ['answer', undefined],
        ['headers', undefined],
      ])
      const named = rowsOf(view, 'request').find(({ label }) => label === 'model')
      expect(named).toMatchObject({ kind: 'changed', client: { text: model } })
      expect(rowsOf(view, 'answer').some(({ label }) => label.startsWith('call of read'))).toBe(true)
      expect(rowsOf(view, 'headers').length).toBeGreaterThan(3)
    },
  )

  it('puts notes on the rows that they are about', async () => {
    const { body } = await look(await turn('Noted'))
    const view = body as ComparisonView
    const noted = (label: string) => {
      const row = rowsOf(view, 'request').find((one) => one.label === label)
      return [row?.kind, row?.notes?.map((number) => view.notes[number])]
    }
    expect(noted('seed')).toEqual(['dropped', ['not supported by the upstream and left out: seed']])
    expect(noted('stop')).toEqual(['renamed', undefined])
    expect(view.wholeTurn).toEqual([])
  })

  it('offers every attempt, and shows the last that succeeded', async () => {
    const own = await startBench({
      settings: { inspector: { enabled: true } },
      gateway: { retryPolicy: quickRetries },
    })
    atTestEnd(() => own.close())
    own.openai.play([{ error: { status: 500, message: 'not now' } }] as never)
    await chat(own.url, ask('openai/gpt-4o', { messages: [user('Again')] }))
    const { body: all } = await json(own, '/inspector/turns', await login(own))
    const path = `/inspector/turns/${all.turns[0].id}/comparison`
    const headers = await login(own)
    const { body: last } = await json(own, path, headers)
    expect(last.exchanges.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['500', '200'])
    expect(last.exchange).toBe(2)
    const { body: first } = await json(own, `${path}?exchange=1`, headers)
    expect(first.exchange).toBe(1)
    expect((await json(own, `${path}?exchange=9`, headers)).status).toBe(404)
    expect((await json(own, `${path}?exchange=x`, headers)).status).toBe(400)
  })

  it('cuts long values, and gives them in full by row; unknown turns and rows are not found', async () => {
    const long = 'All of it. '.repeat(2_000)
    const id = await turn(`${long}!`, 'text/text-demo', { messages: [user(long)], tools: [] })
    const { body } = await look(id)
    const row = rowsOf(body, 'request').find(({ client }) => client?.characters !== undefined)
    expect(row?.client?.characters).toBe(long.length)
    expect(row?.client?.text.length).toBeLessThan(5_000)
    const answer = await fetch(`${bench.url}/inspector/turns/${id}/comparison?row=${row?.id}&side=client`, {
      headers: await login(bench),
    })
    expect(await answer.text()).toBe(long)
    expect((await look(id, '?row=99999')).status).toBe(404)
    expect((await look('turn_unknown')).status).toBe(404)
  })

  it('has no secrets', async () => {
    const id = await turn('Secrets', 'openai/gpt-4o', { messages: [user(`my key is ${upstreamKey}`)] })
    const { body } = await look(id)
    expect(JSON.stringify(body)).not.toContain(upstreamKey)
    expect(JSON.stringify(body)).toContain('my key is')
  })

  it.runIf(isNightly)('takes five megabytes of arguments, and a body of many members', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'read', arguments: JSON.stringify({ path: 'a'.repeat(5_000_000) }) } }
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, at]))
    const messages = [user('long'), { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'c', content: 'A' }]
    const own = await startBench({ settings: { inspector: { enabled: true, bytes: 64 * 1024 * 1024 } } })
    atTestEnd(() => own.close())
    for (const body of [ask('anthropic/claude-demo', { messages }), ask('openai/gpt-4o', { metadata: {}, extra: many })]) {
      await chat(own.url, body)
      const { body: all } = await json(own, '/inspector/turns', await login(own))
      const { status, body: view } = await json(own, `/inspector/turns/${all.turns[0].id}/comparison`, await login(own))
      expect(status).toBe(200)
      expect(JSON.stringify(view).length).toBeLessThan(1_000_000)
    }
  }) // biome-ignore format: one line a body
})

describeWith([chromiumProgram], 'the tab "Both sides"', () => {
  const browsing = useBrowser()

  async function open(question: string, options: Parameters<typeof openInspector>[2] = {}): Promise<Page> {
    const opened = await openInspector(browsing.browser, bench, options)
    atTestEnd(async () => {
      expect(opened.complaints).toEqual([])
      await opened.context.close()
    })
    const { page } = opened
    await turn(question)
    await page.getByRole('option').filter({ hasText: question }).first().click()
    await page.getByRole('tab', { name: 'Both sides' }).click()
    await page.getByRole('heading', { name: /^Request/ }).waitFor()
    return page
  }

  const check = async (page: Page) => {
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate(
      'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })',
    )) as axe.AxeResults
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])
  }

  it('shows differences with words and notes, all rows on demand, and raw values on a click', async () => {
    const page = await open('Compare me')
    const row = page.getByRole('button', { name: /dropped.*seed/ })
    await row.waitFor()
    await page.getByText('not supported by the upstream and left out: seed').last().waitFor()
    const same = page.getByRole('button', { name: /^same / })
    expect(await same.count()).toBe(0)
    await page.getByRole('button', { name: 'Only differences' }).click()
    expect(await same.count()).toBeGreaterThan(3)
    await row.click()
    expect(await row.getAttribute('aria-expanded')).toBe('true')
    await page.locator('.row-values pre').first().waitFor()
    await page.locator('.row-values').getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('4')
  })

  it.runIf(isNightly)('is used by keyboard alone', async () => {
    const page = await open('By keys')
    await page.getByRole('tab', { name: 'Both sides' }).focus()
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Only differences')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.locator('.row-head[aria-expanded=true]').count()).toBe(1)
  })

  const forms = [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']] as const // biome-ignore format: one line
  it.runIf(isNightly).each(forms)('is accessible at %i px, %s', async (width, colorScheme) => {
    const options = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true }
    const page = await open(`Axe ${width} ${colorScheme}`, options)
    await page.locator('.row-head').nth(1).click()
    await page.getByRole('button', { name: 'Only differences' }).click()
    expect(await check(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    const [client, upstream] = await Promise.all([0, 1].map((nth) => page.locator('.row-values > .side').nth(nth).boundingBox()))
    const isBeside = Math.abs((client?.y ?? 0) - (upstream?.y ?? 0)) < 2
    expect(isBeside).toBe(width > 760)
  }) // biome-ignore format: one line

  it.runIf(isNightly)('shows hostile text as text', async () => {
    const page = await open('Hostile')
    const hostile = '<img src=x onerror=alert(1)>\u202eevil\u001b[31m'
    bench.openai.play([{ say: hostile }, { end: 'stop' }])
    await chatStream(bench.url, ask('openai/gpt-4o', { messages: [user('Hostile answer')], novel: hostile }), agent)
    await page.getByRole('option').filter({ hasText: 'Hostile answer' }).first().click()
    await page.getByRole('tab', { name: 'Both sides' }).click()
    await page.getByRole('button', { name: 'Only differences' }).click()
    await page.getByText('<img src=x onerror=alert(1)>\\u{202e}evil\\u{1b}[31m').first().waitFor()
    expect(await page.locator('.comparison img').count()).toBe(0)
  }) // biome-ignore format: one line
})
