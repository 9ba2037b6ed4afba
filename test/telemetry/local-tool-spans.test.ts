// Tools that the gateway runs itself: the spans of model, tool and model follow each other.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { chat, user } from '../harness.ts'
import { attemptsOf, toolsOf, turnOf, useTraced } from './traced.ts'

const root = mkdtempSync(join(tmpdir(), 'dragoman-traced-'))
writeFileSync(join(root, 'README.md'), 'The answer is 42.\n')
afterAll(() => rmSync(root, { recursive: true, force: true }))

const traced = useTraced({ settings: { exec: { enabled: true, root, tools: ['read'] } } })

it.each([
  ['README.md', {}],
  ['nowhere.md', { code: 2 }],
])('%s', async (path, status) => {
  traced.openai.play(
    [{ call: { name: 'read', arguments: { path } } }, { end: 'tool_calls' }],
    [{ say: 'done' }, { end: 'stop' }],
  )
  await chat(traced.url, { model: 'openai/gpt-demo', messages: [user('Read it')] })
  const spans = await traced.collector.until(4)
  const turn = turnOf(spans)
  const [first, second] = attemptsOf(spans)
  const [tool] = toolsOf(spans)
  expect(tool).toMatchObject({ name: 'execute_tool read', parentSpanId: turn?.spanId, status })
  expect(turn?.attributes).toMatchObject({ 'dragoman.attempts': 2, 'dragoman.outcome': 'stop' })
  const order = [turn?.startNanos, first?.endNanos, tool?.startNanos, tool?.endNanos, second?.startNanos]
  expect(order).toEqual([...order].sort())
  expect(first?.endNanos).toBe(tool?.startNanos)
  // What each part took is not known; the turn has the sum.
  for (const attempt of [first, second])
    expect(attempt?.attributes['gen_ai.usage.output_tokens']).toBeUndefined()
  expect(traced.collector.requests.map(({ body }) => body).join()).not.toContain('The answer is 42')
})
