// The rows of Anthropic's request rules that the wire cases do not tell by number. Every body here was also accepted by
// the strict simulator in test/fuzz/requests.test.ts.

import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import { fromChatRequest } from '../openai-chat/request-in.ts'
import type { KeptBlock } from './kept-blocks.ts'
import { anthropicModel } from './models.ts'
import { toAnthropicRequest } from './request-out.ts'

interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into
  body: any
  notes: string[]
  toClient(name: string): string
}

function send(
  more: Record<string, unknown>,
  options: { kept?: readonly KeptBlock[]; promptCache?: 'auto' | 'off' } = {},
): Sent {
  const { model = 'claude-sonnet-4-5', ...rest } = more
  const notes = new Notes()
  const { turn } = fromChatRequest({ model, messages: [{ role: 'user', content: 'hi' }], ...rest }, notes)
  const { body, names } = toAnthropicRequest(turn, {
    model: anthropicModel(String(model)),
    recall: () => options.kept && { blocks: options.kept },
    isRefused: () => false,
    bindsBlocks: true,
    promptCache: options.promptCache ?? 'off',
    note: (text) => notes.add(text),
  })
  return { body, notes: notes.all, toClient: names.toClient }
}

const tool = (name: string, more: Record<string, unknown> = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} }, ...more },
})
const pixel = 'iVBORw0KGgo='

describe('messages', () => {
  it('system and developer messages at the top become system, those inside stay in their place', () => {
    const { body, notes } = send({
      messages: [
        { role: 'system', content: 'one' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'two' },
            { type: 'text', text: '' },
          ],
        },
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'three' },
      ],
    })
    expect(body.system).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: '<system>\nthree\n</system>' },
        ],
      },
    ])
    expect(notes).toEqual(['a system message inside the conversation was sent as user text'])
  })

  it("consecutive messages of one role are merged, and the first is the user's", () => {
    const { body } = send({
      messages: [
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    })
    expect(
      body.messages.map((message: { role: string; content: unknown[] }) => [
        message.role,
        message.content.length,
      ]),
    ).toEqual([
      ['user', 1],
      ['assistant', 1],
      ['user', 2],
    ])
  })

  it('images, files and images in tool results', () => {
    const { body } = send({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/jpg;base64,${pixel}` } },
            { type: 'image_url', image_url: 'https://example.com/a.png' },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
            {
              type: 'file',
              file: {
                filename: 'a.txt',
                file_data: `data:text/plain;base64,${Buffer.from('grüß').toString('base64')}`,
              },
            },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'shot', arguments: '{}' } }],
        },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
      ],
    })
    expect(body.messages[0].content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: pixel } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüß' }, title: 'a.txt' },
    ])
    expect(body.messages[2].content[0].content.map((block: { type: string }) => block.type)).toEqual([
      'text',
      'image',
    ])
  })

  it.each([
    [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }, /tiff/],
    [{ type: 'image_url', image_url: { url: 'http://example.com/a.png' } }, /https/],
    [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, /Audio/],
    [{ type: 'file', file: { file_id: 'file-1' } }, /file itself/],
    [{ type: 'file', file: { file_data: 'data:application/zip;base64,AAAA' } }, /zip/],
  ])('%j is refused with a reason', (part, reason) => {
    expect(() => send({ messages: [{ role: 'user', content: [part] }] })).toThrow(GatewayError)
    expect(() => send({ messages: [{ role: 'user', content: [part] }] })).toThrow(reason)
  })

  it('a remembered turn is replayed block by block, in its own order', () => {
    const kept: KeptBlock[] = [
      { type: 'thinking', thinking: 'a', signature: 's1' },
      { type: 'text', text: 'First. ' },
      { type: 'tool_use', id: 'c1' },
      { type: 'thinking', thinking: 'b', signature: 's2' },
      { type: 'text', text: 'Then.' },
      { type: 'tool_use', id: 'c2' },
    ]
    const messages = (content: string) => [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content,
        tool_calls: ['c1', 'c2'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'read', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
      { role: 'tool', tool_call_id: 'c2', content: 'y' },
    ]
    const types = (sent: Sent) => sent.body.messages[1].content.map((block: { type: string }) => block.type)
    const same = send(
      { reasoning_effort: 'low', tools: [tool('read')], messages: messages('First. Then.') },
      { kept },
    )
    expect(types(same)).toEqual(['thinking', 'text', 'tool_use', 'thinking', 'text', 'tool_use'])
    // Text that lost its white space on the way is still the same; the turn is as the model knows it.
    const trimmed = send(
      { reasoning_effort: 'low', tools: [tool('read')], messages: messages('First. Then.\n') },
      { kept },
    )
    expect(trimmed.body.messages[1]).toEqual(same.body.messages[1])
    // The client changed the text: it stands where the first text was, and thinking stays before its call.
    const changed = send(
      { reasoning_effort: 'low', tools: [tool('read')], messages: messages('Edited.') },
      { kept },
    )
    expect(types(changed)).toEqual(['thinking', 'text', 'tool_use', 'thinking', 'tool_use'])
  })
})

describe('tools', () => {
  it('names outside the alphabet are mapped, without collisions, and mapped back', () => {
    const names = ['a.b', 'a_b', 'a/b', 'x'.repeat(150), 'ü']
    const sent = send({
      tools: names.map((name) => tool(name)),
      tool_choice: { type: 'function', function: { name: 'a/b' } },
    })
    const upstream = sent.body.tools.map((entry: { name: string }) => entry.name)
    expect(new Set(upstream).size).toBe(names.length)
    for (const name of upstream) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/)
    expect(upstream.map(sent.toClient)).toEqual(names)
    expect(sent.toClient(sent.body.tool_choice.name)).toBe('a/b')
    expect(upstream[1]).toBe('a_b')
  })

  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'read' } },
      { type: 'tool', name: 'read' },
    ],
    [
      { type: 'tool', name: 'read' },
      { type: 'tool', name: 'read' },
    ],
    [{ type: 'any' }, { type: 'any' }],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'read' } }] },
      },
      { type: 'any' },
    ],
  ])('tool_choice %j → %j', (tool_choice, expected) => {
    expect(send({ tools: [tool('read'), tool('write')], tool_choice }).body.tool_choice).toEqual(expected)
  })

  it('allowed_tools leaves the other tools out', () => {
    const allowed = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'write' } }] },
    }
    expect(
      send({ tools: [tool('read'), tool('write')], tool_choice: allowed }).body.tools.map(
        (entry: { name: string }) => entry.name,
      ),
    ).toEqual(['write'])
  })

  it('parallel_tool_calls: false, with and without a choice, never beside none', () => {
    const tools = [tool('read')]
    expect(send({ tools, parallel_tool_calls: false }).body.tool_choice).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    })
    expect(send({ tools, parallel_tool_calls: false, tool_choice: 'required' }).body.tool_choice).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    })
    expect(send({ tools, parallel_tool_calls: false, tool_choice: 'none' }).body.tool_choice).toEqual({
      type: 'none',
    })
    expect(send({ tools, parallel_tool_calls: true }).body.tool_choice).toBeUndefined()
  })

  it('legacy functions and function_call', () => {
    const { body, notes } = send({
      functions: [{ name: 'read', parameters: { type: 'object', properties: {} } }],
      function_call: { name: 'read' },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{"a":1}' } },
        { role: 'function', name: 'read', content: 'x' },
      ],
    })
    expect(body.tools[0].name).toBe('read')
    expect(body.tool_choice).toEqual({ type: 'tool', name: 'read' })
    expect(body.messages[2].content[0].tool_use_id).toBe(body.messages[1].content[0].id)
    expect(notes).toContain('legacy functions were turned into tools')
  })

  it('schemas without a type, and choices at the top', () => {
    const schemas = [
      undefined,
      {},
      {
        anyOf: [
          { type: 'object', properties: { a: {} }, required: ['a'] },
          { type: 'object', properties: { b: {} }, required: ['a', 'b'] },
        ],
      },
    ]
    const { body } = send({ tools: schemas.map((parameters, at) => tool(`t${at}`, { parameters })) })
    expect(body.tools.map((entry: { input_schema: unknown }) => entry.input_schema)).toEqual([
      { type: 'object', properties: {} },
      { type: 'object' },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a'] },
    ])
  })
})

describe('parameters', () => {
  it.each([
    [{}, 64_000],
    [{ max_tokens: 100 }, 100],
    [{ max_tokens: 100, max_completion_tokens: 200 }, 200],
    [{ max_tokens: 900_000 }, 64_000],
    [{ model: 'some-model' }, 32_000],
    [{ model: 'some-model', max_tokens: 900_000 }, 900_000],
  ])('%j → max_tokens %i', (more, expected) => {
    expect(send(more).body.max_tokens).toBe(expected)
  })

  it('leaves room for the prompt when the client sets no limit', () => {
    const long = (characters: number) => [{ role: 'user', content: 'x'.repeat(characters) }]
    expect(send({ messages: long(300_000) }).body.max_tokens).toBe(64_000)
    const { max_tokens } = send({ messages: long(450_000) }).body
    expect(max_tokens).toBeGreaterThan(45_000)
    expect(max_tokens).toBeLessThan(50_001)
    expect(send({ messages: long(900_000) }).body.max_tokens).toBe(4_096)
    expect(send({ messages: long(900_000), max_tokens: 64_000 }).body.max_tokens).toBe(64_000)
  })

  it('leaves it for all of the conversation, also where the request brought only its end', () => {
    const { turn } = fromChatRequest(
      { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'x'.repeat(450_000) }] },
      new Notes(),
    )
    const request = { ...turn, origin: { ...turn.origin, text: '{"previous_response_id":"resp_1"}' } }
    const { body } = toAnthropicRequest(request, {
      model: anthropicModel('claude-sonnet-4-5'),
      recall: () => undefined,
      isRefused: () => false,
      bindsBlocks: true,
      promptCache: 'off',
      note: () => undefined,
    })
    expect(body.max_tokens).toBeGreaterThan(45_000)
    expect(body.max_tokens).toBeLessThan(50_001)
  })

  it.each([0, 1, 2, 3])(
    'leaves as much whether lengths alone show it or not (%i quotes in four characters)',
    (n) => {
      const text = '"'.repeat(n).padEnd(4, 'x')
      for (const characters of [100_000, 203_000, 204_000, 205_000, 300_000, 408_000, 420_000, 600_000]) {
        const messages = [{ role: 'user', content: text.repeat(characters / 4) }]
        const written = characters + (characters / 4) * n
        // All but the text itself is below a hundred characters.
        const most = 200_000 - written / 3
        const { max_tokens } = send({ messages }).body
        expect(max_tokens).toBeLessThanOrEqual(Math.max(4_096, Math.min(64_000, most)))
        expect(max_tokens).toBeGreaterThan(Math.min(64_000, most) - 100)
      }
    },
  )

  it('stop, user, response_format and what has no counterpart', () => {
    const { body, notes } = send({
      stop: ['END', '\n'],
      user: 'a@b.example',
      seed: 7,
      logit_bias: { 1: 2 },
      store: true,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'x',
          schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
        },
      },
    })
    expect(body.stop_sequences).toEqual(['END'])
    expect(body.metadata).toBeUndefined()
    expect(body.output_config.format.schema).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', description: '(minimum: 1)' } },
      additionalProperties: false,
    })
    expect(notes).toEqual([
      'not supported by the upstream and left out: logit_bias, seed, store',
      'blank stop sequences were left out',
      'user was left out: it looks like an e-mail address or a phone number',
    ])
    expect(Object.keys(body).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'output_config',
      'stop_sequences',
    ])
  })

  it('a schema that the API cannot enforce is asked for in words', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
    }
    const { body, notes } = send({
      response_format: { type: 'json_schema', json_schema: { name: 'list', schema } },
    })
    expect(body.output_config).toBeUndefined()
    expect(body.system).toBeUndefined()
    expect(body.messages.at(-1).content.at(-1).text).toContain('#/$defs/node')
    expect(notes.join()).toContain('asked for it in words')
  })

  const bound = {
    type: 'adaptive',
    display: 'summarized',
    block_binding: { prefix_mismatch_behavior: 'drop_block' },
  }
  it.each([
    ['claude-3-5-haiku-20241022', 'high', undefined, undefined],
    ['claude-sonnet-4-5', 'minimal', { type: 'enabled', budget_tokens: 1_024 }, undefined],
    ['claude-opus-4-6', 'xhigh', { type: 'adaptive' }, { effort: 'high' }],
    ['claude-opus-4-7', 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    ['claude-opus-5', 'low', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ['claude-opus-5', 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    ['claude-opus-5-5', 'none', bound, { effort: 'low' }],
    ['claude-fable-5', 'none', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ['claude-mythos-5-2', 'max', bound, { effort: 'max' }],
    ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined],
    ['claude-haiku-5-5', undefined, bound, undefined],
    ['claude-opus-5', undefined, { type: 'adaptive', display: 'summarized' }, undefined],
    ['claude-opus-6', 'high', bound, { effort: 'high' }],
    ['claude-nova-1', 'high', bound, { effort: 'high' }],
    ['claude-opus-4-8', undefined, undefined, undefined],
    ['glm-5', undefined, undefined, undefined],
    ['claude-opus-4-7', 'none', undefined, undefined],
  ])('%s with reasoning_effort %s', (model, reasoning_effort, thinking, outputConfig) => {
    const { body } = send({ model, reasoning_effort })
    expect([body.thinking, body.output_config]).toEqual([thinking, outputConfig])
  })
})

describe('prompt cache', () => {
  const marked = (body: unknown) => (JSON.stringify(body).match(/cache_control/g) ?? []).length
  const mark = { cache_control: { type: 'ephemeral' } }

  it('marks the ends of tools, system prompt and conversation when the client marks nothing', () => {
    const { body } = send(
      {
        tools: [tool('a'), tool('b')],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
      },
      { promptCache: 'auto' },
    )
    expect([
      body.tools[1].cache_control,
      body.system[0].cache_control,
      body.messages[0].content[0].cache_control,
    ]).toEqual([{ type: 'ephemeral' }, { type: 'ephemeral' }, { type: 'ephemeral' }])
    expect(marked(body)).toBe(3)
  })

  it('marks where the conversation ended one turn ago: the cache is searched only twenty blocks back', () => {
    const calls = Array.from({ length: 12 }, (_, at) => ({
      id: `c${at}`,
      type: 'function',
      function: { name: 'read', arguments: '{}' },
    }))
    const { body } = send(
      {
        tools: [tool('read')],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
          { role: 'assistant', content: '', tool_calls: calls },
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
        ],
      },
      { promptCache: 'auto' },
    )
    expect([body.messages[0].content[0].cache_control, body.messages[2].content[11].cache_control]).toEqual([
      { type: 'ephemeral' },
      { type: 'ephemeral' },
    ])
    expect(marked(body)).toBe(4)
  })

  it("keeps a tool's lifetime: a longer one may not stand behind a shorter one", () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const { body } = send({
      tools: [{ ...tool('read'), ...hour }],
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's', ...hour }] },
        { role: 'user', content: 'u' },
      ],
    })
    expect([body.tools[0].cache_control, body.system[0].cache_control]).toEqual([
      hour.cache_control,
      hour.cache_control,
    ])
  })

  it("keeps the client's own marks and adds none", () => {
    const { body } = send(
      {
        messages: [
          {
            role: 'system',
            content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
          },
          { role: 'user', content: 'u' },
        ],
      },
      { promptCache: 'auto' },
    )
    expect(body.system[0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
    expect(marked(body)).toBe(1)
  })

  it('keeps the last four of more', () => {
    const content = Array.from({ length: 7 }, (_, at) => ({ type: 'text', text: `part ${at}`, ...mark }))
    const { body, notes } = send({ messages: [{ role: 'user', content }] })
    expect(body.messages[0].content.map((block: object) => 'cache_control' in block)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ])
    expect(notes).toEqual(['3 cache_control marks were removed: the upstream takes four'])
  })
})

describe('very many of anything', () => {
  const many = 150_000

  it.each<[string, Record<string, unknown>]>([
    [
      'calls',
      {
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            tool_calls: Array.from({ length: many }, (_, at) => ({
              id: `c${at}`,
              type: 'function',
              function: { name: 'read', arguments: '{}' },
            })),
          },
        ],
      },
    ],
    [
      'results without a call',
      {
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'tool',
            tool_call_id: 'x',
            content: Array.from({ length: many }, () => ({ type: 'text', text: 'x' })),
          },
        ],
      },
    ],
    [
      'branches of a schema',
      {
        tools: [
          tool('wide', { parameters: { anyOf: Array.from({ length: many }, () => ({ type: 'object' })) } }),
        ],
      },
    ],
  ])('%s do not overflow the stack', (_what, more) => {
    expect(send(more).body.messages.length).toBeGreaterThan(0)
  })
})
