import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import type { Message } from '../../core/request.ts'
import { toEncryptedContent } from './reasoning-proof.ts'
import type { EarlierResponses } from './references-in.ts'
import { fromResponsesRequest } from './request-in.ts'

const nothing: EarlierResponses = { conversation: () => undefined, itemsOf: () => undefined }

type Body = Record<string, unknown>

function read(body: Body, earlier = nothing) {
  const notes = new Notes()
  const request = fromResponsesRequest({ model: 'm', input: 'hi', ...body }, notes, earlier)
  return { ...request, notes: notes.all }
}

function refused(body: Body, earlier = nothing): GatewayError {
  try {
    read(body, earlier)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('was not refused')
}

const text = (value: string) => ({ type: 'text', text: value })
const hi = { role: 'user', content: [text('hi')] }
const fn = (name: string, more: Body = {}) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
  ...more,
})
const called = (callId: string, name: string, input = '{}') => ({ type: 'tool-call', callId, name, input })
const png = 'data:image/png;base64,iVBORw0='

describe('input', () => {
  const rows: [string, unknown, Partial<Message>[]][] = [
    ['a string', 'hi', [hi as Message]],
    ['messages without type', [{ role: 'user', content: 'hi' }], [hi as Message]],
    [
      'developer, user and assistant messages of parts',
      [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be brief' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'hello', annotations: [] }],
        },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: '' },
            { type: 'input_text', text: 'more' },
          ],
        },
      ],
      [
        { role: 'system', content: [text('be brief')] },
        hi,
        { role: 'assistant', content: [text('hello')] },
        { role: 'user', content: [text('more')] },
      ] as Message[],
    ],
    [
      'images, files and audio',
      [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: png, detail: 'low' },
            { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
            { type: 'input_image', file_id: 'file-1' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
            { type: 'input_file', file_url: 'https://example.com/a.pdf' },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'image', source: { mediaType: 'image/png', data: 'iVBORw0=' }, detail: 'low' },
            { type: 'image', source: { url: 'https://example.com/a.png' } },
            { type: 'image', source: { fileId: 'file-1' } },
            { type: 'file', filename: 'a.pdf', source: { mediaType: 'application/pdf', data: 'JVBERi0=' } },
            { type: 'file', source: { url: 'https://example.com/a.pdf' } },
            { type: 'audio', data: 'AAAA', format: 'wav' },
            { type: 'text', text: 'x', cache: {} },
          ],
        },
      ],
    ],
    [
      'one answer in many items is one message; results of both kinds follow it',
      [
        { role: 'user', content: 'hi' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"x"}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: '*** "x"' },
        { type: 'function_call', call_id: 'c3', namespace: 'agents', name: 'close', arguments: '' },
        { type: 'function_call_output', call_id: 'c1', output: 'text' },
        {
          type: 'custom_tool_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'done' },
            { type: 'input_image', image_url: png },
          ],
        },
        { type: 'function_call_output', call_id: 'c3', output: '' },
      ],
      [
        hi,
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'a\n\nb' },
            text('ok'),
            called('c1', 'read', '{"path":"x"}'),
            called('c2', 'apply_patch', '{"input":"*** \\"x\\""}'),
            called('c3', 'agents__close'),
          ],
        },
        {
          role: 'tool',
          results: [
            { callId: 'c1', content: [text('text')] },
            {
              callId: 'c2',
              content: [
                text('done'),
                { type: 'image', source: { mediaType: 'image/png', data: 'iVBORw0=' } },
              ],
            },
            { callId: 'c3', content: [] },
          ],
        },
      ] as Message[],
    ],
    [
      'reasoning as text; empty reasoning is nothing',
      [
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'deep' }] },
        { type: 'reasoning', summary: [], encrypted_content: null },
        { role: 'user', content: 'hi' },
      ],
      [{ role: 'assistant', content: [{ type: 'reasoning', text: 'deep' }] }, hi as Message],
    ],
  ]
  it.each(rows)('%s', (_name, input, messages) => {
    const request = read({ input })
    expect(request.turn.messages).toEqual(messages)
    expect(request.notes).toEqual([])
    expect(request.turn.origin).toMatchObject({ dialect: 'openai-responses', faithful: false })
  })

  it('instructions stand in front', () => {
    expect(read({ instructions: 'be brief' }).turn.messages).toEqual([
      { role: 'system', content: [text('be brief')] },
      hi,
    ])
  })

  describe('encrypted reasoning', () => {
    const items = (encrypted_content: string | undefined, summary: string[] = ['a']) => [
      {
        type: 'reasoning',
        summary: summary.map((text) => ({ type: 'summary_text', text })),
        encrypted_content,
      },
      { role: 'user', content: 'hi' },
    ]
    const signed = String(toEncryptedContent({ model: 'm', text: 'a' }, { signature: 's+/=' }))
    const sealed = (value: object) => `dragoman1.${Buffer.from(JSON.stringify(value)).toString('base64url')}`

    it('comes back as it was', () => {
      const own = read({ input: items(signed) })
      expect(own.turn.messages[0]).toEqual({
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'a', signature: 's+/=' }],
      })
      const hidden = toEncryptedContent({ model: 'm', text: '' }, { redacted: 'r' })
      expect(read({ input: items(hidden, []) }).turn.messages[0]).toEqual({
        role: 'assistant',
        content: [{ type: 'reasoning', text: '', redacted: 'r' }],
      })
      expect(own.notes).toEqual([])
    })

    it.each([
      ['of another model', toEncryptedContent({ model: 'n', text: 'a' }, { redacted: 'r' })],
      ['of other words', toEncryptedContent({ model: 'm', text: 'b' }, { signature: 's' })],
      ['of another service', 'gAAAA…'],
      ['that is nothing', 'dragoman1.x'],
      ['that proves nothing', sealed({})],
      ['of wrong types', sealed({ signature: 7, redacted: {}, sum: null })],
      ['that holds an array', sealed([])],
    ])('%s is left out with a note, the words stay', (_name, content) => {
      const { turn, notes } = read({ input: items(content) })
      expect(turn.messages[0]).toEqual({ role: 'assistant', content: [{ type: 'reasoning', text: 'a' }] })
      expect(notes).toEqual([
        'encrypted reasoning of another model or service, or that was changed, was left out',
      ])
      expect(read({ input: items(content, []) }).turn.messages).toEqual([hi])
    })

    it('a single letter that was changed is noticed', () => {
      for (let at = 0; at < signed.length; at++) {
        const letter = signed[at] === 'A' ? 'B' : 'A'
        const changed = signed.slice(0, at) + letter + signed.slice(at + 1)
        const [message] = read({ input: items(changed) }).turn.messages
        const [part] = message?.role === 'assistant' ? message.content : []
        // The last letter of base64 has bits that say nothing.
        if (at < signed.length - 1) expect(part).toEqual({ type: 'reasoning', text: 'a' })
      }
    })
  })

  it('items of services that OpenAI runs are left out with a note', () => {
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    ]
    expect(read({ input }).notes).toEqual([
      'items of type web_search_call are not supported and were left out',
    ])
  })

  it("what another agent of the client says is passed on as the user's, with a note", () => {
    const content = [
      { type: 'input_text', text: 'done' },
      { type: 'encrypted_content', encrypted_content: 'gAAAA' },
    ]
    const { turn, notes } = read({
      input: [{ type: 'agent_message', author: '/root/a', recipient: '/root', content }],
    })
    expect(turn.messages).toEqual([
      { role: 'user', content: [text('Message from the agent /root/a:'), text('done')] },
    ])
    expect(notes).toEqual([
      'encrypted content of another service was left out',
      "messages of other agents were passed on as the user's",
    ])
  })

  it('audio as a data URL; in a result it is left out with a note', () => {
    const audio = { type: 'input_audio', audio_url: 'data:audio/x-wav;base64,AAAA' }
    const { turn, notes } = read({
      input: [
        { role: 'user', content: [audio] },
        { type: 'function_call', call_id: 'c', name: 'hear', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [audio] },
      ],
    })
    expect(turn.messages[0]).toMatchObject({ content: [{ type: 'audio', data: 'AAAA', format: 'wav' }] })
    expect(turn.messages[2]).toMatchObject({ results: [{ content: [] }] })
    expect(notes).toEqual(['audio in a tool result is not supported and was left out'])
  })

  it('an image detail that only OpenAI knows is lowered with a note', () => {
    const content = [{ type: 'input_image', image_url: png, detail: 'original' }]
    const { turn, notes } = read({ input: [{ role: 'user', content }] })
    expect(turn.messages[0]).toMatchObject({ content: [{ detail: 'high' }] })
    expect(notes).toHaveLength(1)
  })

  it('a call without result and a result without call are repaired with notes', () => {
    const { notes, turn } = read({
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
        { type: 'function_call_output', call_id: 'b', output: 'x' },
      ],
    })
    expect(notes).toHaveLength(2)
    expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

describe('earlier answers', () => {
  const kept = [
    { type: 'message', role: 'user', content: 'first' },
    { id: 'fc_1_0', type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' },
  ]
  const earlier: EarlierResponses = {
    conversation: (id) => (id === 'resp_1' ? kept : undefined),
    itemsOf: (id) => (id === 'resp_1' ? kept.slice(1) : undefined),
  }
  const output = { type: 'function_call_output', call_id: 'c', output: 'x' }

  it('previous_response_id: the conversation so far, then the input; old instructions are not carried over', () => {
    const request = read({ previous_response_id: 'resp_1', input: [output] }, earlier)
    expect(request.turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(request.items).toEqual([...kept, output])
  })

  it.each([{ type: 'item_reference', id: 'fc_1_0' }, { id: 'fc_1_0' }])(
    '%j is the item itself',
    (reference) => {
      const request = read({ input: [{ role: 'user', content: 'x' }, reference, output] }, earlier)
      expect(request.turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
      expect(request.items[1]).toBe(kept[1])
    },
  )

  it('what is not there is told as OpenAI does', () => {
    expect(refused({ previous_response_id: 'resp_2' }, earlier)).toMatchObject({
      status: 400,
      param: 'previous_response_id',
      detail: 'previous_response_not_found',
      message: expect.stringContaining("Previous response with id 'resp_2' not found."),
    })
    for (const id of ['fc_1_9', 'fc_2_0', 'rs_9', '__proto__', ''])
      expect(refused({ input: [{ type: 'item_reference', id }] }, earlier)).toMatchObject({
        status: 404,
        param: 'input[0].id',
        message: expect.stringContaining(`Item with id '${id}' not found.`),
      })
  })
})

/** Minutes, if all were looked through for each. */
describe('very many', () => {
  const count = 100_000
  const many = <T>(make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))

  it('references to items of one answer', () => {
    const kept = many((at) => ({ id: `msg_1_${at}`, type: 'message', role: 'user', content: 'x' }))
    const input = many((at) => ({ type: 'item_reference', id: `msg_1_${count - 1 - at}` }))
    expect(read({ input }, { ...nothing, itemsOf: () => kept }).items).toEqual([...kept].reverse())
  })

  it('tools that are allowed', () => {
    const tools = many((at) => fn(`f${at}`))
    const allowed = [...tools].reverse().flatMap((tool) => [tool, { type: 'namespace', name: tool.name }])
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: allowed }
    expect(read({ tools, tool_choice }).turn.tools).toHaveLength(count)
  })
})

describe('tools', () => {
  it('functions, custom tools and namespaces', () => {
    const { turn, names, notes, echo } = read({
      tools: [
        fn('read', { description: 'Reads', strict: true }),
        {
          type: 'custom',
          name: 'apply_patch',
          description: 'Patches',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
        },
        { type: 'custom', name: 'note', format: { type: 'text' } },
        {
          type: 'namespace',
          name: 'agents',
          description: 'About agents',
          tools: [fn('close', { description: 'Closes' }), { type: 'custom', name: 'say' }],
        },
        { type: 'web_search', external_web_access: true },
        { type: 'mcp', server_label: 'x', headers: { authorization: 'secret' } },
      ],
    })
    expect(turn.tools.map(({ name, description }) => [name, description])).toEqual([
      ['read', 'Reads'],
      ['apply_patch', 'Patches\n\nThe input must match this lark grammar:\nstart: "x"'],
      ['note', undefined],
      ['agents__close', 'Closes\n\n(agents: About agents)'],
      ['agents__say', '(agents: About agents)'],
    ])
    expect(turn.tools[0]?.strict).toBe(true)
    expect(turn.tools[1]?.schema).toMatchObject({ required: ['input'] })
    expect(names.toClient('agents__say')).toEqual({ name: 'say', namespace: 'agents', custom: true })
    expect(names.toClient('apply_patch')).toEqual({ name: 'apply_patch', custom: true })
    expect(notes).toEqual(
      expect.arrayContaining([
        'tool type web_search is not supported and was left out',
        'tool type mcp is not supported and was left out',
        'the grammar of a custom tool is told to the model, but not enforced',
      ]),
    )
    expect(echo.tools).toHaveLength(4)
    expect(JSON.stringify(echo)).not.toContain('secret')
  })

  it('joined names are distinct, short enough, and the same in the history', () => {
    const long = 'n'.repeat(60)
    const { turn } = read({
      tools: [fn('a__b'), { type: 'namespace', name: 'a', tools: [fn('b'), fn(long)] }],
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: '1', namespace: 'a', name: 'b', arguments: '{}' },
        { type: 'function_call', call_id: '2', namespace: 'a', name: long, arguments: '{}' },
      ],
    })
    const offered = turn.tools.map(({ name }) => name)
    expect(offered.slice(0, 2)).toEqual(['a__b', 'a__b_2'])
    expect(offered[2]?.length).toBeLessThanOrEqual(64)
    expect(turn.messages[1]).toMatchObject({ content: [{ name: 'a__b_2' }, { name: offered[2] }] })
  })

  it('items may add tools', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [fn('late')] },
      { role: 'user', content: 'x' },
    ]
    expect(read({ input, tools: [fn('read')] }).turn.tools.map(({ name }) => name)).toEqual(['read', 'late'])
  })

  it('a tool that is told again later is told anew', () => {
    const added = (description: string) => ({
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'n', tools: [fn('late', { description })] }],
    })
    const { turn } = read({ input: [added('old'), { role: 'user', content: 'x' }, added('new')] })
    expect(turn.tools).toMatchObject([{ name: 'n__late', description: 'new' }])
  })

  const tools = [
    fn('read'),
    { type: 'custom', name: 'patch' },
    { type: 'namespace', name: 'a', tools: [fn('b')] },
  ]
  it.each<[unknown, unknown, string[]]>([
    ['auto', { type: 'auto' }, ['read', 'patch', 'a__b']],
    ['none', { type: 'none' }, ['read', 'patch', 'a__b']],
    ['required', { type: 'required' }, ['read', 'patch', 'a__b']],
    [{ type: 'function', name: 'read' }, { type: 'tool', name: 'read' }, ['read', 'patch', 'a__b']],
    [{ type: 'custom', name: 'patch' }, { type: 'tool', name: 'patch' }, ['read', 'patch', 'a__b']],
    [
      { type: 'function', namespace: 'a', name: 'b' },
      { type: 'tool', name: 'a__b' },
      ['read', 'patch', 'a__b'],
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'read' }, { type: 'web_search' }],
      },
      { type: 'required' },
      ['read'],
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'namespace', name: 'a' },
          { type: 'custom', name: 'patch' },
        ],
      },
      { type: 'auto' },
      ['patch', 'a__b'],
    ],
  ])('tool_choice %j', (tool_choice, expected, names) => {
    const { turn } = read({ tools, tool_choice })
    expect(turn.toolChoice).toEqual(expected)
    expect(turn.tools.map(({ name }) => name)).toEqual(names)
  })

  it('auto without tools is nothing', () => {
    expect(read({ tool_choice: 'auto', tools: [{ type: 'web_search' }] }).turn.toolChoice).toBeUndefined()
  })
})

describe('settings', () => {
  it('are carried', () => {
    const { turn, store, includeProofs, notes } = read({
      max_output_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning: { effort: 'high', summary: 'auto' },
      text: {
        format: { type: 'json_schema', name: 'x', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      safety_identifier: 'u',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      truncation: 'auto',
      service_tier: 'flex',
      prompt_cache_key: 'k',
    })
    expect(turn).toMatchObject({
      maxOutputTokens: 5,
      temperature: 0.5,
      topP: 0.9,
      parallelToolCalls: false,
      reasoning: { effort: 'high' },
      responseFormat: { type: 'json-schema', name: 'x', schema: { type: 'object' }, strict: true },
      user: 'u',
      stream: true,
    })
    expect([store, includeProofs]).toEqual([false, true])
    expect(notes).toEqual([
      'not supported and left out: truncation, message.output_text.logprobs, text.verbosity, service_tier',
    ])
  })

  it.each([
    [{ text: { format: { type: 'text' } } }, undefined],
    [{ text: { format: { type: 'json_object' } } }, { type: 'json' }],
    [{ text: {} }, undefined],
  ])('%j', (body, expected) => expect(read(body).turn.responseFormat).toEqual(expected))
})

describe('every problem names its field', () => {
  it.each<[string, Body]>([
    ['model', { model: '' }],
    ['input', { input: null }],
    ['input', { input: 7 }],
    ['input', { input: [] }],
    ['input', { input: [{ role: 'system', content: 'x' }] }],
    ['input[0]', { input: ['x'] }],
    ['input[0].type', { input: [{}] }],
    ['input[0].type', { input: [{ type: 'sound' }] }],
    ['input[0].type', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
    ['input[0].role', { input: [{ role: 'tool', content: 'x' }] }],
    ['input[0].content', { input: [{ role: 'user', content: 7 }] }],
    ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'x' }] }] }],
    [
      'input[0].content[0].type',
      { input: [{ role: 'assistant', content: [{ type: 'input_image', image_url: png }] }] },
    ],
    ['input[0].content[0].image_url', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
    [
      'input[0].content[0].file_data',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'JVBERi0=' }] }] },
    ],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'x', arguments: '{}' }] }],
    [
      'input[0].arguments',
      { input: [{ type: 'function_call', call_id: '1', name: 'x', arguments: '{"a":' }] },
    ],
    ['input[0].input', { input: [{ type: 'custom_tool_call', call_id: '1', name: 'x' }] }],
    ['input[0].output', { input: [{ type: 'function_call_output', call_id: '1' }] }],
    [
      'input[0].output[0].type',
      { input: [{ type: 'function_call_output', call_id: '1', output: [{ type: 'x' }] }] },
    ],
    ['input[0].summary[0].text', { input: [{ type: 'reasoning', summary: [{}] }] }],
    ['tools[0].type', { tools: [{}] }],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
    ['tools[0].format.type', { tools: [{ type: 'custom', name: 'x', format: { type: 'y' } }] }],
    ['tools[0].tools[0].name', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] }],
    ['tools[0].tools[1].name', { tools: [{ type: 'namespace', name: 'n', tools: [fn('a'), fn('a')] }] }],
    ['tools[1].name', { tools: [fn('a'), fn('a')] }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice', { tools: [fn('a')], tool_choice: { type: 'function', name: 'b' } }],
    ['tool_choice.type', { tools: [fn('a')], tool_choice: { type: 'web_search_preview' } }],
    [
      'tool_choice.tools[0]',
      { tools: [fn('a')], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [fn('b')] } },
    ],
    ['temperature', { temperature: 3 }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['reasoning.effort', { reasoning: { effort: 5 } }],
    ['text.format.type', { text: { format: { type: 'xml' } } }],
    ['text.format.name', { text: { format: { type: 'json_schema' } } }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'x' } }],
    ['background', { background: true }],
    ['store', { store: 'yes' }],
    ['metadata', { metadata: [] }],
    ['input[0].type', { input: [{ type: 'x'.repeat(100_000) }] }],
    ['input[0].role', { input: [{ role: 'x'.repeat(100_000) }] }],
    ['tool_choice', { tools: [fn('a')], tool_choice: fn('x'.repeat(100_000)) }],
    ['previous_response_id', { previous_response_id: 'x'.repeat(100_000) }],
    ['input[0].id', { input: [{ id: 'x'.repeat(100_000) }] }],
  ])('%s', (param, body) => {
    const error = refused(body)
    expect(error.message.length).toBeLessThan(1_200)
    expect(error.param).toBe(param)
    expect(error.message.startsWith(`${param}: `)).toBe(true)
  })
})
