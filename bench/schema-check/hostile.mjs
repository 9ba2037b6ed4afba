// Schemas that are made to take long, of 200 KB at most, each with a value.

const many = (count, one) => Array.from({ length: count }, (_, at) => one(at))
const named = (count, one) => Object.fromEntries(many(count, one))

function nested(depth) {
  let schema = { type: 'null' }
  for (let level = 0; level < depth; level++) schema = { anyOf: [schema] }
  return schema
}

const circle = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
const patterns = ['^(a+)+$', '(a|a)*b$', '(?:a?){50}a{50}b', '^(([a-z])+.)+[A-Z]([a-z])+$']
const text = `${'a'.repeat(40)}!`

/** 150 KB of all of it; no part fails, so that none is left out. */
const mixture = {
  $defs: named(1_000, (at) => [`${at}`, { $ref: `#/$defs/${at + 1}` }]),
  properties: {
    patterns: { allOf: many(400, (at) => ({ pattern: `^(?:(?:a+)+|(?:a|a)*)*(?:a|b){${at % 40}}$` })) },
    counted: { allOf: many(400, (at) => ({ pattern: `(?:a{99}){${at % 50}}` })) },
    alternatives: { anyOf: [...many(3_000, () => ({ type: 'null' })), {}] },
    chain: { $ref: '#/$defs/0' },
    circle: { anyOf: [{ $ref: '#/properties/circle' }, { $ref: '#/properties/circle' }] },
    values: { enum: many(4_000, (at) => `v${at}`) },
    deep: nested(1_000),
  },
}
const mixed = {
  patterns: 'a'.repeat(40),
  counted: 'a'.repeat(5_000),
  alternatives: 1,
  chain: 1,
  values: 'v3999',
  deep: 1,
  circle: 1,
}

export const hostile = {
  'all of the following': [mixture, mixed],
  'nested quantifiers': [{ pattern: '^(a+)+$' }, text],
  'many such patterns': [
    { properties: named(2_000, (at) => [`p${at}`, { pattern: patterns[at % patterns.length] }]) },
    named(2_000, (at) => [`p${at}`, text]),
  ],
  '5,000 counted patterns': [{ allOf: many(5_000, () => ({ pattern: '(a{999}){5}' })) }, 'a'.repeat(1_000)],
  '10,000 alternatives in a pattern': [
    { pattern: many(10_000, (at) => `a${at}`).join('|') },
    'a'.repeat(50_000),
  ],
  '10,000 alternatives': [{ anyOf: many(10_000, () => ({ type: 'null' })) }, 1],
  'a chain of 5,000 references': [
    {
      $ref: '#/$defs/0',
      $defs: named(5_000, (at) => [`${at}`, at < 4_999 ? { $ref: `#/$defs/${at + 1}` } : {}]),
    },
    1,
  ],
  'references in a circle': [circle, 1],
  'alternatives of itself': [
    { anyOf: many(8, () => ({ type: 'array', items: { $ref: '#' } })) },
    JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`),
  ],
  'an enum of 25,000': [{ enum: many(25_000, (at) => `v${at}`) }, 'x'],
  '5,000 levels of anyOf': [nested(5_000), 1],
}
