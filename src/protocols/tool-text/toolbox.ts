// The tools of a request, found by exact name or in another spelling.

import { isObject, parseJson } from '../../base/json.ts'
import type { SchemaChecker } from '../../base/json-schema/check.ts'
import { schemaChecker } from '../../base/json-schema/schema-checkers.ts'
import type { Tool } from '../../core/request.ts'
import { ToolFinder } from '../call-check/tool-finder.ts'
import type { Call } from './pieces.ts'

export class Toolbox {
  readonly #finder: ToolFinder<Tool>
  readonly names: readonly string[]

  constructor(tools: readonly Tool[]) {
    this.names = tools.map(({ name }) => name)
    this.#finder = new ToolFinder(tools)
  }

  has(name: string): boolean {
    return this.#finder.get(name) !== undefined
  }

  /** Exact name, and no arguments or at least one that the tool has: the definition of a tool is no call of it. */
  fits({ name, input }: Pick<Call, 'name' | 'input'>): boolean {
    const properties = this.#finder.get(name)?.schema.properties
    if (!isObject(properties)) return this.has(name)
    const keys = Object.keys(parseJson(input) ?? {})
    return keys.length === 0 || keys.some((key) => Object.hasOwn(properties, key))
  }

  /** By exact name, or by one in another spelling. */
  find(name: string): Tool | undefined {
    return this.#finder.find(name)
  }

  /** Compiled at the first call of the tool. */
  checkerOf({ schema }: Tool): SchemaChecker {
    return schemaChecker(schema)
  }

  mentionedIn(text: string): boolean {
    return this.names.some((name) => text.includes(name))
  }
}
