// Upstream names for the tools of a Responses request. A name in a namespace is joined with it. Calls in the answer get their
// original name, namespace and kind back.

import { createHash } from 'node:crypto'

export interface ClientTool {
  name: string
  namespace?: string
  /**
   * custom: takes text instead of JSON, and is offered as a function with one argument that contains the text. search: the client's own
   * `tool_search`, offered as a function too; its calls are items of another type.
   */
  kind: 'function' | 'custom' | 'search'
}

/** The name of a client's own tool search: its items have none. */
export const searchName = 'tool_search'

/** The namespace that stands for none: Codex leaves it out in some items. */
const defaultNamespace = 'functions'

/** The limit of the strictest upstream. */
const longestName = 64

export class ToolNames {
  readonly #tools = new Map<string, ClientTool>()
  readonly #joined = new Map<string, string>()

  /** `plain`: the tools outside namespaces. No joined name may equal one of their names. */
  constructor(plain: Iterable<ClientTool> = []) {
    for (const tool of plain) this.#tools.set(tool.name, tool)
  }

  /** Registers a tool and returns its upstream name. */
  offer(tool: ClientTool): string {
    const { name, namespace } = tool
    if (namespace === undefined) return name
    const wanted = namespace === defaultNamespace ? name : joinedName(namespace, name)
    let joined = wanted
    for (let copy = 2; this.#tools.has(joined); copy++) joined = `${wanted.slice(0, longestName - 4)}_${copy}`
    this.#joined.set(keyOf(namespace, name), joined)
    this.#tools.set(joined, tool)
    return joined
  }

  /** Also for tools that are no longer offered: the history needs the same names. */
  toUpstream(name: string, namespace: string | undefined): string {
    if (namespace === undefined || namespace === '') return name
    const joined = this.#joined.get(keyOf(namespace, name))
    return joined ?? (namespace === defaultNamespace ? name : joinedName(namespace, name))
  }

  /** A name that was not offered is passed on as a function: the client reports the unknown tool. */
  toClient(name: string): ClientTool {
    return this.#tools.get(name) ?? { name, kind: 'function' }
  }
}

const keyOf = (namespace: string, name: string) => JSON.stringify([namespace, name])

export function joinedName(namespace: string, name: string): string {
  const joined = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  if (joined.length <= longestName) return joined
  const hash = createHash('sha256').update(joined).digest('hex').slice(0, 8)
  return `${joined.slice(0, longestName - 13)}_${hash}`
}
