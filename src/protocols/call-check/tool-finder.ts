// Finds the tool that a call means: by its exact name, or by the one offered name that is the same in another spelling. Case and
// separators do not matter; the name of an MCP server before a tool's name may be missing, or be there although it was not offered.
// Where two offered tools have that spelling, none is found: which one is meant would be a guess.

import { looseName } from './loose-name.ts'

/** Between the name of a server and the name of its tool. */
const separators = /__|[.:/]/
/** What models write before any tool's name. */
const callPrefix = /^\s*(?:functions?|tools?|default_api)[.:/]/i

/** Marks a spelling that two tools share. */
const ambiguous = Symbol('ambiguous')

export class ToolFinder<Named extends { readonly name: string }> {
  readonly #byName = new Map<string, Named>()
  #bySpelling: Map<string, Named | typeof ambiguous> | undefined
  #bySuffix: Map<string, Named | typeof ambiguous> | undefined
  readonly #tools: readonly Named[]

  constructor(tools: readonly Named[]) {
    this.#tools = tools
    // Of tools with the same name the first counts, as for services.
    for (const tool of tools) if (!this.#byName.has(tool.name)) this.#byName.set(tool.name, tool)
  }

  /** By exact name. */
  get(name: string): Named | undefined {
    return this.#byName.get(name)
  }

  find(name: string): Named | undefined {
    const exact = this.#byName.get(name)
    if (exact || name.length > longestName) return exact
    const bare = name.replace(callPrefix, '')
    const same = this.#spellings.get(looseName(bare))
    if (same !== undefined) return same === ambiguous ? undefined : same
    return this.#withoutServer(bare)
  }

  /**
   * `issue` or `github.issue` for `mcp__github__issue`; `github__issue` for `issue`. One name must end in the whole of the other:
   * `gitlab.issue` is no tool of another server.
   */
  #withoutServer(name: string): Named | undefined {
    const longer = this.#suffixes.get(looseName(name))
    if (longer !== undefined) return longer === ambiguous ? undefined : longer
    for (const suffix of suffixesOf(name)) {
      const found = this.#spellings.get(suffix)
      if (found !== undefined) return found === ambiguous ? undefined : found
    }
    return undefined
  }

  get #spellings(): Map<string, Named | typeof ambiguous> {
    this.#bySpelling ??= index(this.#byName.values(), ({ name }) => [looseName(name)])
    return this.#bySpelling
  }

  get #suffixes(): Map<string, Named | typeof ambiguous> {
    this.#bySuffix ??= index(this.#byName.values(), ({ name }) => suffixesOf(name))
    return this.#bySuffix
  }

  get names(): string[] {
    return this.#tools.map(({ name }) => name)
  }
}

const longestName = 512
const mostParts = 8

/** The name without its first part, without its first two parts, and so on, in loose spelling. */
function suffixesOf(name: string): string[] {
  if (name.length > longestName) return []
  const parts = name.split(separators).filter((part) => part !== '')
  const kept = parts.slice(-mostParts)
  return kept.slice(1).map((_, at) => looseName(kept.slice(at + 1).join('')))
}

function index<Named>(
  tools: Iterable<Named>,
  keysOf: (tool: Named) => string[],
): Map<string, Named | typeof ambiguous> {
  const found = new Map<string, Named | typeof ambiguous>()
  for (const tool of tools)
    for (const key of keysOf(tool)) if (key !== '') found.set(key, found.has(key) ? ambiguous : tool)
  return found
}
