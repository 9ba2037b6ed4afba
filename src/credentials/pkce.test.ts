import { expect, it } from 'vitest'
import { createPkce, pkceOf } from './pkce.ts'

it('has the challenge of RFC 7636, appendix B', () => {
  expect(pkceOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk').challenge).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  )
})

it('is another one each time, from 32 bytes', () => {
  const { verifier, challenge } = createPkce()
  expect(verifier).toMatch(/^[\w-]{43}$/)
  expect(challenge).toBe(pkceOf(verifier).challenge)
  expect(createPkce().verifier).not.toBe(verifier)
})
