// Proof key for code exchange (RFC 7636, S256): the verifier stays here, its hash goes through the browser.

import { createHash, randomBytes } from 'node:crypto'

export interface Pkce {
  verifier: string
  challenge: string
}

const verifierBytes = 32

export const createPkce = (): Pkce => pkceOf(randomBytes(verifierBytes).toString('base64url'))

export const pkceOf = (verifier: string): Pkce => ({
  verifier,
  challenge: createHash('sha256').update(verifier).digest('base64url'),
})
