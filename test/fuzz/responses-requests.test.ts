// Responses requests of every shape: whatever a client sends is either refused with a typed error or becomes a body that
// the strict simulators accept. Nothing else may be thrown.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signThinking } from '../../sim/anthropic/signature.ts'
import { Notes } from '../../src/core/notes.ts'
import type { Message, TurnRequest } from '../../src/core/request.ts'
import { toEncryptedContent } from '../../src/protocols/openai-responses/reasoning-proof.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'
import { withoutForeignParts } from '../../src/protocols/requests/opaque-parts.ts'
import {
  acceptedByAnthropic,
  acceptedByOpenAI,
  anyJson,
  claudeNames,
  mostAccepted,
  patience,
  toAnthropic,
  toChat,
  typed,
} from './accepted.ts'
import { fuzz } from './settings.ts'

const before = [
  { role: 'user', content: 'before' },
  { id: 'msg_1_0', role: 'assistant', content: 'said' },
]
const itemsOf = (id: string) => (id === 'resp_1' ? before : undefined)
const earlier = { conversation: itemsOf, itemsOf }

const read = (body: unknown): TurnRequest | undefined =>
  typed(() => withoutForeignParts(fromResponsesRequest(body, new Notes(), earlier).turn, [], () => undefined))

const text = fc.oneof(fc.string(), fc.constantFrom('', ' ', 'go on', 'x\u0000y'))
const id = fc.constantFrom('call_1', 'call_2', 'toolu_01', 'a-b_c')
const name = fc.constantFrom('read', 'write', 'a-b')
const textPart = text.map((value) => ({ type: 'input_text', text: value }))
const image = fc.constant({ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' })
const args = fc.oneof(
  fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{}', 'null', '{}{"a":1}', '{"a":'),
)
const output = fc.oneof(text, fc.array(fc.oneof(textPart, image), { maxLength: 3 }))
/** As an answer of this model gave it, with what the model signs it with. */
function thoughts(model: string) {
  const item = (value: string, proof: object) => ({
    type: 'reasoning',
    summary: value === '' ? [] : [{ type: 'summary_text', text: value }],
    encrypted_content: toEncryptedContent({ model, text: value }, proof),
  })
  return fc.oneof(
    text.map((value) => item(value, { signature: signThinking(value, model) })),
    fc.constant(item('', { redacted: signThinking('', model) })),
    // For another text, or of no model.
    text.map((value) => ({ ...item(value, { signature: signThinking(value, model) }), summary: [] })),
    fc.constantFrom(undefined, null, 'gAAAA', 'dragoman1.e30').map((encrypted_content) => ({
      ...item('hm', {}),
      encrypted_content,
    })),
  )
}
const otherItem = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content: text }),
  fc.record({
    type: fc.constant('message'),
    role: fc.constant('user'),
    content: fc.array(fc.oneof(textPart, image)),
  }),
  fc.record({ type: fc.constant('function_call'), call_id: id, name, arguments: args }),
  fc.record({
    type: fc.constant('function_call'),
    call_id: id,
    name,
    namespace: fc.constant('space'),
    arguments: args,
  }),
  fc.record({ type: fc.constant('custom_tool_call'), call_id: id, name, input: text }),
  fc.record({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: id,
    output,
  }),
  fc.record({
    type: fc.constant('tool_search_call'),
    call_id: id,
    execution: fc.constantFrom('client', 'server'),
    arguments: fc.record({ query: text }),
  }),
  fc.record({
    type: fc.constant('tool_search_output'),
    call_id: id,
    execution: fc.constantFrom('client', 'server'),
    tools: fc.constantFrom(
      [],
      [{ type: 'function', name: 'found', parameters: { type: 'object' } }],
      [{ type: 'namespace', name: 'mcp__x', tools: [{ type: 'function', name: 'found' }] }],
    ),
  }),
  fc.constantFrom(
    { type: 'item_reference', id: 'msg_1_0' },
    { type: 'web_search_call' },
    { type: 'configuration_update', reasoning: { effort: 'low' } },
    { type: 'agent_message', author: 'a', content: [{ type: 'input_text', text: 'x' }] },
    { type: 'agent_message', author: 'a', content: [{ type: 'encrypted_content', encrypted_content: 'x' }] },
    {
      type: 'additional_tools',
      tools: [
        { type: 'custom', name: 'later' },
        { type: 'tool_search', execution: 'client' },
      ],
    },
  ),
)
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tool = fc.oneof(
  name.map((value) => ({ type: 'function', name: value, description: 'x', parameters: schema })),
  name.map((value) => ({ type: 'custom', name: value, format: { type: 'text' } })),
  fc.uniqueArray(name).map((all) => ({
    type: 'namespace',
    name: 'space',
    tools: all.map((value) => ({ type: 'function', name: value, parameters: schema })),
  })),
  fc.constant({ type: 'web_search' }),
)
const plausible = (model: string) =>
  fc.record(
    {
      model: fc.constant(model),
      input: fc.oneof(
        { weight: 1, arbitrary: fc.constant('hi') },
        {
          weight: 5,
          arbitrary: fc
            .array(fc.oneof({ weight: 4, arbitrary: otherItem }, { weight: 1, arbitrary: thoughts(model) }), {
              maxLength: 8,
            })
            .map((items) => [{ role: 'user', content: 'begin' }, ...items]),
        },
      ),
      instructions: text,
      tools: fc.uniqueArray(tool, { maxLength: 4, selector: (entry) => ('name' in entry ? entry.name : '') }),
      tool_choice: fc.constantFrom('auto', 'none', {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'namespace', name: 'space' }],
      }),
      parallel_tool_calls: fc.boolean(),
      stream: fc.boolean(),
      max_output_tokens: fc.integer({ min: 1, max: 4_000 }),
      previous_response_id: fc.constantFrom('resp_1', null),
      reasoning: fc.constantFrom({ summary: 'auto' }, null),
      text: fc.constantFrom({ format: { type: 'text' } }, { format: { type: 'json_object' } }),
    },
    { requiredKeys: ['model', 'input'] },
  )

const byModel = new Map([...claudeNames, 'some-other-model'].map((name) => [name, plausible(name)]))
const anyModel = fc.oneof(...[...byModel].map(([name, body]) => fc.tuple(fc.constant(name), body)))

/** The invariants of core/request.ts. */
function checkHistory(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') expect(messages[at - 1]?.role).toBe('assistant')
    else expect(message.content.length).toBeGreaterThan(0)
    if (message.role !== 'assistant') continue
    const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
    expect(new Set(calls).size).toBe(calls.length)
    const next = messages[at + 1]
    const answered = next?.role === 'tool' ? next.results.map(({ callId }) => callId) : []
    expect([...answered].sort()).toEqual([...calls].sort())
  }
}

describe('Responses requests', patience, () => {
  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    mostAccepted(plausible('gpt-4o'), (body) => {
      const turn = read(body)
      if (!turn) return false
      checkHistory(turn.messages)
      const upstream = toChat(turn)
      if (!upstream) return false
      acceptedByOpenAI(upstream)
      return true
    })
  })

  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    mostAccepted(anyModel, ([name, body]) => {
      const turn = read(body)
      const upstream = turn && toAnthropic(turn, name)
      if (!upstream) return false
      acceptedByAnthropic(upstream, name)
      return true
    })
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'model', 'input', 'tools', 'tool_choice', 'text', 'format', 'type', 'role', 'content', 'name', 'namespace', 'id',
      'call_id', 'arguments', 'output', 'summary', 'encrypted_content', 'image_url', 'file_data', '__proto__', 'constructor',
      'mode', 'reasoning', 'effort', 'include', 'metadata', 'previous_response_id', 'store',
    ] // biome-ignore format: a list to be read as one
    const words = [
      'user', 'assistant', 'system', 'message', 'function_call', 'function_call_output', 'custom_tool_call', 'reasoning',
      'item_reference', 'additional_tools', 'function', 'custom', 'namespace', 'allowed_tools', 'input_text', 'input_image',
      'input_file', 'auto', 'required', '{}', '', '[', 'data:,', 'dragoman1.e30', 'resp_1', 'msg_1_0',
    ] // biome-ignore format: a list to be read as one
    const { value, fields } = anyJson(names, words)
    const body = fields.chain((others) =>
      fc
        .record({
          model: fc.constant('m'),
          input: fc.oneof(fc.constantFrom(...words), fc.array(fields, { maxLength: 4 }), value),
        })
        .map((most) => ({ ...others, ...most })),
    )
    fc.assert(
      fc.property(fc.oneof(body, value), (anything) => {
        const turn = read(anything)
        if (turn) toAnthropic(turn, 'claude-opus-4-6')
      }),
      fuzz,
    )
  })
})
