// Secrets of every kind, in every encoding, at every place of a tape and split anywhere: an exported tape has none of them, and a
// recorded tape none that the gateway knows.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/base/slices.ts'
import { Scrubber } from '../../src/observe/scrub.ts'
import { findSecrets, withoutSecrets } from '../../src/tapes/find-secrets.ts'
import { madeTape } from '../../src/tapes/read.fixture.ts'
import type { ReadTape } from '../../src/tapes/read.ts'
import { tapeTextSteps } from '../../src/tapes/write.ts'
import { fuzzShare } from '../fuzz/settings.ts'
import { canWrite, encodings, kinds, known, pem, pemLine, writings } from './cases/secret-forms.ts'
import { cutBy, expectGone, type Place, places, textOf } from './tape-places.ts'

/** Each way of writing at another place, in single characters or whole: all of them are in the nightly test. */
const placeOf = (nth: number) => places[nth % places.length] as Place
const cutOf = (nth: number) => (nth % 2 === 0 ? [1] : [1_000_000])

describe('an exported tape', () => {
  const rows = kinds.map((kind, nth) => [...kind, nth] as const)
  it.each(rows)('%s', (_kind, text, secret, nth) => {
    for (const [way, writing] of writings.entries()) {
      const place = placeOf(nth + way)
      const tape = madeTape('turn_a', {}, place.put(cutBy(writing.write(text), cutOf(nth + way))))
      const at = `${writing.name}, ${place.name}`
      expect([at, findSecrets(tape).length > 0]).toEqual([at, true])
      const clean = withoutSecrets(tape)
      expectGone(clean.frames, place, writing, secret)
      expect([at, findSecrets(clean)]).toEqual([at, []])
    }
  })
})

describe('a recorded tape', () => {
  const rows = known.map((own, nth) => [own, nth] as const)
  it.each(rows)('%s', (own, nth) => {
    const scrubber = new Scrubber()
    scrubber.add(own)
    for (const [way, writing] of [...writings, ...encodings].filter((one) => canWrite(one, own)).entries())
      for (const place of [placeOf(nth + way), placeOf(nth + way + 3)]) {
        const tape = madeTape('turn_a', {}, place.put(cutBy(writing.write(own), cutOf(nth + way))))
        const lines = finish(tapeTextSteps(tape, scrubber)).trimEnd().split('\n')
        expectGone(
          lines.slice(1).map((line) => JSON.parse(line)),
          place,
          writing,
          own,
        )
      }
  })
})

describe('at every place', () => {
  // Nothing that a secret could be a part of.
  const around = fc.stringMatching(/^[ ,;()a-z]{0,20}$/).map((text) => `${text} `)
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 })

  it('no secret is on an exported tape', () => {
    const planted = fc.tuple(
      fc.constantFrom(...kinds),
      fc.constantFrom(...writings),
      fc.constantFrom(...places),
    )
    fc.assert(
      fc.property(
        planted,
        around,
        around,
        sizes,
        ([[, text, secret], writing, place], before, behind, cut) => {
          const whole = `${before}${writing.write(text)} ${behind}`
          const clean = withoutSecrets(madeTape('turn_a', {}, place.put(cutBy(whole, cut))))
          expectGone(clean.frames, place, { ...writing, read: (shown) => writing.read(shown.trim()) }, secret)
        },
      ),
      fuzzShare(0.3),
    )
  })

  it('text without secrets is unchanged, to the byte', () => {
    const words = fc.constantFrom(
      ...[
        'sk-',
        'task-scheduler',
        'Bearer',
        'cookie:',
        'key=',
        '"password": "',
        '://a:b',
        'eyJ',
        '%3D',
        '\\u0073',
        '\x1b[31m',
      ],
      ...[
        '-----BEGIN ',
        'toolu_01A09q90qw90lq917835lq9',
        '\n',
        ' ',
        '"',
        '{"a":1}',
        'AKIA',
        '12',
        'Basic ',
        'ö',
        '\ud800',
        '\\',
      ],
    )
    const text = fc
      .array(fc.oneof(words, fc.string({ unit: 'grapheme' })), { maxLength: 20 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, sizes, fc.constantFrom(...places), (whole, cut, place) => {
        const tape = madeTape('turn_a', {}, place.put(cutBy(whole, cut)))
        fc.pre(findSecrets(tape).length === 0)
        const clean = JSON.stringify(withoutSecrets(tape))
        expect(clean).toBe(JSON.stringify(tape))
      }),
      fuzzShare(0.3),
    )
  })
})

describe('a private key of any length', () => {
  it.each([1, 10, 400, 3_000])('%s lines', (lines) => {
    const texts = [
      pem(lines),
      JSON.stringify({ content: pem(lines) }),
      pem(lines).replace(/\n-----END.*/, ''),
    ]
    const numbered = pem(lines)
      .split('\n')
      .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
      .join('\n')
    for (const text of [...texts, numbered]) {
      const clean = withoutSecrets(madeTape('turn_a', {}, [{ side: 'client', do: 'write', text }]))
      for (const at of [0, lines - 1]) expect(textOf(clean.frames)).not.toContain(pemLine(at))
    }
  })
})

describe('what only sounds like a secret stays', () => {
  it.each([
    'The password is wrong; reset the password: see chapter 12 of the manual.',
    'const token = await getToken(request1234567890)',
    '{"properties":{"api_key":{"type":"string"},"password":{"description":"8 characters"}},"required":["api_key","model1234"]}',
    '{"prompt_cache_key":"conv-0123456789abcdef0123","max_tokens":4096,"logprobs":[{"token":"Hello1"}]}',
    '"apiKey": "{env:MY_KEY_1}", "api_key": "$OPENAI_KEY_2", api_key=YOUR_API_KEY_2, authorization: "[removed]"',
    'http://127.0.0.1:8080/a@b and user@host1234567890.example, https://{user}:{pass1}@host, https://$USER1:$PASS1@host',
    'basic understanding of Basic authentication; bearer of good news 1234567890123456',
    'see sk-learn, hf_hub_download, npm_config_registry, eyJ, AKIA and xoxb- as prefixes',
    'toolu_01A09q90qw90lq917835lq9 chatcmpl-Abc123Abc123Abc123Abc123 msg_01XFDUDYJgAACzvnptvVoYEL',
    '"signature":"EqQBCkgIARABGAIiQL8rJ1p3b2x9c0123456789abcdef+/AAAA=="',
    'cookie: the a=b of the story, cookies = parse(header1)',
  ])('%s', (text) => {
    const tape: ReadTape = madeTape('turn_a', {}, [{ side: 'client', do: 'write', text }])
    expect(findSecrets(tape)).toEqual([])
  })
})
