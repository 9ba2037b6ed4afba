import { big, describeRows } from './rows.fixture.ts'

describeRows({
  'minItems, maxItems': [
    { schema: { minItems: 1 }, fits: [[1], ''], fails: [[]] },
    { schema: { maxItems: 2 }, fits: [[1, 2], 'foobar'], fails: [[1, 2, 3]] },
  ],
  uniqueItems: [
    {
      schema: { uniqueItems: true },
      fits: [[1, 2], [1, '1', true, [1]], [{ a: 1 }, { a: '1' }], [[1], [[1]]], 1],
    },
    {
      schema: { uniqueItems: true },
      fits: [
        ['[1]', [1]],
        [{}, []],
        [null, 'null'],
        [0, false, ''],
      ],
    },
    {
      schema: { uniqueItems: true },
      fails: [
        [1, 1.0],
        [
          { a: 1, b: [] },
          { b: [], a: 1 },
        ],
        [null, null],
        [[0], [-0]],
      ],
    },
    {
      schema: { uniqueItems: true },
      open: [
        [big, big],
        [{ id: big }, { id: big }],
      ],
      fails: [[big, 1, big, 1]],
    },
    { schema: { uniqueItems: false }, fits: [[1, 1]] },
  ],
  items: [
    { schema: { items: { type: 'integer' } }, fits: [[1, 2], [], { a: 'x' }], fails: [[1, 'x']] },
    { schema: { items: false }, fits: [[]], fails: [[1]] },
    {
      schema: { prefixItems: [{ type: 'integer' }, { type: 'string' }] },
      fits: [[1, 'a', null], [1], []],
      fails: [[1, 2]],
    },
    { schema: { prefixItems: [{}], items: { type: 'null' } }, fits: [[1, null]], fails: [[1, 2]] },
    {
      schema: { items: [{ type: 'null' }], additionalItems: false },
      fits: [[null], []],
      fails: [[null, 1], [1]],
    },
    { schema: { items: { type: 'null' }, additionalItems: false }, fits: [[null, null]] },
    { schema: { prefixItems: [{}], items: [{}] }, open: [[1]] },
    { schema: { prefixItems: [{}], unevaluatedItems: false }, fits: [[1]], open: [[1, 2]] },
  ],
  contains: [
    { schema: { contains: { minimum: 5 } }, fits: [[3, 5], {}, 1], fails: [[], [3, 4]] },
    {
      schema: { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      fits: [
        [1, 1, 2],
        [1, 1, 1],
      ],
    },
    { schema: { contains: { const: 1 }, minContains: 2, maxContains: 3 }, fails: [[1], [1, 1, 1, 1]] },
    { schema: { contains: { const: 1 }, minContains: 0 }, fits: [[]] },
    { schema: { contains: { pattern: '^(?=a)' } }, open: [['a']], fits: [[1]], fails: [[]] },
    { schema: { contains: { format: 'email' }, maxContains: 1 }, fits: [['a']], open: [['a', 'b']] },
    { schema: { minContains: 3 }, fits: [[]] },
  ],
  'required and sizes': [
    {
      schema: { required: ['a', '__proto__'] },
      fits: [JSON.parse('{"a":1,"__proto__":2}'), [], 'a'],
      fails: [{ a: 1 }],
    },
    { schema: { required: ['toString', 'constructor'] }, fails: [{}] },
    { schema: { required: [] }, fits: [{}] },
    {
      schema: { minProperties: 1, maxProperties: 2 },
      fits: [{ a: 1 }, { a: 1, b: 2 }, []],
      fails: [{}, { a: 1, b: 2, c: 3 }],
    },
  ],
  'dependent members': [
    {
      schema: { dependentRequired: { a: ['b', 'c'] } },
      fits: [{}, { b: 1 }, { a: 1, b: 2, c: 3 }, []],
      fails: [{ a: 1, b: 2 }],
    },
    {
      schema: { dependentSchemas: { a: { maxProperties: 1 } } },
      fits: [{ a: 1 }, { b: 1, c: 1 }],
      fails: [{ a: 1, b: 1 }],
    },
    {
      schema: { dependencies: { a: ['b'], c: { required: ['d'] } } },
      fits: [{ a: 1, b: 1 }],
      fails: [{ a: 1 }, { c: 1 }],
    },
    { schema: { dependencies: { a: false } }, fits: [{}], fails: [{ a: 1 }] },
  ],
  members: [
    {
      schema: { properties: { a: { type: 'null' }, b: false } },
      fits: [{ a: null }, { c: 1 }, []],
      fails: [{ a: 1 }, { b: 1 }],
    },
    { schema: { properties: { toString: { type: 'null' } } }, fits: [{}], fails: [{ toString: 1 }] },
    {
      schema: { properties: JSON.parse('{"__proto__":{"type":"null"}}') },
      fits: [{}],
      fails: [JSON.parse('{"__proto__":1}')],
    },
    {
      schema: { patternProperties: { '^x': { type: 'null' }, y$: { type: 'null' } } },
      fits: [{ x: null }],
      fails: [{ ay: 1 }],
    },
    {
      schema: { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
      fits: [{ a: 1, x1: 2 }],
      fails: [{ b: 1 }, { ax: 1 }],
    },
    {
      schema: { patternProperties: { '^(?=x)': {} }, additionalProperties: false },
      open: [{ x: 1 }, { y: 1 }],
      fits: [{}],
    },
    { schema: { patternProperties: { '^(?=x)': {} }, properties: { a: false } }, fails: [{ a: 1 }] },
    { schema: { properties: { a: {} }, unevaluatedProperties: false }, fits: [{ a: 1 }], open: [{ b: 1 }] },
    {
      schema: { propertyNames: { pattern: '^[a-z]+$', maxLength: 3 } },
      fits: [{ abc: 1 }, {}, 1],
      fails: [{ A: 1 }, { abcd: 1 }],
    },
    { schema: { propertyNames: false }, fits: [{}], fails: [{ a: 1 }] },
  ],
})
