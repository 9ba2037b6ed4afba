import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../test/fuzz/settings.ts'
import { Seal } from './seal.ts'

describe('Seal', () => {
  const seal = new Seal()

  it('gives any text back to its owner alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, owner, other) => {
        const sealed = seal.seal(text, owner)
        expect(seal.unseal(sealed, owner)).toBe(Buffer.from(text).toString())
        if (other !== owner) expect(seal.unseal(sealed, other)).toBeUndefined()
        expect(new Seal().unseal(sealed, owner)).toBeUndefined()
      }),
      { ...fuzz, numRuns: 100 },
    )
  })

  it('the same secret reads it in another process', () => {
    const [one, other] = [new Seal(() => Buffer.alloc(32, 1)), new Seal(() => Buffer.alloc(32, 1))]
    expect(other.unseal(one.seal('text', 'me'), 'me')).toBe('text')
  })

  it('hides the text, never twice alike', () => {
    const [one, other] = [seal.seal('a secret', 'me'), seal.seal('a secret', 'me')]
    expect(one).not.toBe(other)
    expect(Buffer.from(one.split('.')[1] ?? '', 'base64url').includes('secret')).toBe(false)
  })

  it('no changed character is taken', () => {
    const sealed = seal.seal('a text of some length', 'me')
    const bytes = Buffer.from(sealed.split('.')[1] ?? '', 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(seal.unseal(`dragoman-sealed1.${changed.toString('base64url')}`, 'me')).toBeUndefined()
    }
  })

  it('anything else is refused, not thrown at', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(seal.unseal(text, 'me')).toBeUndefined()
        expect(seal.unseal(`dragoman-sealed1.${text}`, 'me')).toBeUndefined()
      }),
      fuzz,
    )
  })
})
