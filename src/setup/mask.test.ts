import { expect, it } from 'vitest'
import { maskSecrets } from './mask.ts'

it.each([
  ['"apiKey": "abcdefgh12345678"', '"apiKey": "abcd…"'],
  ["OPENAI_API_KEY='abcdefgh12345678'", "OPENAI_API_KEY='abcd…'"],
  ['  api_key: abcdefgh12345678 # c', '  api_key: abcd… # c'],
  ['experimental_bearer_token = "abcdefgh12345678"', 'experimental_bearer_token = "abcd…"'],
  ['"Authorization": "Bearer abcdefgh12345678"', '"Authorization": "Bearer abcd…"'],
  ['x = "sk-ant-1234567890"', 'x = "sk-a…"'],
  ['"apiKey": "{env:MY_KEY_OF_THINGS}"', undefined],
  ['"apiKey": "{file:~/.local/share/dragoman/key}"', undefined],
  ['"apiKeyHelper": "cat ~/.local/share/dragoman/key"', undefined],
  ['env_key = "DRAGOMAN_KEY"', undefined],
  ['"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "200000000"', undefined],
  ['"ANTHROPIC_MODEL": "claude/claude-opus-5"', undefined],
])('%s', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected ?? text)
})
