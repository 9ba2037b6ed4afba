// Elements of every dialect on Chat's route, in any order and with anything missing: each request is refused with the place
// of what is wrong, or strict services take what becomes of it.

import fc from 'fast-check'
import { it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { withoutForeignParts } from '../../src/protocols/requests/opaque-parts.ts'
import { acceptedByAnthropic, acceptedByOpenAI, toAnthropic, toChat, typed } from './accepted.ts'
import { services } from './services.ts'
import { fuzz } from './settings.ts'

const claude = 'claude-sonnet-4-5'
const url = 'https://example.com/a.png'
const id = fc.constantFrom('c1', 'c2', 'functions.read:0', '')
const name = fc.constantFrom('read', 'ApplyPatch', 'gone', '__proto__', 'constructor')
const words = fc.constantFrom('', ' ', 'x', '{"a":1}', '*** Begin Patch', 'null', '"s"', '{"a":')
const nothing = fc.constantFrom(undefined, null, '', [])

const part = fc.oneof(
  words,
  fc.record({ type: fc.constantFrom('text', 'input_text', 'output_text'), text: words }),
  fc.record({
    type: fc.constantFrom('image_url', 'input_image'),
    image_url: fc.constantFrom(url, { url }),
  }),
  fc.constantFrom<object>(
    { type: 'image', source: { type: 'url', url } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' }, title: 't' },
    { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'x' }] },
    { type: 'encrypted_content', encrypted_content: 'x' },
    { type: 'tool_reference', tool_name: 'x' },
    { type: 'server_tool_use', id: 's', name: 'web', input: {} },
    { type: 'compaction', content: null },
    { type: 'thinking', thinking: 'h', signature: '' },
  ),
  fc.record({
    type: fc.constant('tool_use'),
    id,
    name,
    input: fc.oneof(words, fc.constantFrom({}, { a: 1 }, null)),
  }),
  fc.record({
    type: fc.constant('tool_result'),
    tool_use_id: id,
    content: fc.oneof(
      nothing,
      fc.constant('r'),
      fc.constant([{ type: 'image', source: { type: 'url', url } }]),
    ),
    is_error: fc.option(fc.boolean(), { nil: undefined }),
  }),
)
const content = fc.oneof(nothing, fc.constant('hello'), fc.array(part, { maxLength: 3 }))
const called = fc.record({ name, arguments: fc.oneof(words, fc.constantFrom({ a: 1 }, null)) })
const call = fc.oneof(
  fc.record({ id, type: fc.constant('function'), function: called }),
  fc.record({ id, type: fc.constant('custom'), custom: fc.record({ name, input: words }) }),
)
const role = fc.constantFrom('user', 'system', 'developer', 'assistant')
const element = fc.oneof(
  fc.record({ role, content, type: fc.constantFrom(undefined, 'message') }),
  fc.record({
    role: fc.constant('assistant'),
    content,
    tool_calls: fc.oneof(fc.constantFrom(undefined, null), fc.array(call, { maxLength: 3 })),
    refusal: fc.constantFrom(null, undefined, 'no'),
    reasoning_content: fc.constantFrom(undefined, 'hm'),
  }),
  fc.record({ role: fc.constant('assistant'), content, function_call: called }),
  fc.record({ role: fc.constant('function'), name, content }),
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content }),
  fc.record({
    type: fc.constantFrom('function_call', 'custom_tool_call'),
    role: fc.constantFrom(undefined, null, 'assistant'),
    call_id: id,
    name,
    arguments: words,
    input: words,
  }),
  fc.record({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: id,
    output: fc.oneof(nothing, fc.constantFrom('o', [{ type: 'input_image', image_url: url }])),
  }),
  fc.constantFrom(
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'z' },
    { type: 'reasoning', summary: [] },
    { type: 'web_search_call', id: 'w' },
  ),
)
const schema = { type: 'object' }
const tool = fc.constantFrom(
  { type: 'custom', name: 'ApplyPatch' },
  { type: 'custom', custom: { name: 'ApplyPatch' } },
  { type: 'function', name: 'read', parameters: schema },
  { type: 'function', function: { name: 'constructor', parameters: schema } },
  { name: 'read', input_schema: schema },
  { type: 'web_search' },
)
const settings = fc.constantFrom<object>(
  {},
  { system: 'S', thinking: { type: 'disabled' }, metadata: { user_id: 'u' } },
  { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  { reasoning: { effort: 'low', summary: 'auto' } },
  { instructions: 'I', max_output_tokens: 9 },
)

it('odd elements are refused by their place, or accepted by strict services', () => {
  fc.assert(
    fc.property(
      fc.array(element, { minLength: 1, maxLength: 5 }),
      fc.option(fc.array(tool, { maxLength: 3 }), { nil: undefined }),
      fc.constantFrom('messages', 'input'),
      settings,
      (elements, tools, list, more) => {
        const body = { model: 'm', [list]: [{ role: 'user', content: 'go' }, ...elements], tools, ...more }
        // As it would come: without what is undefined.
        const came = JSON.parse(JSON.stringify(body))
        const turn = typed(() =>
          withoutForeignParts(fromChatRequest(came, new Notes()).turn, [], () => undefined),
        )
        if (!turn) return
        const chat = toChat(turn)
        const messages = toAnthropic(turn, claude)
        if (!chat || !messages) throw new Error('not written')
        acceptedByOpenAI(chat)
        acceptedByAnthropic(messages, claude)
        for (const { model, accepts } of services) accepts(turn, model)
      },
    ),
    fuzz,
  )
})
