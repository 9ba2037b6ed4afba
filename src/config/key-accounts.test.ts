import { expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { keyAccountsOf } from './key-accounts.ts'
import { parseConfig } from './load.ts'

const accounts = ['a', 'b'].map((name) => ({ name, apiKey: 'sk-0123456789' }))
const parse = (own: unknown) =>
  parseConfig(
    JSON.stringify({
      auth: {
        keys: [
          { name: 'ci', key: '0123456789', accounts: own },
          { name: 'laptop', key: '9876543210' },
        ],
      },
      backends: {
        claude: { kind: 'anthropic', accounts },
        box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' },
      },
    }),
    { environment: readEnvironment({ HOME: '/nonexistent' }) },
  ).config

it('a key has its account of a backend, and of no other', () => {
  const accountOf = keyAccountsOf(parse(['claude@b', 'box@default']))
  expect(accountOf('ci', 'claude')).toBe('b')
  expect(accountOf('ci', 'box')).toBe('default')
  expect(accountOf('laptop', 'claude')).toBeUndefined()
  expect(accountOf('nobody', 'claude')).toBeUndefined()
  expect(keyAccountsOf({ auth: 'none' })('ci', 'claude')).toBeUndefined()
})

it.each([
  [
    ['claude@c'],
    /auth\.keys\[0\]\.accounts: "claude@c" must be BACKEND@ACCOUNT with an account of this file/,
  ],
  [['cloud@a'], /"cloud@a" must be BACKEND@ACCOUNT/],
  [['__proto__@a'], /"__proto__@a" must be BACKEND@ACCOUNT/],
  [['claude'], /must be BACKEND@ACCOUNT/],
  [['claude@a', 'claude@b'], /"claude" has two accounts; a key uses one of each backend/],
])('%j is refused', (own, problem) => {
  expect(() => parse(own)).toThrow(problem)
})
