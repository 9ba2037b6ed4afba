// The walker: one schema, rewritten to a subset. It is a pure function of both: the same bytes at every turn.

import { copySpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { SchemaChecker } from '../../base/json-schema/check.ts'
import { describe, inWords, treat } from './constraints.ts'
import { Definitions, definitionName, isName, rootReference } from './definitions.ts'
import { flatten } from './flatten.ts'
import { isRemark, membersOf, without } from './keywords.ts'
import { writeList } from './lists.ts'
import { writeObject } from './objects.ts'
import type { Subset } from './subset.ts'
import type { UndoNode } from './undo.ts'
import { Unfit } from './unfit.ts'
import { writeUnion } from './unions.ts'
import type { Part, Walk, Written } from './walk.ts'

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
  readonly #used = new Set<string>()
  readonly #open = new Map<string, number>()
  #inside = rootReference
  #count = 0
  readonly #walk: Walk
  /** Values may fit the result that do not fit the schema. */
  isLoose = false
  /** Something is to be undone. */
  hasUndo = false
  /** Keywords that are not in the result, or only in words. */
  readonly leftOut = new Set<string>()

  constructor(root: Fields, subset: Subset) {
    this.#root = root
    this.#subset = subset
    this.#definitions = new Definitions(root)
    const checker = new SchemaChecker(root)
    this.#walk = {
      subset,
      place: (given, depth) => this.#place(given, depth),
      loosen: () => {
        this.isLoose = true
      },
      mark: () => {
        this.hasUndo = true
      },
      allowsNull: (given) => checker.conformsTo(given, null),
    }
  }

  /** Throws Unfit. */
  run(): { schema: Fields; undo: UndoNode | undefined; definitions: Map<string, UndoNode> } {
    const { schema, undo } = this.#place(without(this.#root, '$defs', 'definitions'), 0, true)
    if (!isObject(schema)) throw new Unfit('it is no object')
    const definitions = new Map<string, UndoNode>()
    const written = new Map<string, unknown>()
    if (this.#subset.goal === 'taken' && this.#subset.refs !== 'inlined')
      for (const keyword of ['$defs', 'definitions'])
        for (const [name] of membersOf(this.#root[keyword])) if (isName(name)) this.#used.add(name)
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
        const isMeant = this.#referenceOf(name) === `#/${keyword}/${name}`
        if (isMeant && written.has(name)) return [[name, written.get(name)]]
        return this.#subset.goal === 'strict' ? [] : [[name, one]]
      })
      if (kept.length > 0) out[keyword] = Object.fromEntries(kept)
    }
    return out
  }

  #place(given: unknown, depth: number, isRoot = false): Part {
    if (!isObject(given)) return { schema: this.#boolean(given), undo: undefined }
    this.#tick()
    if (depth > maxDepth) throw new Unfit('it is nested too deep')
    const flat = typeof given.$ref === 'string' ? given : this.#flat(given, isRoot)
    if (typeof flat.$ref === 'string') return this.#reference(flat, flat.$ref, depth, isRoot)
    return this.#plain(flat, depth, isRoot)
  }

  #tick(): void {
    if (++this.#count > maxSchemas) throw new Unfit('it is too large')
  }

  #flat(given: Fields, isRoot: boolean): Fields {
    const { subset, loosen } = this.#walk
    return flatten(given, {
      subset,
      loosen,
      isRoot,
      definitions: this.#definitions,
      count: () => this.#tick(),
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
    const named = definitionName(reference)
    const name = named !== undefined && this.#referenceOf(named) === reference ? named : undefined
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
    const { refs } = this.#subset
    const isAlone = Object.keys(given).length === 1
    if (refs === 'alone' && !isAlone)
      return this.#plain({ ...without(given, '$ref'), anyOf: [{ $ref: given.$ref }] }, 0, false)
    if (refs !== 'inlined') return { schema: given, undo: undefined }
    this.isLoose = true
    return this.#plain(without(given, '$ref'), 0, false)
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
      return {
        schema: this.#plain({ type: 'object', additionalProperties: true }, 0, false).schema,
        undo: undefined,
      }
    return { schema: type === undefined ? {} : this.#plain({ type }, 0, false).schema, undo: undefined }
  }

  #plain(schema: Fields, depth: number, isRoot: boolean): Part {
    if (this.#subset.typed && this.#subset.goal === 'strict' && !saysWhat(schema))
      throw new Unfit('it allows anything in one place')
    const types = [schema.type].flat()
    const parts: Written[] = []
    if (types.includes('object') || isObject(schema.properties))
      parts.push(writeObject(this.#walk, schema, depth, isRoot))
    if (types.includes('array') || schema.items !== undefined || schema.prefixItems !== undefined)
      parts.push(writeList(this.#walk, schema, depth))
    for (const union of ['anyOf', 'oneOf', 'allOf'])
      if (Array.isArray(schema[union])) parts.push(writeUnion(this.#walk, union, schema[union], depth))
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
      if (keyword === '__proto__') continue
      if (Object.hasOwn(written, keyword)) {
        if (written[keyword] !== undefined) out[keyword] = written[keyword]
      } else if (keyword === 'description') out.description = schema.description
      else if (structural.has(keyword)) this.#keepStructure(out, schema, keyword)
      else {
        const treatment = treat(schema, keyword, this.#subset)
        if (typeof treatment === 'object') Object.assign(out, treatment.kept)
        else this.leftOut.add(keyword)
        if (treatment === 'told') said.push(inWords(schema, keyword) ?? keyword)
        if (treatment === 'told' && (keyword === 'enum' || keyword === 'const')) this.isLoose = true
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
}

/** Schemas after which nothing more is inlined. */
const maxInlined = 1_000

/** The schema names types, values or branches. */
const saysWhat = (schema: Fields) =>
  ['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => schema[keyword] !== undefined)
