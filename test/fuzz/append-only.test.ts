// A client that only appends to its conversation gets an upstream request that only grows: the system prompt, the tools and
// every earlier message stay as they were, whatever had to be put right in them. Prompt caches and thinking hang on it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { claudeNames, patience, toAnthropic } from './accepted.ts'
import { services } from './services.ts'
import { fuzz, fuzzShare } from './settings.ts'

type Body = Record<string, unknown>

const words = fc.constantFrom('go', ' and now? ', 'x\ny', 'ok')
const names = ['read', 'mcp.read', 'mcp_read', 'mcp read', 'größe', 'a'.repeat(140)]
const ids = fc.constantFrom('call_0', 'call_1', 'toolu_1', 'read:0', 'ä')

const user = fc.oneof(
  words.map((content): Body => ({ role: 'user', content })),
  words.map(
    (text): Body => ({
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'text', text: ' ' },
      ],
    }),
  ),
)
const system = fc
  .constantFrom('system', 'developer')
  .chain((role) => words.map((content): Body => ({ role, content })))

const callsOf = fc.array(
  fc.record({ id: ids, name: fc.constantFrom(...names), path: words, isAnswered: fc.boolean() }),
  { maxLength: 3 },
)

/** What an assistant said, the results of its calls (some are lost), and what the client says then. */
const exchange = fc
  .record({
    text: fc.option(words, { nil: null }),
    calls: callsOf,
    system: fc.array(system, { maxLength: 2 }),
    user,
  })
  .map(({ text, calls, system: inside, user: asks }): Body[] => {
    const tool_calls = calls.map(({ id, name, path }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify({ path }) },
    }))
    const results = calls
      .filter(({ isAnswered }) => isAnswered)
      .map(({ id, path }): Body => ({ role: 'tool', tool_call_id: id, content: `${path}!` }))
    const content = text ?? (calls.length > 0 ? null : 'yes')
    return [
      { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) },
      ...results,
      ...inside.slice(0, 1),
      ...(results.length > 0 && inside.length > 0 ? [] : [asks]),
      ...inside.slice(1),
    ]
  })

const conversations = fc.record({
  model: fc.constantFrom(...claudeNames, 'claude-opus-6', 'some-other-model'),
  start: fc.tuple(fc.array(system, { maxLength: 2 }), user).map(([first, asks]) => [...first, asks]),
  exchanges: fc.array(exchange, { minLength: 1, maxLength: 4 }),
})

/** Calls of others stand in the history all the same. */
const tools = names.slice(0, 2).map((name) => ({
  type: 'function',
  function: {
    name,
    description: 'reads',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
}))

const withoutMarks = (value: unknown): Body =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === 'cache_control' ? undefined : member)))

function upstream(model: string, messages: Body[]): Body {
  const { turn } = fromChatRequest({ model, messages, tools }, new Notes())
  return withoutMarks(toAnthropic(turn, model))
}

describe('a conversation that only grows', patience, () => {
  it('stays a prefix of itself upstream', () => {
    const property = fc.property(conversations, ({ model, start, exchanges }) => {
      const messages = [...start]
      let before = upstream(model, messages)
      for (const more of exchanges) {
        messages.push(...more)
        const after = upstream(model, messages)
        expect([after.system, after.tools]).toEqual([before.system, before.tools])
        const earlier = before.messages as Body[]
        expect((after.messages as Body[]).slice(0, earlier.length)).toEqual(earlier)
        before = after
      }
    })
    fc.assert(property, fuzz)
  })

  it.each(services)('stays a prefix of itself at $service', ({ models, bodyOf }) => {
    const written = (model: string, messages: Body[]) => {
      const { turn } = fromChatRequest({ model, messages, tools }, new Notes())
      return withoutMarks(bodyOf(turn, model))
    }
    const listOf = (body: Body) => (body.messages ?? body.contents) as Body[]
    const property = fc.property(conversations, models, ({ start, exchanges }, model) => {
      const messages = [...start]
      let before = written(model, messages)
      for (const more of exchanges) {
        messages.push(...more)
        const after = written(model, messages)
        for (const name of ['system', 'systemInstruction', 'tools'])
          expect([name, after[name]]).toEqual([name, before[name]])
        const earlier = listOf(before)
        expect(listOf(after).slice(0, earlier.length)).toEqual(earlier)
        before = after
      }
    })
    fc.assert(property, fuzzShare(0.5))
  })
})
