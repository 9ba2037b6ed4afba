// What the walker offers to the parts that write one kind of schema.

import type { Fields } from '../../base/json.ts'
import type { Subset } from './subset.ts'
import type { UndoNode } from './undo.ts'

/** A rewritten schema, and what to undo in its values. */
export interface Part {
  schema: unknown
  undo: UndoNode | undefined
}

/** Rewritten keywords of one schema; undefined for one that is left out. */
export interface Written {
  fields: Fields
  undo?: UndoNode | undefined
}

export interface Walk {
  readonly subset: Subset
  /** Rewrites a schema inside. */
  place(given: unknown, depth: number): Part
  /** The result allows more than the schema. */
  loosen(): void
  /** Something is to be undone. */
  mark(): void
  /** The client's own schema takes null here. */
  allowsNull(given: unknown): boolean
}
