import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { rewriteSchema } from './rewrite.ts'
import { subsets } from './subsets.ts'
import { undoInput } from './undo.ts'

const text = { type: 'string' }
const schema = {
  type: 'object',
  properties: {
    path: text,
    limit: { type: 'integer' },
    note: { type: ['string', 'null'] },
    deep: { type: 'object', properties: { a: text, b: text }, required: ['a'] },
    list: { type: 'array', items: { type: 'object', properties: { c: text } } },
    tree: { $ref: '#/$defs/tree' },
    either: {
      anyOf: [
        { type: 'object', properties: { kind: { const: 'x' }, m: text }, required: ['kind'] },
        {
          type: 'object',
          properties: { kind: { const: 'y' }, m: { type: ['string', 'null'] } },
          required: ['kind'],
        },
      ],
    },
  },
  required: ['path'],
  $defs: { tree: { type: 'object', properties: { v: text, next: { $ref: '#/$defs/tree' } } } },
}
const made = rewriteSchema(schema, subsets.openai)
if (made.kind !== 'rewritten' || !made.undo) throw new Error(JSON.stringify(made))
const { undo } = made

describe('arguments of a rewritten schema', () => {
  it.each<[string, string]>([
    ['{"path":"a","limit":null}', '{"path":"a"}'],
    ['{"limit":null,"path":null}', '{"path":null}'],
    ['{"path":"a","note":null}', '{"path":"a","note":null}'],
    ['{"path":"a","deep":{"a":null,"b":null}}', '{"path":"a","deep":{"a":null}}'],
    ['{"list":[{"c":null},{"c":"x"},null]}', '{"list":[{},{"c":"x"},null]}'],
    ['{"tree":{"v":null,"next":{"v":"1","next":null}}}', '{"tree":{"next":{"v":"1"}}}'],
    ['{"either":{"kind":"x","m":null}}', '{"either":{"kind":"x"}}'],
    ['{"either":{"kind":"y","m":null}}', '{"either":{"kind":"y","m":null}}'],
    ['{"other":null,"limit":null}', '{"other":null}'],
    ['{"limit":null,"big":12345678901234567890,"f":1.0}', '{"big":12345678901234567890,"f":1.0}'],
    ['{"limit":null,"__proto__":1}', '{"__proto__":1}'],
  ])('%s', (input, expected) => {
    expect(undoInput(undo, input)).toBe(expected)
  })

  it.each(['', 'null', '[null]', '{"limit":null', '{"path": "null" ,\n "limit": 1.0}', '{ "note" : null }'])(
    '%j keeps its bytes',
    (input) => {
      expect(undoInput(undo, input)).toBe(input)
    },
  )

  it('that name nothing to undo keep their bytes, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^z.{0,3}$/), fc.jsonValue({ maxDepth: 3 })),
        fc.constantFrom(0, 1),
        (value, space) => {
          const input = JSON.stringify(value, null, space)
          expect(undoInput(undo, input)).toBe(input)
        },
      ),
      fuzz,
    )
  })

  it('of great depth or size take little time', () => {
    // As deep as arguments may be.
    const deep = `{"tree":${'{"v":null,"next":'.repeat(120)}null${'}'.repeat(121)}`
    const wide = `{"list":[${Array.from({ length: 20_000 }, () => '{"c":null}').join(',')}]}`
    const start = performance.now()
    for (const input of [deep, wide]) expect(undoInput(undo, input).length).toBeGreaterThan(0)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})
