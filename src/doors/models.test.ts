import { describe, expect, it } from 'vitest'
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

describe('for Claude Code', () => {
  const models = [
    { id: 'claude/claude-x', backend: 'claude', displayName: 'Claude X' },
    { id: 'box/gpt', backend: 'box', contextTokens: 128_000 },
    { id: 'best', backend: 'box' },
  ]
  const list = (query = '') =>
    modelList(models, { shape: 'anthropic', forCodex: false, modelIds: /claude|anthropic/i, query })

  it('every model has an id that its menu shows, a name and a description', () => {
    expect(list('limit=1000')).toMatchObject({
      data: [
        { id: 'claude/claude-x', display_name: 'Claude X', description: 'backend claude' },
        { id: 'claude-via/box/gpt', display_name: 'box/gpt', description: 'backend box, reads 128k tokens' },
        { id: 'claude-via/best', display_name: 'best' },
      ],
      has_more: false,
    })
  })

  it.each([
    ['limit=2', ['claude/claude-x', 'claude-via/box/gpt'], true],
    ['limit=2&after_id=claude-via/box/gpt', ['claude-via/best'], false],
    ['limit=1&after_id=claude/claude-x', ['claude-via/box/gpt'], true],
    ['limit=1&after_id=gone', [], false],
    ['limit=1&before_id=claude-via/best', ['claude-via/box/gpt'], true],
    ['limit=9&before_id=claude-via/best', ['claude/claude-x', 'claude-via/box/gpt'], false],
    ['limit=x', ['claude/claude-x', 'claude-via/box/gpt', 'claude-via/best'], false],
  ])('pages: %s', (query, ids, hasMore) => {
    const { data, has_more, first_id, last_id } = list(query) as Record<string, unknown>
    expect((data as { id: string }[]).map(({ id }) => id)).toEqual(ids)
    expect([has_more, first_id, last_id]).toEqual([hasMore, ids[0] ?? null, ids.at(-1) ?? null])
  })
})
