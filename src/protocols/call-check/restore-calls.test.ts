import { expect, it } from 'vitest'
import type { Message, ToolCallPart, TurnRequest } from '../../core/request.ts'
import { type CallRecord, lostRecordNote, restoreCalls } from './restore-calls.ts'

const call = (callId: string, input = '{}'): ToolCallPart => ({
  type: 'tool-call',
  callId,
  name: 'read',
  input,
})
const result = (callId: string) => ({ callId, content: [{ type: 'text' as const, text: `of ${callId}` }] })

/** The second answer has the same id as the first, as on servers that number the calls of each answer. */
const retried: CallRecord = {
  type: 'retried',
  added: [
    { role: 'assistant', content: [call('c_1', '{"bad":1}')] },
    { role: 'tool', results: [result('c_1')] },
  ],
  second: [{ type: 'reasoning', text: 'b', signature: 's' }, call('c_0', '{"b":1}'), call('c_1', '{"c":1}')],
  ids: new Map([
    ['c_0_mended', 'c_0'],
    ['c_1_mended', 'c_1'],
  ]),
}

function restore(calls: string[], records: Record<string, CallRecord> = {}) {
  const notes: string[] = []
  const content = [{ type: 'reasoning' as const, text: 'a', signature: 's' }, ...calls.map((id) => call(id))]
  const request: TurnRequest = {
    model: 'm',
    messages: [
      { role: 'assistant', content },
      { role: 'tool', results: calls.map(result).reverse() },
    ],
    tools: [],
    stream: false,
    origin: { dialect: 'openai-chat', body: {}, faithful: true },
  }
  const known = new Map(Object.entries(records))
  const { messages } = restoreCalls(
    request,
    ({ callId }) => known.get(callId),
    (text) => notes.push(text),
  )
  return { messages, notes, calls: messages.map(idsOf) }
}

const idsOf = (message: Message): string[] => {
  if (message.role === 'tool') return message.results.map(({ callId }) => callId)
  return message.role === 'assistant'
    ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
    : []
}

/** Each call has exactly one result, in the message after it. */
function expectSound(calls: string[][]): void {
  for (let at = 0; at < calls.length; at += 2) {
    expect(new Set(calls[at]).size).toBe(calls[at]?.length)
    expect([...(calls[at + 1] ?? [])].sort()).toEqual([...(calls[at] ?? [])].sort())
  }
}

it('a second answer goes back as it was asked for, and other calls of the message after it', () => {
  const both = { c_0_mended: retried, c_1_mended: retried }
  const { calls, messages, notes } = restore(['c_0', 'c_0_mended', 'c_1_mended'], both)
  expectSound(calls)
  expect(calls.filter((_, at) => at % 2 === 0)).toEqual([['c_1'], ['c_0', 'c_1'], ['c_0_2']])
  expect(messages[2]).toMatchObject({ content: [{ signature: 's' }, { input: '{"b":1}' }, {}] })
  expect(messages[5]).toMatchObject({ results: [{ callId: 'c_0_2', content: [{ text: 'of c_0' }] }] })
  expect(notes).toEqual([])
})

it('a second answer without one of its calls is another conversation', () => {
  const { calls, notes } = restore(['c_0', 'c_0_mended'], { c_0_mended: retried })
  expectSound(calls)
  expect(calls).toHaveLength(2)
  expect(notes).toEqual([lostRecordNote])
})

it('ids stay distinct if nothing is known any more', () => {
  const { calls } = restore(['c_0_mended', 'c_0', 'c_0_mended_mended'])
  expectSound(calls)
  expect(calls[0]).toContain('c_0')
})
