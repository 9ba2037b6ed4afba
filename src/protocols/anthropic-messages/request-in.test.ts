import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { fromMessagesRequest } from './request-in.ts'

type Body = Record<string, unknown>

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const text = (words: string, more: Body = {}) => ({ type: 'text', text: words, ...more })
const use = (id: string, more: Body = {}) => ({ type: 'tool_use', id, name: 'read', input: {}, ...more })
const result = (id: string, more: Body = {}) => ({ type: 'tool_result', tool_use_id: id, ...more })
const schema = { type: 'object', properties: {} }
const marked = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const base = (more: Body = {}): Body => ({ model: 'm', max_tokens: 9, messages: [user('hello')], ...more })

function read(body: unknown): { turn: TurnRequest; notes: string[]; showsThinking: boolean } {
  const notes = new Notes()
  const { turn, showsThinking } = fromMessagesRequest(body, notes)
  return { turn, notes: notes.all, showsThinking }
}

const messagesOf = (...messages: unknown[]): Message[] => read(base({ messages })).turn.messages
const said = (words: string) => ({ type: 'text', text: words })
const called = (callId: string) => ({ type: 'tool-call', callId, name: 'read', input: '{}' })

describe('messages', () => {
  it('texts, as a string or in blocks; the system prompt in either form', () => {
    const { turn } = read(
      base({
        system: [text('a', marked), text('b')],
        messages: [user('c'), assistant(text('d')), user([text('e')])],
      }),
    )
    expect(turn.messages).toEqual([
      { role: 'system', content: [{ ...said('a'), cache: { ttl: '1h' } }, said('b')] },
      { role: 'user', content: [said('c')] },
      { role: 'assistant', content: [said('d')] },
      { role: 'user', content: [said('e')] },
    ])
    expect(turn.origin.faithful).toBe(true)
    expect(read(base({ system: 'short' })).turn.messages[0]).toEqual({
      role: 'system',
      content: [said('short')],
    })
  })

  it('a system message inside the conversation stays there', () => {
    const roles = messagesOf(user('a'), { role: 'system', content: 'b' }, user('c')).map(({ role }) => role)
    expect(roles).toEqual(['user', 'system', 'user'])
  })

  it('images and documents from each source', () => {
    const image = (source: Body) => ({ type: 'image', source, ...marked })
    const document = (source: Body, more: Body = {}) => ({ type: 'document', source, ...more })
    const [message] = messagesOf(
      user([
        image({ type: 'base64', media_type: 'image/png', data: 'AA==' }),
        image({ type: 'url', url: 'https://x/y.png' }),
        image({ type: 'file', file_id: 'f' }),
        document(
          { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
          { title: 'T', context: 'C' },
        ),
        document({ type: 'text', media_type: 'text/plain', data: 'words' }, { title: 'T' }),
        document({ type: 'content', content: [text('inner')] }),
        document({ type: 'content', content: 'plain' }),
        { type: 'search_result', title: 'S', source: 'https://s', content: [text('found')] },
      ]),
    )
    const cache = { cache: { ttl: '1h' } }
    expect(message).toEqual({
      role: 'user',
      content: [
        { type: 'image', source: { mediaType: 'image/png', data: 'AA==' }, ...cache },
        { type: 'image', source: { url: 'https://x/y.png' }, ...cache },
        { type: 'image', source: { fileId: 'f' }, ...cache },
        said('C'),
        { type: 'file', source: { mediaType: 'application/pdf', data: 'AA==' }, filename: 'T' },
        said('T'),
        said('words'),
        said('inner'),
        said('plain'),
        said('S\nhttps://s\nfound'),
      ],
    })
  })

  it('thinking with a signature, redacted thinking, and thinking of other services', () => {
    const { turn } = read(
      base({
        messages: [
          user('a'),
          assistant(
            { type: 'thinking', thinking: 'hm', signature: 'proof' },
            { type: 'redacted_thinking', data: 'sealed' },
            text('so'),
          ),
          user('b'),
        ],
      }),
    )
    expect(turn.origin.faithful).toBe(true)
    expect(turn.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', signature: 'proof' },
        { type: 'reasoning', text: '', redacted: 'sealed' },
        said('so'),
      ],
    })
    const foreign = read(
      base({ messages: [user('a'), assistant({ type: 'thinking', thinking: 'hm' }, text('x')), user('b')] }),
    )
    expect(foreign.turn.messages[1]).toMatchObject({
      content: [{ type: 'reasoning', text: 'hm' }, said('x')],
    })
    expect(foreign.turn.origin.faithful).toBe(false)
  })
})

describe('calls and results', () => {
  const contents: [Body, unknown[]][] = [
    [{}, []],
    [{ content: null }, []],
    [{ content: '' }, []],
    [{ content: [] }, []],
    [{ content: 'found' }, [said('found')]],
    [{ content: [text('a'), text('b')] }, [said('a'), said('b')]],
    [
      { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] },
      [{ type: 'image', source: { mediaType: 'image/png', data: 'AA==' } }],
    ],
    [
      { content: [{ type: 'tool_reference', tool_name: 'grep' }] },
      [
        {
          type: 'opaque',
          dialect: 'anthropic-messages',
          value: { type: 'tool_reference', tool_name: 'grep' },
          text: 'The tool "grep" can be called now.',
          loads: 'grep',
        },
      ],
    ],
  ]
  it.each(contents)('a result %j', (more, content) => {
    const { turn } = read(
      base({
        tools: [{ name: 'read', input_schema: schema }],
        messages: [user('a'), assistant(use('x')), user([result('x', more)])],
      }),
    )
    expect(turn.messages.slice(1)).toEqual([
      { role: 'assistant', content: [called('x')] },
      { role: 'tool', results: [{ callId: 'x', content }] },
    ])
    expect(turn.origin.faithful).toBe(true)
  })

  it('errors, cache marks, and text beside results', () => {
    const messages = messagesOf(
      user('a'),
      assistant(use('x'), use('y')),
      user([result('y', { is_error: true, content: 'no' }), result('x', marked), text('go on')]),
    )
    expect(messages.slice(2)).toEqual([
      {
        role: 'tool',
        results: [
          { callId: 'y', content: [said('no')], isError: true },
          { callId: 'x', content: [], cache: { ttl: '1h' } },
        ],
      },
      { role: 'user', content: [said('go on')] },
    ])
  })

  const inputs: [unknown, string, boolean][] = [
    [{ b: 1, a: [2] }, '{"b":1,"a":[2]}', true],
    [undefined, '{}', false],
    [null, '{}', false],
    ['', '{}', false],
    ['{"a":1}', '{"a":1}', false],
  ]
  it.each(inputs)('the input %j', (input, expected, faithful) => {
    const { turn } = read(
      base({ messages: [user('a'), assistant(use('x', { input })), user([result('x')])] }),
    )
    expect(turn.messages[1]).toMatchObject({ content: [{ input: expected }] })
    expect(turn.origin.faithful).toBe(faithful)
  })

  const repairs: [string, unknown[], RegExp][] = [
    ['a lost result', [assistant(use('x')), user('b')], /without a result/],
    ['a result without its call', [user([result('x')])], /without its call/],
    ['two results', [assistant(use('x')), user([result('x'), result('x')])], /of two results/],
    ['words in front', [assistant(use('x')), user([text('b'), result('x')])], /moved before the text/],
  ]
  it.each(repairs)('%s is repaired, with a note', (_, messages, says) => {
    const { turn, notes } = read(base({ messages: [user('a'), ...messages] }))
    expect(notes.join()).toMatch(says)
    expect(turn.origin.faithful).toBe(false)
  })
})

describe('tools', () => {
  const tool = { name: 'read', description: 'Reads', input_schema: schema, strict: true, ...marked }

  it("the client's, with all their fields", () => {
    const { turn } = read(
      base({ tools: [tool, { type: 'custom', name: 'b', input_schema: schema, defer_loading: true }] }),
    )
    expect(turn.tools).toEqual([
      { name: 'read', description: 'Reads', schema, strict: true, cache: { ttl: '1h' } },
      { name: 'b', schema, deferred: true },
    ])
    expect(turn.origin.faithful).toBe(true)
  })

  it("Anthropic's own are opaque", () => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const { turn, notes } = read(
      base({ tools: [tool, search], tool_choice: { type: 'tool', name: 'web_search' } }),
    )
    expect(turn.tools).toHaveLength(1)
    expect(turn.opaqueTools).toEqual([
      { dialect: 'anthropic-messages', kind: 'web_search_20250305', name: 'web_search', value: search },
    ])
    expect(turn.toolChoice).toEqual({ type: 'tool', name: 'web_search' })
    expect(turn.origin.faithful).toBe(true)
    expect(notes).toEqual([])
  })

  const choices: [Body, unknown, boolean | undefined][] = [
    [{ type: 'auto' }, { type: 'auto' }, undefined],
    [{ type: 'auto', disable_parallel_tool_use: true }, { type: 'auto' }, false],
    [{ type: 'any', disable_parallel_tool_use: false }, { type: 'required' }, undefined],
    [{ type: 'none' }, { type: 'none' }, undefined],
    [{ type: 'tool', name: 'read' }, { type: 'tool', name: 'read' }, undefined],
  ]
  it.each(choices)('tool_choice %j', (tool_choice, choice, parallel) => {
    const { turn } = read(base({ tools: [tool], tool_choice }))
    expect([turn.toolChoice, turn.parallelToolCalls]).toEqual([choice, parallel])
  })

  it('auto without tools is dropped', () => {
    expect(read(base({ tool_choice: { type: 'auto' } })).turn).not.toHaveProperty('toolChoice')
  })
})

describe('thinking', () => {
  const cases: [Body, string | undefined, boolean][] = [
    [{}, undefined, false],
    [{ thinking: { type: 'disabled' } }, 'none', false],
    [{ thinking: { type: 'between_tools' } }, 'none', false],
    [{ thinking: { type: 'adaptive' } }, undefined, true],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, undefined, false],
    [{ thinking: { type: 'adaptive', display: 'updates' } }, undefined, true],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, 'xhigh', true],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'low', true],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'medium', true],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, 'high', true],
    [{ output_config: { effort: 'low' } }, 'low', false],
  ]
  it.each(cases)('%j', (more, effort, shown) => {
    const { turn, showsThinking } = read(base(more))
    expect([turn.reasoning?.effort, showsThinking]).toEqual([effort, shown])
  })
})

it('settings', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } }
  const body = base({
    stream: true,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 4,
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
    output_config: { format },
    service_tier: 'auto',
    some_new_field: 1,
  })
  const { turn, notes } = read(body)
  expect(turn).toMatchObject({
    model: 'm',
    stream: true,
    maxOutputTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    stop: ['END'],
    user: 'u',
    responseFormat: { type: 'json-schema', schema: { type: 'object' } },
  })
  expect(notes).toEqual([])
  expect(turn.origin).toEqual({ dialect: 'anthropic-messages', body, faithful: true })
})

describe('every problem names its field', () => {
  const wrong: [string, unknown, string?][] = [
    ['body', []],
    ['model', base({ model: undefined })],
    ['model', base({ model: '' })],
    ['messages', base({ messages: [] })],
    ['messages', base({ messages: [{ role: 'system', content: 'x' }] })],
    ['messages[0]', base({ messages: ['x'] })],
    ['messages[0].role', base({ messages: [{ role: 'tool', content: 'x' }] })],
    ['messages[0].content', base({ messages: [{ role: 'user' }] })],
    ['messages[0].content[0].type', base({ messages: [user([use('x')])] })],
    ['messages[0].content[0].text', base({ messages: [user([{ type: 'text' }])] })],
    ['messages[0].content[0].source', base({ messages: [user([{ type: 'image' }])] })],
    [
      'messages[0].content[0].source.data',
      base({ messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }])] }),
    ],
    ['messages[0].content[0].tool_use_id', base({ messages: [user([{ type: 'tool_result' }])] })],
    ['messages[0].content[0].is_error', base({ messages: [user([result('x', { is_error: 'yes' })])] })],
    ['messages[1].content[0].input', base({ messages: [user('a'), assistant(use('x', { input: [] }))] })],
    ['messages[1].content[0].name', base({ messages: [user('a'), assistant(use('x', { name: 1 }))] })],
    [
      'messages[1].content[0].data',
      base({ messages: [user('a'), assistant({ type: 'redacted_thinking' })] }),
    ],
    ['messages[1].content[0].type', base({ messages: [user('a'), assistant(result('x'))] })],
    ['system[0].type', base({ system: [{ type: 'image' }] })],
    ['tools[0].name', base({ tools: [{ input_schema: schema }] })],
    ['tools[0].input_schema', base({ tools: [{ name: 'a', input_schema: 'x' }] })],
    [
      'tools',
      base({
        tools: [
          { name: 'a', input_schema: schema },
          { name: 'a', input_schema: schema },
        ],
      }),
    ],
    ['tool_choice', base({ tool_choice: { type: 'any' } })],
    ['tool_choice.type', base({ tool_choice: { type: 'required' } })],
    [
      'tool_choice.name',
      base({ tools: [{ name: 'a', input_schema: schema }], tool_choice: { type: 'tool', name: 'b' } }),
    ],
    ['max_tokens', base({ max_tokens: -1 })],
    ['temperature', base({ temperature: 1.5 })],
    ['top_k', base({ top_k: 0.5 })],
    ['stop_sequences[0]', base({ stop_sequences: [1] })],
    ['stream', base({ stream: 'yes' })],
    ['thinking.type', base({ thinking: { type: 5 } })],
    ['thinking.budget_tokens', base({ thinking: { type: 'enabled' } })],
    ['output_config.effort', base({ output_config: { effort: 5 } })],
    ['metadata.user_id', base({ metadata: { user_id: 1 } })],
  ]
  it.each(wrong)('%s in %j', (param, body, code = 'invalid-request') => {
    expect(() => read(body)).toThrow(GatewayError)
    expect(() => read(body)).toThrow(
      expect.objectContaining({ param, code, message: expect.stringContaining(param) }),
    )
  })
})
