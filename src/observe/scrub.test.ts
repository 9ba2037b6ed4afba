import { describe, expect, it } from 'vitest'
import { scaled } from '../../test/depth.ts'
import { Scrubber } from './scrub.ts'

const secrets = ['plain-canary', '"canary', '\\canary', 'can"ary', 'can\\ary', '""canary\\"', 'c a/n+a=r&y']

function scrubberOf(...known: string[]): Scrubber {
  const scrubber = new Scrubber()
  scrubber.add(...known)
  return scrubber
}

describe('a secret is found', () => {
  it.each(secrets)('%j: plain, in a URL, and in JSON inside JSON', (secret) => {
    const scrubber = scrubberOf(secret)
    let nested = `<${secret}>`
    for (let depth = 0; depth < 4; depth++) {
      expect(scrubber.scrub(nested)).not.toContain('ary')
      nested = JSON.stringify(nested)
    }
    expect(scrubber.scrub(`/x?key=${encodeURIComponent(secret)}&y=1`)).toBe('/x?key=[secret]&y=1')
  })

  it('also in a text that held none before it was known', () => {
    const scrubber = new Scrubber()
    expect(scrubber.scrub('the later-canary')).toBe('the later-canary')
    scrubber.add('later-canary')
    expect(scrubber.scrub('the later-canary')).toBe('the [secret]')
  })

  it.each(['\\', '\\\\\\', 'x\\\\'])('%j before it changes nothing', (before) => {
    for (const secret of secrets) expect(scrubberOf(secret).scrub(before + secret)).not.toContain('ary')
  })
})

it('similar text stays', () => {
  const text = 'can\\\\\\"ry, canary, "can ary", \\can\\a"ry'
  expect(scrubberOf('can"ary', '\\can\\ary').scrub(text)).toBe(text)
})

// Quadratic algorithms would take minutes for these.
it.each(secrets)('%j: many backslashes, quotes and beginnings take no time', (secret) => {
  const scrubber = scrubberOf(secret)
  for (const piece of ['\\', '\\"', '"', secret.slice(0, -1), `${secret.slice(0, 4)}\\`]) {
    const text = piece.repeat(scaled(200_000, 40_000))
    expect(scrubber.scrub(text)).not.toContain(secret)
  }
})

it('leaves no part of a secret that shares its beginning with another', () => {
  const both = new Scrubber()
  both.add('sk-short', 'sk-short-and-longer', 'longer-and-on')
  expect(both.scrub('a sk-short-and-longer b sk-short')).toBe('a [secret] b [secret]')
})

it('does not show the beginning of a secret at the end of a cut text', () => {
  const secret = 'sk-canary-123456'
  for (let length = 0; length <= secret.length; length++) {
    const beginning = secret.slice(0, length)
    const shown = length < 3 ? beginning : '[secret]'
    expect(scrubberOf(secret).scrubBeginning(`the key is ${beginning}`)).toBe(`the key is ${shown}`)
  }
})
