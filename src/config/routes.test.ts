import { describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { parseConfig } from './load.ts'
import { aliasWords, modelsOfAlias, rowsOfAlias } from './routes.ts'

const environment = readEnvironment({ HOME: '/nonexistent' })
const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
const parse = (best: unknown, more: Record<string, unknown> = {}) =>
  parseConfig(JSON.stringify({ backends: { box, big: box }, models: { best }, ...more }), { environment })
const row = <When>(when: When, use: string | string[] = 'big/m') => ({ when, use })
const keys = { auth: { keys: [{ name: 'laptop', key: '0123456789' }] } }

describe('is accepted', () => {
  it.each([
    ['a name', 'box/m', [{ use: ['box/m'] }]],
    ['a list', ['box/m', 'big/m'], [{ use: ['box/m', 'big/m'] }]],
    [
      'rows, then names',
      [row({ inputTokens: '>180000', images: false }), 'box/m', 'box/n'],
      [{ when: { inputTokens: '>180000', images: false }, use: ['big/m'] }, { use: ['box/m', 'box/n'] }],
    ],
    [
      'a last row without conditions',
      [row({ client: 'codex', thinking: true }, ['big/m', 'box/m']), { use: 'box/m' }],
      [{ when: { client: 'codex', thinking: true }, use: ['big/m', 'box/m'] }, { use: ['box/m'] }],
    ],
  ])('%s', (_name, setting, rows) => {
    const { best = '' } = parse(setting).config.models
    expect(rowsOfAlias(best)).toEqual(rows)
  })

  it('the name of a key', () => {
    expect(() => parse([row({ key: 'laptop' }), 'box/m'], keys)).not.toThrow()
  })
})

it.each([
  [[row({ inputToken: '>9' }), 'box/m'], /models\.best\.0\.when\.inputToken: .*did you mean "inputTokens"\?/],
  [[row({ image: true }), 'box/m'], /models\.best\.0\.when\.image: .*did you mean "images"\?/],
  [[{ wen: { images: true }, use: 'big/m' }, 'box/m'], /models\.best\.0\.wen: .*did you mean "when"\?/],
  [[row({ inputTokens: 180_000 }), 'box/m'], /models\.best\.0\.when\.inputTokens: must be a string/],
  [[row({ inputTokens: '180000' }), 'box/m'], /models\.best\.0\.when\.inputTokens: must be a comparison/],
  [[row({ images: 'yes' }), 'box/m'], /models\.best\.0\.when\.images: must be true or false/],
  [[row({}), 'box/m'], /models\.best: "when" needs a condition/],
  [[row({ images: true })], /models\.best: needs a last row without "when"/],
  [['box/m', row({ images: true })], /models\.best: rows after one without "when" are never used/],
  [[{ use: 'box/m' }, 'big/m'], /models\.best: rows after one without "when" are never used/],
  [[row({ images: true }, 'bug/m'), 'box/m'], /models\.best: "bug\/m" must be BACKEND\/MODEL.*"big\/…"/],
  [[row({ client: 'codecs' }), 'box/m'], /models\.best: "client": "codecs" is not.*did you mean "codex"\?/],
  [[row({ key: 'lap-top' }), 'box/m'], /models\.best: "key": "lap-top" is not.*did you mean "laptop"\?/],
])('%j is refused', (setting, problem) => {
  expect(() => parse(setting, keys)).toThrow(problem)
})

it('a key without keys is refused', () => {
  expect(() => parse([row({ key: 'laptop' }), 'box/m'])).toThrow(/is not the name of a key in "auth\.keys"/)
})

it('models for most requests come first', () => {
  expect(modelsOfAlias([row({ images: true }), 'box/m', 'big/m'])).toEqual(['box/m', 'big/m'])
})

it.each([
  ['box/m', 'box/m'],
  [['box/m', 'big/m'], 'box/m, else big/m'],
  [
    [row({ inputTokens: '>9', key: 'ci' }, ['big/m', 'big/n']), 'box/m'],
    'if inputTokens >9, key ci: big/m, else big/n; otherwise box/m',
  ],
])('%j in words', (setting, words) => {
  expect(aliasWords(setting)).toBe(words)
})
