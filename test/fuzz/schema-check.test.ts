// The schema checker beside Ajv, which is complete and exact: wherever a judgement is complete, both say the same, and what Ajv lets
// pass never has a problem.

import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SchemaChecker } from '../../src/base/json-schema/check.ts'
import { spread } from '../depth.ts'
import { type Draft, type Schema, schemaCase } from './schemas.ts'
import { fuzz } from './settings.ts'

const options: Options = {
  strict: false,
  validateFormats: false,
  // Names like `toString` are members only where the value has them.
  ownProperties: true,
  logger: false,
}
const peers = { '2020-12': new Ajv2020(options), '7': new Ajv(options) }

/**
 * Undefined where the schema has a reference that leads nowhere, or back to itself without an end, and where the code that Ajv 8.20
 * writes for patterns beside `if` cannot be run.
 */
function ajvVerdicts(draft: Draft, schema: Schema, values: readonly unknown[]): boolean[] | undefined {
  try {
    const validate = peers[draft].compile(schema)
    return values.map((value) => validate(value))
  } catch (error) {
    const { message } = error as Error
    if (/can't resolve reference|Maximum call stack|Cannot set properties of undefined/.test(message))
      return undefined
    throw error
  } finally {
    if (typeof schema === 'object') peers[draft].removeSchema(schema)
  }
}

describe.each<Draft>(spread(['2020-12', '7'], 1))('draft %s', (draft) => {
  it('says what Ajv says', () => {
    const counts = { fits: 0, fails: 0, open: 0, incomparable: 0 }
    fc.assert(
      fc.property(schemaCase(draft), ({ schema, values }) => {
        const expected = ajvVerdicts(draft, schema, values)
        const checker = new SchemaChecker(schema)
        for (const [at, value] of values.entries()) {
          const { problems, isComplete } = checker.judge(value)
          expect(checker.conforms(value)).toBe(problems.length === 0)
          if (expected === undefined) counts.incomparable++
          else if (problems.length > 0) {
            counts.fails++
            expect({ schema, value, isFit: expected[at], problems }).toMatchObject({ isFit: false })
          } else if (isComplete) {
            counts.fits++
            expect({ schema, value, isFit: expected[at] }).toMatchObject({ isFit: true })
          } else counts.open++
        }
      }),
      { ...fuzz, numRuns: Math.min(4 * fuzz.numRuns, 8_000) },
    )
    const all = counts.fits + counts.fails + counts.open
    // Otherwise the cases would show little.
    expect(counts.fits / all).toBeGreaterThan(0.2)
    expect(counts.fails / all).toBeGreaterThan(0.2)
    expect(counts.open / all).toBeLessThan(0.1)
  })
})
