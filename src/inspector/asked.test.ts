import { describe, expect, it } from 'vitest'
import { readAsked, titleOf } from './asked.ts'
import { Conversations } from './conversations.ts'

const read = (body: unknown, whose = ['key', 'client']) => readAsked(JSON.stringify(body), whose)

const user = { role: 'user', content: 'Read a.txt' }
const chatCall = { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] }

describe('readAsked', () => {
  it.each([
    ['Chat', { messages: [{ role: 'system', content: 'Be good' }, user] }, 'Read a.txt', true],
    ['Messages', { system: 'x', messages: [{ role: 'user', content: [{ type: 'text', text: 'Read a.txt' }] }] }, 'Read a.txt', true],
    ['Responses, as text', { input: 'Read a.txt' }, 'Read a.txt', true],
    ['Responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'Read a.txt' }] }] }, 'Read a.txt', true],
    ['a reminder beside it', { messages: [{ role: 'user', content: [{ type: 'text', text: '<system-reminder>x</system-reminder>' }, { type: 'text', text: 'Read a.txt' }] }] }, 'Read a.txt', true],
    ['results by Chat', { messages: [user, chatCall, { role: 'tool', content: 'A' }, { role: 'tool', content: 'B' }] }, 'Read a.txt · 2 results', false],
    ['results by Messages', { messages: [user, { role: 'assistant', content: [] }, { role: 'user', content: [{ type: 'tool_result' }] }] }, 'Read a.txt · 1 result', false],
    ['results by Responses', { input: [user, { type: 'function_call' }, { type: 'function_call_output' }] }, 'Read a.txt · 1 result', false],
    ['words behind results', { messages: [user, chatCall, { role: 'tool', content: 'A' }, { role: 'user', content: 'And   b.txt' }] }, 'And b.txt', false],
    ['Gemini', { contents: [{ parts: [{ text: 'Read' }, { text: 'a.txt' }] }] }, 'Read a.txt', true],
    ['results by Gemini', { contents: [{ role: 'user', parts: [{ text: 'Read a.txt' }] }, { role: 'model', parts: [{ functionCall: {} }] }, { role: 'user', parts: [{ functionResponse: {} }, { functionResponse: {} }] }] }, 'Read a.txt · 2 results', false],
    ['a prompt by Ollama', { prompt: 'Read a.txt' }, 'Read a.txt', true],
    ['results alone', { input: [{ type: 'function_call_output' }], previous_response_id: 'resp_1' }, '1 result', true],
    ['a long question and results', { messages: [{ role: 'user', content: 'x'.repeat(500) }, chatCall, { role: 'tool', content: 'A' }] }, `${'x'.repeat(149)} · 1 result`, false],
    ['nothing', {}, '', true],
  ])('%s', (_name, body, title, isFirst) => {
    const asked = read(body)
    expect([asked && titleOf(asked), asked?.isFirst]).toEqual([title, isFirst])
  }) // biome-ignore format: a list to be read as one

  it('is undefined unless the body is a JSON object', () => {
    for (const body of ['', '{', '[]', 'null', '"x"']) expect(readAsked(body, [])).toBeUndefined()
  })

  it('identifies a conversation by its first text, its key and its client', () => {
    const opening = read({ messages: [user] })?.opening
    expect(read({ messages: [{ role: 'system', content: 'other' }, user, chatCall] })?.opening).toBe(opening)
    expect(read({ messages: [{ role: 'user', content: 'other' }] })?.opening).not.toBe(opening)
    expect(read({ messages: [user] }, ['other', 'client'])?.opening).not.toBe(opening)
  })
})

describe('Conversations', () => {
  const first = read({ messages: [user] })
  const later = read({ messages: [user, chatCall, { role: 'tool', content: 'A' }] })

  it('joins turns that continue each other', () => {
    const conversations = new Conversations(10)
    expect(conversations.of('turn_1', first)).toBe('turn_1')
    expect(conversations.of('turn_2', later)).toBe('turn_1')
    expect(conversations.of('turn_1', first)).toBe('turn_1')
  })

  it('begins a new conversation if there is no answer yet', () => {
    const conversations = new Conversations(10)
    conversations.of('turn_1', first)
    expect(conversations.of('turn_2', first)).toBe('turn_2')
    expect(conversations.of('turn_3', later)).toBe('turn_2')
  })

  it('follows previous_response_id', () => {
    const conversations = new Conversations(10)
    conversations.of('turn_1', first)
    const next = read({ input: 'And now?', previous_response_id: 'resp_1' })
    expect(conversations.of('turn_2', next)).toBe('turn_1')
    const stranger = read({ input: 'And now?', previous_response_id: 'resp_x' })
    expect(conversations.of('turn_3', stranger)).toBe('turn_3')
  })

  it('stands alone without a readable request, and forgets old ones', () => {
    const conversations = new Conversations(1)
    expect(conversations.of('turn_0', undefined)).toBe('turn_0')
    conversations.of('turn_1', first)
    for (const turn of ['turn_2', 'turn_3'])
      conversations.of(turn, read({ messages: [{ role: 'user', content: turn }] }))
    expect(conversations.of('turn_4', later)).toBe('turn_4')
  })

  it('knows the question of a conversation whose later requests name only an earlier answer', () => {
    const conversations = new Conversations(10)
    conversations.of('turn_1', first)
    const next = read({ input: [{ type: 'function_call_output' }], previous_response_id: 'resp_1' })
    const question = conversations.question(conversations.of('turn_2', next))
    expect(next && titleOf(next, question)).toBe('Read a.txt · 1 result')
  })

  it('has no half of a secret in its title', () => {
    const body = { messages: [{ role: 'user', content: `${'x'.repeat(150)} sk-canary-123456` }] }
    const scrub = (text: string) => text.replaceAll('sk-canary-123456', '[secret]')
    expect(readAsked(JSON.stringify(body), [], scrub)?.question).toBe(`${'x'.repeat(150)} [secret]`)
  })
})
