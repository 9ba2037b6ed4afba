// What the Anthropic simulator refuses about thinking: configuration per model, and replay.

import {
  adaptive,
  assistant,
  base,
  describeRefusals,
  hello,
  manual,
  result,
  text,
  thought,
  use,
  user,
  withTools,
} from '../../test/anthropic-requests.ts'

describeRefusals({
  'thinking behind text': [
    base({ messages: [...hello, assistant([text('x'), thought('y')]), ...hello], ...adaptive }),
    'messages.1.content.0.type: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `text`.',
  ],
  'a small budget': [
    base({ thinking: { type: 'enabled', budget_tokens: 1000 } }),
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  ],
  'a budget over max_tokens': [
    base({ thinking: { type: 'enabled', budget_tokens: 4000 } }),
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  ],
  'manual thinking on adaptive models': [
    base({ model: 'claude-opus-4-7', ...manual }),
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ],
  'adaptive thinking on old models': [
    base({ model: 'claude-sonnet-4-5', ...adaptive }),
    'adaptive thinking is not supported on this model',
  ],
  'no thinking where it cannot be off': [
    base({ model: 'claude-opus-5-5', thinking: { type: 'disabled' } }),
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive"',
  ],
  'no thinking on Sonnet 5.5 by the word of others': [
    base({ model: 'claude-sonnet-5-5', thinking: { type: 'disabled' } }),
    'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}.',
  ],
  'much effort without thinking': [
    base({ model: 'claude-haiku-5-5', thinking: { type: 'disabled' }, output_config: { effort: 'xhigh' } }),
    "output_config.effort 'xhigh' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.",
  ],
  'much effort with thinking between tools alone': [
    base({
      model: 'claude-sonnet-5-5',
      thinking: { type: 'between_tools' },
      output_config: { effort: 'max' },
    }),
    "output_config.effort 'max' is not supported when thinking is disabled on this model.",
  ],
  'a display beside between_tools': [
    base({ model: 'claude-sonnet-5-5', thinking: { type: 'between_tools', display: 'summarized' } }),
    'display: Extra inputs are not permitted',
  ],
  'block_binding without its beta': [
    base({ model: 'claude-opus-5-5', thinking: { type: 'adaptive', block_binding: {} } }),
    'block_binding: Extra inputs are not permitted',
  ],
  'between_tools where it does not exist': [
    base({ model: 'claude-opus-5', thinking: { type: 'between_tools' } }),
    '"thinking.type.between_tools" is not supported for this model.',
  ],
  'missing thinking in a tool loop': [
    withTools([...hello, assistant([use('a')]), user([result('a')])], manual),
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block',
  ],
  'missing thinking at the start of a longer loop': [
    withTools(
      [
        ...hello,
        assistant([text('x'), use('a')]),
        user([result('a')]),
        assistant([use('b')]),
        user([result('b')]),
      ],
      manual,
    ),
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`',
  ],
  'changed thinking': [
    withTools(
      [...hello, assistant([{ ...thought('x'), thinking: 'y' }, use('a')]), user([result('a')])],
      manual,
    ),
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  'made-up redacted thinking': [
    withTools(
      [...hello, assistant([{ type: 'redacted_thinking', data: 'abc' }, use('a')]), user([result('a')])],
      manual,
    ),
    'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  ],
  'thinking without signature': [
    withTools(
      [...hello, assistant([{ type: 'thinking', thinking: 'x' }, use('a')]), user([result('a')])],
      manual,
    ),
    'messages.1.content.0.thinking.signature: Field required',
  ],
  'old thinking while it is off': [
    withTools([...hello, assistant([thought('x'), use('a')]), user([result('a')])]),
    'messages.1.content.0.type: When `thinking` is disabled, an `assistant` message cannot contain `thinking`.',
  ],
  'an unknown effort': [
    base({ output_config: { effort: 'minimal' } }),
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  ],
  'effort on old models': [
    base({ model: 'claude-haiku-4-5', output_config: { effort: 'low' } }),
    'This model does not support the effort parameter.',
  ],
  'an effort that the model lacks': [
    base({ model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } }),
    "output_config.effort: effort level 'xhigh' is not supported for this model.",
  ],
})
