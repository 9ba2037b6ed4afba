import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countedTexts } from './counted-texts.ts'
import { encodingOf } from './encoding.ts'
import { textSlices } from './text-slices.ts'

it.each([
  ['gpt-4o', 'o200k_base'],
  ['gpt-4o-mini-2024-07-18', 'o200k_base'],
  ['chatgpt-4o-latest', 'o200k_base'],
  ['gpt-4.1-nano', 'o200k_base'],
  ['o1', 'o200k_base'],
  ['o3-mini', 'o200k_base'],
  ['o4-mini-deep-research', 'o200k_base'],
  ['openai/gpt-5', 'o200k_base'],
  ['gpt-5.6-sol', 'o200k_base'],
  ['codex-mini-latest', 'o200k_base'],
  ['openai/gpt-oss-120b', 'o200k_base'],
  ['gpt-4', 'cl100k_base'],
  ['gpt-4-turbo', 'cl100k_base'],
  ['gpt-3.5-turbo', 'cl100k_base'],
  ['gpt-35-turbo', 'cl100k_base'],
  ['claude-opus-5', undefined],
  ['gemini-3.8-flash', undefined],
  ['qwen3-coder', undefined],
  ['gpt-demo', undefined],
  ['solo1', undefined],
  ['o200', undefined],
  ['', undefined],
])('%s: %s', (model, encoding) => {
  expect(encodingOf(model)).toBe(encoding)
})

describe('slices', () => {
  const slices = (text: string) => [...textSlices(text)]

  it('are the text', () => {
    const texts = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 300 })))
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.map(([part, times]) => part.repeat(times)).join('')
        expect(slices(text).join('')).toBe(text)
      }),
    )
  })

  it('of prose end before a space', () => {
    const found = slices('one two three '.repeat(1_000))
    expect(found.length).toBeLessThan(8)
    for (const slice of found.slice(1)) expect(slice).toMatch(/^ /)
  })

  // What the tokenizers take for one piece, and each is cut.
  it.each([
    'a', '7', ' ', '\n', '!', '中', '\u3000', '！', '!？', ' \n', '\n/', '!\n/', '\u0301', '\ud800', '👩', 'aé', '\u00a0 ', '\r\n', "'s",
  ])('of %j, a million times: no piece is long', (unit) => {
    const text = unit.repeat(20_000)
    const pieces = /[\r\n\p{L}\p{M}\p{N}]+|[^\p{L}\p{N}]+/gu
    for (const slice of slices(text))
      for (const [piece] of slice.matchAll(pieces))
        if (!/^[\d']+$/.test(piece)) expect(piece.length).toBeLessThanOrEqual(260)
  }) // biome-ignore format: a list to be read as one

  it('keep the halves of a character together', () => {
    for (const slice of slices('👩'.repeat(1_000))) expect(encodeURIComponent(slice)).toBeTruthy()
  })
})

it('what is read: texts, calls, results, tools; nothing of encrypted reasoning', () => {
  const counted = countedTexts({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', redacted: 'x'.repeat(9_000) },
          { type: 'tool-call', callId: 'c', name: 'read', input: '{"path":"a"}' },
        ],
      },
      { role: 'tool', results: [{ callId: 'c', content: [{ type: 'text', text: 'content' }] }] },
    ],
    tools: [{ name: 'read', description: 'Reads', schema: { type: 'object' } }],
  })
  expect(counted?.texts).toEqual([
    ...['be brief', 'go', 'read', '{"path":"a"}', 'content'],
    ...['read', 'Reads', '{"type":"object"}'],
  ])
  expect(counted?.surrounding).toBe(3 + 4 * 4 + 8 + 8)
})

it('an image has no size that a tokenizer knows', () => {
  const image = { type: 'image' as const, source: { url: 'https://example.com/a.png' } }
  expect(countedTexts({ messages: [{ role: 'user', content: [image] }], tools: [] })).toBeUndefined()
})
