// What the Anthropic simulator refuses about tools: definitions, tool_choice, and pairs of calls and results.

import {
  assistant,
  base,
  describeRefusals,
  hello,
  manual,
  read,
  result,
  text,
  tools,
  use,
  user,
  withTools,
} from '../../test/anthropic-requests.ts'

describeRefusals({
  'a bad tool_use id': [
    withTools([...hello, assistant([use('functions.read:0')]), user([result('x')])]),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  'a bad tool name': [
    base({ tools: [{ ...read, name: 'fs.read' }] }),
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  'a long tool name': [
    base({ tools: [{ ...read, name: 'x'.repeat(129) }] }),
    'tools.0.custom.name: String should match pattern',
  ],
  'all tools deferred': [
    base({ tools: [{ ...read, defer_loading: true }] }),
    'At least one tool must have defer_loading=false. All tools cannot be deferred.',
  ],
  'a deferred tool with a cache mark': [
    base({
      tools: [read, { ...read, name: 'b', defer_loading: true, cache_control: { type: 'ephemeral' } }],
    }),
    "tools: 'b' cannot have both defer_loading and cache_control",
  ],
  'a reference to a tool that is not there': [
    withTools([
      ...hello,
      assistant([use('a')]),
      user([{ ...result('a'), content: [{ type: 'tool_reference', tool_name: 'gone' }] }]),
    ]),
    "Tool reference 'gone' not found in available tools",
  ],
  'two tools of one name': [base({ tools: [read, read] }), 'tools: Tool names must be unique.'],
  'a call without its result': [
    withTools([...hello, assistant([use('a'), use('b')]), user([result('a')])]),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  'a call at the end': [
    withTools([...hello, assistant([use('a')])]),
    'messages.1: `tool_use` ids were found without',
  ],
  'results in two messages': [
    withTools([...hello, assistant([use('a'), use('b')]), user([result('a')]), user([result('b')])]),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b',
  ],
  'text before a result': [
    withTools([...hello, assistant([use('a')]), user([text('x'), result('a')])]),
    'messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.',
  ],
  'text between results': [
    withTools([...hello, assistant([use('a'), use('b')]), user([result('a'), text('x'), result('b')])]),
    'messages.2: Did not find 1 `tool_result` block(s) at the beginning',
  ],
  'an orphan result': [
    withTools([...hello, assistant('x'), user([result('a')])]),
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  'two results for one call': [
    withTools([...hello, assistant([use('a')]), user([result('a'), result('a')])]),
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  'one id twice': [
    withTools([
      ...hello,
      assistant([use('a')]),
      user([result('a')]),
      assistant([use('a')]),
      user([result('a')]),
    ]),
    'messages: `tool_use` ids must be unique',
  ],
  'a call by the user': [
    withTools([user([use('a')])]),
    'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
  ],
  'an empty list of tools': [
    base({ tools: [] }),
    'tools: List should have at least 1 item after validation, not 0',
  ],
  'no list of tools': [base({ tools: null }), 'tools: Input should be a valid list'],
  'tool blocks without tools': [
    base({ messages: [...hello, assistant([use('a')]), user([result('a')])] }),
    'Requests which include `tool_use` or `tool_result` blocks must define tools',
  ],
  'a schema without type': [
    base({ tools: [{ name: 'read', input_schema: {} }] }),
    'tools.0.custom.input_schema.type: Field required',
  ],
  'a schema of another type': [
    base({ tools: [{ name: 'read', input_schema: { type: 'string' } }] }),
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  'no schema': [base({ tools: [{ name: 'read' }] }), 'tools.0.custom.input_schema: Field required'],
  'a keyword that strict tools may not use': [
    base({
      tools: [
        {
          ...read,
          strict: true,
          input_schema: {
            type: 'object',
            additionalProperties: false,
            properties: { n: { type: 'integer', minimum: 1 } },
          },
        },
      ],
    }),
    "tools.0.custom: For 'integer' type, property 'minimum' is not supported",
  ],
  'a strict tool with an open object': [
    base({ tools: [{ ...read, strict: true }] }),
    "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  'tool_choice as a word': [
    base({ tools, tool_choice: 'auto' }),
    'tool_choice: Input should be a valid dictionary',
  ],
  'tool_choice of another dialect': [
    base({ tools, tool_choice: { type: 'function' } }),
    "tool_choice: Input tag 'function' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
  ],
  'tool_choice without tools': [
    base({ tool_choice: { type: 'auto' } }),
    'tool_choice: tool_choice may only be specified while providing tools',
  ],
  'a named tool without name': [
    base({ tools, tool_choice: { type: 'tool' } }),
    'tool_choice.tool.name: Field required',
  ],
  'a named tool that is not there': [
    base({ tools, tool_choice: { type: 'tool', name: 'write' } }),
    "Tool 'write' not found in provided tools",
  ],
  'disable_parallel_tool_use on none': [
    base({ tools, tool_choice: { type: 'none', disable_parallel_tool_use: true } }),
    'tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted',
  ],
  'a forced tool with manual thinking': [
    base({ tools, tool_choice: { type: 'any' }, ...manual }),
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  'a forced tool on 5.5': [
    base({ model: 'claude-opus-5-5', tools, tool_choice: { type: 'any' } }),
    'tool_choice: type "tool" and "any" are not supported for this model.',
  ],
})
