// A search among deferred tools: by words, or by a pattern where the model may write one.

import { PatternTooSlow, searchPattern } from '../../base/pattern/pattern.ts'
import type { Tool } from '../../core/request.ts'
import { readParameters, ToolIndex } from './tool-index.ts'

/** Tools that one search loads. */
const mostFound = 5
/** Characters of one tool that a pattern is tried on. */
const longestText = 8_192

export class ToolSearcher {
  readonly #tools: readonly Tool[]
  readonly #by: 'words' | 'pattern'
  readonly #most: number
  #index: ToolIndex | undefined

  /** `room`: the tools that can be loaded at once. */
  constructor(tools: readonly Tool[], { by, room }: { by: 'words' | 'pattern'; room: number }) {
    this.#tools = tools
    this.#by = by
    this.#most = Math.min(mostFound, room)
  }

  /** The tools that fit best, the best first. */
  search(query: string): Tool[] {
    const matching = this.#by === 'pattern' && isPattern(query) ? this.#match(query) : []
    if (matching.length > 0) return matching
    this.#index ??= new ToolIndex(this.#tools)
    return this.#index.search(query, this.#most).flatMap((at) => this.#tools[at] ?? [])
  }

  /** The first that match, by name before those by other texts. Empty for a pattern that is not supported: its words are searched. One
   * that takes too long has what it found until then. */
  #match(query: string): Tool[] {
    const matches = searchPattern(query)
    if (!matches) return []
    const found = new Set<Tool>()
    try {
      for (const textOf of [nameOf, otherTexts])
        for (const tool of this.#tools) {
          if (found.size === this.#most) break
          if (!found.has(tool) && matches(textOf(tool))) found.add(tool)
        }
    } catch (error) {
      if (!(error instanceof PatternTooSlow)) throw error
    }
    return [...found]
  }
}

/** Words alone are ranked: a pattern of plain words would match only their exact order. */
const isPattern = (query: string) => /[\\^$.*+?()[\]{}|]|^\w+$/.test(query)

const nameOf = ({ name }: Tool) => name

function otherTexts({ description = '', schema }: Tool): string {
  const { names, details } = readParameters(schema)
  return [description, ...names, ...details].join('\n').slice(0, longestText)
}
