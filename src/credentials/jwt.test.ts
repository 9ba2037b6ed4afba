import { expect, it } from 'vitest'
import { expiryInWords } from './expiry.ts'
import { emailOf, expiryOf } from './jwt.ts'

const jwt = (claims: unknown) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`

it('reads when a token ends', () => {
  expect(expiryOf(jwt({ exp: 1_767_325_631 }))).toBe(1_767_325_631_000)
})

it.each([
  'opaque',
  'a.b',
  'a.!!!.c',
  jwt(null),
  jwt([1]),
  jwt({}),
  jwt({ exp: 'soon' }),
  jwt({ exp: -1 }),
  jwt({ exp: null }),
  '..',
  '',
])('%j does not say', (token) => {
  expect(expiryOf(token)).toBeUndefined()
  expect(emailOf(token)).toBeUndefined()
})

it('takes an address only as plain text', () => {
  expect(emailOf(jwt({ email: 'a@b.example' }))).toBe('a@b.example')
  expect(emailOf(jwt({ email: 'a\u001b[2J@b' }))).toBeUndefined()
  expect(emailOf(jwt({ email: 7 }))).toBeUndefined()
})

it('says it as a person does', () => {
  const now = Date.parse('2026-01-02T03:47:11Z')
  const words = (ms: number) => expiryInWords(now + ms, now)
  expect(words(30_000)).toBe('for a few seconds (until 2026-01-02 03:47 UTC)')
  expect(words(60_000)).toBe('for 1 minute (until 2026-01-02 03:48 UTC)')
  expect(words(3 * 3_600_000)).toBe('for 3 hours (until 2026-01-02 06:47 UTC)')
  expect(words(60 * 86_400_000)).toContain('for 60 days')
  expect(words(-2 * 3_600_000)).toBe('expired 2 hours ago (2026-01-02 01:47 UTC)')
  expect(expiryInWords(undefined, now)).toContain('until it is refused')
  expect(expiryInWords(1e300, now)).toContain('until +275760-09-13')
})
