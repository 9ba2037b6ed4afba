// ToolIndex: the tools that fit a question best, by BM25 over fields (BM25F). A word counts more if few tools have it, more in a name
// than in a description, and less in a long field. A tool that needs what a request does not state counts less. There is no model and no
// training: the same tools and question give the same list. Building and searching take linear time; what is read of one tool and of one
// question is bounded.

import { isObject } from '../../base/json.ts'
import type { Tool } from '../../core/request.ts'
import { NearWords } from './near-words.ts'
import { type Need, needsOf, openNeeds } from './needs.ts'
import { readQuestion } from './question.ts'
import { translate } from './translations.ts'
import { type KnownRuns, wordsOf } from './words.ts'

/** `details` are the descriptions and fixed values of parameters. */
const fieldNames = ['name', 'description', 'parameters', 'details'] as const
type Field = (typeof fieldNames)[number]

/** The weight of a word in a field, and how much the field's length counts against it. */
const fields: Record<Field, { weight: number; length: number }> = {
  name: { weight: 2.5, length: 0.4 },
  description: { weight: 1, length: 0.4 },
  parameters: { weight: 1, length: 0.6 },
  details: { weight: 0.7, length: 0.6 },
}

/** How soon a further mention of the same word counts no more, in a tool and in a question. */
const saturation = 1.2

/** How much more a rare word counts than a common one. */
const rarityPower = 0.7

/** What a word counts that the tools spell otherwise. */
const nearWeight = 0.5
/** Words of one question that are looked for in other spellings. */
const mostUnknown = 32

/** What one open need costs, in words that a single tool has. */
const needCost = 0.36

/** Characters of one field of a tool, and of one question, that are read. */
const longestField = 16_384
const longestQuestion = 8_192
/** Nesting of a schema that is read. */
const deepest = 6

/** The tools that have a word, and what it weighs in each. */
interface Entry {
  tools: number[]
  weights: number[]
}

const nothing: Entry = { tools: [], weights: [] }

export class ToolIndex {
  readonly #entries = new Map<string, Entry>()
  readonly #needs: readonly (readonly Need[])[]
  readonly #count: number
  #nearWords: NearWords | undefined

  constructor(tools: readonly Tool[]) {
    this.#count = tools.length
    this.#needs = tools.map(({ schema }) => needsOf(schema))
    const known: KnownRuns = new Map()
    const texts = tools.map((tool) => fieldTexts(tool, known))
    const averages = averageLengths(texts)
    for (const [tool, text] of texts.entries())
      for (const field of fieldNames) {
        const { weight, length } = fields[field]
        const each = weight / (1 - length + (length * text[field].length) / averages[field])
        for (const word of text[field]) this.#add(word, tool, each)
      }
  }

  /** The tools come one after the other. */
  #add(word: string, tool: number, weight: number): void {
    const entry = this.#entries.get(word)
    if (!entry) {
      this.#entries.set(word, { tools: [tool], weights: [weight] })
      return
    }
    const { tools, weights } = entry
    const last = tools.length - 1
    if (tools[last] === tool) weights[last] = (weights[last] ?? 0) + weight
    else {
      tools.push(tool)
      weights.push(weight)
    }
  }

  /** Numbers of tools, the best first. Only tools that share a word, or a topic, with the question are found. */
  search(question: string, most: number): number[] {
    const text = question.slice(0, longestQuestion)
    const scores = new Map<number, number>()
    for (const [word, times] of this.#knownWords(text)) {
      const { tools, weights } = this.#entries.get(word) ?? nothing
      const worth = this.#rarity(tools.length) * saturated(times)
      for (const [at, tool] of tools.entries())
        scores.set(tool, (scores.get(tool) ?? 0) + worth * saturated(weights[at] ?? 0))
    }
    this.#subtractNeeds(text, scores)
    return [...scores]
      .sort(([one, score], [other, otherScore]) => otherScore - score || one - other)
      .slice(0, most)
      .map(([tool]) => tool)
  }

  #rarity(tools: number): number {
    return Math.log(1 + (this.#count - tools + 0.5) / (tools + 0.5)) ** rarityPower
  }

  /** The question's words, as the tools spell them. */
  #knownWords(question: string): Map<string, number> {
    const known = new Map<string, number>()
    const count = (word: string, weight: number) => known.set(word, (known.get(word) ?? 0) + weight)
    let unknown = 0
    for (const [word, weight] of readQuestion(question)) {
      const translated = this.#entries.has(word) ? word : translate(word)
      if (translated !== undefined) count(translated, weight)
      else if (++unknown <= mostUnknown) {
        this.#nearWords ??= new NearWords(this.#entries.keys())
        for (const near of this.#nearWords.near(word)) count(near, weight * nearWeight)
      }
    }
    return known
  }

  #subtractNeeds(question: string, scores: Map<number, number>): void {
    const open = openNeeds(question)
    if (open.size === 0) return
    const cost = needCost * this.#rarity(1)
    for (const [tool, score] of scores) {
      const missing = this.#needs[tool]?.filter((need) => open.has(need)).length ?? 0
      if (missing > 0) scores.set(tool, score - cost * missing)
    }
  }
}

const saturated = (amount: number) => (amount * (1 + saturation)) / (amount + saturation)

type Words = Record<Field, string[]>

function averageLengths(texts: readonly Words[]): Record<Field, number> {
  const averages = { name: 1, description: 1, parameters: 1, details: 1 }
  for (const field of fieldNames) {
    const total = texts.reduce((sum, text) => sum + text[field].length, 0)
    if (total > 0) averages[field] = total / texts.length
  }
  return averages
}

function fieldTexts({ name, description = '', schema }: Tool, known: KnownRuns): Words {
  const parameters = readParameters(schema)
  const words = (text: string) => wordsOf(text.slice(0, longestField), known)
  return {
    name: words(name),
    description: words(description),
    parameters: words(parameters.names.join(' ')),
    details: words(parameters.details.join(' ')),
  }
}

interface Parameters {
  names: string[]
  details: string[]
}

/** The names of a schema's parameters at all depths, and what it says about them. */
export function readParameters(schema: unknown): Parameters {
  const read: Parameters = { names: [], details: [] }
  const visit = (value: unknown, depth: number) => {
    if (!isObject(value) || depth > deepest) return
    const { properties, items, description } = value
    if (depth > 0 && typeof description === 'string') read.details.push(description)
    if (Array.isArray(value.enum))
      for (const option of value.enum) if (typeof option === 'string') read.details.push(option)
    visit(items, depth + 1)
    if (!isObject(properties)) return
    for (const [name, inner] of Object.entries(properties)) {
      read.names.push(name)
      visit(inner, depth + 1)
    }
  }
  visit(schema, 0)
  return read
}
