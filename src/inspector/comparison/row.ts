// A row of a comparison: what corresponds in two bodies.

import type { RowKind } from './api.ts'

/** One side of a row. */
export interface Side {
  /**
   * The places that the row covers, with everything below them; the first is shown. Each leaf of a body is covered by one row.
   */
  paths: readonly string[]
  value: unknown
}

export interface Row {
  section: string
  label: string
  kind: RowKind
  client?: Side | undefined
  upstream?: Side | undefined
  /** The place inside of a longer text where the other side has it. */
  inside?: string | undefined
  /** Words that notes use for it, in addition to its places. */
  terms: readonly string[]
}

const alike: readonly RowKind[] = ['same', 'own', 'kept']
export const isDifference = ({ kind }: Pick<Row, 'kind'>) => !alike.includes(kind)

/** Which way a body goes: it decides what "dropped" and "added" are. */
export type Direction = 'to upstream' | 'to client'

export const oneSided = (direction: Direction, side: 'client' | 'upstream'): RowKind =>
  (direction === 'to upstream') === (side === 'client') ? 'dropped' : 'added'

const plainName = /^[A-Za-z_$][\w$-]{0,80}$/

/** The place of a member or an element. */
export function at(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`
  if (!plainName.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
