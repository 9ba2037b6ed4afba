// Ids that lead to things which a service stores. Where several callers share one account, an id passes only for the caller that
// received it.

import type { Fields } from '../../base/json.ts'

export interface NamedId {
  id: string
  /** Where the request names it. */
  param: string
  /** What it leads to, for the message. */
  what: string
}

/** What one dialect says about such ids. */
export interface IdFinder {
  /** One of these is in the JSON text of every event or answer with such an id. Names inside of texts have escaped quotes. */
  marks: readonly string[]
  /** The ids that the service hands out in an event of a stream or in a whole answer. */
  given(event: Readonly<Fields>): string[]
  /** The ids that a request names. */
  named(body: Readonly<Fields>): NamedId[]
}

/** The limit of request bodies. */
const deepest = 64

/** The values of all members with one of these names, outside of members that the model or the client wrote. */
export function walkMembers(
  value: unknown,
  names: ReadonlySet<string>,
  written: ReadonlySet<string>,
  add: (id: string, name: string) => void,
  depth = 0,
): void {
  if (typeof value !== 'object' || value === null || depth > deepest) return
  if (Array.isArray(value)) {
    for (const entry of value) walkMembers(entry, names, written, add, depth + 1)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (names.has(name))
      for (const id of Array.isArray(member) ? member : [member]) if (typeof id === 'string') add(id, name)
    if (!written.has(name)) walkMembers(member, names, written, add, depth + 1)
  }
}
