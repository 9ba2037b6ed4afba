// Signs requests between instances with a shared secret that never crosses the wire:
//
//     x-dragoman-peer: v1 MILLISECONDS NONCE SHA256(BODY) HMAC-SHA256(secret, "v1\nMETHOD\npath\nMILLISECONDS\nNONCE\nSHA256(BODY)")
//
// The header contains the digest of the body: an unsigned request is refused before its body is read.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { randomId } from '../base/ids.ts'

export const peerHeader = 'x-dragoman-peer'

export const longestSkewMs = 60_000
const pattern = /^v1 (\d{10,15}) ([A-Za-z0-9]{16,64}) ([0-9a-f]{64}) ([A-Za-z0-9_-]{43})$/

interface Signed {
  method: string
  path: string
}

export const digestOf = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex')

export function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

export function isSameMac(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const macOf = (secret: string, { method, path }: Signed, ms: string, nonce: string, digest: string) =>
  hmac(secret, ['v1', method, path, ms, nonce, digest].join('\n'))

export function signRequest(secret: string, request: Signed & { body: string }, now = Date.now()): string {
  const nonce = randomId(20)
  const digest = digestOf(request.body)
  return ['v1', now, nonce, digest, macOf(secret, request, String(now), nonce, digest)].join(' ')
}

export class SignatureVerifier {
  readonly #secret: string
  readonly #now: () => number
  readonly #maxNonces: number
  /** Nonces with the time at which their request expires, roughly in that order. */
  readonly #seen = new Map<string, number>()

  constructor(secret: string, { now = Date.now, maxNonces = 200_000 } = {}) {
    this.#secret = secret
    this.#now = now
    this.#maxNonces = maxNonces
  }

  /** The digest that the body must have; undefined if the signature is invalid or was used before. */
  verify(header: string | undefined, request: Signed): string | undefined {
    const [, ms = '', nonce = '', digest = '', mac = ''] = pattern.exec(header ?? '') ?? []
    if (!isSameMac(macOf(this.#secret, request, ms, nonce, digest), mac)) return undefined
    const now = this.#now()
    if (Math.abs(now - Number(ms)) > longestSkewMs) return undefined
    this.#forgetBefore(now)
    // Only an instance can fill this map. A nonce that cannot be remembered could be replayed, so the request is refused.
    if (this.#seen.has(nonce) || this.#seen.size >= this.#maxNonces) return undefined
    this.#seen.set(nonce, Number(ms) + longestSkewMs)
    return digest
  }

  #forgetBefore(now: number): void {
    for (const [nonce, until] of this.#seen) {
      if (until >= now) return
      this.#seen.delete(nonce)
    }
  }
}
