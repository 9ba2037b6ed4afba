// The differences of two JSON values, each with its place on both sides. Equal subtrees are one difference of kind `same`.

import { isObject } from '../../base/json.ts'
import { align } from './align.ts'
import type { RowKind } from './api.ts'
import { at, type Direction, oneSided, type Side } from './row.ts'
import type { ValueIds } from './value-ids.ts'

interface Place {
  path: string
  value: unknown
}

interface ValueDifference {
  kind: RowKind
  client?: Side
  upstream?: Side
}

interface DiffOptions {
  direction: Direction
  ids: ValueIds
  /** The limit: beyond it, values are compared as wholes. */
  most: number
}

export function diffValues(client: Place, upstream: Place, options: DiffOptions): ValueDifference[] {
  const differ = new Differ(options)
  differ.compare(client, upstream)
  return differ.found
}

const sideOf = ({ path, value }: Place): Side => ({ paths: [path], value })

class Differ {
  readonly found: ValueDifference[] = []
  readonly #options: DiffOptions

  constructor(options: DiffOptions) {
    this.#options = options
  }

  compare(client: Place, upstream: Place): void {
    const { ids } = this.#options
    if (ids.of(client.value) === ids.of(upstream.value)) this.#pair('same', client, upstream)
    else if (isObject(client.value) && isObject(upstream.value)) this.#members(client, upstream)
    else if (Array.isArray(client.value) && Array.isArray(upstream.value)) this.#elements(client, upstream)
    else this.#pair('changed', client, upstream)
  }

  #pair(kind: RowKind, client: Place, upstream: Place): void {
    this.found.push({ kind, client: sideOf(client), upstream: sideOf(upstream) })
  }

  #only(side: 'client' | 'upstream', place: Place): void {
    this.found.push({ kind: oneSided(this.#options.direction, side), [side]: sideOf(place) })
  }

  #hasRoomFor(count: number): boolean {
    return this.found.length + count <= this.#options.most
  }

  #members(client: Place, upstream: Place): void {
    const [ours, theirs] = [client.value as object, upstream.value as object]
    const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
    const isAlike = Object.keys(ours).some((name) => Object.hasOwn(theirs, name))
    if (!isAlike || !this.#hasRoomFor(names.size)) return this.#pair('changed', client, upstream)
    for (const name of names) {
      const one = memberOf(client, name)
      const other = memberOf(upstream, name)
      if (one && other) this.compare(one, other)
      else if (one) this.#only('client', one)
      else if (other) this.#only('upstream', other)
    }
  }

  #elements(client: Place, upstream: Place): void {
    const { ids } = this.#options
    const [ours, theirs] = [client.value as unknown[], upstream.value as unknown[]]
    if (ours.length === 0 || theirs.length === 0 || !this.#hasRoomFor(ours.length + theirs.length))
      return this.#pair('changed', client, upstream)
    const equal = align(
      ours.map((value) => ids.of(value)),
      theirs.map((value) => ids.of(value)),
    )
    const [ofClient, ofUpstream] = [new Map(equal), new Map(equal.map(([one, other]) => [other, one]))]
    const left = theirs.flatMap((_, place) => (ofUpstream.has(place) ? [] : [place]))
    const element = ({ path, value }: Place, place: number): Place => ({
      path: at(path, place),
      value: (value as unknown[])[place],
    })
    let next = 0
    for (const place of ours.keys()) {
      const other = ofClient.get(place) ?? left[next++]
      if (other === undefined) this.#only('client', element(client, place))
      else this.compare(element(client, place), element(upstream, other))
    }
    for (const place of left.slice(next)) this.#only('upstream', element(upstream, place))
  }
}

const memberOf = ({ path, value }: Place, name: string): Place | undefined =>
  Object.hasOwn(value as object, name)
    ? { path: at(path, name), value: (value as Record<string, unknown>)[name] }
    : undefined
