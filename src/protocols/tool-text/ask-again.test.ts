import { describe, expect, it } from 'vitest'
import type { Message, TurnRequest } from '../../core/request.ts'
import { askAgain, demandCall } from './ask-again.ts'
import type { Markup } from './markup.ts'
import { callShape } from './tools-section.ts'

const markup: Markup = { format: 'json', callTag: 'use_tool', resultTag: 'use_tool_result' }
const problem = 'The JSON ends in the middle of a string.'
const unreadable = (unread = 1, taken = 0) => ({ problem, unread, taken })

const text = (value: string) => ({ type: 'text' as const, text: value })
const user = (value: string): Message => ({ role: 'user', content: [text(value)] })
const assistant = (value: string): Message => ({ role: 'assistant', content: [text(value)] })

function requestOf(...messages: Message[]): TurnRequest {
  const origin = { dialect: 'openai-chat', body: {}, faithful: false }
  return { model: 'm', messages, tools: [], stream: true, origin }
}

const asked = requestOf({ role: 'system', content: [text('s')] }, user('hi'))

/** The text of the last message, which must be the user's. */
function reply({ messages }: TurnRequest): string {
  const last = messages.at(-1)
  if (last?.role !== 'user') throw new Error(`the last message is of ${last?.role}`)
  return last.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('|')
}

describe.each([
  ['askAgain', (request: TurnRequest, said: string) => askAgain(request, said, unreadable(), markup)],
  ['demandCall', (request: TurnRequest, said: string) => demandCall(request, said, markup)],
])('%s', (_, ask) => {
  it('adds the unchanged answer and the demand with the shape of a call', () => {
    const said = 'I read.\n<use_tool>\n{"name": "read", \n</use_tool>'
    const copy = structuredClone(asked)
    const again = ask(asked, said)
    expect(again.messages.slice(0, -1)).toEqual([...asked.messages, assistant(said)])
    expect(reply(again).endsWith(`\n${callShape(markup)}`)).toBe(true)
    expect({ ...again, messages: [] }).toEqual({ ...asked, messages: [] })
    expect(asked).toEqual(copy)
  })

  it('keeps user and assistant in turn after an empty answer', () => {
    const again = ask(asked, ' \n')
    expect(again.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(reply(again)).toMatch(/^hi\n\n\S/)
  })

  it('appends the answer to the prefill that it continues', () => {
    const again = ask(requestOf(user('hi'), assistant('Once upon')), ' a time')
    expect(again.messages.slice(0, -1)).toEqual([user('hi'), assistant('Once upon a time')])
    expect(reply(again)).not.toBe('')
  })

  it('shortens a long answer in the middle', () => {
    const whole = 'x'.repeat(16_000)
    expect(ask(asked, whole).messages.at(-2)).toEqual(assistant(whole))
    const long = `begin${'😀'.repeat(20_000)}end`
    const message = ask(asked, long).messages.at(-2)
    const said =
      message?.role === 'assistant' && message.content[0]?.type === 'text' ? message.content[0].text : ''
    const [head = '', left = '', tail = '', ...more] = said.split('\n')
    expect(more).toEqual([])
    expect(head.length + tail.length).toBeLessThanOrEqual(16_000)
    expect(left).toBe(`[${long.length - head.length - tail.length} characters are left out here]`)
    expect(head).toMatch(/^begin(?:😀)+$/u)
    expect(tail).toMatch(/^(?:😀)+end$/u)
  })
})

describe('askAgain', () => {
  it('shows the problem', () => {
    expect(reply(askAgain(asked, 'x', unreadable(), markup))).toContain(problem)
  })

  it('asks for as many calls as were unreadable', () => {
    expect(reply(askAgain(asked, 'x', unreadable(3), markup))).toMatch(/^3 tool calls .* corrected calls /s)
    expect(reply(askAgain(asked, 'x', unreadable(1), markup))).toMatch(/^A tool call .* corrected call /s)
  })

  it('says which calls were taken, if any', () => {
    expect(reply(askAgain(asked, 'x', unreadable(), markup))).not.toContain('repeat')
    expect(reply(askAgain(asked, 'x', unreadable(1, 1), markup))).toContain('do not repeat it')
    expect(reply(askAgain(asked, 'x', unreadable(1, 3), markup))).toMatch(
      /other 3 calls [^\n]* do not repeat them/,
    )
  })
})

describe('demandCall', () => {
  it('names the required tool, if there is one', () => {
    expect(reply(demandCall(asked, 'x', markup, 'read'))).toContain('the tool `read`')
    expect(reply(demandCall(asked, 'x', markup))).toContain('You must call a tool.')
  })
})
