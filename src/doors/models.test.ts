import { expect, it } from 'vitest'
import { modelList, toAnthropicModel, toChatModel } from './models.ts'

const model = { id: 'box/gpt', backend: 'box' }

it('a model of another service has the members that clients of Messages expect', () => {
  expect(toAnthropicModel(model)).toMatchObject({
    ...{ type: 'model', id: 'box/gpt', display_name: 'box/gpt' },
    ...{ lifecycle: 'active', line: null, capabilities: null },
  })
})

it("what Anthropic lists is passed on, but for the gateway's own names and sizes", () => {
  const capabilities = { batch: { supported: true }, thinking: { supported: true, types: {} } }
  const entry = {
    ...{
      type: 'other',
      id: 'claude-x',
      display_name: 'X',
      lifecycle: 'deprecated',
      line: 'opus',
      capabilities,
    },
    ...{ retires_at: '2027-01-01T00:00:00Z', max_tokens: 9, of_tomorrow: [1] },
  }
  const listed = { form: 'anthropic', entry } as const
  const shown = toAnthropicModel({ id: 'claude/claude-x', backend: 'claude', outputTokens: 8, listed })
  expect(shown).toMatchObject({
    ...{ type: 'model', id: 'claude/claude-x', lifecycle: 'deprecated', line: 'opus', capabilities },
    ...{ retires_at: '2027-01-01T00:00:00Z', max_tokens: 8, of_tomorrow: [1] },
  })
  expect(toChatModel({ ...model, listed })).not.toHaveProperty('capabilities')
  expect(modelList([{ ...model, listed }], { shape: 'openai', forCodex: false })).not.toHaveProperty(
    'data.0.line',
  )
})
