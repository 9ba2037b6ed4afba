// T18, T19: elements of every dialect on Chat's route, one by one, as strict services would be sent them.

import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import { mapToolNames } from '../../src/protocols/anthropic-messages/names.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { scaled } from '../depth.ts'
import { acceptedByAnthropic, acceptedByOpenAI, toAnthropic, toChat } from '../fuzz/accepted.ts'
import { answered, type Body, called, readTool, user } from '../harness.ts'

const claude = 'claude-sonnet-4-5'

function read(body: Body) {
  const notes = new Notes()
  const { turn } = fromChatRequest({ model: 'm', ...body }, notes)
  return { turn, notes: notes.all }
}

/** Read, and written in the dialects of two strict services, both of which take it. */
// biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
function taken(body: Body): { openai: any; anthropic: any; notes: readonly string[] } {
  const { turn, notes } = read(body)
  const openai = toChat(turn)
  const anthropic = toAnthropic(turn, claude)
  if (!openai || !anthropic) throw new Error('not written')
  acceptedByOpenAI(openai)
  acceptedByAnthropic(anthropic, claude)
  return { openai, anthropic, notes }
}

const assistant = (content: unknown, more: Body = {}): Body => ({ role: 'assistant', content, ...more })
const use = (id: string, name: string, input: unknown): Body => ({ type: 'tool_use', id, name, input })
const result = (id: string, content?: unknown): Body => ({ type: 'tool_result', tool_use_id: id, content })
const said = { type: 'text', text: 'so' }
const url = 'https://example.com/a.png'
const tools = [readTool]
const patch = '*** Begin Patch\n*** End Patch'
const patchTool = { type: 'custom', name: 'ApplyPatch' }

describe('content that other dialects have', () => {
  it.each<[string, Body, string | undefined]>([
    ['a summary of what was before', assistant([{ type: 'compaction', content: 'so' }]), undefined],
    ["a file of Anthropic's", user([{ type: 'container_upload', file_id: 'f' }, said]), 'container_upload'],
    ['a sealed part', user([{ type: 'encrypted_content', encrypted_content: 'x' }, said]), 'encrypted'],
    [
      'a sealed part of an answer',
      assistant([{ type: 'encrypted_content', encrypted_content: 'x' }, said]),
      'encrypted',
    ],
    ['a refusal', user([{ type: 'refusal', refusal: 'so' }]), undefined],
  ])('%s', (_what, message, note) => {
    const { openai, notes } = taken({ messages: [user('a'), message, user('b')] })
    expect(openai.messages[1].content).toBe('so')
    if (note === undefined) expect(notes).toEqual([])
    else expect(notes).toEqual([expect.stringContaining(note)])
  })

  it('cache marks, on parts of any type', () => {
    const part = { type: 'input_text', text: 'so', cache_control: { type: 'ephemeral' } }
    expect(read({ messages: [user([part])] }).turn.messages[0]).toMatchObject({ content: [{ cache: {} }] })
  })

  it.each([
    ['a bare URL', { type: 'image_url', image_url: url }],
    ['a bare URL with detail', { type: 'image_url', image_url: url, detail: 'low' }],
    ["Chat's object under the type of Responses", { type: 'input_image', image_url: { url, detail: 'low' } }],
  ])('a picture as %s', (_what, part) => {
    const { openai } = taken({ messages: [user([part])] })
    expect(openai.messages[0].content).toMatchObject([{ type: 'image_url', image_url: { url } }])
    if (JSON.stringify(part).includes('low'))
      expect(openai.messages[0].content[0].image_url.detail).toBe('low')
  })
})

describe('results', () => {
  const asked = assistant(null, { tool_calls: [called('c1', 'read', { path: 'a' })] })

  it.each([
    ['null', { content: null }],
    ['nothing', {}],
  ])('with %s for content are empty, not refused', (_what, content) => {
    const messages = [user('a'), asked, { role: 'tool', tool_call_id: 'c1', ...content }]
    const { openai } = taken({ messages, tools })
    expect(openai.messages[2]).toEqual({ role: 'tool', tool_call_id: 'c1', content: '' })
    // Valid parts are unchanged.
    expect(openai.messages[1]).toBe(asked)
  })

  it('with a tool that was found, and with sound', () => {
    const found = [{ type: 'tool_reference', tool_name: 'grep' }]
    const { openai } = taken({ messages: [user('a'), asked, user([result('c1', found)])], tools })
    expect(openai.messages[2].content).toContain('"grep"')
    const sound = [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }, said]
    const { openai: silent, notes } = taken({ messages: [user('a'), asked, answered('c1', sound)], tools })
    expect(silent.messages[2].content).toBe('so')
    expect(notes).toEqual([expect.stringContaining('audio')])
  })

  it('after text of the same message, are moved, and a note says so', () => {
    const { openai, notes } = taken({ messages: [user('a'), asked, user([said, result('c1', 'A')])], tools })
    expect(openai.messages.map(({ role }: Body) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(notes).toEqual([expect.stringContaining('moved before')])
  })

  it('are found by the id of their call, which is not changed', () => {
    const id = 'toolx_ZnVuY3Rpb25zLnJlYWQ6MA'
    for (const answer of [user([result(id, 'A')]), answered(id, 'A')]) {
      const messages = [user('a'), assistant([use(id, 'read', { path: 'a' })]), answer]
      const { openai, notes } = taken({ messages, tools })
      expect([openai.messages[1].tool_calls[0].id, openai.messages[2].tool_call_id]).toEqual([id, id])
      expect(notes).toEqual([])
    }
  })
})

describe('calls', () => {
  it('in two dialects at once are one', () => {
    const both = assistant([use('c1', 'read', { path: 'a', all: true })], {
      tool_calls: [called('c1', 'read', '{"all": true, "path": "a"}'), called('c2', 'read', { path: 'b' })],
    })
    const messages = [user('a'), both, answered('c1', 'A'), answered('c2', 'B')]
    const { openai, notes } = taken({ messages, tools })
    expect(openai.messages[1].tool_calls.map(({ id }: Body) => id)).toEqual(['c1', 'c2'])
    expect(notes).toEqual([])
  })

  it.each([
    ['null', null, null],
    ['of their own', 'assistant', 'tool'],
  ])('as items, with roles that are %s', (_what, calls, outputs) => {
    const messages = [
      user('a'),
      { role: calls, type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      { role: outputs, type: 'function_call_output', call_id: 'c1', output: 'A' },
    ]
    const { openai } = taken({ messages, tools })
    expect(openai.messages.slice(1)).toMatchObject([{ tool_calls: [{ id: 'c1' }] }, { content: 'A' }])
  })

  it("of a custom tool, as Anthropic's blocks", () => {
    const messages = [user('a'), assistant([use('c1', 'ApplyPatch', patch)]), user([result('c1', 'ok')])]
    for (const offered of [[patchTool], tools]) {
      const { anthropic } = taken({ messages, tools: offered })
      expect(anthropic.messages[1].content[0]).toMatchObject({ id: 'c1', input: { input: patch } })
    }
    const known = [user('a'), assistant([use('c1', 'read', patch)])]
    expect(() => read({ messages: known, tools })).toThrow('messages[1].content[0].input')
  })
})

describe('tools', () => {
  it('with null where another dialect nests', () => {
    const { openai } = taken({
      messages: [user('a')],
      tools: [
        { ...patchTool, custom: null },
        { type: 'function', function: null, name: 'read', parameters: { type: 'object' } },
      ],
    })
    expect(openai.tools.map((tool: { function: Body }) => tool.function.name)).toEqual(['ApplyPatch', 'read'])
  })

  it('that are added by items are named in a note', () => {
    const { notes } = read({ input: [{ type: 'additional_tools', tools: [patchTool] }, user('a')] })
    expect(notes).toEqual([expect.stringContaining('additional_tools')])
  })

  it('by the thousand, with long names that begin alike, take no longer than few', () => {
    const names = Array.from({ length: scaled(100_000, 20_000) }, (_, at) => `${'x'.repeat(200)}_${at}`)
    const { toUpstream } = mapToolNames(names)
    const mapped = new Set(names.map(toUpstream))
    expect(mapped.size).toBe(names.length)
    expect([...mapped].every((name) => name.length <= 128)).toBe(true)
  })

  it('by the thousand, all allowed and all called, take no longer than few', () => {
    const names = Array.from({ length: scaled(100_000, 20_000) }, (_, at) => `tool_${at}`)
    const calls = names.map((name, at) => called(`c${at}`, name, {}))
    const chosen = { mode: 'auto', tools: names.map((name) => ({ type: 'function', function: { name } })) }
    const { turn } = read({
      messages: [user('a'), assistant(null, { tool_calls: calls })],
      tools: names.map((name) => ({ type: 'function', function: { name } })),
      tool_choice: { type: 'allowed_tools', allowed_tools: chosen },
    })
    expect(turn.tools).toHaveLength(names.length)
  })
})

describe('fields of the body', () => {
  it("Chat's own beside input are not lost", () => {
    const { openai } = taken({
      input: 'a',
      max_tokens: 7,
      stop: ['x'],
      response_format: { type: 'json_object' },
      reasoning_effort: null,
    })
    expect(openai).toMatchObject({
      max_completion_tokens: 7,
      stop: ['x'],
      response_format: { type: 'json_object' },
    })
    expect(() => read({ input: 'a', n: 2 })).toThrow('n: only one answer')
  })

  it('null in one dialect does not undo what another says', () => {
    const { turn } = read({ input: 'a', max_output_tokens: 9, max_tokens: null, n: null })
    expect(turn.maxOutputTokens).toBe(9)
    const stop = { messages: [user('a')], stop_sequences: ['x'], stop: null }
    expect(read(stop).turn.stop).toEqual(['x'])
  })

  it('reasoning of Responses beside messages', () => {
    const { turn } = read({ messages: [user('a')], reasoning: { effort: 'low', summary: 'auto' } })
    const openai = toChat(turn)
    expect([turn.reasoning, openai?.reasoning]).toEqual([{ effort: 'low' }, undefined])
    // Without a summary it is a setting of other servers of this dialect, and theirs to read.
    const own = { messages: [user('a')], reasoning: { effort: 'low' } }
    expect(toChat(read(own).turn, 'openrouter.ai')?.reasoning).toEqual({ effort: 'low' })
    expect(toChat(read(own).turn)?.reasoning).toBeUndefined()
  })

  it("Anthropic's beside system", () => {
    const more = { cache_control: { type: 'ephemeral' }, metadata: { user_id: 'x' }, service_tier: 'flex' }
    const body = { messages: [user('a')], system: 'S', thinking: { type: 'disabled' }, ...more }
    const { openai, notes } = taken(body)
    for (const name of ['cache_control', 'metadata', 'thinking']) expect(openai[name]).toBeUndefined()
    // It is sent on, so no note says that it was not.
    expect([openai.service_tier, notes]).toEqual(['flex', []])
    const { turn } = read({ messages: [user('a')], thinking: { type: 'disabled' }, ...more })
    expect(turn.origin.faithful).toBe(true)
  })

  it.each(['output_config', 'output_format'])('a schema for the answer, in %s', (name) => {
    const format = { type: 'json_schema', schema: { type: 'object', additionalProperties: false } }
    const { openai, anthropic } = taken({
      messages: [user('a')],
      [name]: name === 'output_config' ? { format } : format,
    })
    expect(openai.response_format.json_schema.schema).toEqual(format.schema)
    expect(anthropic.output_config.format.schema).toMatchObject(format.schema)
  })

  it.each([
    [{ input: 'a', reasoning: { effort: 5 } }, 'reasoning.effort'],
    [{ messages: [user('a')], effort: 5 }, 'effort'],
    [{ messages: [user('a')], reasoning_effort: 5 }, 'reasoning_effort'],
    [{ input: 'a', max_output_tokens: 0 }, 'max_output_tokens'],
    [{ messages: [user('a')], stop_sequences: ['x', 1] }, 'stop_sequences[1]'],
    [{ input: 'a', text: { format: { type: 'json_schema' } } }, 'text.format.name'],
    [{ input: 'a', text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ messages: [user('a')], output_format: { type: 'xml' } }, 'output_format.type'],
    [{ input: [] }, 'input'],
    [{ messages: [] }, 'messages'],
    [{ messages: [], input: [] }, 'input'],
    [{ input: [{ role: 'system', content: 'S' }] }, 'input'],
  ])('%j: the refusal names a field of that body', (body, param) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ param }))
  })

  it.each(['previous_response_id', 'conversation', 'prompt'])('%s is named in a note', (name) => {
    expect(read({ input: 'a', [name]: 'x_1' }).notes).toEqual([expect.stringContaining(name)])
  })
})
