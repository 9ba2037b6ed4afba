// A value per set of labels, stored in nested maps: building and hashing one key of all labels for each count is slower.

import { visible } from '../base/visible-text.ts'

type Labels = Readonly<Record<string, string>>

type Place<Value> = Map<string, Place<Value> | Value>

/** Clients choose model names: series beyond this limit are counted together, and long labels are cut. */
export const maxSeries = 250
const longestLabel = 200

export class Series<Value extends object> {
  readonly #names: readonly string[]
  readonly #create: () => Value
  readonly #root: Place<Value> = new Map()
  readonly #all: [labels: string, value: Value][] = []

  constructor(names: readonly string[], create: () => Value) {
    this.#names = names
    this.#create = create
  }

  of(labels: Labels): Value {
    const names = this.#names
    let found: Place<Value> | Value | undefined = this.#root
    for (let at = 0; at < names.length && found !== undefined; at++)
      found = (found as Place<Value>).get(short(labels[names[at] as string] as string))
    if (names.length === 0) found = this.#all[0]?.[1]
    return (found as Value | undefined) ?? this.#add(labels)
  }

  /** All values with their labels in Prometheus' text format. */
  all(): readonly [labels: string, value: Value][] {
    return this.#all
  }

  #add(labels: Labels): Value {
    const names = this.#names
    const isOneOfTooMany = this.#all.length >= maxSeries
    if (isOneOfTooMany && names.some((name) => labels[name] !== other))
      return this.of(Object.fromEntries(names.map((name) => [name, other])))
    const value = this.#create()
    let place = this.#root
    for (const [at, name] of names.entries()) {
      const label = short(labels[name] as string)
      if (at === names.length - 1) place.set(label, value)
      else place = placeIn(place, label)
    }
    this.#all.push([labelText(labels, names), value])
    return value
  }
}

const other = 'other'

function placeIn<Value>(place: Place<Value>, label: string): Place<Value> {
  const known = place.get(label) as Place<Value> | undefined
  if (known) return known
  const fresh: Place<Value> = new Map()
  place.set(label, fresh)
  return fresh
}

const short = (value: string) => (value.length > longestLabel ? value.slice(0, longestLabel) : value)

export const labelText = (labels: Labels, names: readonly string[] = Object.keys(labels)): string =>
  names.map((name) => `${name}="${escaped(short(labels[name] as string))}"`).join(',')

const escaped = (value: string) =>
  visible(value).replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
