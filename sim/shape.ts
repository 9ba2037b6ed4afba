// Strict shapes for request bodies, as data: which fields there are, of which type, and nothing besides.
// The words of a refusal belong to the service that is simulated: each brings its own Wording.

export type Path = readonly (string | number)[]
export type Json = Record<string, unknown>

/** Makes the error to throw. */
export interface Wording {
  missing(path: Path): Error
  /** Undefined where the service lets the field pass. */
  unknown(path: Path): Error | undefined
  wrongType(path: Path, wanted: string, actual: unknown): Error
  notOneOf(path: Path, allowed: readonly unknown[], actual: unknown): Error
  unknownTag(path: Path, tagKey: string, tags: readonly string[], actual: unknown): Error
  mismatch(path: Path, pattern: RegExp, actual: string): Error
  length(path: Path, what: 'string' | 'array', limit: Limit, actual: number): Error
  range(path: Path, what: 'integer' | 'decimal', limit: Limit, actual: number): Error
  /** Where a service names the chosen variant in the paths of its errors. */
  variantPath(path: Path, tag: string): Path
}

export type Limit = { least: number } | { most: number }
export type Shape = (value: unknown, path: Path, words: Wording) => void
export type Field = Shape | { readonly optional: Shape }
export type Fields = Readonly<Record<string, Field>>

type Bounds = { least?: number; most?: number }

export const anything: Shape = () => undefined

export function text(rules: Bounds & { pattern?: RegExp } = {}): Shape {
  return (value, path, words) => {
    if (typeof value !== 'string') throw words.wrongType(path, 'string', value)
    const limit = brokenLimit(value.length, rules)
    if (limit) throw words.length(path, 'string', limit, value.length)
    if (rules.pattern && !rules.pattern.test(value)) throw words.mismatch(path, rules.pattern, value)
  }
}

export function integer(rules: Bounds = {}): Shape {
  return (value, path, words) => {
    if (!Number.isInteger(value)) throw words.wrongType(path, 'integer', value)
    const limit = brokenLimit(Number(value), rules)
    if (limit) throw words.range(path, 'integer', limit, Number(value))
  }
}

export function decimal(rules: Bounds = {}): Shape {
  return (value, path, words) => {
    if (typeof value !== 'number') throw words.wrongType(path, 'number', value)
    const limit = brokenLimit(value, rules)
    if (limit) throw words.range(path, 'decimal', limit, value)
  }
}

export const truth: Shape = (value, path, words) => {
  if (typeof value !== 'boolean') throw words.wrongType(path, 'boolean', value)
}

export function oneOf(...allowed: readonly unknown[]): Shape {
  return (value, path, words) => {
    if (!allowed.includes(value)) throw words.notOneOf(path, allowed, value)
  }
}

export function nullable(shape: Shape): Shape {
  return (value, path, words) => {
    if (value !== null) shape(value, path, words)
  }
}

export function optional(shape: Shape): Field {
  return { optional: shape }
}

export function list(item: Shape, rules: Bounds = {}): Shape {
  return (value, path, words) => {
    if (!Array.isArray(value)) throw words.wrongType(path, 'array', value)
    const limit = brokenLimit(value.length, rules)
    if (limit) throw words.length(path, 'array', limit, value.length)
    for (const [index, entry] of value.entries()) item(entry, [...path, index], words)
  }
}

/** An object with these fields and no others. */
export function record(fields: Fields): Shape {
  return (value, path, words) => {
    if (!isRecord(value)) throw words.wrongType(path, 'object', value)
    checkFields(fields, value, path, words)
    for (const key of Object.keys(value)) {
      const refusal = Object.hasOwn(fields, key) ? undefined : words.unknown([...path, key])
      if (refusal) throw refusal
    }
  }
}

/** An object with at least these fields. */
export function openRecord(fields: Fields = {}): Shape {
  return (value, path, words) => {
    if (!isRecord(value)) throw words.wrongType(path, 'object', value)
    checkFields(fields, value, path, words)
  }
}

/** Chosen by a field of the object; `otherwise` is the tag of an object that does not carry the field. */
export function tagged(tagKey: string, variants: Readonly<Record<string, Shape>>, otherwise?: string): Shape {
  return (value, path, words) => {
    if (!isRecord(value)) throw words.wrongType(path, 'object', value)
    const tag = value[tagKey] ?? otherwise
    if (tag === undefined) throw words.missing([...path, tagKey])
    const shape = typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined
    if (shape === undefined) throw words.unknownTag(path, tagKey, Object.keys(variants), tag)
    shape(value, words.variantPath(path, String(tag)), words)
  }
}

export function textOrList(ofText: Shape, ofList: Shape): Shape {
  return (value, path, words) => (Array.isArray(value) ? ofList : ofText)(value, path, words)
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkFields(fields: Fields, value: Json, path: Path, words: Wording): void {
  for (const [key, field] of Object.entries(fields)) {
    const shape = typeof field === 'function' ? field : field.optional
    if (value[key] !== undefined) shape(value[key], [...path, key], words)
    else if (typeof field === 'function') throw words.missing([...path, key])
  }
}

function brokenLimit(size: number, { least, most }: Bounds): Limit | undefined {
  if (least !== undefined && size < least) return { least }
  if (most !== undefined && size > most) return { most }
  return undefined
}
