// What the tools of a Responses request are called on the other side. Names within a namespace are joined with it, and
// every call in the answer gets its own name, namespace and kind back.

import { createHash } from 'node:crypto'

export interface ClientTool {
  name: string
  namespace?: string
  /** Takes text, not JSON: offered as a function with one argument that holds it. */
  custom: boolean
}

/** What every strict upstream takes. */
const longestName = 64

export class ToolNames {
  readonly #tools = new Map<string, ClientTool>()
  readonly #joined = new Map<string, string>()

  /** `plain` are the names outside of namespaces: no joined name takes one of them. */
  constructor(plain: Iterable<ClientTool> = []) {
    for (const tool of plain) this.#tools.set(tool.name, tool)
  }

  /** The name for the upstream. */
  offer(tool: ClientTool): string {
    const { name, namespace } = tool
    if (namespace === undefined) return name
    const wanted = joinedName(namespace, name)
    let joined = wanted
    for (let copy = 2; this.#tools.has(joined); copy++) joined = `${wanted.slice(0, longestName - 4)}_${copy}`
    this.#joined.set(keyOf(namespace, name), joined)
    this.#tools.set(joined, tool)
    return joined
  }

  /** Also for tools that are no longer offered: the history names them the same way. */
  toUpstream(name: string, namespace: string | undefined): string {
    if (namespace === undefined || namespace === '') return name
    return this.#joined.get(keyOf(namespace, name)) ?? joinedName(namespace, name)
  }

  /** A name that was not offered is a function's: the client says what it thinks of it. */
  toClient(name: string): ClientTool {
    return this.#tools.get(name) ?? { name, custom: false }
  }
}

const keyOf = (namespace: string, name: string) => JSON.stringify([namespace, name])

function joinedName(namespace: string, name: string): string {
  const joined = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  if (joined.length <= longestName) return joined
  const hash = createHash('sha256').update(joined).digest('hex').slice(0, 8)
  return `${joined.slice(0, longestName - 13)}_${hash}`
}
