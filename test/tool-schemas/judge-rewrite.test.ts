// The judge of rewritten schemas, on schemas of our own; and that it finds the mistakes of a bad rewrite.

import { describe, expect, it } from 'vitest'
import { type Rewriting, rewriteSchema } from '../../src/protocols/tool-schemas/rewrite.ts'
import { subsets } from '../../src/protocols/tool-schemas/subsets.ts'
import { spread } from '../depth.ts'
import { agentSchemas } from './agent-schemas.ts'
import { judgeRewrite } from './judge-rewrite.ts'
import { subsetNames } from './service-rules.ts'

type Schema = Record<string, unknown>

const page: Schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer' },
    part: { anyOf: [{ type: 'object', properties: { at: { type: 'integer' } } }, { type: 'string' }] },
  },
  required: ['path'],
}

describe.each(subsetNames)('schemas for %s', (name) => {
  it.each(spread(Object.entries(agentSchemas), 4))('%s', (_, schema) => {
    const judged = judgeRewrite(schema, name, 20)
    expect(judged).toMatchObject({ misfits: [], lost: [] })
    expect(judged).not.toHaveProperty('refusal')
  })
})

describe('a bad rewrite is found', () => {
  const good = rewriteSchema(page, subsets.openai)
  if (good.kind !== 'rewritten' || !good.undo) throw new Error('it needs no translation')
  const made: Extract<Rewriting, { kind: 'rewritten' }> = good
  const judged = (other: Rewriting) => judgeRewrite(page, 'openai', 20, () => other)

  it('a good one has no fault', () => {
    expect(judged(made)).toMatchObject({ outcome: 'exact', misfits: [], lost: [] })
    expect(judged(made)).not.toHaveProperty('refusal')
  })
  it('what the service refuses', () => {
    expect(judged({ kind: 'kept' }).refusal).toContain('additionalProperties')
  })
  it('null that stays', () => {
    const { undo: _, ...without } = made
    expect(judged(without).misfits).not.toEqual([])
    expect(judged(without).lost).not.toEqual([])
  })
  it('a type that became wider', () => {
    const properties = { ...(made.schema.properties as Schema), limit: { type: ['number', 'null'] } }
    expect(judged({ ...made, schema: { ...made.schema, properties } }).misfits).not.toEqual([])
  })
  it('a type that became narrower', () => {
    const properties = { ...(made.schema.properties as Schema), limit: { type: ['string', 'null'] } }
    expect(judged({ ...made, schema: { ...made.schema, properties } }).lost).not.toEqual([])
  })
})
