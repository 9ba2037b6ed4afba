// Schemas of tools in the subsets of services: each service's own rules (the simulators') take the result, its values lead back to
// values of the client's schema, and no good call is excluded.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeProblem, SchemaChecker } from '../../src/base/json-schema/check.ts'
import { rewriteSchema } from '../../src/protocols/tool-schemas/rewrite.ts'
import type { SubsetName } from '../../src/protocols/tool-schemas/subset.ts'
import { subsets } from '../../src/protocols/tool-schemas/subsets.ts'
import { undoInput } from '../../src/protocols/tool-schemas/undo.ts'
import { spread } from '../depth.ts'
import { agentSchemas } from '../tool-schemas/agent-schemas.ts'
import { toolSchemas } from '../tool-schemas/random-schemas.ts'
import { serviceRules, subsetNames } from '../tool-schemas/service-rules.ts'
import { valuesOf } from '../tool-schemas/values-of.ts'
import { withoutKeywords } from '../tool-schemas/without-keywords.ts'
import { fuzz } from './settings.ts'

type Schema = Record<string, unknown>

/** Each run tries several values on one of nine subsets. */
const often = { ...fuzz, numRuns: Math.min(fuzz.numRuns, 1_000) }

const names = subsetNames
const strict = names.filter((name) => subsets[name].goal === 'strict')
const lowered = names.filter((name) => subsets[name].goal === 'taken')

function sentOf(schema: Schema, name: SubsetName): Schema {
  const made = rewriteSchema(schema, subsets[name])
  return made.kind === 'rewritten' ? made.schema : schema
}

/** Arguments of the schema. */
function sampleOf(schema: Schema, runs: number): unknown[] {
  const values = valuesOf(schema)
  const checker = new SchemaChecker(schema)
  const fits = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && checker.conforms(value)
  return values ? fc.sample(values, { numRuns: runs, seed: 7 }).filter(fits) : []
}

function checkTaken(schema: Schema, name: SubsetName): void {
  const made = rewriteSchema(schema, subsets[name])
  // An unfit schema is not sent as strict, so only its own rules apply.
  if (made.kind === 'unfit' && subsets[name].goal === 'strict') return
  expect(serviceRules[name](sentOf(schema, name), 'tool')).toBeUndefined()
  expect(made.kind).not.toBe('unfit')
}

function checkBack(schema: Schema, name: SubsetName, runs: number): void {
  const made = rewriteSchema(schema, subsets[name])
  if (made.kind === 'unfit' || (made.kind === 'rewritten' && made.isLoose)) return
  // What is told in the description instead is for the check of the call.
  const told = made.kind === 'rewritten' ? made.leftOut : []
  const checker = new SchemaChecker(withoutKeywords(schema, new Set(told)))
  for (const value of sampleOf(sentOf(schema, name), runs)) {
    const input = JSON.stringify(value)
    const undo = made.kind === 'rewritten' ? made.undo : undefined
    const back = undo ? undoInput(undo, input) : input
    expect({ input, problems: checker.check(JSON.parse(back)).map(describeProblem) }).toEqual({
      input,
      problems: [],
    })
  }
}

/** A call that the client's schema takes fits what the service gets, too. */
function checkFree(schema: Schema, name: SubsetName, runs: number): void {
  const checker = new SchemaChecker(sentOf(schema, name))
  for (const value of sampleOf(schema, runs))
    expect({ value, problems: checker.check(value).map(describeProblem) }).toEqual({ value, problems: [] })
}

describe.each(spread(names, 4))('schemas for %s', (name) => {
  it.each(Object.entries(agentSchemas))('%s', (_, schema) => {
    checkTaken(schema, name)
    checkBack(schema, name, 40)
  })

  it('random ones', () => {
    fc.assert(
      fc.property(toolSchemas, (schema) => {
        checkTaken(schema, name)
        checkBack(schema, name, 5)
      }),
      often,
    )
  })

  it('are the same bytes each time', () => {
    fc.assert(
      fc.property(toolSchemas, (schema) => {
        const once = JSON.stringify(sentOf(schema, name))
        expect(JSON.stringify(sentOf(JSON.parse(JSON.stringify(schema)), name))).toBe(once)
      }),
      often,
    )
  })
})

// Gemini has no lists of anything, and llama.cpp no lists with a schema for each place.
describe.each(
  spread(
    lowered.filter((name) => name !== 'gemini'),
    3,
  ),
)('good calls in the schema for %s', (name) => {
  it.each(Object.entries(agentSchemas))('%s', (_, schema) => checkFree(schema, name, 40))
  it('random ones', () => {
    fc.assert(
      fc.property(toolSchemas, (schema) => checkFree(schema, name, 5)),
      often,
    )
  })
})

it('most tools of agents can be strict', () => {
  const unfit = (name: SubsetName) =>
    Object.entries(agentSchemas).flatMap(([tool, schema]) => {
      const made = rewriteSchema(schema, subsets[name])
      return made.kind === 'unfit' ? [`${tool}: ${made.reason}`] : []
    })
  const union = 'start_job: it has a union of which not every branch is a plain object'
  const open = [
    'exit_plan: it takes keys that are not declared',
    'fetch_page: it takes keys that are not declared',
    'query_database: it has an object without declared keys',
  ]
  const odd = [
    'update_user: it allows anything in one place',
    union,
    'rename: it allows anything in one place',
    'move_mouse: it has a list with a schema for each place',
  ]
  const recursive = ['create_pages: it refers to itself', 'outline: it refers to itself']
  expect(Object.fromEntries(strict.map((name) => [name, unfit(name)]))).toEqual({
    openai: [...open, ...odd],
    cerebras: [...open, ...odd],
    anthropic: [...open, ...recursive, ...odd],
    xgrammar: [union, 'move_mouse: it requires missing, which is not declared'],
  })
})
