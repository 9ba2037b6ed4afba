// Checks JSON against proto messages, in the words of Google's parser: every name that a message does not have is refused, in camelCase
// and in snake_case alike, and all of them at once.

import { isRecord } from '../shape.ts'
import { Refusal } from './refusal.ts'

type Scalar = 'string' | 'number' | 'integer' | 'boolean' | 'any' | 'object'
export type Kind =
  | Scalar
  | { readonly message: () => Message }
  | { readonly list: Kind }
  | { readonly map: Kind }
  | { readonly oneOf: readonly string[] }
export type Message = Readonly<Record<string, Kind>>

export const list = (of: Kind): Kind => ({ list: of })
export const map = (of: Kind): Kind => ({ map: of })
export const oneOf = (...words: readonly string[]): Kind => ({ oneOf: words })
export const message = (of: () => Message): Kind => ({ message: of })

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The value with all names in camelCase. Throws if the parser would refuse it. */
export function parseMessage(value: unknown, root: Message): Record<string, unknown> {
  const problems: string[] = []
  const read = new Parser(problems).fields(value, root, '')
  if (problems.length > 0) throw new Refusal(`Invalid JSON payload received. ${problems.join('\n')}`)
  return read
}

class Parser {
  readonly #problems: string[]

  constructor(problems: string[]) {
    this.#problems = problems
  }

  fields(value: unknown, known: Message, path: string): Record<string, unknown> {
    const out: Record<string, unknown> = {}
    if (!isRecord(value)) {
      this.#wrong(path, value)
      return out
    }
    for (const [given, member] of Object.entries(value)) {
      const name = camel(given)
      const kind = Object.hasOwn(known, name) ? known[name] : undefined
      if (kind === undefined) {
        const at = path === '' ? '' : ` at '${path}'`
        this.#problems.push(`Unknown name "${given}"${at}: Cannot find field.`)
      } else if (member !== null) out[name] = this.#read(member, kind, joined(path, snake(name)))
    }
    return out
  }

  #read(value: unknown, kind: Kind, path: string): unknown {
    if (typeof kind === 'string') return this.#scalar(value, kind, path)
    if ('message' in kind) return this.fields(value, kind.message(), path)
    if ('oneOf' in kind) {
      if (!kind.oneOf.includes(String(value).toUpperCase())) this.#wrong(path, value)
      return String(value).toUpperCase()
    }
    if ('list' in kind) {
      // The parser takes a single value for a list of one.
      const items = Array.isArray(value) ? value : [value]
      return items.map((item, at) => this.#read(item, kind.list, `${path}[${at}]`))
    }
    if (!isRecord(value)) {
      this.#wrong(path, value)
      return {}
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        this.#read(one, kind.map, `${path}[${at(key)}].value`),
      ]),
    )
  }

  #scalar(value: unknown, kind: Scalar, path: string): unknown {
    const fits =
      kind === 'any' ||
      (kind === 'object' && isRecord(value)) ||
      (kind === 'integer' && /^-?\d+$/.test(String(value))) ||
      (kind === 'number' && (typeof value === 'number' || /^-?\d/.test(String(value)))) ||
      typeof value === kind
    if (!fits) this.#wrong(path, value)
    return kind === 'integer' ? Number(value) : value
  }

  #wrong(path: string, value: unknown): void {
    this.#problems.push(`Invalid value at '${path}', ${JSON.stringify(value)?.slice(0, 100)}`)
  }
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)
const at = (key: string) => JSON.stringify(key)
