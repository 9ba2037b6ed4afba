// The tools of a request, found by exact or loose name.

import { isObject, parseJson } from '../../base/json.ts'
import { SchemaChecker } from '../../base/json-schema/check.ts'
import type { Tool } from '../../core/request.ts'
import type { Call } from './pieces.ts'

export class Toolbox {
  readonly #byName: Map<string, Tool>
  readonly #byLooseName = new Map<string, Tool>()
  readonly #checkers = new Map<Tool, SchemaChecker>()
  readonly names: readonly string[]

  constructor(tools: readonly Tool[]) {
    this.names = tools.map(({ name }) => name)
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]))
    for (const tool of tools) {
      const loose = loosen(tool.name)
      if (!this.#byLooseName.has(loose)) this.#byLooseName.set(loose, tool)
    }
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** Exact name, and no arguments or at least one that the tool has: the definition of a tool is no call of it. */
  fits({ name, input }: Pick<Call, 'name' | 'input'>): boolean {
    const properties = this.#byName.get(name)?.schema.properties
    if (!isObject(properties)) return this.has(name)
    const keys = Object.keys(parseJson(input) ?? {})
    return keys.length === 0 || keys.some((key) => Object.hasOwn(properties, key))
  }

  /** By exact name; otherwise case, a `functions.` prefix, and dots or hyphens for underscores do not matter. */
  find(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.#byLooseName.get(loosen(name))
  }

  /** Compiled at the first call of the tool. */
  checkerOf(tool: Tool): SchemaChecker {
    const checker = this.#checkers.get(tool) ?? new SchemaChecker(tool.schema)
    this.#checkers.set(tool, checker)
    return checker
  }

  mentionedIn(text: string): boolean {
    return this.names.some((name) => text.includes(name))
  }
}

const loosen = (name: string) =>
  name
    .trim()
    .replace(/^functions?[.:/]/i, '')
    .replace(/[.-]/g, '_')
    .toLowerCase()
