import { describe, expect, it } from 'vitest'
import { digestOf, SignatureVerifier, signRequest } from './signature.ts'

const secret = 'a-secret-of-at-least-32-characters'
const now = 1_700_000_000_000
const request = { method: 'POST', path: '/internal/v1/turns', body: '{"a":1}' }
const signed = (at = now, key = secret) => signRequest(key, request, at)
const verifier = (options = {}) => new SignatureVerifier(secret, { now: () => now, ...options })

describe('a signed request', () => {
  it('is accepted, and determines the digest of its body', () => {
    expect(verifier().verify(signed(), request)).toBe(digestOf(request.body))
  })

  it('does not contain the secret', () => expect(signed()).not.toContain(secret))

  it.each([
    ['another secret', signed(now, `${secret}!`), request],
    ['another method', signed(), { ...request, method: 'GET' }],
    ['another path', signed(), { ...request, path: '/internal/v1/tool_results' }],
    ['another body', signed().replace(digestOf(request.body), digestOf('{"a":2}')), request],
    ['another time', signed().replace(String(now), String(now + 1)), request],
    ['another nonce', signed().replace(/ [A-Za-z0-9]{20} /, ` ${'x'.repeat(20)} `), request],
    ['another version', signed().replace('v1', 'v2'), request],
    ['too old', signed(now - 60_001), request],
    ['too far ahead', signed(now + 60_001), request],
    ['nothing', undefined, request],
    ['an empty header', '', request],
    ['nonsense', 'v1 1 2 3 4', request],
    ['something behind it', `${signed()} x`, request],
  ])('%s: refused', (_case, header, shown) => {
    expect(verifier().verify(header, shown)).toBeUndefined()
  })

  it.each([-60_000, 60_000])('clocks may differ by %d ms', (skew) => {
    expect(verifier().verify(signed(now + skew), request)).toBeDefined()
  })

  it('is accepted once', () => {
    const here = verifier()
    const header = signed()
    expect(here.verify(header, request)).toBeDefined()
    expect(here.verify(header, request)).toBeUndefined()
    expect(here.verify(signed(), request)).toBeDefined()
  })

  it('is accepted once while its time is valid, also if it was signed ahead of time', () => {
    let clock = now
    const here = verifier({ now: () => clock })
    const header = signed(now + 50_000)
    expect(here.verify(header, request)).toBeDefined()
    for (clock = now; clock <= now + 120_000; clock += 10_000) {
      expect(here.verify(signed(clock), request)).toBeDefined()
      expect(here.verify(header, request)).toBeUndefined()
    }
  })

  it('is refused while no more nonces can be remembered', () => {
    let clock = now
    const here = verifier({ now: () => clock, maxNonces: 3 })
    const next = () => here.verify(signed(clock), request)
    expect([next(), next(), next(), next()].map(Boolean)).toEqual([true, true, true, false])
    clock += 60_001
    expect(next()).toBeDefined()
  })
})
