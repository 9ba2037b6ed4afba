import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Scrubber } from './scrub.ts'

const secret = 'sk-canary-123456'
const scrubber = new Scrubber()
scrubber.add(secret, 'with"quote-123')

describe('a secret in pieces', () => {
  it('is found however the text was cut', () => {
    const part = fc.constantFrom('a', 'sk-', secret, 'with\\"quote-123', ' ')
    const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat(12), { maxLength: 12 }), (whole, lengths) => {
        const pieces: string[] = []
        let at = 0
        for (const length of lengths) {
          pieces.push(whole.slice(at, at + length))
          at += length
        }
        pieces.push(whole.slice(at))
        const clean = scrubber.scrubPieces(pieces)
        expect(clean).toHaveLength(pieces.length)
        expect(clean.join('')).toBe(scrubber.scrub(whole))
      }),
    )
  })

  it('leaves pieces as they are where there is none', () => {
    expect(scrubber.scrubPieces(['sk-can', 'ary-12345', '7'])).toEqual(['sk-can', 'ary-12345', '7'])
  })

  it('is not shown by its beginning, where the text was cut', () => {
    for (let length = 0; length <= secret.length; length++) {
      const shown = scrubber.scrubBeginning(`the key is ${secret.slice(0, length)}`)
      expect(shown).toBe(length < 3 ? `the key is ${secret.slice(0, length)}` : 'the key is [secret]')
    }
  })

  it('keeps its length in bytes', () => {
    const bytes = Buffer.from(`a ${secret} b ${secret}`)
    expect(scrubber.scrubBytes(bytes)).toBe(true)
    expect(bytes.toString()).toBe(`a ${'*'.repeat(16)} b ${'*'.repeat(16)}`)
    expect(scrubber.scrubBytes(Buffer.from('nothing'))).toBe(false)
  })
})
