// Every field of Claude Code's requests, on services that do not know them: no request is refused, no text is lost, and dropped
// fields are named in notes.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { thought, user } from '../anthropic-requests.ts'
import { type Body, useBench } from '../harness.ts'

const bench = useBench()

const text = (words: string, more: Body = {}) => ({ type: 'text', text: words, ...more })
const scoped = { cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' } }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const readTool = {
  name: 'Read',
  description: 'Reads a file.',
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { file_path: { type: 'string' }, limit: { type: 'number', exclusiveMinimum: 0 } },
    required: ['file_path'],
    additionalProperties: false,
  },
  eager_input_streaming: true,
}

const request = (model: string, more: Body = {}): Body => ({
  model,
  messages: [
    user([
      text('<system-reminder>\nThe date is Sunday.\n</system-reminder>'),
      text('what is here?', { cache_control: { type: 'ephemeral' } }),
    ]),
  ],
  system: [
    text('x-anthropic-billing-header: cc_version=2'),
    text('You are an agent.', scoped),
    text('Be brief.', scoped),
  ],
  tools: [
    readTool,
    { ...readTool, name: 'Grep', defer_loading: true },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8, allowed_domains: ['example.com'] },
  ],
  metadata: { user_id: `{"device_id":"${'d'.repeat(64)}","account_uuid":"","session_id":"s"}` },
  max_tokens: 32_000,
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  stream: true,
  ...more,
})

const betas = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'advanced-tool-use-2025-11-20',
  'effort-2025-11-24',
  'compact-2026-01-12',
  'server-side-fallback-2026-07-01',
].join(',')

async function ask(body: Body) {
  const answer = await fetch(`${bench.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': betas,
      'anthropic-dangerous-direct-browser-access': 'true',
      authorization: 'Bearer any',
      'user-agent': 'claude-cli/2.1.0 (external, cli)',
      'x-app': 'cli',
    },
    body: JSON.stringify(body),
  })
  const said = await answer.text()
  expect([answer.status, answer.status === 200 ? '' : said]).toEqual([200, ''])
  const header = (name: string) => answer.headers.get(name) ?? ''
  return { said, notes: header('x-dragoman-notes'), session: header('x-dragoman-session') }
}

/** Everything that a conversation can hold by its third turn. */
const conversation = (callId: string) => [
  user('go'),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'another service thought this', signature: '' },
      text('I look.'),
      { type: 'tool_use', id: callId, name: 'Read', input: { file_path: 'a' }, caller: { type: 'direct' } },
      { type: 'tool_use', id: `${callId}b`, name: 'Read', input: {} },
      { type: 'tool_use', id: `${callId}c`, name: 'Grep', input: { file_path: 'c' } },
      { type: 'tool_use', id: `${callId}d`, name: 'Grep', input: { file_path: 'd' } },
    ],
  },
  user([
    { type: 'tool_result', tool_use_id: callId, content: '1\tthe first line' },
    {
      type: 'tool_result',
      tool_use_id: `${callId}b`,
      content: [
        text('a picture'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a paper' } },
      ],
    },
    {
      type: 'tool_result',
      tool_use_id: `${callId}c`,
      is_error: true,
      content: '<tool_use_error>no</tool_use_error>',
    },
    { type: 'tool_result', tool_use_id: `${callId}d` },
    text('<system-reminder>\nThe list of tasks is empty.\n</system-reminder>'),
  ]),
  { role: 'system', content: 'The user has opened b.ts.' },
  user([text('and now?', scoped)]),
]

const services = {
  anthropic: 'anthropic/claude-opus-4-8',
  'an older model': 'anthropic/claude-sonnet-4-5',
  openai: 'openai/gpt-demo',
  cursor: 'cursor/composer-2',
  text: 'text/text-demo',
}

describe.each(Object.entries(services))('on %s', (_, model) => {
  it.each([true, false])('the first question, streamed: %s', async (stream) => {
    const { said, notes } = await ask(request(model, { stream }))
    expect(said).toContain('"stop_reason":"end_turn"')
    if (model.startsWith('anthropic/')) expect(notes).not.toContain('web_search_20250305')
    else {
      expect(notes).toContain('web_search_20250305')
      // All thinking is kept: nothing is lost.
      expect(notes).not.toContain('context_management')
    }
  })

  it.each([true, false])('results of every shape, and words beside them, streamed: %s', async (stream) => {
    const { said } = await ask(request(model, { stream, messages: conversation('toolu_01') }))
    expect(said).toContain('"stop_reason":"end_turn"')
  })

  it.each([true, false])('a tool of a server with a long name, streamed: %s', async (stream) => {
    const name = `mcp__a_server_with_a_name_of_its_own__and_a_tool_with_a_longer_one_${'x'.repeat(20)}`
    const tool = { ...readTool, name }
    const asked = request(model, { stream, tools: [tool], messages: [user('Read README.md')] })
    const { said } = await ask(asked)
    expect(said).toContain(JSON.stringify(name))
    const [, callId] = /"id":"((?:sess|toolu|call)_[^"]+)"/.exec(said) ?? []
    const call = { type: 'tool_use', id: callId, name, input: { file_path: 'README.md' } }
    const result = { type: 'tool_result', tool_use_id: callId, content: '1\t# Dragoman' }
    const messages = [user('Read README.md'), { role: 'assistant', content: [call] }, user([result])]
    const next = await ask(request(model, { stream, tools: [tool], messages }))
    expect(next.said).toContain('"stop_reason":"end_turn"')
  })

  it('a title on the side, without tools', async () => {
    await ask(
      request(model, {
        tools: [],
        thinking: { type: 'disabled' },
        temperature: 1,
        messages: [user('a title')],
      }),
    )
  })

  it('a question whether there is any quota', async () => {
    await ask({ model, max_tokens: 1, messages: [user('quota')], metadata: { user_id: 'x' } })
  })

  it('a conversation that was begun with Anthropic itself', async () => {
    const begun = [
      user('go'),
      {
        role: 'assistant',
        content: [
          thought('hm', model.replace('anthropic/', '')),
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          { ...text('It is so.'), citations: null },
          { type: 'fallback', from: {}, to: {} },
        ],
      },
      user('and the summary?'),
      { role: 'assistant', content: [{ type: 'compaction', content: 'We talked about x.' }, text('Yes.')] },
      user('go on'),
    ]
    const shown = model.startsWith('anthropic/') ? 'summarized' : 'updates'
    await ask(request(model, { messages: begun, thinking: { type: 'adaptive', display: shown } }))
  })
})

describe('reminders beside results, on a run of Cursor', () => {
  const reminder = text('<system-reminder>\nThe list of tasks is empty.\n</system-reminder>')
  const shell = {
    ...readTool,
    name: 'Bash',
    input_schema: { type: 'object', properties: { command: { type: 'string' } } },
  }
  const tools = [readTool, shell]

  /** The first answer's call, and the request that brings its result. */
  async function begin(step: CursorStep, beside: unknown[]) {
    bench.cursor.play(
      [step, { await: 'results' }, { say: 'so' }, { end: true }],
      [{ say: 'afresh' }, { end: true }],
    )
    const asked = request('cursor/composer-2', { tools, messages: [user('go')], stream: false })
    const { content } = JSON.parse((await ask(asked)).said)
    const [call] = content.filter(({ type }: Body) => type === 'tool_use')
    const result = { type: 'tool_result', tool_use_id: call.id, content: '1\tthe first line' }
    const messages = [user('go'), { role: 'assistant', content }, user([result, ...beside])]
    const answer = await ask({ ...asked, messages })
    return { ...answer, runs: bench.cursor.runs.length }
  }

  it('are appended to the output of a command: the run continues', async () => {
    const { said, session, runs } = await begin({ exec: { shell: { command: 'ls' } } }, [reminder])
    expect([session, runs]).toEqual(['live', 1])
    expect(said).toContain('"so"')
  })

  it('are not appended to a file that may be written back: a new run receives everything', async () => {
    const { said, session, runs } = await begin({ exec: { read: { path: 'a' } } }, [reminder])
    expect([session, runs]).toEqual(['fresh', 2])
    expect(said).toContain('"afresh"')
    const action = bench.cursor.runs[1]?.request.action?.action
    const told = action?.case === 'userMessageAction' ? action.value.userMessage?.text : ''
    expect(told).toContain('The list of tasks is empty.')
  })
})
