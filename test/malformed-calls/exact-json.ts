// JSON read by code of its own: numbers keep their spelling, members their order, and no name is special.

export class ExactNumber {
  readonly spelling: string

  constructor(spelling: string) {
    this.spelling = spelling
  }
}

export type ExactObject = Map<string, ExactValue>
export type ExactValue = string | boolean | null | ExactNumber | ExactValue[] | ExactObject

const token = /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null))/y

/** Throws for what is no JSON. */
export function readExact(text: string): ExactValue {
  JSON.parse(text)
  return new Reader(text).value()
}

/** Without blanks; the same text for the same value, whose members are in the same order. */
export function writeExact(value: ExactValue): string {
  if (value instanceof ExactNumber) return value.spelling
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`
  if (!(value instanceof Map)) return JSON.stringify(value)
  return `{${[...value].map(([name, one]) => `${JSON.stringify(name)}:${writeExact(one)}`).join(',')}}`
}

/** The same text for the same value, whatever the order of members. */
export function sortedExact(value: ExactValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedExact).join(',')}]`
  if (!(value instanceof Map)) return writeExact(value)
  const members = [...value].map(([name, one]) => `${JSON.stringify(name)}:${sortedExact(one)}`)
  return `{${members.sort().join(',')}}`
}

/** What stands at this path of names and positions; undefined where it leads nowhere. */
export function at(value: ExactValue | undefined, ...path: (string | number)[]): ExactValue | undefined {
  let found = value
  for (const step of path)
    found =
      found instanceof Map
        ? found.get(String(step))
        : Array.isArray(found)
          ? found[step as number]
          : undefined
  return found
}

export const textAt = (value: ExactValue | undefined, ...path: (string | number)[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export const listAt = (value: ExactValue | undefined, ...path: (string | number)[]): ExactValue[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export const countAt = (value: ExactValue | undefined, ...path: (string | number)[]): number => {
  const found = at(value, ...path)
  return found instanceof ExactNumber ? Number(found.spelling) : 0
}

/** Of text that is known to be JSON. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(first = this.#next()): ExactValue {
    const [, mark, string, number, word] = first
    if (string !== undefined) return JSON.parse(string) as string
    if (number !== undefined) return new ExactNumber(number)
    if (word !== undefined) return word === 'null' ? null : word === 'true'
    return mark === '[' ? this.#list() : this.#object()
  }

  #list(): ExactValue[] {
    const list: ExactValue[] = []
    for (let first = this.#next(); first[1] !== ']'; first = this.#next())
      if (first[1] !== ',') list.push(this.value(first))
    return list
  }

  #object(): ExactObject {
    const object: ExactObject = new Map()
    for (let first = this.#next(); first[1] !== '}'; first = this.#next()) {
      if (first[1] === ',') continue
      const name = JSON.parse(first[2] as string) as string
      this.#next()
      object.set(name, this.value())
    }
    return object
  }

  #next(): RegExpExecArray {
    token.lastIndex = this.#at
    const found = token.exec(this.#text)
    if (found === null) throw new Error(`not JSON at ${this.#at}`)
    this.#at = token.lastIndex
    return found
  }
}
