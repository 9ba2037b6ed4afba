// A search among deferred tools: by words, or by a pattern where the model may write one.

import type { Tool } from '../../core/request.ts'
import { readParameters, ToolIndex } from './tool-index.ts'
import { toolPattern } from './tool-pattern.ts'

/** Tools that one search loads. */
const mostFound = 5
/** Characters of one tool that a pattern is tried on. */
const longestText = 8_192

export class ToolSearcher {
  readonly #tools: readonly Tool[]
  readonly #by: 'words' | 'pattern'
  #index: ToolIndex | undefined

  constructor(tools: readonly Tool[], by: 'words' | 'pattern') {
    this.#tools = tools
    this.#by = by
  }

  /** The tools that fit best, the best first. */
  search(query: string): Tool[] {
    const matching = this.#by === 'pattern' && isPattern(query) ? this.#match(query) : []
    if (matching.length > 0) return matching
    this.#index ??= new ToolIndex(this.#tools)
    return this.#index.search(query, mostFound).flatMap((at) => this.#tools[at] ?? [])
  }

  /** The first that match, by name before those by other texts. Empty for a pattern that is not supported: its words are searched. */
  #match(query: string): Tool[] {
    const matches = toolPattern(query)
    if (!matches) return []
    const byName = this.#tools.filter(({ name }) => matches(name))
    const named = new Set(byName)
    const others = this.#tools.filter((tool) => !named.has(tool) && matches(otherTexts(tool)))
    return [...byName, ...others].slice(0, mostFound)
  }
}

/** Words alone are ranked: a pattern of plain words would match only their exact order. */
const isPattern = (query: string) => /[\\^$.*+?()[\]{}|]|^\w+$/.test(query)

function otherTexts({ description = '', schema }: Tool): string {
  const { names, details } = readParameters(schema)
  return [description, ...names, ...details].join('\n').slice(0, longestText)
}
