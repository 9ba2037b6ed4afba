import { big, describeRows } from './rows.fixture.ts'

const kinds = [{ required: ['a'] }, { required: ['b'] }]

describeRows({
  'allOf, anyOf, not': [
    { schema: { allOf: [{ minimum: 1 }, { maximum: 3 }] }, fits: [2], fails: [0, 4] },
    { schema: { anyOf: [{ type: 'null' }, { minimum: 3 }] }, fits: [null, 3, 'x'], fails: [2] },
    {
      schema: { anyOf: [{ type: 'null' }, { pattern: '(?=x)', type: 'string' }] },
      open: ['x'],
      fits: [null],
      fails: [1],
    },
    { schema: { not: { type: 'integer' } }, fits: [1.5, 'x'], fails: [1] },
    { schema: { not: {} }, fails: [1, null] },
    { schema: { not: false }, fits: [1] },
    { schema: { not: { format: 'email' } }, open: ['x'] },
    { schema: { not: { pattern: '(?=x)' } }, open: ['x'], fails: [1] },
    { schema: { not: { const: big } }, open: [big], fits: [1] },
    { schema: { not: { not: { type: 'null' } } }, fits: [null], fails: [1] },
    { schema: { not: { type: 'string', nullable: true } }, open: [null], fails: ['x'] },
    { schema: { not: { required: ['a', 'b'] } }, fits: [{ a: 1 }], fails: [{ a: 1, b: 2 }] },
  ],
  oneOf: [
    { schema: { oneOf: kinds }, fits: [{ a: 1 }, { b: 1 }], fails: [{}, { a: 1, b: 1 }] },
    { schema: { oneOf: [{ maximum: 5 }, { minimum: 3 }] }, fits: [1, 9], fails: [4] },
    { schema: { oneOf: [{ const: 'a' }, { enum: ['a', 'b'] }] }, fits: ['b'], fails: ['a', 'c'] },
    { schema: { oneOf: [{ $ref: '#/$defs/a' }, kinds[1]], $defs: { a: kinds[0] } }, fails: [{ a: 1, b: 1 }] },
    // Authors mean `anyOf`.
    { schema: { oneOf: [{ type: 'number' }, { type: 'integer' }] }, open: [1], fits: [1.5], fails: ['x'] },
    { schema: { oneOf: [{ type: 'string' }, { enum: ['a', 'b'] }] }, open: ['a'], fits: ['c'] },
    {
      schema: { oneOf: [{ properties: { a: { type: 'null' } } }, { properties: { b: { type: 'null' } } }] },
      open: [{ a: null }],
    },
    { schema: { oneOf: kinds, discriminator: { propertyName: 'kind' } }, open: [{ a: 1, b: 1 }] },
    {
      schema: {
        oneOf: [
          { minLength: 1, format: 'date' },
          { minLength: 1, format: 'time' },
        ],
      },
      open: ['x'],
      fails: [''],
    },
    { schema: { oneOf: [{ minLength: 1 }, { pattern: '(?=x)' }] }, open: ['x', ''], fails: [1] },
  ],
  if: [
    {
      schema: { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
      fits: [{ a: 1, b: 1 }, { c: 1 }],
    },
    {
      schema: { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
      fails: [{ a: 1, c: 1 }, {}],
    },
    { schema: { if: { const: 1 }, then: false }, fits: [2], fails: [1] },
    { schema: { if: { const: 1 } }, fits: [1, 2] },
    { schema: { then: false, else: false }, fits: [1] },
    { schema: { if: { format: 'date' }, then: { minLength: 5 } }, open: ['x'], fits: ['xxxxx'] },
    {
      schema: { if: { pattern: '(?=x)' }, then: { minLength: 5 }, else: { minLength: 3 } },
      open: ['xxx'],
      fails: ['x'],
    },
  ],
  $ref: [
    {
      schema: { $ref: '#/$defs/a', minimum: 1, $defs: { a: { type: 'integer' } } },
      fits: [1],
      fails: [0, 'x'],
    },
    { schema: { $ref: '#/definitions/a%25b', definitions: { 'a%b': false } }, fails: [1] },
    {
      schema: { properties: { a: { $ref: '#' } }, required: ['b'] },
      fits: [{ b: 1, a: { b: 1 } }],
      fails: [{ b: 1, a: {} }],
    },
    { schema: { $ref: '#/$defs/a', $defs: { a: true } }, fits: [1] },
    { schema: { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'null' } } }, fits: [null], fails: [1] },
    {
      schema: { $ref: '#here', definitions: { a: { $id: '#here', type: 'null' } } },
      fits: [null],
      fails: [1],
    },
    { schema: { $ref: '#here', enum: [1], const: 1, default: { $anchor: 'here' } }, open: [1] },
    {
      schema: { $id: 'https://a.b/c', $ref: 'https://a.b/c#/$defs/x', $defs: { x: { type: 'null' } } },
      fits: [null],
      fails: [1],
    },
    {
      schema: { $ref: 'item.json', $defs: { x: { $id: 'item.json', type: 'null' } } },
      fits: [null],
      fails: [1],
    },
    {
      schema: { $id: 'https://a.b/', $ref: 'x', $defs: { x: { $id: '/y/x', type: 'null' } } },
      open: [null, 1],
    },
    {
      // A reference begins at the schema with an `$id` that it is in.
      schema: {
        $defs: {
          a: { type: 'string' },
          inner: { $id: 'inner', $defs: { a: { type: 'null' } }, $ref: '#/$defs/a' },
        },
        $ref: 'inner',
      },
      fits: [null],
      fails: ['x'],
    },
    {
      schema: { properties: { $id: { type: 'null' }, a: { $ref: '#/properties/$id' } } },
      fails: [{ a: 1 }],
      fits: [{ a: null }],
    },
    { schema: { $ref: '#/nowhere' }, open: [1] },
    { schema: { $ref: 'https://example.com/x.json' }, open: [1] },
    { schema: { $ref: 'http://[' }, open: [1] },
    { schema: { $ref: `#${'/a'.repeat(40)}` }, open: [1] },
    { schema: { $ref: 5 }, open: [1] },
    { schema: { $ref: '#/required', required: ['a'] }, open: [1] },
    { schema: { $dynamicRef: '#x' }, open: [1] },
    { schema: { $ref: '#' }, open: [1] },
  ],
  'no schema': [
    { schema: true, fits: [1] },
    { schema: false, fails: [1] },
    { schema: {}, fits: [1, null] },
    { schema: { title: 'x', 'x-other': 5 }, fits: [1] },
    { schema: 'string', open: [1] },
    { schema: { properties: 5 }, open: [{}] },
    { schema: { properties: { a: 'string' } }, open: [{ a: 1 }], fits: [{}] },
    { schema: { allOf: {} }, open: [1] },
  ],
})
