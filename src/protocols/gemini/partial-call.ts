// A call whose arguments come in pieces, each with the path of one value: `$.items[0].name`. Vertex sends them so if it is asked to.

import { type Fields, isObject } from '../../base/json.ts'

/** No model writes longer lists or deeper paths. */
const longestPath = 64
const mostElements = 10_000
/** Empty elements have no piece, so a list may have gaps. All those of a call: a short piece could stand for ten thousand. */
const mostGaps = 10_000

const step = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]/y

/** The steps of a path; undefined if it cannot be read. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: (string | number)[] = []
  let at = 1
  while (at < path.length) {
    step.lastIndex = at
    const found = step.exec(path)
    if (!found || steps.length >= longestPath) return undefined
    const [whole, name, index, quoted] = found
    steps.push(index === undefined ? (name ?? quoted ?? '').replace(/\\(.)/g, '$1') : Number(index))
    at += whole.length
  }
  return steps.length === 0 ? undefined : steps
}

export class PartialCall {
  readonly name: string
  readonly #args: Fields = {}
  #gaps = 0

  constructor(name: string) {
    this.name = name
  }

  get args(): Fields {
    return this.#args
  }

  /** False if a piece cannot be read. Texts of one path are joined. */
  add(pieces: readonly unknown[]): boolean {
    return pieces.every((piece) => isObject(piece) && this.#put(piece))
  }

  #put(piece: Fields): boolean {
    const steps = typeof piece.jsonPath === 'string' ? stepsOf(piece.jsonPath) : undefined
    const last = steps?.pop()
    if (!steps || last === undefined) return false
    let holder: unknown = this.#args
    for (const [at, each] of steps.entries()) {
      const next = at + 1 < steps.length ? steps[at + 1] : last
      holder = this.#childOf(holder, each, typeof next === 'number')
      if (holder === undefined) return false
    }
    const before = memberOf(holder, last)
    const value = valueIn(piece)
    if (value === undefined) return true
    return this.#setMember(
      holder,
      last,
      typeof before === 'string' && typeof value === 'string' ? before + value : value,
    )
  }

  #setMember(holder: unknown, key: string | number, value: unknown): boolean {
    if (!isPlace(holder, key)) return false
    if (Array.isArray(holder)) this.#gaps += Math.max(0, Number(key) - holder.length)
    if (this.#gaps > mostGaps) return false
    holder[key] = value
    return true
  }

  /** The object or list at a step, made if it is not there. */
  #childOf(holder: unknown, key: string | number, isList: boolean): unknown {
    const known = memberOf(holder, key)
    if (known !== undefined) return known
    const made = isList ? [] : {}
    return this.#setMember(holder, key, made) ? made : undefined
  }
}

/** Undefined for a piece without a value: it only says whether the text goes on. */
function valueIn({ stringValue, numberValue, boolValue, nullValue }: Fields): unknown {
  return stringValue ?? numberValue ?? boolValue ?? (nullValue === undefined ? undefined : null)
}

const isPlace = (holder: unknown, key: string | number): holder is Record<string | number, unknown> =>
  typeof key === 'number'
    ? Array.isArray(holder) && key < mostElements
    : isObject(holder) && key !== '__proto__'

const memberOf = (holder: unknown, key: string | number): unknown =>
  isPlace(holder, key) && Object.hasOwn(holder, key) ? holder[key] : undefined
