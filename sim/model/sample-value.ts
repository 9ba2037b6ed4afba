// Makes a value that a JSON Schema accepts, the plainest one that it can find.

import { isRecord, type Json } from '../shape.ts'

interface SampleHints {
  /** A text to use for free strings. */
  readonly label: string
  /** Values to choose from an enum if it has one of them. */
  readonly preferred: readonly string[]
}

const MAX_DEPTH = 8

export function sampleValue(schema: unknown, hints: SampleHints, root: unknown = schema, depth = 0): unknown {
  const resolved = resolve(schema, root)
  if (depth > MAX_DEPTH) return null
  if ('const' in resolved) return resolved.const
  if (Array.isArray(resolved.enum)) {
    return resolved.enum.find((value) => hints.preferred.includes(value)) ?? resolved.enum[0]
  }
  if ('default' in resolved) return resolved.default
  if (Array.isArray(resolved.examples) && resolved.examples.length > 0) return resolved.examples[0]
  const choice = [resolved.anyOf, resolved.oneOf].find(Array.isArray)?.find((option) => !isNull(option))
  if (choice !== undefined) return sampleValue(choice, hints, root, depth + 1)
  return SAMPLES[typeOf(resolved)]?.(resolved, hints, root, depth) ?? null
}

type Sample = (schema: Json, hints: SampleHints, root: unknown, depth: number) => unknown

const SAMPLES: Readonly<Record<string, Sample>> = {
  boolean: () => false,
  integer: (schema) => sampleNumber(schema, 1),
  number: (schema) => sampleNumber(schema, 1),
  string: (schema, hints) => sampleText(schema, hints.label),
  array: (schema, hints, root, depth) =>
    Array.from({ length: Number(schema.minItems ?? 0) }, () =>
      sampleValue(schema.items ?? {}, hints, root, depth + 1),
    ),
  object: (schema, hints, root, depth) => {
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    return Object.fromEntries(
      required.map((name) => [name, sampleValue(properties[name] ?? {}, hints, root, depth + 1)]),
    )
  },
}

/** The JSON type of a schema; of several, the first that is not null. */
export function typeOf(schema: Json): string {
  const types = [schema.type].flat().filter((type) => type !== 'null' && type !== undefined)
  if (typeof types[0] === 'string') return types[0]
  if (isRecord(schema.properties)) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

/** Follows a local $ref and merges allOf. */
export function resolve(schema: unknown, root: unknown): Json {
  if (!isRecord(schema)) return {}
  const { $ref: reference, allOf, ...rest } = schema
  if (typeof reference === 'string' && reference.startsWith('#/')) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), root)
    return { ...(isRecord(target) ? target : {}), ...rest }
  }
  if (!Array.isArray(allOf)) return schema
  return allOf.map((part) => resolve(part, root)).reduce(mergeSchemas, rest)
}

function mergeSchemas(left: Json, right: Json): Json {
  const properties = { ...(left.properties ?? {}), ...(right.properties ?? {}) }
  const required = [left.required, right.required].flat().filter((name) => name !== undefined)
  return { ...left, ...right, properties, required }
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'null'
}

function sampleNumber(schema: Json, step: number): number {
  const multiple = typeof schema.multipleOf === 'number' ? schema.multipleOf : step
  const candidates = [
    schema.minimum,
    typeof schema.exclusiveMinimum === 'number' ? schema.exclusiveMinimum + multiple : undefined,
    schema.maximum,
    typeof schema.exclusiveMaximum === 'number' ? schema.exclusiveMaximum - multiple : undefined,
  ]
  const bound = candidates.find((value): value is number => typeof value === 'number') ?? multiple
  return typeof schema.multipleOf === 'number' ? Math.ceil(bound / multiple) * multiple : bound
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2025-01-01T00:00:00Z',
  date: '2025-01-01',
  time: '00:00:00Z',
  uri: 'https://example.com/',
  email: 'someone@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

const LONGEST_TRIED = 16

function sampleText(schema: Json, label: string): string {
  const format = FORMATS[String(schema.format)]
  if (format !== undefined) return format
  const least = Number(schema.minLength ?? 0)
  const most = Number(schema.maxLength ?? Number.POSITIVE_INFINITY)
  const sized = (text: string) => text.padEnd(least, 'x').slice(0, most)
  if (typeof schema.pattern !== 'string') return sized(label)
  const pattern = new RegExp(schema.pattern, 'u')
  const guesses = [label, 'x', 'a', 'A', '1', 'x1', '0.0.0', 'a-b', '2025-01-01', '/', 'x'.repeat(8)].map(
    sized,
  )
  // The pattern is the client's: on a long text it could take for ever.
  return guesses.find((guess) => guess.length <= LONGEST_TRIED && pattern.test(guess)) ?? sized(label)
}
