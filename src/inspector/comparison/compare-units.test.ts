import { describe, expect, it } from 'vitest'
import { compareUnits } from './compare-units.ts'
import { uncovered } from './covered.fixture.ts'
import { findInside } from './inside-text.ts'
import { answerUnits, requestUnits } from './outline.ts'
import type { Row } from './row.ts'

const call = (id: string, name: string, input: string) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})

const chat = {
  model: 'claude/m',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Read a.' },
    { role: 'assistant', content: null, tool_calls: [call('c1', 'read', '{"path":"a"}')] },
    { role: 'tool', tool_call_id: 'c1', content: 'A' },
    { role: 'user', content: [{ type: 'text', text: 'And?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
  ],
  tools: [{ type: 'function', function: { name: 'read', description: 'Reads', parameters: { type: 'object', properties: { path: { type: 'string' } } } } }],
  ...{ max_tokens: 100, stop: ['END'], seed: 1, tool_choice: 'required' },
} // biome-ignore format: one line a member

const messages = {
  model: 'm',
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Read a.' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'A' },
        { type: 'text', text: 'And?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      ],
    },
  ],
  tools: [{ name: 'read', description: 'Reads', input_schema: { type: 'object', properties: { path: { type: 'string', maxLength: 9 } } } }],
  ...{ max_tokens: 90, stop_sequences: ['END'], tool_choice: { type: 'any' } },
} // biome-ignore format: one line a member

const request = (client: unknown, upstream: unknown, sameDialect = false, continues = false) =>
  compareUnits(requestUnits(client), requestUnits(upstream), {
    direction: 'to upstream',
    sameDialect,
    continues,
  })

const brief = ({ kind, label, client, upstream }: Row) => [kind, label, client?.paths[0], upstream?.paths[0]]
const differences = (rows: readonly Row[]) => rows.filter(({ kind }) => kind !== 'same').map(brief)

describe('requests of different dialects', () => {
  it('pairs what corresponds, and tells what was changed, dropped, added, renamed', () => {
    const rows = request(chat, messages)
    expect(differences(rows)).toEqual([
      ['added', 'system text: cache_control', undefined, 'system[0].cache_control'],
      ['added', 'tool read: schema', undefined, 'tools[0].input_schema.properties.path.maxLength'],
      ['changed', 'model', 'model', 'model'],
      ['changed', 'output limit', 'max_tokens', 'max_tokens'],
      ['renamed', 'stop', 'stop', 'stop_sequences'],
      ['dropped', 'seed', 'seed', undefined],
    ])
    expect(uncovered(rows, 'client', chat)).toEqual([])
    expect(uncovered(rows, 'upstream', messages)).toEqual([])
  })

  it('pairs calls whose ids and tools whose names were replaced', () => {
    const other = structuredClone(messages)
    const [, assistant, user] = other.messages
    Object.assign(assistant?.content[0] ?? {}, { id: 'other', name: 'read_2' })
    Object.assign(user?.content[0] ?? {}, { tool_use_id: 'other' })
    Object.assign(other.tools[0] ?? {}, { name: 'read_2', input_schema: chat.tools[0]?.function.parameters })
    const labels = request(chat, other).filter(({ kind }) => kind === 'changed').map(({ label }) => label)
    expect(labels).toEqual([
      'call of read → call of read_2: name',
      'call of read → call of read_2: id',
      'result of c1 → result of other: id',
      'tool read → tool read_2: name',
      'model',
      'output limit',
    ])
  })

  it('a system message that was sent as user text, and a result that went up, are moved', () => {
    const from = { messages: [{ role: 'user', content: 'a' }, { role: 'system', content: 'late' }, { role: 'user', content: 'b' }] }
    const to = { messages: [{ role: 'user', content: 'a' }, { role: 'user', content: 'late' }, { role: 'user', content: 'b' }] }
    expect(differences(request(from, to, true))).toEqual([
      ['moved', 'system text → user text: text', 'messages[1].content', 'messages[1].content'],
      ['changed', 'system text → user text: role', 'messages[1].role', 'messages[1].role'],
    ].map((row) => [row[0], expect.any(String), row[2], row[3]]))
  })

  it('finds messages and tools inside of a prompt', () => {
    const prompt = { messages: [{ role: 'user', content: 'Tools: read(path). Be brief. User: Read a. Result: A of it' }] }
    const rows = findInside(request(chat, prompt))
    const inside = rows.filter((row) => row.inside !== undefined).map(({ label, inside: place }) => [label, place])
    expect(inside).toEqual([['system text', 'messages[0].content'], ['tool read', 'messages[0].content']])
  })

  it('what a run has from earlier turns is no drop', () => {
    const rows = request(chat, { messages: [{ role: 'tool', content: [{ type: 'tool-result', result: 'A' }] }] }, false, true)
    expect(rows.filter(({ kind, section }) => kind === 'dropped' && section !== 'settings')).toEqual([])
    expect(rows.some(({ kind }) => kind === 'kept')).toBe(true)
  })
}) // biome-ignore format: one line a row

describe('requests of one dialect', () => {
  it('compares the form too', () => {
    const to = { ...chat, model: 'm', messages: [{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }, ...chat.messages.slice(1)] }
    const rows = request(chat, to, true)
    expect(differences(rows)).toEqual([
      ['renamed', 'system text: text', 'messages[0].content', 'messages[0].content[0].text'],
      ['added', 'system text: type', undefined, 'messages[0].content[0].type'],
      ['changed', 'model', 'model', 'model'],
    ])
    expect([...uncovered(rows, 'client', chat), ...uncovered(rows, 'upstream', to)]).toEqual([])
  })
}) // biome-ignore format: one line a row

describe('answers', () => {
  it('of different dialects: members that one dialect alone has are no differences', () => {
    const ours = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 2 } }
    const theirs = { id: 'c', object: 'chat.completion', created: 1, choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', logprobs: null }], usage: { prompt_tokens: 1, completion_tokens: 3 } }
    const rows = compareUnits(answerUnits(ours), answerUnits(theirs), { direction: 'to client', sameDialect: false })
    expect(differences(rows).filter(([kind]) => kind !== 'own')).toEqual([
      ['changed', 'id', 'id', 'id'],
      ['renamed', 'finish reason', 'stop_reason', 'choices[0].finish_reason'],
      ['renamed', 'input tokens', 'usage.input_tokens', 'usage.prompt_tokens'],
      ['changed', 'output tokens', 'usage.output_tokens', 'usage.completion_tokens'],
    ])
    expect([...uncovered(rows, 'client', ours), ...uncovered(rows, 'upstream', theirs)]).toEqual([])
  })
}) // biome-ignore format: one line a body

it.each([
  { functionCall: {} },
  { functionResponse: {} },
  { inlineData: {} },
  { functionCall: {}, thoughtSignature: 'x' },
])('a part of Gemini whose member is empty is a part like any other: %j', (part) => {
  const body = { candidates: [{ content: { parts: [part] } }] }
  const rows = compareUnits(answerUnits(body), answerUnits('x'), {
    direction: 'to client',
    sameDialect: false,
  })
  expect(uncovered(rows, 'client', body)).toEqual([])
})
