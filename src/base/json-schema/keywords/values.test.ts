import { big, describeRows } from './rows.fixture.ts'

describeRows({
  type: [
    {
      schema: { type: 'integer' },
      fits: [1, 1.0, -0, 1e300],
      fails: [1.5, '1', null, true],
      open: [Number.POSITIVE_INFINITY],
    },
    { schema: { type: 'number' }, fits: [1, 1.5], fails: ['1', [], {}] },
    { schema: { type: ['array', 'null'] }, fits: [[], null], fails: [{}, 0, ''] },
    { schema: { type: 'any' }, open: [1, null] },
  ],
  'enum and const': [
    { schema: { enum: [1, 'a', null, { a: [1], b: 2 }] }, fits: [1, 'a', null, { b: 2, a: [1] }] },
    {
      schema: { enum: [1, 'a', { a: [1] }] },
      fails: ['1', null, false, [1], { a: [1, 1] }, { a: { 0: 1 } }, {}],
    },
    { schema: { enum: [null] }, fits: [null], fails: [0, '', undefined] },
    { schema: { enum: Array.from({ length: 50 }, (_, at) => at) }, fits: [0, 49, -0], fails: [50, '0', [0]] },
    { schema: { const: null }, fits: [null], fails: [0, {}] },
    { schema: { const: 0 }, fits: [-0, 0.0], fails: [false, ''] },
    { schema: { const: [] }, fits: [[]], fails: [{}, '', [[]]] },
    { schema: { const: false }, fits: [false], fails: [0, null, []] },
    { schema: { const: { a: undefined } }, fits: [{ a: undefined }], fails: [{ b: undefined }] },
  ],
  'minimum, maximum': [
    { schema: { minimum: 1.1 }, fits: [1.1, 2, 'x', null], fails: [1, -5] },
    { schema: { maximum: 300 }, fits: [300, 300.0, -1], fails: [300.5] },
    { schema: { exclusiveMinimum: 1.1 }, fits: [1.2], fails: [1.1, 0] },
    { schema: { exclusiveMaximum: 3, minimum: 0 }, fits: [0, 2.9], fails: [3, -1] },
    { schema: { minimum: 1, exclusiveMinimum: true }, fits: [2], fails: [1] },
    { schema: { maximum: 1, exclusiveMaximum: false }, fits: [1], fails: [1.5] },
    // Digits beyond these are lost when a number is parsed.
    { schema: { exclusiveMaximum: big }, open: [big], fails: [big + 2], fits: [big - 1] },
    { schema: { minimum: '1' }, open: [0] },
  ],
  multipleOf: [
    { schema: { multipleOf: 2 }, fits: [10, 0, -4, 'x'], fails: [7, 2.5] },
    { schema: { multipleOf: 3 }, fits: [9], fails: [4, 5, -5] },
    { schema: { multipleOf: 0.1 }, fits: [0.3, 0.7, 1.1, 4, 123456.7, 1e20 / 1e10], fails: [0.35, 0.01] },
    { schema: { multipleOf: 0.0001 }, fits: [0.0075], fails: [0.00751] },
    { schema: { multipleOf: 0.01 }, fits: [19.99, 4.35, 1.15], fails: [19.999] },
    { schema: { multipleOf: 1e-8 }, fits: [12391239123, 1e-7], fails: [1e-9] },
    { schema: { multipleOf: 3 }, open: [big + 2, 1e300], fails: [big - 1] },
    { schema: { multipleOf: 0.1 }, open: [0.1 + 0.2] },
    { schema: { multipleOf: 0 }, open: [1] },
  ],
  'minLength, maxLength': [
    { schema: { minLength: 2 }, fits: ['fo', 'foo', 1, '😀😀'], fails: ['f', '', '😀'] },
    { schema: { maxLength: 2 }, fits: ['fo', '😀😀', 'a😀', null], fails: ['foo', '😀😀a', '😀😀😀'] },
    { schema: { maxLength: 0 }, fits: [''], fails: ['a'] },
    { schema: { minLength: 2 }, fits: ['\ud83d\ud83d', '\ude00\ud83d'], fails: ['\ud83d'] },
    { schema: { minLength: 3, maxLength: 3 }, fits: ['😀a😀', 'abc'], fails: ['😀😀', '😀😀😀😀'] },
    { schema: { maxLength: -1 }, open: ['a'] },
  ],
  pattern: [
    { schema: { pattern: '^a*$' }, fits: ['', 'aaa', true, 1, {}], fails: ['abc'] },
    { schema: { pattern: 'a+' }, fits: ['xxaayy'], fails: ['xyz'] },
    { schema: { pattern: '^\\w+$' }, fits: ['abc'], fails: ['a b'], open: ['Größe'] },
    { schema: { pattern: '^[a-zäöüß]+$' }, fits: ['größe'], fails: ['Größe'] },
    { schema: { pattern: '^(?!x)' }, open: ['x', 'y'], fits: [1] },
    { schema: { pattern: '(' }, open: ['x'] },
    { schema: { pattern: 5 }, open: ['x'] },
  ],
  format: [{ schema: { type: 'string', format: 'email' }, fits: ['x'], fails: [1] }],
})
