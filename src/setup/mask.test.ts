import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskKey, maskSecrets, writtenForms } from './mask.ts'

it.each([
  ['"apiKey": "abcdefgh12345678"', '"apiKey": "abcd…"'],
  ["OPENAI_API_KEY='abcdefgh12345678'", "OPENAI_API_KEY='abcd…'"],
  ['  api_key: abcdefgh12345678 # c', '  api_key: abcd… # c'],
  ['experimental_bearer_token = "abcdefgh12345678"', 'experimental_bearer_token = "abcd…"'],
  ['"Authorization": "Bearer abcdefgh12345678"', '"Authorization": "Bearer abcd…"'],
  ['x = "sk-ant-1234567890"', 'x = "sk-a…"'],
  ['"Authorization": "Basic abcdefgh12345678"', '"Authorization": "Basic abcd…"'],
  ['"password": "abc\\"defghijklmnopq", "a": 1', '"password": "abc\\…", "a": 1'],
  ['"apiKey": "aB3/xyz+9/qwertyuiop=="', '"apiKey": "aB3/…"'],
  ['"SECRET": "ABCDEFGH1234"', '"SECRET": "…"'],
  ['"token": "a b, c\'d"', '"token": "…"'],
  ['password: correct horse battery # mine', 'password: corr… # mine'],
  ['args = ["--api-key", "abcdefgh12345678"]', 'args = ["--api-key", "abcd…"]'],
  ['+   "--token",\n+   "abcdefgh12345678"\n', '+   "--token",\n+   "abcd…"\n'],
  ['url = "https://me:hunter22@host/x"', 'url = "https://me:…@host/x"'],
  ['X-Mine: Zm9vYmFyYmF6cXV4MTIzNDU2', 'X-Mine: Zm9v…'],
  ['"key": true, "b": "c"', undefined],
  ['secrets:\n  a: b', undefined],
  ['"model": "anthropic/claude-3-5-sonnet-20241022"', undefined],
  ['"apiKey": "{env:MY_KEY_OF_THINGS}"', undefined],
  ['"apiKey": "{file:~/.local/share/dragoman/key}"', undefined],
  ['"apiKeyHelper": "cat ~/.local/share/dragoman/key"', undefined],
  ['"apiKey": "!cat ~/.local/share/dragoman/key"', undefined],
  ['"apiKeyHelper": "echo any"', undefined],
  ['"apiKeyHelper": "echo hunter2hunter2"', '"apiKeyHelper": "echo…"'],
  ['env_key = "DRAGOMAN_KEY"', undefined],
  ['"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "200000000"', undefined],
  ['"ANTHROPIC_MODEL": "claude/claude-opus-5"', undefined],
])('%s', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected ?? text)
})

it.each(['$&', "$'", '$`', '$$'])('hides a key that begins with %s, a replacement pattern', (start) => {
  const key = `${start}345678901234567890`
  expect(maskKey(`x = ${key} end`, key)).toBe(`x = ${start}34… end`)
})

describe('a key with any character in it', () => {
  const key = fc.string({ unit: 'binary-ascii', minLength: 8 }).filter((text) => !/\s/.test(text))

  it.each([
    ['JSON and YAML', (text: string) => JSON.stringify(text)],
    ['TOML', (text: string) => JSON.stringify(text).replaceAll('\u007F', '\\u007F')],
    ['bare', (text: string) => text],
  ])('is hidden in %s', (_name, write) => {
    fc.assert(
      fc.property(key, (text) => {
        const written = `x = ${write(text)} end`
        const shown = maskKey(written, text)
        expect(shown).toContain('…')
        for (const form of writtenForms(text)) expect(shown).not.toContain(form)
      }),
    )
  })
})

it('masks a long line in linear time', () => {
  const line = ['key', '://a:', '--token', 'a1'].map((part) => part.repeat(20_000)).join('\n')
  expect(maskSecrets(`token = ${' '.repeat(200_000)}`)).toContain('token')
  expect(maskSecrets(line)).toContain('a1a1…')
})
