// Failures after a tool has run: the error of each dialect, never a clean end, and no tool runs again.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { atEnd } from '../at-end.ts'
import { type Body, quickRetries, useBench } from '../harness.ts'
import { until } from './wire.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-local-faults-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
const root = join(folder, 'work')
const auditFile = join(folder, 'audit.jsonl')
mkdirSync(root)
writeFileSync(join(root, 'a.txt'), 'A\n')

const bench = useBench({
  settings: { exec: { enabled: true, root } },
  gateway: { auditFile, retryPolicy: quickRetries },
})
beforeEach(() => rmSync(auditFile, { force: true }))
const runs = () => readFileSync(auditFile, 'utf8').match(/"event":"begin"/g)?.length

const read: Step[] = [{ call: { name: 'workspace_read', arguments: { path: 'a.txt' } } }, { end: 'tool_use' }]
const said = 'go'
const doors: { path: string; body: Body; cleanEnd: RegExp; error: RegExp }[] = [
  {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: said }] },
    cleanEnd: /"finish_reason":"/,
    error: /data: \{"error":/,
  },
  {
    path: '/v1/messages',
    body: { max_tokens: 1_000, messages: [{ role: 'user', content: said }] },
    cleanEnd: /message_stop/,
    error: /event: error/,
  },
  {
    path: '/v1/responses',
    body: { input: said },
    cleanEnd: /response\.completed/,
    error: /event: response\.failed/,
  },
]
const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' } as const

const post = (path: string, body: Body, signal?: AbortSignal) =>
  fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

const faults: [name: string, tries: number, steps: Step[]][] = [
  ['is refused', 1, [{ status: 400, body: { error: { message: 'no' } } }]],
  ['is unavailable at every attempt', 3, [{ status: 503, body: { error: { message: 'busy' } } }]],
  ['breaks off', 1, [{ say: 'half an answer', pieces: 1 }, { fault: 'reset' }]],
  ['ends without an end', 1, [{ say: 'half an answer', pieces: 1 }, { fault: 'truncate' }]],
]

describe.each(['anthropic', 'openai'] as const)('%s: a later part', (backend) => {
  const upstream = () => bench[backend]
  const model = models[backend]

  describe.each(faults)('that %s', (_name, tries, steps) => {
    it.each(doors)('$path', async ({ path, body, cleanEnd, error }) => {
      upstream().play(read, ...Array.from({ length: tries }, () => steps))
      const response = await post(path, { model, stream: true, ...body })
      const text = await response.text()
      expect(response.status).toBe(200)
      expect(text).toMatch(error)
      expect(text).not.toMatch(cleanEnd)
      expect(text).toContain('a local tool was run')
      expect([runs(), upstream().requests.length]).toEqual([1, 1 + tries])
      const next = await post(path, { model, stream: true, ...body })
      expect(await next.text()).toMatch(cleanEnd)
    })
  })

  it.each(doors)('ends with its client: $path', async ({ path, body }) => {
    for (const [stream, steps] of [
      [true, [{ fault: 'hang' }]],
      [true, [{ say: 'on', pieces: 1 }, { fault: 'hang' }]],
      [false, [{ fault: 'hang' }]],
    ] satisfies [boolean, Step[]][]) {
      upstream().clear()
      upstream().play(read, steps)
      const leaving = new AbortController()
      const answer = post(path, { model, stream, ...body }, leaving.signal).then((response) =>
        response.text(),
      )
      await until(() => upstream().requests.length === 2)
      leaving.abort()
      await expect(answer).rejects.toThrow()
      expect(await upstream().requests[1]?.waitForAbort()).toBeDefined()
    }
  })
})
