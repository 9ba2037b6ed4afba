// One conversation, each of its elements written in a dialect of its own, all on Chat's route: it means the same whatever
// the mixture, and strict services take it.

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { Message } from '../../src/core/request.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { acceptedByAnthropic, acceptedByOpenAI, toAnthropic, toChat } from './accepted.ts'
import { services } from './services.ts'
import { fuzz } from './settings.ts'

type Body = Record<string, unknown>
type Dialect = 'chat' | 'messages' | 'responses'

interface Call {
  name: string
  input: Body
  result: string
}

interface Round {
  asks: { text: string; picture: boolean }
  says: string
  calls: Call[]
}

const dialect = fc.constantFrom<Dialect>('chat', 'messages', 'responses')
const words = fc.oneof(fc.constantFrom('go on', 'ü "quoted"\n', '{"a":1}'), fc.string({ minLength: 1 }))
const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('read', 'write'),
  input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
  result: words,
})
const round: fc.Arbitrary<Round> = fc.record({
  asks: fc.record({ text: words, picture: fc.boolean() }),
  says: words,
  calls: fc.array(call, { maxLength: 3 }),
})
const patch = fc.record({ text: words, as: fc.constantFrom('function', 'custom', 'item', 'function item') })

const url = 'https://example.com/a.png'
const pictures: Record<Dialect, Body> = {
  chat: { type: 'image_url', image_url: { url } },
  messages: { type: 'image', source: { type: 'url', url } },
  responses: { type: 'input_image', image_url: url },
}
const texts: Record<Dialect, (text: string, role: string) => Body> = {
  chat: (text) => ({ type: 'text', text }),
  messages: (text) => ({ type: 'text', text }),
  responses: (text, role) => ({ type: role === 'user' ? 'input_text' : 'output_text', text }),
}

const idOf = (at: number, nth: number) => `call_${at}_${nth}`

const asked = ({ asks }: Round, as: Dialect): Body => ({
  role: 'user',
  content: [texts[as](asks.text, 'user'), ...(asks.picture ? [pictures[as]] : [])],
})

function answered({ says, calls }: Round, at: number, as: Dialect): Body[] {
  const said = { role: 'assistant', content: [texts[as](says, 'assistant')] }
  switch (as) {
    case 'chat':
      return [
        {
          role: 'assistant',
          content: says,
          tool_calls: calls.map(({ name, input }, nth) => ({
            id: idOf(at, nth),
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        },
      ]
    case 'messages':
      return [
        {
          role: 'assistant',
          content: [
            ...said.content,
            ...calls.map(({ name, input }, nth) => ({ type: 'tool_use', id: idOf(at, nth), name, input })),
          ],
        },
      ]
    case 'responses':
      return [
        said,
        ...calls.map(({ name, input }, nth) => ({
          type: 'function_call',
          call_id: idOf(at, nth),
          name,
          arguments: JSON.stringify(input),
        })),
      ]
  }
}

function results({ calls }: Round, at: number, as: Dialect): Body[] {
  switch (as) {
    case 'chat':
      return calls.map(({ result }, nth) => ({ role: 'tool', tool_call_id: idOf(at, nth), content: result }))
    case 'messages':
      return calls.length === 0
        ? []
        : [
            {
              role: 'user',
              content: calls.map(({ result }, nth) => ({
                type: 'tool_result',
                tool_use_id: idOf(at, nth),
                content: [{ type: 'text', text: result }],
              })),
            },
          ]
    case 'responses':
      return calls.map(({ result }, nth) => ({
        type: 'function_call_output',
        call_id: idOf(at, nth),
        output: result,
      }))
  }
}

const schema = { type: 'object' }
const toolShapes: Record<Dialect, (name: string) => Body> = {
  chat: (name) => ({ type: 'function', function: { name, parameters: schema } }),
  messages: (name) => ({ name, input_schema: schema }),
  responses: (name) => ({ type: 'function', name, parameters: schema }),
}

/** `as(at)`: the dialect of the element that is written next. */
function bodyOf(rounds: readonly Round[], list: 'messages' | 'input', as: () => Dialect): Body {
  return {
    model: 'gpt-4o',
    max_tokens: 100,
    tools: ['read', 'write'].map((name) => toolShapes[as()](name)),
    [list]: rounds.flatMap((entry, at) => [
      asked(entry, as()),
      ...answered(entry, at, as()),
      ...results(entry, at, as()),
    ]),
  }
}

const withoutSources = (messages: readonly Message[]) =>
  JSON.parse(JSON.stringify(messages, (key, value) => (key === 'source' && value?.role ? undefined : value)))

/** Matchers are slow when they have nothing to say. */
function same(a: unknown, b: unknown): void {
  if (!isDeepStrictEqual(a, b)) expect(a).toEqual(b)
}

const read = (body: Body) => fromChatRequest(body, new Notes()).turn

describe('requests in several dialects at once', () => {
  it('mean what they would mean in one, and are accepted by strict services', () => {
    fc.assert(
      fc.property(
        fc.array(round, { minLength: 1, maxLength: 3 }),
        fc.array(dialect, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('messages' as const, 'input' as const),
        (rounds, dialects, list) => {
          let next = 0
          const mixed = read(bodyOf(rounds, list, () => dialects[next++ % dialects.length] as Dialect))
          const plain = read(bodyOf(rounds, 'messages', () => 'chat'))
          same(withoutSources(mixed.messages), withoutSources(plain.messages))
          same(mixed.tools, plain.tools)
          const chat = toChat(mixed)
          if (!chat) throw new Error('not written')
          acceptedByOpenAI(chat)
          const messages = toAnthropic(mixed, 'claude-sonnet-4-5')
          if (!messages) throw new Error('not written')
          acceptedByAnthropic(messages, 'claude-sonnet-4-5')
          // Clouds fetch no pictures.
          const hasPicture = rounds.some(({ asks }) => asks.picture)
          for (const { service, model, accepts } of services)
            expect([service, accepts(mixed, model)]).toEqual([service, service === 'Gemini' || !hasPicture])
        },
      ),
      fuzz,
    )
  })

  it('keep the text of a custom tool, however its call comes back', () => {
    const tools = [{ type: 'custom', name: 'ApplyPatch' }]
    const shown = ({ text, as }: { text: string; as: string }): Body => {
      const name = 'ApplyPatch'
      const inMessage = (call: Body) => ({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', ...call }],
      })
      if (as === 'function') return inMessage({ type: as, function: { name, arguments: text } })
      if (as === 'custom') return inMessage({ type: as, custom: { name, input: text } })
      if (as === 'item') return { type: 'custom_tool_call', call_id: 'c1', name, input: text }
      return { type: 'function_call', call_id: 'c1', name, arguments: text }
    }
    fc.assert(
      fc.property(patch, (given) => {
        const messages = [
          { role: 'user', content: 'edit' },
          shown(given),
          { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
        ]
        const turn = read({ model: 'm', tools, messages })
        expect(turn.messages[1]).toEqual({
          role: 'assistant',
          content: [
            {
              type: 'tool-call',
              callId: 'c1',
              name: 'ApplyPatch',
              input: JSON.stringify({ input: given.text }),
            },
          ],
        })
      }),
      fuzz,
    )
  })
})
