// What the Anthropic simulator refuses about settings: the shape of the body, limits, sampling, cache marks, metadata.

import {
  assistant,
  base,
  describeRefusals,
  hello,
  manual,
  marked,
  read,
  result,
  text,
  use,
  user,
  without,
  withTools,
} from '../../test/anthropic-requests.ts'

describeRefusals({
  'no max_tokens': [without(base(), 'max_tokens'), 'max_tokens: Field required'],
  'max_tokens of the wrong type': [base({ max_tokens: '9' }), 'max_tokens: Input should be a valid integer'],
  'negative max_tokens': [base({ max_tokens: -1 }), 'max_tokens: Input should be greater than or equal to 0'],
  'too many max_tokens': [
    base({ model: 'claude-haiku-4-5-20251001', max_tokens: 65_000 }),
    'max_tokens: 65000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001',
  ],
  'no model': [without(base(), 'model'), 'model: Field required'],
  'an unknown field': [base({ frequency_penalty: 1 }), 'frequency_penalty: Extra inputs are not permitted'],
  'a field that every object of JavaScript has': [
    base({ constructor: 1 }),
    'constructor: Extra inputs are not permitted',
  ],
  'a beta field without its header': [
    base({ context_management: {} }),
    'context_management: Extra inputs are not permitted',
  ],
  'an unknown field of a message': [
    base({ messages: [{ ...user('x'), name: 'me' }] }),
    'messages.0.name: Extra inputs are not permitted',
  ],
  'an unknown field of a block': [
    base({ messages: [user([text('x', { index: 0 })])] }),
    'messages.0.content.0.text.index: Extra inputs are not permitted',
  ],
  'an unknown field of a tool': [
    base({ tools: [{ ...read, parameters: {} }] }),
    'tools.0.custom.parameters: Extra inputs are not permitted',
  ],
  'input that is no object': [
    withTools([...hello, assistant([use('a', { input: '{}' })]), user([result('a')])]),
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  'a high temperature': [base({ temperature: 1.7 }), 'temperature: range: 0..1'],
  'a temperature where it was removed': [
    base({ model: 'claude-opus-4-7', temperature: 0.5 }),
    '`temperature` is deprecated for this model.',
  ],
  'top_p where it was removed': [
    base({ model: 'claude-sonnet-5', top_p: 0.5 }),
    '`top_p` is deprecated for this model.',
  ],
  'other values than the defaults where only those are left': [
    base({ model: 'claude-haiku-5-5', temperature: 0.5 }),
    '`temperature` is deprecated for this model.',
  ],
  'both defaults at once': [
    base({ model: 'claude-haiku-5-5', temperature: 1, top_p: 0.99 }),
    '`temperature` and `top_p` cannot both be specified for this model.',
  ],
  'a stream of no tokens': [base({ max_tokens: 0, stream: true }), 'max_tokens: 0 is not supported together'],
  'temperature and top_p together': [
    base({ model: 'claude-haiku-4-5', temperature: 1, top_p: 1 }),
    '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
  ],
  'a temperature with thinking': [
    base({ temperature: 0.5, ...manual }),
    '`temperature` may only be set to 1 when thinking is enabled.',
  ],
  'a low top_p with thinking': [
    base({ top_p: 0.5, ...manual }),
    '`top_p` must be greater than or equal to 0.95',
  ],
  'top_k with thinking': [base({ top_k: 5, ...manual }), '`top_k` must be unset when thinking is enabled.'],
  'a blank stop sequence': [
    base({ stop_sequences: ['\n'] }),
    'stop_sequences: each stop sequence must contain non-whitespace',
  ],
  'stop as a word': [base({ stop_sequences: 'x' }), 'stop_sequences: Input should be a valid list'],
  'a cache mark of another type': [
    base({ system: [text('x', { cache_control: { type: 'forever' } })] }),
    "system.0.cache_control: Input tag 'forever' found using 'type' does not match any of the expected tags: 'ephemeral'",
  ],
  'a cache mark of another time': [
    base({ system: [text('x', { cache_control: { type: 'ephemeral', ttl: '2h' } })] }),
    "system.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
  ],
  'five cache marks': [
    base({
      tools: [{ ...read, ...marked }],
      system: [text('x', marked)],
      messages: [user([text('a', marked), text('b', marked), text('c', marked)])],
    }),
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  'an email address as user id': [
    base({ metadata: { user_id: 'me@example.com' } }),
    'metadata.user_id: user_id appears to contain an email address',
  ],
  'a phone number as user id': [
    base({ metadata: { user_id: '+49 170 1234567' } }),
    'metadata.user_id: user_id appears to contain a phone number',
  ],
  'other metadata': [base({ metadata: { session: 1 } }), 'metadata.session: Extra inputs are not permitted'],
  'an unknown output format': [
    base({ output_config: { format: { type: 'json_object' } } }),
    "output_config.format.type: Input should be 'json_schema'",
  ],
  'an output format without schema': [
    base({ output_config: { format: { type: 'json_schema' } } }),
    'output_config.format.schema: Field required',
  ],
  'an output schema with an open object': [
    base({ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }),
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  'a long prompt': [
    base({ model: 'claude-haiku-4-5', messages: [user('x'.repeat(900_000))] }),
    'prompt is too long: 225010 tokens > 200000 maximum',
  ],
})
