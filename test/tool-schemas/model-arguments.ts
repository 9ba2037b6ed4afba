// Arguments as models write them: everything filled in with plausible texts, or as little as possible.

import { targetOf } from '../../sim/openai/tool-schemas/visit.ts'
import { isRecord } from '../../sim/shape.ts'

/** sparse: null or nothing wherever that is allowed. full: every parameter. stated: defaults and examples where there are such. */
export type Manner = 'sparse' | 'full' | 'stated'

type Schema = Record<string, unknown>

const texts: readonly [RegExp, string][] = [
  [/command|cmd|script/i, 'grep -rn "needle" src/ \\\n  | sed \'s/a/"b"/\' && echo ünïcødé'],
  [/path|file|dir|cwd/i, '/home/user/project/src/a b.ts'],
  [/url|uri/i, 'https://example.com/a?b=c&d=%20#e'],
  [/id$/i, 'toolu_01A09q90qw90lq917835lq9'],
]
const deepest = 8

export function modelArguments(root: unknown, manner: Manner): unknown {
  return new Writer(root, manner).value(root, '', 0)
}

class Writer {
  readonly #root: unknown
  readonly #manner: Manner

  constructor(root: unknown, manner: Manner) {
    this.#root = root
    this.#manner = manner
  }

  value(schema: unknown, name: string, depth: number): unknown {
    if (!isRecord(schema) || depth > deepest) return 'anything'
    if (typeof schema.$ref === 'string') return this.value(targetOf(schema.$ref, this.#root), name, depth + 1)
    if (this.#manner === 'stated' && schema.default !== undefined) return schema.default
    if (schema.const !== undefined) return schema.const
    if (Array.isArray(schema.enum)) return this.#oneOf(schema.enum)
    const union = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray)
    if (union && !isRecord(schema.properties)) {
      const isNull = (branch: unknown) => isRecord(branch) && branch.type === 'null'
      if (this.#manner === 'sparse' && union.some(isNull)) return null
      return this.value(
        union.find((branch) => !isNull(branch)),
        name,
        depth + 1,
      )
    }
    return this.#ofType(schema, name, depth)
  }

  #oneOf(values: readonly unknown[]): unknown {
    return this.#manner === 'sparse' && values.includes(null) ? null : values[0]
  }

  #ofType(schema: Schema, name: string, depth: number): unknown {
    const types = [schema.type].flat()
    const mayBeNull = types.includes('null') || schema.nullable === true
    if (this.#manner === 'sparse' && mayBeNull) return null
    const type = types.find((one) => one !== 'null') ?? (isRecord(schema.properties) ? 'object' : 'string')
    if (type === 'object') return this.#object(schema, depth)
    if (type === 'array') return this.#list(schema, name, depth)
    if (type === 'boolean') return this.#manner === 'full'
    if (type === 'integer' || type === 'number')
      return Number(schema.minimum ?? Number(schema.exclusiveMinimum ?? 0) + 1)
    const text = texts.find(([pattern]) => pattern.test(name))?.[1] ?? `Some text for ${name}.`
    return typeof schema.maxLength === 'number' ? text.slice(0, schema.maxLength) : text
  }

  #object(schema: Schema, depth: number): Schema {
    const union = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? []
    const required = [schema, union[0]].flatMap((one) =>
      isRecord(one) && Array.isArray(one.required) ? one.required : [],
    )
    const members = Object.entries(isRecord(schema.properties) ? schema.properties : {}).filter(
      ([name]) => this.#manner !== 'sparse' || required.includes(name),
    )
    return Object.fromEntries(members.map(([name, one]) => [name, this.value(one, name, depth + 1)]))
  }

  #list(schema: Schema, name: string, depth: number): unknown[] {
    const count = Math.max(Number(schema.minItems ?? 0), this.#manner === 'sparse' ? 0 : 1)
    return Array.from({ length: Math.min(count, 10) }, () => this.value(schema.items, name, depth + 1))
  }
}
