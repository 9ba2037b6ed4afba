// A turn over a service that answers text: at most two answers become one valid turn.

import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../../test/check-turn.ts'
import { BlockWriter } from '../../core/blocks.ts'
import type { TurnEvent } from '../../core/events.ts'
import { Notes } from '../../core/notes.ts'
import type { TurnRequest } from '../../core/request.ts'
import { callShape } from '../../protocols/tool-text/tools-section.ts'
import {
  type Batches,
  block,
  broken,
  count,
  dead,
  good,
  play,
  saying,
  schema,
} from './tool-text-turn.fixture.ts'
import { toolTextTurn } from './tool-text-turn.ts'

/** The shown part: closing tags after a call are skipped, readable or not. */
const unread = '<tool_call>\n{"tool": 7}'
const reply = (request: TurnRequest | undefined) => JSON.stringify(request?.messages.at(-1))

it('a call without an end fails at 8 MiB', async () => {
  const delta = (text: string): TurnEvent => ({ type: 'text-delta', block: 0, delta: text })
  const start: TurnEvent[] = [
    { type: 'turn-start', id: 'up', model: 'm' },
    { type: 'text-start', block: 0 },
    delta('<tool_call>\n{"name": "read", "arguments": {"path": "'),
  ]
  const endless = Array.from({ length: 100 }, () => [delta('x'.repeat(100_000))])
  const { end } = await play([[start, ...endless]])
  expect(end).toMatchObject({
    type: 'turn-error',
    error: { message: expect.stringMatching(/more than 8 MiB/) },
  })
})

describe('a second try', () => {
  it('shows the corrected call without the text around it', async () => {
    const first = saying(`Now.\n${broken}`, { usage: count(1) })
    const second = saying(`I am sorry. Corrected:\n${good()}\nDone.`, { usage: count(2) })
    const { events, text, calls, end, notes } = await play([first, second])
    expect(checkTurn(events)).toEqual([])
    expect({ text, calls }).toEqual({ text: 'Now.', calls: ['{"path": "a"}'] })
    expect(end).toMatchObject({ reason: 'tool-calls', usage: count(3) })
    expect(notes).toContain('text beside the corrected call was left out')
  })

  it('without a call is a separate paragraph after the unreadable call', async () => {
    const { text, end } = await play([saying(`Now.\n${broken}`), saying('I cannot.')])
    expect(text).toBe(`Now.\n\n${unread}\n\nI cannot.`)
    expect(end).toMatchObject({ reason: 'stop' })
  })

  it('asks for as many calls as were unreadable, and notes if fewer come', async () => {
    const first = saying(`${broken}\n${broken}`)
    const { asked, notes } = await play([first, saying(`${good('a')}\n${good('b')}`)])
    expect(reply(asked[1])).toContain('2 tool calls')
    expect(notes).not.toContain('a tool call could not be read and was left out')
    const { notes: fewer } = await play([first, saying(good())])
    expect(fewer).toContain('a tool call could not be read and was left out')
  })

  it('may make the same call twice, but not repeat one of the first answer', async () => {
    expect((await play([saying(broken), saying(`${good()}\n${good()}`)])).calls).toHaveLength(2)
    expect((await play([saying(`${good()}\n${broken}`), saying(`${good()}\n${good('b')}`)])).calls).toEqual([
      '{"path": "a"}',
      '{"path": "b"}',
    ])
  })

  it('that breaks off before its first call keeps the first answer; after it, the turn fails', async () => {
    const begun = (text: string): Batches => [
      (saying(text)[0] as TurnEvent[]).filter(({ type }) => type !== 'turn-end'),
      dead,
    ]
    const words = await play([saying(`Now.\n${broken}`), begun('I am')])
    expect(words).toMatchObject({ text: `Now.\n\n${unread}`, end: { type: 'turn-end', reason: 'stop' } })
    const call = await play([saying(broken), begun(`${good()}\nAnd`)])
    expect(call).toMatchObject({ calls: ['{"path": "a"}'], end: { type: 'turn-error', error: dead } })
  })

  it.each([
    ['thrown', [dead]],
    ['told', [[{ type: 'turn-error' as const, error: dead }]]],
  ])('that was given up is no answer, %s', async (_, second) => {
    const { end } = await play([saying(broken), second], { signal: AbortSignal.abort(dead) })
    expect(end).toEqual({ type: 'turn-error', error: dead })
  })

  it('follows an unreadable call at once if the model makes up its result', async () => {
    const made = `Now.\n${broken}\n<tool_response>\n42\n</tool_response>\nIt is 42.`
    const { text, calls, asked, closed } = await play([saying(made), saying(good())])
    expect({ text, calls }).toEqual({ text: 'Now.', calls: ['{"path": "a"}'] })
    expect(asked).toHaveLength(2)
    expect(closed()).toBe(2)
  })

  it('for a missing call has its own note', async () => {
    const required = { request: { toolChoice: { type: 'required' as const } } }
    const { notes } = await play([saying('No.'), saying(good())], required)
    expect(notes).toEqual(['a required tool call was missing and was asked for'])
  })

  it('accepts only the required tool', async () => {
    const named = { request: { toolChoice: { type: 'tool' as const, name: 'read' } } }
    const other = good().replace('read', 'write')
    const { asked, calls, notes } = await play([saying(other), saying(`${other}\n${good()}`)], named)
    expect(reply(asked[1])).toContain('no call of the tool `read`')
    expect(calls).toEqual(['{"path": "a"}'])
    expect(notes).toContain('a call of write was left out: only read may be called')
  })

  it('does not follow a refusal', async () => {
    const required = { request: { toolChoice: { type: 'required' as const } } }
    const { asked, events } = await play([saying('I will not.', { refusal: true })], required)
    expect(asked).toHaveLength(1)
    expect(events).toContainEqual({ type: 'text-start', block: 0, refusal: true })
  })

  it('does not continue the reasoning of the first answer', async () => {
    const thinking = (text: string, thought: string): Batches => {
      const [batch] = saying(text) as [TurnEvent[]]
      const blocks = new BlockWriter()
      blocks.push(batch[0] as TurnEvent)
      blocks.reasoning(thought)
      blocks.text(text)
      blocks.close()
      blocks.push(batch.at(-1) as TurnEvent)
      return [blocks.take()]
    }
    const { events } = await play([thinking(broken, 'one'), thinking(good(), 'two')])
    expect(checkTurn(events)).toEqual([])
    expect(events.filter(({ type }) => type === 'reasoning-start')).toHaveLength(2)
  })
})

describe('an answer that the gateway cuts', () => {
  it.each([
    ['made-up results', `${good()}\n<tool_response>\nx\n</tool_response>`, {}],
    ['a call too many', `${good('a')}\n${good('b')}`, { parallelToolCalls: false }],
  ])('has the usage that came with it: %s', async (_, text, request) => {
    const { end, calls } = await play([saying(text, { usage: count(5) })], { request })
    expect(end).toEqual({ type: 'turn-end', reason: 'tool-calls', usage: count(5) })
    expect(calls).toEqual(['{"path": "a"}'])
  })

  it('ends the request to the service', async () => {
    const [batch] = saying(`${good()}\n<tool_response>\nx`) as [TurnEvent[]]
    const { events, closed } = await play([[batch.slice(0, -1), dead]])
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(closed()).toBe(1)
  })

  it('has estimated usage if the service counted only the other answer', async () => {
    const [batch] = saying(`${good()}\n<tool_response>\nx`) as [TurnEvent[]]
    const { end } = await play([saying(broken, { usage: count(1) }), [batch.slice(0, -1)]])
    expect(end).toMatchObject({ usage: { ...count(1), estimated: true } })
  })
})

describe('arguments', () => {
  const shown = { role: 'user' as const, content: [{ type: 'text' as const, text: 'see <tools>' }] }

  it('keep their numbers when a string is unescaped, with a note', async () => {
    const call = '{"name": "read", "arguments": {"path": "&lt;tools>", "n": 12345678901234567890, "f": 1.0}}'
    const { calls, notes } = await play([saying(block(call))], { request: { messages: [shown] } })
    expect(calls).toEqual(['{"path": "<tools>", "n": 12345678901234567890, "f": 1.0}'])
    expect(notes).toContain('escaped markup in the arguments of a call was unescaped')
  })
})

describe('an echo', () => {
  const described = [
    { name: 'read', description: 'Reads a file.', schema },
    { name: 'list', schema: {} },
  ]
  const signatures = described.map(({ name, description, schema: parameters }) => ({
    type: 'function',
    function: { name, ...(description ? { description } : {}), parameters },
  }))
  it.each([
    ['as it was shown', signatures.map((each) => JSON.stringify(each)).join('\n')],
    ['as a list', JSON.stringify(signatures, undefined, 2)],
    ['in a fence', `\`\`\`json\n${JSON.stringify(signatures[0], undefined, 2)}\n\`\`\``],
    ['in short', JSON.stringify({ name: 'read', parameters: schema })],
    ['in other words', JSON.stringify({ name: 'list', description: 'Lists.', parameters: {} })],
  ])('of the list of tools is no call, %s', async (_, told) => {
    const { calls, text } = await play([saying(`My tools:\n${told}`)], { request: { tools: described } })
    expect(calls).toEqual([])
    expect(text).toBe(`My tools:\n${told}`)
  })

  it('does not cover a call without a tag that the model was not shown', async () => {
    const call = '{"name": "read", "parameters": {"path": "a"}}'
    expect((await play([saying(call)], { request: { tools: described } })).calls).toEqual(['{"path": "a"}'])
  })

  it.each(['json', 'xml'] as const)('of the shape of a call is no call, in %s', async (format) => {
    const shape = callShape({ format, callTag: 'tool_call', resultTag: 'tool_response' })
    const { calls, asked } = await play([saying(shape), saying(good())], { format })
    expect(calls).toEqual(['{"path": "a"}'])
    expect(reply(asked[1])).toContain('placeholders')
  })

  it('of an example in the description of a tool is no call', async () => {
    const example = '{"name": "read", "arguments": {"path": "/etc/passwd"}}'
    const tools = [{ name: 'read', description: `Reads. Example:\n${example}`, schema }]
    const { calls, text } = await play([saying(`It is used so:\n${example}`)], { request: { tools } })
    expect(calls).toEqual([])
    expect(text).toContain(example)
  })
})

describe('without a second try', () => {
  it('an unreadable call is shown where the model wrote it', async () => {
    const { text } = await play([saying(`Now.\n${broken}\nAfter.`)], { secondTry: false })
    expect(text).toBe(`Now.\n\n${unread}\nAfter.`)
  })
})

it('an answer that repeats thousands of calls of a long conversation is parsed quickly and makes no call', async () => {
  const line = '{"name": "read", "arguments": {"path": "a"}}'
  const told = `${'words of a file\n'.repeat(60_000)}${line}`
  const request: TurnRequest = {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: told }] }],
    tools: [{ name: 'read', schema: { type: 'object', properties: { path: { type: 'string' } } } }],
    stream: true,
    origin: { dialect: 'none', body: {}, faithful: false },
  }
  const said: TurnEvent[] = [
    { type: 'turn-start', id: 'x', model: 'm' },
    { type: 'text-start', block: 0 },
    { type: 'text-delta', block: 0, delta: `${line}\n`.repeat(2_000) },
    { type: 'text-end', block: 0 },
    { type: 'turn-end', reason: 'stop' },
  ]
  const events: TurnEvent[] = []
  const turn = toolTextTurn({
    request,
    context: {
      turnId: 'turn_1',
      caller: { key: 'me' },
      signal: new AbortController().signal,
      notes: new Notes(),
      wholeArguments: true,
    },
    settings: { format: 'json', formats: {}, tag: 'tool_call', secondTry: true, systemRole: true },
    async *ask() {
      yield said
    },
  })
  for await (const batch of turn) events.push(...batch)
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' })
  expect(events.some(({ type }) => type === 'tool-call-end')).toBe(false)
})
