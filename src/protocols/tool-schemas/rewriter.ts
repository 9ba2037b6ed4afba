// The walker: one schema, rewritten to a subset. It is a pure function of both: the same bytes at every turn.

import { copySpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { SchemaChecker } from '../../base/json-schema/check.ts'
import { describe, inWords, treat } from './constraints.ts'
import { Definitions, definitionName, rootReference } from './definitions.ts'
import { flatten } from './flatten.ts'
import { isRemark, isSame, membersOf, textsOf, without } from './keywords.ts'
import { withNull } from './nullable.ts'
import type { Subset } from './subset.ts'
import type { UndoNode } from './undo.ts'
import { Unfit } from './unfit.ts'

interface Part {
  schema: unknown
  undo: UndoNode | undefined
}

/** Keywords of a part that the walker wrote itself. */
interface Written {
  fields: Fields
  undo?: UndoNode | undefined
}

const maxSchemas = 5_000
/** References inside their own target are followed this often. */
const maxUnrolled = 2
const maxDepth = 100

const structural = new Set([
  'type', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems', 'additionalItems', 'anyOf', 'oneOf', 'allOf',
  '$ref', '$defs', 'definitions', 'description',
]) // biome-ignore format: a list to be read as one

export class Rewriter {
  readonly #root: Fields
  readonly #subset: Subset
  readonly #definitions: Definitions
  readonly #checker: SchemaChecker
  readonly #used = new Set<string>()
  readonly #open = new Map<string, number>()
  #inside = rootReference
  #count = 0
  /** Values may fit the result that do not fit the schema. */
  isLoose = false
  /** Something is to be undone. */
  hasUndo = false

  constructor(root: Fields, subset: Subset) {
    this.#root = root
    this.#subset = subset
    this.#definitions = new Definitions(root)
    this.#checker = new SchemaChecker(root)
  }

  /** Throws Unfit. */
  run(): { schema: Fields; undo: UndoNode | undefined; definitions: Map<string, UndoNode> } {
    const { schema, undo } = this.#place(without(this.#root, '$defs', 'definitions'), 0, true)
    if (!isObject(schema)) throw new Unfit('it is no object')
    const definitions = new Map<string, UndoNode>()
    const written = new Map<string, unknown>()
    // A definition may use further ones: the set grows while it is read.
    for (const name of this.#used) {
      const reference = this.#referenceOf(name)
      this.#inside = reference
      const part = this.#place(this.#definitions.target(reference), 0, false)
      written.set(name, part.schema)
      if (part.undo) definitions.set(name, part.undo)
    }
    if (undo) definitions.set(rootReference, undo)
    return { schema: this.#withDefinitions(schema, written), undo, definitions }
  }

  #referenceOf(name: string): string {
    return isObject(this.#root.$defs) && Object.hasOwn(this.#root.$defs, name)
      ? `#/$defs/${name}`
      : `#/definitions/${name}`
  }

  /** In the order and under the keywords of the original. */
  #withDefinitions(schema: Fields, written: ReadonlyMap<string, unknown>): Fields {
    if (this.#subset.refs === 'inlined') return schema
    const out: Fields = { ...schema }
    for (const keyword of ['$defs', 'definitions']) {
      const given = membersOf(this.#root[keyword])
      const kept = given.flatMap(([name, one]): [string, unknown][] => {
        if (this.#referenceOf(name) !== `#/${keyword}/${name}`) return []
        if (written.has(name)) return [[name, written.get(name)]]
        return this.#subset.goal === 'strict' ? [] : [[name, one]]
      })
      if (kept.length > 0) out[keyword] = Object.fromEntries(kept)
    }
    return out
  }

  #place(given: unknown, depth: number, isRoot = false): Part {
    if (!isObject(given)) return { schema: this.#boolean(given), undo: undefined }
    if (++this.#count > maxSchemas) throw new Unfit('it is too large')
    if (depth > maxDepth) throw new Unfit('it is nested too deep')
    if (typeof given.$ref === 'string') return this.#reference(given, given.$ref, depth, isRoot)
    return this.#plain(this.#flat(given, isRoot), depth, isRoot)
  }

  #flat(given: Fields, isRoot: boolean): Fields {
    return flatten(given, {
      subset: this.#subset,
      definitions: this.#definitions,
      isRoot,
      loosen: () => {
        this.isLoose = true
      },
    })
  }

  #boolean(given: unknown): unknown {
    if (this.#subset.booleans) return given
    if (this.#subset.goal === 'strict') throw new Unfit('it allows anything in one place')
    if (given === false) this.isLoose = true
    return {}
  }

  #reference(given: Fields, reference: string, depth: number, isRoot: boolean): Part {
    const { refs, goal, recursion, dropped } = this.#subset
    const target = this.#definitions.target(reference)
    if (!isObject(target)) return this.#lost(given)
    const beside = Object.keys(given).filter((keyword) => keyword !== '$ref')
    if (refs === 'inlined' || isRoot || beside.some((keyword) => !isRemark(keyword)))
      return this.#inlined({ ...target, ...without(given, '$ref') }, reference, depth, isRoot)
    if (recursion !== 'kept' && this.#definitions.isRecursive(this.#inside, reference)) {
      if (recursion === 'unfit') throw new Unfit('it refers to itself')
      return this.#cut(target)
    }
    const name = definitionName(reference)
    if (name === undefined && reference !== rootReference) {
      if (goal === 'strict') throw new Unfit('it refers to a place that is no definition')
      return { schema: given, undo: undefined }
    }
    if (name !== undefined) this.#used.add(name)
    if (refs === 'alone' && beside.some((keyword) => !dropped.has(keyword)))
      return this.#plain({ ...without(given, '$ref'), anyOf: [{ $ref: reference }] }, depth, false)
    const undo = this.#subset.optional === 'null' ? { definition: name ?? rootReference } : undefined
    return { schema: refs === 'alone' ? { $ref: reference } : given, undo }
  }

  /** A reference that leads nowhere. */
  #lost(given: Fields): Part {
    if (this.#subset.goal === 'strict') throw new Unfit('it has a reference that leads nowhere')
    if (this.#subset.refs !== 'inlined') return { schema: given, undo: undefined }
    this.isLoose = true
    return { schema: without(given, '$ref'), undo: undefined }
  }

  #inlined(target: Fields, reference: string, depth: number, isRoot: boolean): Part {
    const times = this.#open.get(reference) ?? 0
    const isTooMuch = times >= (this.#subset.goal === 'strict' ? 1 : maxUnrolled) || this.#count > maxInlined
    if (isTooMuch && this.#subset.goal === 'strict') throw new Unfit('it refers to itself')
    if (isTooMuch) return this.#cut(target)
    this.#open.set(reference, times + 1)
    const part = this.#place(without(target, '$defs', 'definitions'), depth + 1, isRoot)
    this.#open.set(reference, times)
    return part
  }

  /** In place of what would have no end: any value of the type. */
  #cut({ type, properties }: Fields): Part {
    this.isLoose = true
    if (type === 'object' || properties !== undefined)
      return { schema: this.#plain({ type: 'object', additionalProperties: true }, 0, false).schema, undo: undefined }
    return { schema: type === undefined ? {} : this.#plain({ type }, 0, false).schema, undo: undefined }
  }

  #plain(schema: Fields, depth: number, isRoot: boolean): Part {
    if (this.#subset.typed && this.#subset.goal === 'strict' && !saysWhat(schema))
      throw new Unfit('it allows anything in one place')
    const types = [schema.type].flat()
    const parts: Written[] = []
    if (types.includes('object') || isObject(schema.properties)) parts.push(this.#object(schema, depth, isRoot))
    if (types.includes('array') || schema.items !== undefined || schema.prefixItems !== undefined)
      parts.push(this.#array(schema, depth))
    for (const union of ['anyOf', 'oneOf'])
      if (Array.isArray(schema[union])) parts.push(this.#union(union, schema[union], depth))
    const written: Fields = Object.assign({}, ...parts.map(({ fields }) => fields))
    const nodes = parts.flatMap(({ undo }) => undo ?? [])
    return {
      schema: this.#write(schema, written),
      undo: nodes.length === 0 ? undefined : Object.assign({}, ...nodes),
    }
  }

  /** The keywords in their order, those that were written in place of the given ones. */
  #write(schema: Fields, written: Fields): Fields {
    const out: Fields = copySpelling(schema, {})
    const said: string[] = []
    for (const keyword of Object.keys(schema)) {
      if (Object.hasOwn(written, keyword)) {
        if (written[keyword] !== undefined) out[keyword] = written[keyword]
      } else if (keyword === 'description') out.description = schema.description
      else if (structural.has(keyword)) this.#keepStructure(out, schema, keyword)
      else {
        const treatment = treat(schema, keyword, this.#subset)
        if (typeof treatment === 'object') Object.assign(out, treatment.kept)
        else if (treatment === 'told') said.push(inWords(schema, keyword) ?? keyword)
      }
    }
    for (const [keyword, value] of Object.entries(written))
      if (value !== undefined && !Object.hasOwn(out, keyword)) out[keyword] = value
    return said.length === 0 ? out : Object.assign(out, describe(schema.description, said))
  }

  /** Keywords of structure that no part has written. */
  #keepStructure(out: Fields, schema: Fields, keyword: string): void {
    const { known, dropped, goal } = this.#subset
    if (dropped.has(keyword)) return
    if (keyword === 'type' || known === undefined || known.has(keyword)) out[keyword] = schema[keyword]
    else if (goal === 'strict') throw new Unfit(`it has ${keyword}`)
  }

  #object(schema: Fields, depth: number, isRoot: boolean): Written {
    const { optional, objects } = this.#subset
    const required = new Set(textsOf(schema.required))
    const absent = new Set<string>()
    const members = new Map<string, UndoNode>()
    const properties: [string, unknown][] = []
    const given = membersOf(schema.properties)
    for (const [name, property] of given) {
      // A property that may not be there.
      if (property === false && !required.has(name) && !this.#subset.booleans) continue
      const part = this.#place(property, depth + 1)
      if (part.undo) members.set(name, part.undo)
      const isForced = optional === 'null' && !required.has(name)
      properties.push([name, isForced ? this.#forced(name, property, part.schema, absent) : part.schema])
    }
    if (absent.size > 0) this.hasUndo = true
    const fields: Fields = {
      ...(schema.properties !== undefined || objects === 'closed' ? { properties: Object.fromEntries(properties) } : {}),
      ...this.#required(schema, properties.map(([name]) => name)),
      ...this.#otherKeys(schema, given.length, depth, isRoot),
    }
    const undo = absent.size + members.size === 0 ? undefined : { absent, members }
    return { fields, undo }
  }

  /** An optional property as a required one that may be null. */
  #forced(name: string, given: unknown, schema: unknown, absent: Set<string>): unknown {
    if (!this.#checker.conformsTo(given, null)) {
      absent.add(name)
      return withNull(schema)
    }
    // null says something of its own there, and "absent" could no longer be said.
    if (isObject(given) && given.default !== undefined && given.default !== null)
      throw new Unfit(`${name} has a default and may be null`)
    return schema
  }

  #required(schema: Fields, names: readonly string[]): Fields {
    const { optional, requiresUndeclared, goal } = this.#subset
    if (optional === 'null' && goal === 'strict') {
      this.#checkDeclared(schema, names)
      return { required: names }
    }
    if (requiresUndeclared || !Array.isArray(schema.required)) return {}
    if (goal === 'strict' && schema.additionalProperties !== undefined && schema.additionalProperties !== false) return {}
    const declared = textsOf(schema.required).filter((name) => names.includes(name))
    if (declared.length === schema.required.length) return {}
    this.#checkDeclared(schema, names)
    this.isLoose = true
    return { required: declared.length === 0 ? undefined : declared }
  }

  #checkDeclared({ required }: Fields, names: readonly string[]): void {
    const lost = textsOf(required).find((name) => !names.includes(name))
    if (lost !== undefined && this.#subset.goal === 'strict') throw new Unfit(`it requires ${lost}, which is not declared`)
  }

  #otherKeys(schema: Fields, count: number, depth: number, isRoot: boolean): Fields {
    const { objects, dropped } = this.#subset
    const given = schema.additionalProperties
    if (objects === 'closed') {
      if (given !== undefined && given !== false) throw new Unfit('it takes keys that are not declared')
      if (given === undefined && count === 0 && !isRoot) throw new Unfit('it has an object without declared keys')
      return { additionalProperties: false }
    }
    if (dropped.has('additionalProperties')) return { additionalProperties: undefined }
    const hasPatterns = isObject(schema.patternProperties)
    if (objects === 'opened' && hasPatterns && count > 0 && this.#subset.goal === 'strict')
      throw new Unfit('it has patternProperties beside properties')
    if (given === undefined) {
      const isMap = objects === 'opened' && count === 0 && !isRoot && !hasPatterns && schema.anyOf === undefined
      return isMap ? { additionalProperties: true } : {}
    }
    return isObject(given) ? { additionalProperties: this.#place(given, depth + 1).schema } : {}
  }

  #array(schema: Fields, depth: number): Written {
    const { items, prefixItems, additionalItems } = schema
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
    if (first) return this.#tuple(schema, first, Array.isArray(items) ? additionalItems : items, depth)
    if (items === undefined || items === null) return { fields: this.#unknownItems() }
    const part = this.#place(items, depth + 1)
    return { fields: { items: part.schema }, undo: part.undo && { items: part.undo } }
  }

  /** The service wants to know what is in a list. */
  #unknownItems(): Fields {
    if (!this.#subset.typed) return {}
    if (this.#subset.goal === 'strict') throw new Unfit('it has a list of anything')
    this.isLoose = true
    return { items: { type: 'string' } }
  }

  #tuple(schema: Fields, first: readonly unknown[], others: unknown, depth: number): Written {
    const { tuples } = this.#subset
    if (tuples === 'unfit') throw new Unfit('it has a list with a schema for each place')
    const elements = first.map((element) => this.#place(element, depth + 1).schema)
    const rest = isObject(others) ? this.#place(others, depth + 1).schema : others
    if (tuples === 'list') {
      this.isLoose = true
      const distinct = elements.filter((one, at) => elements.findIndex((other) => isSame(one, other)) === at)
      const all = isObject(rest) && !distinct.some((one) => isSame(one, rest)) ? [...distinct, rest] : distinct
      const items = all.length === 1 ? all[0] : { anyOf: all }
      return { fields: { prefixItems: undefined, additionalItems: undefined, items: all.length === 0 ? undefined : items } }
    }
    const isOld = Array.isArray(schema.items)
    if (tuples === 'kept') return { fields: isOld ? { items: elements } : { prefixItems: elements, items: rest } }
    return { fields: { items: rest, additionalItems: undefined, prefixItems: elements } }
  }

  #union(keyword: string, given: readonly unknown[], depth: number): Written {
    if (given.length === 0 && this.#subset.goal === 'strict') throw new Unfit('it has an empty union')
    if (given.length === 0) return { fields: { [keyword]: undefined } }
    if (this.#subset.typeLists === 'nullable') return this.#nullableUnion(keyword, given, depth)
    const parts = given.map((branch) => this.#place(branch, depth + 1))
    const undo = parts.some((part) => part.undo) ? { branches: parts } : undefined
    return { fields: { [keyword]: parts.map(({ schema }) => schema) }, undo }
  }

  /** Null is no type there. */
  #nullableUnion(keyword: string, given: readonly unknown[], depth: number): Written {
    const others = given.filter((branch) => !(isObject(branch) && branch.type === 'null'))
    const schemas = others.map((branch) => this.#place(branch, depth + 1).schema)
    const nullable = others.length < given.length ? { nullable: true } : {}
    const [only] = schemas
    if (schemas.length === 1 && isObject(only)) return { fields: { [keyword]: undefined, ...only, ...nullable } }
    return { fields: { [keyword]: schemas.length === 0 ? undefined : schemas, ...nullable } }
  }
}

/** Schemas after which nothing more is inlined. */
const maxInlined = 1_000

/** The schema names types, values or branches. */
const saysWhat = (schema: Fields) =>
  ['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => schema[keyword] !== undefined)
