// Local tools for a client without tools: the gateway runs them, on every backend, within one answer.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, chat, chatStream, quickRetries, startBench, startGateway, user } from '../harness.ts'
import { startHttp1 } from '../raw-peer.ts'
import { callDelta, chatAnswer, chunk, done } from '../wire-cases/frames.ts'
import { until } from './wire.ts'

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

  it('continues a conversation with local tool calls, from whatever part of it the client sends', async () => {
    const { json } = await chat(bench.url, ask(model, 'Read README.md'))
    const { message } = json.choices[0]
    expect(message.reasoning_content).toContain('README.md')
    writeFileSync(join(root, 'next.txt'), 'And then 43.\n')
    const messages = [user('Read README.md'), message, user('Read next.txt')]
    const { json: next } = await chat(bench.url, { model, messages })
    expect(next.choices?.[0].message.content).toContain('And then 43.')
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

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('at the other doors', () => {
  it('Messages: tool calls are shown as thinking, the answer as text', async () => {
    const response = await post('/v1/messages', {
      model: 'openai/gpt-4o',
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [{ role: 'user', content: 'Read README.md' }],
    })
    const { content, stop_reason } = (await response.json()) as {
      content: Record<string, string>[]
      stop_reason: string
    }
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect(content[0]?.thinking).toBe('read README.md\n→ 1 line\n')
    expect(content[1]?.text).toContain('The answer is 42.')
    expect(stop_reason).toBe('end_turn')
  })

  it('Responses: tool calls are shown as reasoning, the answer as a message', async () => {
    const response = await post('/v1/responses', {
      model: 'anthropic/claude-opus-5',
      input: 'Read README.md',
    })
    const { output, status } = (await response.json()) as { output: { type: string }[]; status: string }
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'reasoning', 'message'])
    expect(JSON.stringify(output)).toContain('read README.md\\n→ 1 line')
    expect(JSON.stringify(output)).toContain('The answer is 42.')
    expect(status).toBe('completed')
  })
})

describe('which requests get local tools, and what the tools reach', () => {
  it.each([
    ...['opencode/1.18', 'claude-cli/2.1 (external, cli)', 'codex_cli_rs/0.166', 'QwenCode/0.24'],
    ...['Kilo-Code/7.7.7 ai-sdk/provider-utils/4.0.27', 'kimi-code-cli/2.1.0', 'grok-shell/1.0.41 (linux)'],
  ])('not %s: agents ask for titles without tools', async (agent) => {
    await post('/v1/chat/completions', ask('openai/gpt-4o', 'Read README.md'), { 'user-agent': agent })
    expect(bench.openai.requests.at(-1)?.body).not.toHaveProperty('tools')
  })

  it('requests that opt out get none', async () => {
    await chat(bench.url, ask('openai/gpt-4o', 'Read README.md', { tool_choice: 'none' }))
    expect(bench.openai.requests.at(-1)?.body).not.toHaveProperty('tools')
  })

  it.each(models)("the gateway's own files do not exist for %s", async (model) => {
    const { json } = await chat(bench.url, ask(model, 'Read secret.key'))
    expect(JSON.stringify(json)).not.toContain('canary-in-the-root')
    expect(
      JSON.stringify([bench.openai, bench.anthropic, bench.text].map((sim) => sim.requests)),
    ).not.toContain('canary-in-the-root')
  })

  it.each(['../outside.txt', '/etc/passwd', '/proc/self/environ'])('nor does %s', async (path) => {
    writeFileSync(join(folder, 'outside.txt'), 'canary-outside')
    const { json } = await chat(bench.url, ask('openai/gpt-4o', `Read ${path}`))
    expect(JSON.stringify(bench.openai.requests.at(-1)?.body)).toContain('Only paths inside the workspace')
    expect(JSON.stringify(json)).not.toMatch(/canary|root:/)
    expect(audited().at(-1)).toMatchObject({ event: 'end', outcome: 'refused' })
  })

  it('neither prompts nor contents are in the audit log or in the log', async () => {
    await chat(bench.url, ask('openai/gpt-4o', 'Write "private words" to notes/p.txt'))
    const [begin, end] = audited().slice(-2)
    expect(begin).toMatchObject({
      tool: 'write',
      bytes: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(end).toMatchObject({ run: begin.run, turn: begin.turn, outcome: 'done' })
    expect(JSON.stringify([audited(), bench.logs])).not.toContain('private words')
    expect(bench.logs.join('')).toContain('"local tool"')
  })
})

const readCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'workspace_read', arguments: '{"path":"README.md"}' },
}

describe('a later part of the answer', () => {
  it('is retried alone: no tool runs twice', async () => {
    const quick = await startBench({
      settings: { exec: { enabled: true, root } },
      gateway: { retryPolicy: quickRetries, auditFile },
    })
    try {
      const before = audited().length
      quick.openai.play(
        [chatAnswer({ role: 'assistant', content: null, tool_calls: [readCall] }, 'tool_calls')],
        [{ status: 503, body: { error: { message: 'busy' } } }],
        [chatAnswer({ role: 'assistant', content: 'All read.' }, 'stop')],
      )
      const { json } = await chat(quick.url, ask('openai/gpt-4o', 'go'))
      expect(json.choices[0].message.content).toBe('All read.')
      expect(audited().length - before).toBe(2)
      expect(quick.openai.queued).toBe(0)
    } finally {
      await quick.close()
    }
  })

  it.each([503, 429])(
    'that fails with %i is not tried again by an SDK: that would run the tools again',
    async (status) => {
      bench.openai.play(
        [chatAnswer({ role: 'assistant', content: null, tool_calls: [readCall] }, 'tool_calls')],
        [{ status, body: { error: { message: 'busy' } } }],
      )
      const { json, headers, ...answer } = await chat(bench.url, ask('openai/gpt-4o', 'go'))
      expect(answer.status).toBe(status)
      expect(headers.get('x-should-retry')).toBe('false')
      expect(json.error.message).toContain('a local tool was run')
    },
  )
  it('is sent although the circuit breaker is open: the work would be lost', async () => {
    let release: (() => void) | undefined
    const { url } = await startHttp1((_request, response, body) => {
      const asked = body.toString()
      const send = (delta: object, reason: string | null = null) =>
        response.write(
          `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
        )
      const end = (delta: object, reason: string) => {
        send(delta, reason)
        response.end('data: [DONE]\n\n')
      }
      if (asked.includes('"fail"')) return response.writeHead(500).end()
      response.setHeader('content-type', 'text/event-stream')
      if (asked.includes('The answer is 42.')) return end({ content: 'All read.' }, 'stop')
      send({ role: 'assistant', content: 'Reading. ' })
      release = () => end({ tool_calls: [{ index: 0, ...readCall }] }, 'tool_calls')
    })
    const held = await startGateway(
      {
        backends: { slow: { kind: 'openai', baseUrl: `${url}/v1` } },
        exec: { enabled: true, root },
      },
      { auditFile, breaker: { now: () => 0 } },
    )
    const working = chatStream(held.url, ask('slow/m', 'go'))
    await until(() => release !== undefined)
    for (let request = 0; request < 5; request++)
      expect((await chat(held.url, ask('slow/m', 'fail'))).status).toBe(500)
    expect((await chat(held.url, ask('slow/m', 'fail'))).status).toBe(503)
    release?.()
    expect((await working).text).toBe('Reading. \n\nAll read.')
    await held.gateway.close()
  })

  it('that fails for good is an error, never a clean end', async () => {
    bench.openai.play(
      [chunk({ role: 'assistant' }), callDelta({ index: 0, ...readCall }), chunk({}, 'tool_calls'), done],
      [{ status: 400, body: { error: { message: 'no' } } }],
    )
    const answer = await chatStream(bench.url, ask('openai/gpt-4o', 'go'))
    expect(answer.error).toBeDefined()
    expect(answer.finishReason).not.toBe('stop')
  })
})

it('without an audit log nothing is run', async () => {
  const file = join(folder, 'not-a-folder')
  writeFileSync(file, '')
  const blind = await startBench({
    settings: { exec: { enabled: true, root } },
    gateway: { auditFile: join(file, 'audit.jsonl') },
  })
  try {
    const { json } = await chat(blind.url, ask('openai/gpt-4o', 'Read README.md'))
    expect(JSON.stringify(json)).not.toContain('The answer')
    expect(JSON.stringify(blind.openai.requests.at(-1)?.body)).toContain('audit log cannot be written')
    expect(blind.logs.join('')).toContain('no local tool runs')
  } finally {
    await blind.close()
  }
})

describe("the gateway's own files inside the root", () => {
  const own = join(root, 'own')
  const canary = 'canary-of-its-own'
  const places = {
    tapes: join(own, 'tapes'),
    auditFile: join(own, 'audit.jsonl'),
    usageFile: join(own, 'usage.jsonl'),
    ca: join(own, 'ca.pem'),
  }

  async function startInside() {
    mkdirSync(own, { recursive: true })
    const files = [places.ca, `${places.auditFile}.1`, `${places.usageFile}.4`]
    for (const file of files) writeFileSync(file, canary)
    return startBench({
      settings: { exec: { enabled: true, root }, tapes: { record: 'all', folder: places.tapes } },
      gateway: { auditFile: places.auditFile, usageFile: places.usageFile },
      cursor: { connect: { ca: places.ca } },
    })
  }

  it.each([
    ['list', { path: 'own' }, /^\[empty\]\s*$/],
    ['glob', { pattern: 'own/**' }, /^\[no file matches\]\s*$/],
    ['grep', { pattern: 'canary', path: 'own' }, /^\[no match\]\s*$/],
    ['read', { path: 'own/audit.jsonl' }, /^Error: Not found: /],
    ['write', { path: 'own/tapes/planted.jsonl', content: '' }, /^Error: Refused: /],
    ['delete', { path: 'own/ca.pem' }, /^Error: Not found: /],
  ])('does not exist for %s', async (tool, input, said) => {
    const inside = await startInside()
    try {
      await chat(inside.url, ask('openai/gpt-4o', 'canary-in-the-turn'))
      await until(() => existsSync(places.usageFile) && readdirSync(places.tapes).length > 0)
      const wanted = { name: `workspace_${tool}`, arguments: JSON.stringify(input) }
      const calls = [{ id: 'call_1', type: 'function', function: wanted }]
      inside.openai.play(
        [chatAnswer({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls')],
        [chatAnswer({ role: 'assistant', content: 'done' }, 'stop')],
      )
      await chat(inside.url, ask('openai/gpt-4o', 'look'))
      const asked = inside.openai.requests.at(-1)?.body as
        | Record<'messages', Record<string, unknown>[]>
        | undefined
      const result = asked?.messages.find(({ role }) => role === 'tool')?.content
      expect(result).toEqual(expect.stringMatching(said))
    } finally {
      await inside.close()
      rmSync(own, { recursive: true, force: true })
    }
  })
})
