// The score card in each of its forms, and the estimate.

import { describe, expect, it } from 'vitest'
import { clients } from '../../src/judge/clients/all.ts'
import { cardHtml } from '../../src/judge/probe/card-html.ts'
import { cardText, duration, estimateText, grouped } from '../../src/judge/probe/card-text.ts'
import { costOf, estimate } from '../../src/judge/probe/estimate.ts'
import { makeReport, type Report } from '../../src/judge/probe/report.ts'
import type { TaskRun } from '../../src/judge/probe/run-task.ts'
import type { Task } from '../../src/judge/probe/task.ts'
import { allTasks } from '../../src/judge/probe/tasks.ts'

const tasks = allTasks.slice(0, 5)
const run = (at: number, more: Partial<TaskRun> = {}): TaskRun => ({
  ...{ task: tasks[at] as Task, attempt: 1, outcome: 'passed', requests: 2, calls: 1, tookMs: 10 },
  ...{ inputTokens: 1_000, outputTokens: 100, firstMs: [at * 10], notes: [], turnIds: [], ...more },
})

const failed = run(1, {
  outcome: 'failed',
  failure: { blame: 'upstream', expected: 'an answer', came: '<b>no & "never"</b>', code: 'timeout' },
  notes: ['tool_choice was dropped'],
})

const reportOf = (runs: TaskRun[], stopped?: string): Report =>
  makeReport(runs, {
    ...{
      dragoman: '1',
      model: 'box/<m>',
      door: 'chat',
      stream: true,
      startedAt: new Date(0),
      milliseconds: 4_000,
    },
    ...{ tasks, repeat: 1, stopped, prices: { in: 2, out: 10 }, tapesOf: () => ["tapes/it's.jsonl"] },
  })

const whole = reportOf([run(0), failed, run(2), run(3), run(4)])

it('the score is the weight that passed, and never rounded up to all', () => {
  // Weights 1, 1, 1, 1, 2: 5 of 6.
  expect(whole).toMatchObject({ score: 83.3, passed: 4, total: 5, state: 'complete', firstTokenMs: 20 })
  expect(whole.cost).toBeCloseTo(0.015)
  expect(whole.groups).toEqual([
    { group: 'single', title: 'one call', passed: 2, total: 3, score: 66.6 },
    { group: 'no-arguments', title: 'a call without arguments', passed: 2, total: 2, score: 100 },
  ])
})

it('as text', () => {
  expect(cardText(whole)).toBe(`
box/<m>, by the chat door

single.read: Reads one file
  to blame  upstream (timeout)
  expected  an answer
  came      <b>no & "never"</b>
  note      tool_choice was dropped
  tape      dragoman tape show 'tapes/it'\\''s.jsonl'

  FAIL     2/3  single         one call
  ok       2/2  no-arguments   a call without arguments

score      83.3 of 100 (4 of 5 passed, weighted)
tokens     5 000 in, 500 out, in 10 requests; 0.0150
time       4 s; first token after 20 ms (p50)
to blame   upstream 1
`)
})

it('as text, of a probe that was stopped', () => {
  const stopped = run(1, { outcome: 'stopped' })
  const text = cardText(reportOf([run(0), stopped], 'it was interrupted'))
  expect(text).toContain('PARTIAL: 1 of 5 were run; it was interrupted')
  expect(text).toContain('score      100 of 100, of what was run (1 of 1 passed, weighted)')
})

it('as text that no terminal obeys', () => {
  const bad = { blame: 'upstream', expected: 'an answer', came: 'a\x1b[2Jb\nc\u009bd' } as const
  const text = cardText(reportOf([run(1, { outcome: 'failed', failure: bad })]))
  expect(text).toContain('  came      a\\u{1b}[2Jb c\\u{9b}d\n')
})

it('as a page that runs nothing, loads nothing and obeys nothing', () => {
  const page = cardHtml(whole)
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).toContain('&#60;b&#62;no &#38; &#34;never&#34;&#60;/b&#62;')
  expect(page).toContain('box/&#60;m&#62;')
  expect(page).not.toMatch(/<script|<link|<img|src=|href=|https?:|@import|url\(|<b>|<m>/)
  expect(page).toContain("default-src 'none'")
  expect(page).toContain('prefers-color-scheme: dark')
})

describe('the estimate', () => {
  it('is close to the tokens of a perfect model, and grows with the repeats', async () => {
    const client = clients.chat
    const once = estimate(allTasks, client)
    expect(once.requests).toBe(allTasks.reduce((sum, task) => sum + task.ideal.length, 0))
    expect(estimate(allTasks, client, 3)).toMatchObject({
      requests: once.requests * 3,
      inputTokens: once.inputTokens * 3,
    })
    expect(costOf({ inputTokens: 1_000_000, outputTokens: 100_000 }, { in: 3, out: 15 })).toBe(4.5)
  })

  it('has a price only if one is set', async () => {
    const found = estimate(tasks, clients.chat)
    expect(estimateText(found, { concurrency: 1 })).toContain('unknown here; --price-in')
    expect(estimateText(found, { concurrency: 1, prices: { in: 3, out: 15 } })).toMatch(
      /about 0\.\d{4}, in the currency/,
    )
  })
})

it('numbers can be read', () => {
  expect([1, 999, 1_000, 1_234_567].map(grouped)).toEqual(['1', '999', '1 000', '1 234 567'])
  expect([0.2, 45, 89, 91, 600].map(duration)).toEqual(['1 s', '45 s', '89 s', '2 min', '10 min'])
})
