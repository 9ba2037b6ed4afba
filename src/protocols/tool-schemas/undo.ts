// The way back from arguments that fit a rewritten schema to arguments of the client's own: null under a property that became
// required means that it is absent.

import { copySpelling, parseExact, writeAll } from '../../base/exact-json.ts'
import { type Fields, hasTooManyValues, isObject } from '../../base/json.ts'
import { checkBudget, SchemaChecker } from '../../base/json-schema/check.ts'

/** What to undo in a value of one schema. */
export interface UndoNode {
  /** Names under which null means absence. */
  readonly absent?: ReadonlySet<string>
  readonly members?: ReadonlyMap<string, UndoNode>
  readonly items?: UndoNode
  /** The branches of a union, in order, as they were sent. */
  readonly branches?: readonly { readonly schema: unknown; readonly undo: UndoNode | undefined }[]
  /** The name of a definition. */
  readonly definition?: string
}

export interface Undo {
  readonly root: UndoNode
  readonly definitions: ReadonlyMap<string, UndoNode>
  /** The rewritten schema, by which the branch of a union is recognised. */
  readonly schema: Fields
}

const maxDepth = 200

/** The same text if there is nothing to undo. Text that is no JSON object is none of this module's business. */
export function undoInput(undo: Undo, input: string): string {
  if (!input.includes('null') || hasTooManyValues(input)) return input
  let value: unknown
  try {
    value = parseExact(input)
  } catch {
    return input
  }
  const before = new UndoWalk(undo).value(value, undo.root, 0)
  return before === value ? input : writeAll(before)
}

class UndoWalk {
  readonly #definitions: ReadonlyMap<string, UndoNode>
  readonly #checker: SchemaChecker
  readonly #budget = checkBudget()

  constructor({ definitions, schema }: Undo) {
    this.#definitions = definitions
    this.#checker = new SchemaChecker(schema)
  }

  /** The same value if nothing changes. */
  value(value: unknown, node: UndoNode | undefined, depth: number): unknown {
    if (node === undefined || typeof value !== 'object' || value === null || depth > maxDepth) return value
    if (node.definition !== undefined) {
      const found = this.#definitions.get(node.definition)
      return found === node ? value : this.value(value, found, depth + 1)
    }
    if (node.branches) return this.#branch(value, node.branches, depth)
    if (Array.isArray(value)) return this.#list(value, node.items, depth)
    return isObject(value) ? this.#object(value, node, depth) : value
  }

  #branch(value: object, branches: NonNullable<UndoNode['branches']>, depth: number): unknown {
    const fitting = branches.find(({ schema }) => this.#checker.conformsTo(schema, value, this.#budget))
    return this.value(value, fitting?.undo, depth + 1)
  }

  #list(list: unknown[], node: UndoNode | undefined, depth: number): unknown[] {
    if (node === undefined) return list
    const elements = list.map((element) => this.value(element, node, depth + 1))
    return elements.every((element, at) => element === list[at]) ? list : copySpelling(list, elements)
  }

  #object(object: Fields, { absent, members }: UndoNode, depth: number): Fields {
    let isChanged = false
    const kept: [string, unknown][] = []
    for (const [name, given] of Object.entries(object)) {
      if (given === null && absent?.has(name)) {
        isChanged = true
        continue
      }
      const value = this.value(given, members?.get(name), depth + 1)
      isChanged ||= value !== given
      kept.push([name, value])
    }
    return isChanged ? copySpelling(object, Object.fromEntries(kept)) : object
  }
}
