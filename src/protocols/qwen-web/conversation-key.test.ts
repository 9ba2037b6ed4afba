import { describe, expect, it } from 'vitest'
import type { AssistantPart, Message, TurnRequest } from '../../core/request.ts'
import { conversationKey, remindersIn } from './conversation-key.ts'

const read = {
  name: 'read',
  description: 'Reads a file.',
  schema: { type: 'object', properties: { path: { type: 'string' } } },
}
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (...content: AssistantPart[]): Message => ({ role: 'assistant', content })
const text = (words: string): AssistantPart => ({ type: 'text', text: words })
const call = (callId: string, input: string, name = 'read'): AssistantPart => ({
  type: 'tool-call',
  callId,
  name,
  input,
})
const results = (...all: [string, string, boolean?][]): Message => ({
  role: 'tool',
  results: all.map(([callId, words, isError]) => ({
    callId,
    content: [{ type: 'text', text: words }],
    ...(isError ? { isError } : {}),
  })),
})

const request = (messages: Message[], more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: 'qwen3.7-plus',
  messages,
  tools: [read],
  stream: true,
  origin: { dialect: 'none', body: {}, faithful: false },
  ...more,
})
const key = (messages: Message[], more?: Partial<TurnRequest>, caller = 'me') =>
  conversationKey(caller, request(messages, more))

const story = [
  { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] } as Message,
  user('read a and b'),
  assistant(text('Reading.'), call('c1', '{"path":"a","n":1}'), call('c2', '{"path":"b"}')),
  results(['c1', 'A'], ['c2', 'B']),
  assistant(text('Both are short.')),
]
const changed = (at: number, message: Message) => story.map((told, place) => (place === at ? message : told))

describe('the key of a conversation', () => {
  it('does not exist before the first answer', () => {
    expect(key([user('hi')])).toBeUndefined()
  })

  it('does not depend on the next question', () => {
    expect(key([...story, user('and c?')])).toBe(key(story))
    expect(key([...story, user('thanks')])).toBe(key(story))
  })

  it('matches the key computed after the answer: the client sends that answer back', () => {
    const before = request(story.slice(0, 4))
    const content = [{ type: 'reasoning' as const, text: 'hm' }, text('Both '), text('are short.\n')]
    expect(conversationKey('me', before, [...before.messages, { role: 'assistant', content }])).toBe(
      key(story),
    )
  })

  it.each<[string, Message[]]>([
    ['white space around texts', changed(1, user('  read a and b\n'))],
    ['thoughts', changed(4, assistant({ type: 'reasoning', text: 'hm' }, text('Both are short.')))],
    [
      'ids, the order of keys, and the order of results',
      [
        ...story.slice(0, 2),
        assistant(text('Reading.'), call('x', '{ "n": 1, "path": "a" }'), call('y', '{"path":"b"}')),
        results(['y', 'B'], ['x', 'A']),
        ...story.slice(4),
      ],
    ],
    ['reminders', changed(1, user('read a and b<system-reminder>\nBe kind.\n</system-reminder>'))],
    [
      'the order of parts',
      changed(2, assistant(call('c1', '{"path":"a","n":1}'), call('c2', '{"path":"b"}'), text('Reading.'))),
    ],
  ])('does not look at %s', (_what, messages) => {
    expect(key(messages)).toBe(key(story))
  })

  it.each<[string, Message[]]>([
    ['a word of the user', changed(1, user('read a and c'))],
    ['a word of the answer', changed(4, assistant(text('Both are long.')))],
    ['the system text', changed(0, { role: 'system', content: [{ type: 'text', text: 'Be long.' }] })],
    [
      'an argument',
      changed(2, assistant(text('Reading.'), call('c1', '{"path":"a","n":2}'), call('c2', '{"path":"b"}'))),
    ],
    [
      'the name of a call',
      changed(
        2,
        assistant(text('Reading.'), call('c1', '{"path":"a","n":1}', 'write'), call('c2', '{"path":"b"}')),
      ),
    ],
    ['which result is whose', changed(3, results(['c1', 'B'], ['c2', 'A']))],
    ['that a result is an error', changed(3, results(['c1', 'A', true], ['c2', 'B']))],
    ['a message less', story.filter((_message, at) => at !== 1)],
    ['where one text ends', changed(1, user('read a and b","x'))],
  ])('looks at %s', (_what, messages) => {
    expect(key(messages)).not.toBe(key(story))
  })

  it.each<[string, Partial<TurnRequest>]>([
    ['model', { model: 'qwen3-max' }],
    ['tools', { tools: [] }],
    ['description of a tool', { tools: [{ ...read, description: 'Reads.' }] }],
    ['schema of a tool', { tools: [{ ...read, schema: { type: 'object' } }] }],
    ['choice of tools', { toolChoice: { type: 'required' } }],
    ['one call at a time', { parallelToolCalls: false }],
  ])('looks at the %s', (_what, more) => {
    expect(key(story, more)).not.toBe(key(story))
  })

  it('depends on the caller', () => {
    expect(key(story, {}, 'you')).not.toBe(key(story))
  })
})

describe('reminders', () => {
  const reminder = (words: string) => `<system-reminder>${words}</system-reminder>`

  it('differ by content, not by position', () => {
    const one = remindersIn([user(`a ${reminder('x')} b ${reminder(' y\n')}`)])
    expect(one.size).toBe(2)
    expect(remindersIn([user(reminder('y')), user(`b${reminder('x')}`)])).toEqual(new Set([...one].reverse()))
    expect(remindersIn([user(reminder('z'))])).not.toEqual(remindersIn([user(reminder('y'))]))
  })

  it('must end, and must be in a user or system message', () => {
    const said = assistant(text(reminder('x')), call('c1', '{}'))
    expect(remindersIn([user('<system-reminder>x'), said, results(['c1', reminder('y')])]).size).toBe(0)
  })

  it('without an end take linear time', () => {
    // A search for the end from every beginning would be quadratic.
    const messages = [user('<system-reminder>'.repeat(500_000)), assistant(text('x'))]
    expect(key(messages)).toBeDefined()
  })
})
