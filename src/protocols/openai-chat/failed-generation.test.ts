import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { rescuedAnswer } from './failed-generation.ts'
import { ChatReader } from './read.ts'

const tools: Tool[] = [
  { name: 'read', schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
]
const failed = (text: unknown, code = 'tool_use_failed') => ({
  error: {
    message: 'Failed to call a function.',
    type: 'invalid_request_error',
    code,
    failed_generation: text,
  },
})
const callsIn = (body: unknown) => {
  const answer = rescuedAnswer(body, tools)
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape is looked into
  return (answer as any)?.choices[0].message.tool_calls.map((call: any) => call.function)
}

describe('a call in the error of Groq', () => {
  it.each([
    ['<function=read>{"path": "a"}</function>'],
    ['<function=read{"path": "a"}</function>'],
    ['<function=read{"path": "a"}>'],
    ['<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>'],
    ['{"name": "read", "arguments": {"path": "a"}}'],
  ])('%j', (text) => {
    const [call] = callsIn(failed(text)) ?? []
    expect([call?.name, JSON.parse(call?.arguments ?? '{}')]).toEqual(['read', { path: 'a' }])
  })

  it.each<[unknown]>([
    [failed('I would read the file.')],
    [failed('<function=other>{"path": "a"}</function>')],
    [failed('<function=read>{"path": "a"}</function>', 'rate_limit_exceeded')],
    [failed(undefined)],
    [failed({})],
    [undefined],
    [[]],
    [{ error: 'tool_use_failed' }],
  ])('nothing in %j', (body) => {
    expect(rescuedAnswer(body, tools)).toBeUndefined()
  })
})

describe('an error in the stream', () => {
  const reader = () =>
    new ChatReader({
      turnId: 'turn_1',
      model: 'm',
      backend: 'groq',
      wholeArguments: false,
      note: () => undefined,
      rescue: (body) => rescuedAnswer(body, tools),
    })
  const message = (data: unknown) => ({ data: JSON.stringify(data) })
  const said = message({ choices: [{ index: 0, delta: { content: 'Let me see.' } }] })
  const error = message(failed('<function=read>{"path": "a"}</function>'))

  it('after text: the call follows the text', () => {
    const own = reader()
    const events = [...own.push([said, error]), ...own.end()]
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(events.find(({ type }) => type === 'tool-call-end')).toMatchObject({
      name: 'read',
      input: '{"path": "a"}',
    })
  })

  it('after the beginning of a call: it stays an error', () => {
    const call = { index: 0, id: 'c', function: { name: 'read', arguments: '{"pa' } }
    const begun = message({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })
    expect(reader().push([begun, error]).at(-1)).toMatchObject({ type: 'turn-error' })
  })
})
