// Responses requests as real clients send them, and as broken ones do.

import fc from 'fast-check'
import { signThinking } from '../../sim/anthropic/signature.ts'
import { toEncryptedContent } from '../../src/protocols/openai-responses/reasoning-proof.ts'

const before = [
  { role: 'user', content: 'before' },
  { id: 'msg_1_0', role: 'assistant', content: 'said' },
]
const itemsOf = (id: string) => (id === 'resp_1' ? before : undefined)
/** What a request may refer to. */
export const earlier = { conversation: itemsOf, itemsOf }

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
export const responsesRequests = (model: string) =>
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
