// A client without tools, a model that wants to work: the gateway does it, on every backend, and in one answer.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, chat, chatStream, startBench, user } from '../harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-local-'))
const root = join(folder, 'work')
const auditFile = join(folder, 'state', 'audit.jsonl')
const secret = join(root, 'secret.key')

let bench: Bench
beforeAll(async () => {
  mkdirSync(root)
  bench = await startBench({
    settings: { exec: { enabled: true, root } },
    gateway: { auditFile, privatePaths: [secret] },
  })
})
afterAll(async () => {
  await bench.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  writeFileSync(join(root, 'README.md'), 'The answer is 42.\n')
  writeFileSync(secret, 'canary-in-the-root')
  for (const sim of [bench.anthropic, bench.openai, bench.cursor, bench.text]) sim.clear()
  bench.logs.length = 0
})

const audited = () =>
  readFileSync(auditFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Without tools. */
const ask = (model: string, said: string, more = {}) => ({ model, messages: [user(said)], ...more })

const models = ['anthropic/claude-opus-5', 'openai/gpt-4o', 'cursor/composer-2', 'text/text-demo']

describe.each(models)('%s without tools of the client', (model) => {
  it.each(['streamed', 'whole'] as const)('reads a file and answers, %s', async (how) => {
    const body = ask(model, 'Read README.md')
    if (how === 'streamed') {
      const answer = await chatStream(bench.url, body)
      expect(answer.problems).toEqual([])
      expect(answer.text).toContain('The answer is 42.')
      expect(answer.reasoning).toMatch(/read \S*README\.md\n→ 1 line\n/)
      expect(answer).toMatchObject({ calls: [], finishReason: 'stop' })
    } else {
      const { json, headers } = await chat(bench.url, body)
      expect(json.choices[0].message.content).toContain('The answer is 42.')
      expect(json.choices[0].message.tool_calls).toBeUndefined()
      expect(json.choices[0].finish_reason).toBe('stop')
      expect(headers.get('x-dragoman-notes')).toContain("the gateway's own tools")
    }
    expect(audited().at(-2)).toMatchObject({
      event: 'begin',
      tool: 'read',
      path: expect.stringContaining('README.md'),
    })
    expect(audited().at(-1)).toMatchObject({ event: 'end', outcome: 'done' })
  })

  it('writes a file, several steps in one answer', async () => {
    const body = ask(model, 'Write "hello there" to notes/new.txt, then read notes/new.txt')
    const answer = await chatStream(bench.url, body)
    expect(answer.problems).toEqual([])
    expect(readFileSync(join(root, 'notes', 'new.txt'), 'utf8').trim()).toBe('hello there')
    expect(answer.text).toContain('hello there')
  })

  it('leaves a client with tools its tools', async () => {
    const tools = [
      {
        type: 'function',
        function: {
          name: 'read',
          description: 'Read a file',
          parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        },
      },
    ]
    const answer = await chatStream(bench.url, ask(model, 'Read README.md', { tools }))
    expect(answer.calls).toHaveLength(1)
    expect(answer.finishReason).toBe('tool_calls')
  })
})
