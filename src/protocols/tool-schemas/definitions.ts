// References of one schema: their targets, and which of them lead back to where they are.

import { type Fields, isObject } from '../../base/json.ts'
import { resolveReference } from '../../base/json-schema/reference.ts'
import { innerSchemas } from './keywords.ts'
import { Unfit } from './unfit.ts'

const maxDefinitions = 1_000
const maxVisits = 100_000

/** The root of the schema, by its reference. */
export const rootReference = '#'

export class Definitions {
  readonly #root: Fields
  readonly #reached = new Map<string, ReadonlySet<string>>()
  readonly #direct = new Map<string, readonly string[]>()
  #visits = 0

  constructor(root: Fields) {
    this.#root = root
  }

  target(reference: string): unknown {
    return resolveReference(reference, this.#root)
  }

  /** `from` is the definition that holds the reference. */
  isRecursive(from: string, reference: string): boolean {
    return from === reference || this.#reach(reference).has(from)
  }

  /** The target leads back to itself. */
  isLoop(reference: string): boolean {
    return this.#reach(reference).has(reference)
  }

  /** All references that the target leads to. */
  #reach(reference: string): ReadonlySet<string> {
    const known = this.#reached.get(reference)
    if (known) return known
    const found = new Set<string>()
    const open = [...this.#referencesIn(reference)]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue
      if (found.size >= maxDefinitions) throw new Unfit('it has too many references')
      found.add(next)
      open.push(...this.#referencesIn(next))
    }
    this.#reached.set(reference, found)
    return found
  }

  #referencesIn(reference: string): readonly string[] {
    const known = this.#direct.get(reference)
    if (known) return known
    const found: string[] = []
    const open: Fields[] = []
    const target = this.target(reference)
    if (isObject(target)) open.push(target)
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (++this.#visits > maxVisits) throw new Unfit('it is too large')
      if (typeof next.$ref === 'string') found.push(next.$ref)
      // Definitions inside the root count only where they are used.
      for (const inner of innerSchemas(
        reference === rootReference && next === target ? usedPart(next) : next,
      ))
        open.push(inner)
    }
    this.#direct.set(reference, found)
    return found
  }
}

const usedPart = ({ $defs: _, definitions: __, ...rest }: Fields): Fields => rest

/** Names that a reference spells as they are. */
export const isName = (name: string): boolean => /^[\w.-]{1,200}$/.test(name)

/** The name in `#/$defs/NAME`; undefined for any other reference. */
export const definitionName = (reference: string): string | undefined =>
  /^#\/(?:\$defs|definitions)\/([\w.-]{1,200})$/.exec(reference)?.[1]
