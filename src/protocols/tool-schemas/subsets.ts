// The subsets of JSON Schema that services take in tools, one row each. Facts as of November 2026, from the services'
// documentation, open sources and reports.

import type { Subset, SubsetName } from './subset.ts'

const set = (...words: readonly string[]): ReadonlySet<string> =>
  new Set(words.flatMap((line) => line.split(' ')))

const remarks = '$schema $id $comment $anchor title examples deprecated readOnly writeOnly'
const lengths = 'minLength maxLength'
const counts = 'minItems maxItems'
const bounds = 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
const sets = 'uniqueItems contains minContains maxContains minProperties maxProperties'
const conditions = 'not if then else dependentRequired dependentSchemas dependencies'
const openKeys = 'patternProperties propertyNames unevaluatedProperties unevaluatedItems'
const structure =
  'type properties required additionalProperties items anyOf enum const $ref $defs definitions description'

const nothing = set()

/** Look-around, classes of Unicode, back references: constrained decoding has none of them. */
const isPlainPattern = (pattern: string): boolean => !/\(\?|\\[pPbB1-9k]/.test(pattern)

/** Everything stays as it is. */
const unchanged: Subset = {
  name: 'unchanged',
  goal: 'taken',
  told: nothing,
  dropped: nothing,
  unfit: nothing,
  objects: 'as given',
  optional: 'kept',
  oneOf: 'kept',
  allOf: 'kept',
  unionBeside: true,
  root: 'any',
  refs: 'kept',
  recursion: 'kept',
  tuples: 'kept',
  enums: 'any',
  typeLists: 'kept',
  typed: false,
  booleans: true,
  requiresUndeclared: true,
}

/** `strict: true` of OpenAI, Groq and DeepSeek's /beta. */
const openai: Subset = {
  name: 'openai',
  goal: 'strict',
  told: set(lengths, sets, 'default'),
  dropped: set(remarks),
  unfit: set(conditions, openKeys),
  known: set(structure, bounds, counts, 'pattern format'),
  formats: set('date-time time date duration email hostname ipv4 ipv6 uuid'),
  takesPattern: isPlainPattern,
  objects: 'closed',
  optional: 'null',
  oneOf: 'anyOf',
  allOf: 'merged',
  unionBeside: false,
  root: 'object',
  refs: 'alone',
  recursion: 'kept',
  tuples: 'unfit',
  enums: 'primitive',
  typeLists: 'kept',
  typed: true,
  booleans: false,
  requiresUndeclared: false,
  sizes: { levels: 10, properties: 5_000, enums: 1_000, text: 120_000 },
}

export const subsets: Readonly<Record<SubsetName, Subset>> = {
  openai,
  // Some of its models refuse counts of items.
  cerebras: { ...openai, name: 'cerebras', told: set(lengths, sets, counts, 'default') },
  anthropic: {
    ...openai,
    name: 'anthropic',
    told: set(lengths, sets, bounds, 'maxItems'),
    known: set(structure, 'pattern format default minItems'),
    most: new Map([['minItems', 1]]),
    formats: set('date-time time date duration email hostname uri ipv4 ipv6 uuid'),
    // A union counts against a limit of 16 per request, so optional stays optional.
    optional: 'kept',
    recursion: 'unfit',
    sizes: { levels: 64, properties: 5_000, enums: 1_000, text: 120_000 },
  },
  // vLLM and SGLang. Keywords that they do not know are skipped there in silence.
  xgrammar: {
    ...unchanged,
    name: 'xgrammar',
    goal: 'strict',
    objects: 'opened',
    // More than one branch of allOf would allow any JSON, and a union hides the properties beside it.
    allOf: 'merged',
    unionBeside: false,
    requiresUndeclared: false,
  },
  // Constrains always. It closes objects that do not say that they are open.
  xai: {
    ...unchanged,
    name: 'xai',
    told: set('minContains maxContains'),
    most: new Map([
      ['maxLength', 2_048],
      ['minLength', 2_048],
      ['maxItems', 256],
      ['minItems', 256],
    ]),
    objects: 'opened',
    root: 'objects',
    recursion: 'cut',
    tuples: 'prefixItems',
    booleans: false,
  },
  moonshot: {
    ...unchanged,
    name: 'moonshot',
    dropped: set('$schema $id'),
    unionBeside: false,
    root: 'object',
    refs: 'alone',
    tuples: 'prefixItems',
    typeLists: 'union',
  },
  mistral: { ...unchanged, name: 'mistral', dropped: set('$schema $id') },
  // The OpenAI-compatible API of Gemini turns schemas into its own form, and refuses keywords that this form does not have.
  gemini: {
    ...unchanged,
    name: 'gemini',
    told: set(sets, conditions, openKeys, 'multipleOf exclusiveMinimum exclusiveMaximum default'),
    dropped: set(remarks, 'additionalProperties'),
    known: set(
      'type properties required items anyOf enum description format nullable minimum maximum pattern',
      lengths,
      counts,
    ),
    formats: set('enum date-time'),
    oneOf: 'anyOf',
    allOf: 'merged',
    unionBeside: false,
    root: 'object',
    refs: 'inlined',
    recursion: 'cut',
    tuples: 'list',
    enums: 'strings',
    typeLists: 'nullable',
    typed: true,
    booleans: false,
    requiresUndeclared: false,
  },
  // Gemini's own API takes JSON Schema. It ignores keywords without effect, so they are told, and refuses a reference with others beside.
  'gemini-json': {
    ...unchanged,
    name: 'gemini-json',
    told: set(
      sets,
      conditions,
      openKeys,
      lengths,
      'pattern multipleOf exclusiveMinimum exclusiveMaximum default',
    ),
    dropped: set('$schema $comment examples deprecated readOnly writeOnly'),
    // Without their patterns several branches may fit.
    oneOf: 'anyOf',
    known: set(
      structure,
      counts,
      'minimum maximum oneOf format title prefixItems propertyOrdering nullable $id $anchor',
    ),
    allOf: 'merged',
    root: 'object',
    refs: 'alone',
    tuples: 'prefixItems',
    enums: 'primitive',
    requiresUndeclared: false,
  },
  // llama.cpp and LM Studio, after a refusal: one pattern that their grammar cannot say refuses the whole request.
  gbnf: {
    ...unchanged,
    name: 'gbnf',
    told: set('pattern format', lengths, counts),
    // Without their patterns several branches may fit, and the grammar takes the one for the other anyway.
    oneOf: 'anyOf',
    unionBeside: false,
    tuples: 'list',
  },
}

/** Keywords that are taken apart instead of being told. */
const taken = set('$ref $defs definitions oneOf allOf')
const silent = set(remarks, '$defs definitions additionalProperties')

/** For a service that has refused these keywords in its own words. */
export function withoutKeywords(subset: Subset | undefined, keywords: readonly string[]): Subset {
  const base = subset ?? unchanged
  if (keywords.length === 0) return base
  const has = (keyword: string) => keywords.includes(keyword)
  const isSilent = (keyword: string) => silent.has(keyword) || keyword.startsWith('x-')
  const told = keywords.filter((keyword) => !taken.has(keyword) && !isSilent(keyword))
  return {
    ...base,
    name: `${base.name} without ${[...keywords].sort().join(' ')}`,
    told: new Set([...base.told, ...told]),
    dropped: new Set([...base.dropped, ...keywords.filter(isSilent)]),
    ...(has('$ref') || has('$defs') || has('definitions') ? { refs: 'inlined', recursion: 'cut' } : {}),
    ...(has('oneOf') ? { oneOf: 'anyOf' } : {}),
    ...(has('allOf') ? { allOf: 'merged' } : {}),
  }
}
