import { describe, expect, it } from 'vitest'
import { toInputSchema, toOutputSchema } from './schema-out.ts'

describe('toInputSchema', () => {
  it('leaves a good schema alone, key order and all', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { minimum: 1 } } },
      required: ['a'],
    }
    expect(toInputSchema(schema)).toBe(schema)
  })

  it('takes data for data, and names of properties for names', () => {
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

  it('brings forms of earlier drafts up to date', () => {
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
  it('keeps references, and lowers what they lead to', () => {
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
  ])('gives none for a reference to %s', (_what, schema) => {
    expect(toOutputSchema(schema)).toBeUndefined()
  })

  it('does not grow: each of thirty definitions names the next one ten times', () => {
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
