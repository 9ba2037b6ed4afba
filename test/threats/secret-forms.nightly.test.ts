// Every kind of secret at every place: a quarter of all encodings, split in three ways, by the seed of the run.

import { describe, expect, it } from 'vitest'
import { finish } from '../../src/base/slices.ts'
import { Scrubber } from '../../src/observe/scrub.ts'
import { findSecrets, withoutSecrets } from '../../src/tapes/find-secrets.ts'
import { madeTape } from '../../src/tapes/read.fixture.ts'
import { tapeTextSteps } from '../../src/tapes/write.ts'
import { share } from '../depth.ts'
import { canWrite, encodings, kinds, known, writings } from './cases/secret-forms.ts'
import { cutBy, expectGone, places } from './tape-places.ts'

const cuts = [[1], [7], [1_000_000]]
const minutes = 60_000

function shareOf<Writing>(of: readonly Writing[]): { writing: Writing; sizes: number[] }[] {
  const rows = of.flatMap((writing) => cuts.map((sizes) => ({ writing, sizes })))
  return share(rows, rows.length / 4)
}

describe.each(places)('an exported tape: $name', (place) => {
  it.each(kinds)(
    '%s',
    (_kind, text, secret) => {
      for (const { writing, sizes } of shareOf(writings)) {
        const tape = madeTape('turn_a', {}, place.put(cutBy(writing.write(text), sizes)))
        expect([writing.name, findSecrets(tape).length > 0]).toEqual([writing.name, true])
        const clean = withoutSecrets(tape)
        expectGone(clean.frames, place, writing, secret)
        expect([writing.name, findSecrets(clean)]).toEqual([writing.name, []])
      }
    },
    5 * minutes,
  )
})

describe.each(places)('a recorded tape: $name', (place) => {
  it.each(known)(
    '%s',
    (own) => {
      const scrubber = new Scrubber()
      scrubber.add(own)
      const possible = [...writings, ...encodings].filter((one) => canWrite(one, own))
      for (const { writing, sizes } of shareOf(possible)) {
        const tape = madeTape('turn_a', {}, place.put(cutBy(writing.write(own), sizes)))
        const lines = finish(tapeTextSteps(tape, scrubber)).trimEnd().split('\n')
        expectGone(
          lines.slice(1).map((line) => JSON.parse(line)),
          place,
          writing,
          own,
        )
      }
    },
    5 * minutes,
  )
})

describe('20 MB of text that resembles a secret', () => {
  const secrets = [
    'sk-canary-123456',
    'gw-canary-aaaaaaaaaaaaaaaa-0001',
    'dgm_0123456789abcdefghijklmnopqrstuvwxyz',
  ]
  const nearly = [
    ...[
      'plain text of a story, ',
      '\\',
      '\\\\"',
      'sk-',
      'sk-canary-12345 ',
      'eyJaaaaaaaa.',
      'cookie:a=',
      'password=',
    ],
    ...[
      '"password":"',
      'Bearer ',
      '://a:',
      '-----BEGIN PRIVATE KEY-----',
      '%41',
      '\x1b[31m',
      '\x1b]',
      '%5c%41\\',
      'a1',
    ],
    ...[
      '?key=',
      'sk-ant-12345678 ',
      'Authorization: Bearer ',
      'basic ',
      ' AKIA0000000000000000',
      'token="',
      '----',
      'authorization:',
    ],
  ]

  /** The time of many is measured against the time of few: machines differ. */
  it.each(nearly)(
    '%j takes linear time',
    (piece) => {
      const scrubber = new Scrubber()
      scrubber.add(...secrets)
      const took = (bytes: number) => {
        const text = piece.repeat(Math.ceil(bytes / piece.length))
        const start = performance.now()
        scrubber.find(text)
        return performance.now() - start
      }
      took(100_000)
      const few = Math.min(took(2_000_000), took(2_000_000), took(2_000_000))
      expect(took(20_000_000)).toBeLessThan(40 * Math.max(few, 50))
    },
    5 * minutes,
  )
})
