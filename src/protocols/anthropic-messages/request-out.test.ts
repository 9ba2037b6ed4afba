import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import { Notes } from '../../core/notes.ts'
import { fromChatRequest } from '../openai-chat/request-in.ts'
import { anthropicModel } from './models.ts'
import { send, tool } from './request-out.fixture.ts'
import { toAnthropicRequest } from './request-out.ts'

describe('parameters', () => {
  it.each([
    [{}, 64_000],
    [{ max_tokens: 100 }, 100],
    [{ max_tokens: 100, max_completion_tokens: 200 }, 200],
    [{ max_tokens: 900_000 }, 64_000],
    [{ model: 'some-model' }, 32_000],
    [{ model: 'some-model', max_tokens: 900_000 }, 900_000],
  ])('%j → max_tokens %i', (more, expected) => {
    expect(send(more).body.max_tokens).toBe(expected)
  })

  it('leaves room for the prompt if the client sets no limit', () => {
    const long = (characters: number) => [{ role: 'user', content: 'x'.repeat(characters) }]
    expect(send({ messages: long(300_000) }).body.max_tokens).toBe(64_000)
    const { max_tokens } = send({ messages: long(450_000) }).body
    expect(max_tokens).toBeGreaterThan(45_000)
    expect(max_tokens).toBeLessThan(50_001)
    expect(send({ messages: long(900_000) }).body.max_tokens).toBe(4_096)
    expect(send({ messages: long(900_000), max_tokens: 64_000 }).body.max_tokens).toBe(64_000)
  })

  it('leaves room for the whole conversation, even if the request contained only its end', () => {
    const { turn } = fromChatRequest(
      { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'x'.repeat(450_000) }] },
      new Notes(),
    )
    const request = { ...turn, origin: { ...turn.origin, text: '{"previous_response_id":"resp_1"}' } }
    const { body } = toAnthropicRequest(request, {
      model: anthropicModel('claude-sonnet-4-5'),
      recall: () => undefined,
      isRefused: () => false,
      bindsBlocks: true,
      promptCache: 'off',
      note: () => undefined,
    })
    expect(body.max_tokens).toBeGreaterThan(45_000)
    expect(body.max_tokens).toBeLessThan(50_001)
  })

  it.each([0, 1, 2, 3])(
    'the quick estimate by length leaves as much room as the exact one (%i quotes in four characters)',
    (n) => {
      const text = '"'.repeat(n).padEnd(4, 'x')
      for (const characters of [100_000, 203_000, 204_000, 205_000, 300_000, 408_000, 420_000, 600_000]) {
        const messages = [{ role: 'user', content: text.repeat(characters / 4) }]
        const written = characters + (characters / 4) * n
        // Everything apart from the text is below a hundred characters.
        const most = 200_000 - written / 3
        const { max_tokens } = send({ messages }).body
        expect(max_tokens).toBeLessThanOrEqual(Math.max(4_096, Math.min(64_000, most)))
        expect(max_tokens).toBeGreaterThan(Math.min(64_000, most) - 100)
      }
    },
  )

  it('stop, user, response_format and what has no counterpart', () => {
    const { body, notes } = send({
      stop: ['END', '\n'],
      user: 'a@b.example',
      seed: 7,
      logit_bias: { 1: 2 },
      store: true,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'x',
          schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
        },
      },
    })
    expect(body.stop_sequences).toEqual(['END'])
    expect(body.metadata).toBeUndefined()
    expect(body.output_config.format.schema).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', description: '(minimum: 1)' } },
      additionalProperties: false,
    })
    expect(notes).toEqual([
      'not supported by the upstream and left out: logit_bias, seed, store',
      'blank stop sequences were left out',
      'user was left out: it looks like an e-mail address or a phone number',
    ])
    expect(Object.keys(body).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'output_config',
      'stop_sequences',
    ])
  })

  it('a schema that the API cannot enforce becomes an instruction', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
    }
    const { body, notes } = send({
      response_format: { type: 'json_schema', json_schema: { name: 'list', schema } },
    })
    expect(body.output_config).toBeUndefined()
    expect(body.system).toBeUndefined()
    expect(body.messages.at(-1).content.at(-1).text).toContain('#/$defs/node')
    expect(notes.join()).toContain('the model was instructed instead')
  })

  const bound = {
    type: 'adaptive',
    display: 'summarized',
    block_binding: { prefix_mismatch_behavior: 'drop_block' },
  }
  it.each([
    ['claude-3-5-haiku-20241022', 'high', undefined, undefined],
    ['claude-sonnet-4-5', 'minimal', { type: 'enabled', budget_tokens: 1_024 }, undefined],
    ['claude-opus-4-6', 'xhigh', { type: 'adaptive' }, { effort: 'high' }],
    ['claude-opus-4-7', 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    ['claude-opus-5', 'low', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ['claude-opus-5', 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    ['claude-opus-5-5', 'none', bound, { effort: 'low' }],
    ['claude-fable-5', 'none', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ['claude-mythos-5-2', 'max', bound, { effort: 'max' }],
    ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined],
    ['claude-haiku-5-5', undefined, bound, undefined],
    ['claude-opus-5', undefined, { type: 'adaptive', display: 'summarized' }, undefined],
    ['claude-opus-6', 'high', bound, { effort: 'high' }],
    ['claude-nova-1', 'high', bound, { effort: 'high' }],
    ['claude-opus-4-8', undefined, undefined, undefined],
    ['glm-5', undefined, undefined, undefined],
    ['claude-opus-4-7', 'none', undefined, undefined],
  ])('%s with reasoning_effort %s', (model, reasoning_effort, thinking, outputConfig) => {
    const { body } = send({ model, reasoning_effort })
    expect([body.thinking, body.output_config]).toEqual([thinking, outputConfig])
  })
})

describe('very many of anything', () => {
  const many = scaled(150_000, 30_000)

  it.each<[string, Record<string, unknown>]>([
    [
      'calls',
      {
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            tool_calls: Array.from({ length: many }, (_, at) => ({
              id: `c${at}`,
              type: 'function',
              function: { name: 'read', arguments: '{}' },
            })),
          },
        ],
      },
    ],
    [
      'results without a call',
      {
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'tool',
            tool_call_id: 'x',
            content: Array.from({ length: many }, () => ({ type: 'text', text: 'x' })),
          },
        ],
      },
    ],
    [
      'branches of a schema',
      {
        tools: [
          tool('wide', { parameters: { anyOf: Array.from({ length: many }, () => ({ type: 'object' })) } }),
        ],
      },
    ],
  ])('%s do not overflow the stack', (_what, more) => {
    expect(send(more).body.messages.length).toBeGreaterThan(0)
  })
})
