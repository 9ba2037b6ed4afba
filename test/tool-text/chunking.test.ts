// The same text gives the same pieces, however it is cut. CHUNKING_RUNS=100000 is the nightly size.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzz } from '../fuzz/settings.ts'
import { documents, inPieces, markup, ownMarkup, parsed } from './documents.ts'

const numRuns = Number(process.env.CHUNKING_RUNS ?? fuzz.numRuns)

it(
  `${numRuns} random replies are read the same whole, by single characters and in random pieces`,
  () => {
    fc.assert(
      fc.property(
        documents,
        fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        fc.constantFrom(markup, ownMarkup),
        (text, sizes, cut, asked) => {
          const whole = parsed([text], { cut, markup: asked })
          expect(parsed(inPieces(text, sizes), { cut, markup: asked })).toEqual(whole)
          expect(parsed(inPieces(text, [1]), { cut, markup: asked })).toEqual(whole)
        },
      ),
      { ...fuzz, numRuns },
    )
  },
  Math.max(30_000, numRuns * 20),
)
