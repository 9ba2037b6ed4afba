import { expect, it } from 'vitest'
import { codexModel, codexModels } from './codex-models.ts'

/** Codex 0.166 refuses the whole list if an entry lacks one of them. */
const required = [
  ...['slug', 'display_name', 'supported_reasoning_levels', 'shell_type', 'visibility', 'supported_in_api'],
  ...[
    'priority',
    'support_verbosity',
    'truncation_policy',
    'experimental_supported_tools',
    'base_instructions',
  ],
]

it.each(required)('has the member %s, which Codex requires', (name) => {
  const bare = codexModel({ id: 'box/x' }, 1)
  expect(bare[name]).toBeDefined()
  expect(bare[name]).not.toBeNull()
})

it('tells what is known of a model', () => {
  const facts = { id: 'box/x', displayName: 'X', contextTokens: 200_000, outputTokens: 64_000 }
  expect(codexModel({ ...facts, efforts: ['low', 'max'], images: true }, 3)).toMatchObject({
    ...{ slug: 'box/x', display_name: 'X', priority: 3, context_window: 200_000 },
    supported_reasoning_levels: [{ effort: 'low' }, { effort: 'max' }],
    input_modalities: ['text', 'image'],
  })
  expect(codexModel({ id: 'a', images: false }, 1).input_modalities).toEqual(['text'])
})

it.each([
  [{ contextTokens: 200_000 }, 180_000],
  // Codex states no limit of the answer, so a service may reserve its longest one.
  [{ contextTokens: 200_000, outputTokens: 64_000 }, 136_000],
  [{ contextTokens: 200_000, outputTokens: 190_000 }, 100_000],
  [{}, 115_200],
])('compacts before the window of %j is full: at %i', (facts, limit) => {
  expect(codexModel({ id: 'a', ...facts }, 1).auto_compact_token_limit).toBe(limit)
})

it('keeps every model out of code mode, whatever its name', () => {
  for (const entry of codexModels([{ id: 'x/gpt-6-sol' }, { id: 'gpt-5.6-sol' }]))
    expect(entry).toMatchObject({
      tool_mode: null,
      use_responses_lite: false,
      apply_patch_tool_type: 'freeform',
    })
})
