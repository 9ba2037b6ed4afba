import { describe, expect, it } from 'vitest'
import { toInputSchema, toOutputSchema } from './schema-out.ts'

describe('toInputSchema', () => {
  it('leaves a valid schema unchanged, including key order', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { minimum: 1 } } },
      required: ['a'],
    }
    expect(toInputSchema(schema)).toBe(schema)
  })

  it('does not read data or property names as keywords', () => {
    const schema = {
      type: 'object',
      properties: {
        list: {
          type: 'object',
          default: { items: [] },
          enum: [{ items: [1] }],
          const: { exclusiveMinimum: true },
        },
        items: { type: 'array' },
        exclusiveMinimum: true,
      },
      examples: [{ items: [1, 2] }],
    }
    expect(toInputSchema(schema)).toBe(schema)
  })

  it('converts forms of earlier drafts', () => {
    const properties = {
      pair: {
        type: 'array',
        items: [{ type: 'string' }, { minimum: 0, exclusiveMinimum: true }],
        additionalItems: false,
      },
      share: { type: 'number', minimum: 0, exclusiveMinimum: false, maximum: 1, exclusiveMaximum: true },
    }
    expect(toInputSchema({ type: 'object', properties })).toEqual({
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { exclusiveMinimum: 0 }], items: false },
        share: { type: 'number', minimum: 0, exclusiveMaximum: 1 },
      },
    })
  })
})

describe('toOutputSchema', () => {
  it('keeps references, and converts their targets', () => {
    expect(
      toOutputSchema({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { $ref: '#/definitions/x', description: 'gone' }, b: { $ref: '#/$defs/y' } },
        definitions: { x: { type: 'string', pattern: '^a' } },
        $defs: { y: { type: 'object', properties: { x: { $ref: '#/definitions/x' } } } },
      }),
    ).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/x' }, b: { $ref: '#/$defs/y' } },
      additionalProperties: false,
      $defs: {
        x: { type: 'string', description: '(pattern: "^a")' },
        y: { type: 'object', properties: { x: { $ref: '#/$defs/x' } }, additionalProperties: false },
      },
    })
  })

  it.each([
    ['itself', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } } }],
    ['a ring', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['the root', { type: 'object', properties: { child: { $ref: '#' } } }],
    ['nowhere', { $ref: '#/$defs/constructor' }],
    ['another document', { $ref: 'https://example.com/schema.json' }],
  ])('returns undefined for a reference to %s', (_what, schema) => {
    expect(toOutputSchema(schema)).toBeUndefined()
  })

  it('does not inline references: thirty definitions, each with ten references to the next', () => {
    const level = (at: number) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: at < 29 ? 10 : 0 }, (_, name) => [`p${name}`, { $ref: `#/$defs/d${at + 1}` }]),
      ),
    })
    const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at}`, level(at)]))
    const size = JSON.stringify(toOutputSchema({ $ref: '#/$defs/d0', $defs })).length
    expect(size).toBeLessThan(20_000)
  })
})
