// A tool's schema in the subset of a service: kept as it is, rewritten, or unfit.

import { createHash } from 'node:crypto'
import { writeAll } from '../../base/exact-json.ts'
import type { Fields } from '../../base/json.ts'
import { Rewriter } from './rewriter.ts'
import { isWithin } from './sizes.ts'
import type { Subset } from './subset.ts'
import type { Undo } from './undo.ts'
import { Unfit } from './unfit.ts'

export type Rewriting =
  | { readonly kind: 'kept' }
  | {
      readonly kind: 'rewritten'
      readonly schema: Fields
      /** Absent if arguments need no translation. */
      readonly undo?: Undo
      /** Arguments may fit the rewritten schema that do not fit the given one. */
      readonly isLoose: boolean
      /** Keywords that it does not have any more. */
      readonly leftOut: readonly string[]
    }
  /** The schema goes out as it is, and not strict. */
  | { readonly kind: 'unfit'; readonly reason: string }

/** By digest of schema and subset: the same tools come at every turn. */
const known = new Map<string, Rewriting>()
const maxKnown = 2_000
const longestKept = 256 * 1024

export function rewriteSchema(schema: Fields, subset: Subset): Rewriting {
  const text = writeAll(schema)
  const key = createHash('sha256').update(`${subset.name}\n${text}`).digest('base64url')
  const found = known.get(key)
  if (found) return found
  const made = rewrite(schema, subset)
  if (known.size >= maxKnown) known.clear()
  if (text.length <= longestKept) known.set(key, made)
  return made
}

function rewrite(given: Fields, subset: Subset): Rewriting {
  try {
    const rewriter = new Rewriter(given, subset)
    const { schema, undo, definitions } = rewriter.run()
    if (subset.sizes && !isWithin(schema, subset.sizes)) return { kind: 'unfit', reason: 'it is too large' }
    if (writeAll(schema) === writeAll(given)) return { kind: 'kept' }
    const { isLoose, hasUndo } = rewriter
    const leftOut = [...rewriter.leftOut]
    return hasUndo && undo
      ? { kind: 'rewritten', schema, isLoose, leftOut, undo: { root: undo, definitions, schema } }
      : { kind: 'rewritten', schema, isLoose, leftOut }
  } catch (error) {
    if (error instanceof Unfit) return { kind: 'unfit', reason: error.message }
    throw error
  }
}
