// ToolIndex: the tools that fit a question best, by BM25 over fields (BM25F). A word counts more if few tools have it, more in a name
// than in a description, and less in a long field. There is no model and no training: the same tools and question give the same list.
// Building and searching take linear time; what is read of one tool and of one question is bounded.

import { isObject } from '../../base/json.ts'
import type { Tool } from '../../core/request.ts'
import { valueKinds } from './value-kinds.ts'
import { wordsOf } from './words.ts'

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

const kindCount = 0.4

/** Characters of one field of a tool, and of one question, that are read. */
const longestField = 16_384
const longestQuestion = 8_192
/** Nesting of a schema that is read. */
const deepest = 6

interface Entry {
  tool: number
  weight: number
}

export class ToolIndex {
  readonly #entries = new Map<string, Entry[]>()
  readonly #count: number

  constructor(tools: readonly Tool[]) {
    this.#count = tools.length
    const texts = tools.map(fieldTexts)
    const averages = averageLengths(texts)
    for (const [tool, text] of texts.entries())
      for (const [word, weight] of weightsOf(text, averages)) this.#add(word, { tool, weight })
  }

  #add(word: string, entry: Entry): void {
    const entries = this.#entries.get(word)
    if (entries) entries.push(entry)
    else this.#entries.set(word, [entry])
  }

  /** Numbers of tools, the best first. Only tools that share a word with the question are found. */
  search(question: string, most: number): number[] {
    const scores = new Map<number, number>()
    for (const [word, times] of countWords(question.slice(0, longestQuestion))) {
      const entries = this.#entries.get(word) ?? []
      const rarity = Math.log(1 + (this.#count - entries.length + 0.5) / (entries.length + 0.5))
      for (const { tool, weight } of entries)
        scores.set(tool, (scores.get(tool) ?? 0) + rarity * saturated(times) * saturated(weight))
    }
    return [...scores]
      .sort(([one, score], [other, otherScore]) => otherScore - score || one - other)
      .slice(0, most)
      .map(([tool]) => tool)
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

function weightsOf(text: Words, averages: Record<Field, number>): Map<string, number> {
  const weights = new Map<string, number>()
  for (const field of fieldNames) {
    const { weight, length } = fields[field]
    const each = weight / (1 - length + (length * text[field].length) / averages[field])
    for (const word of text[field]) weights.set(word, (weights.get(word) ?? 0) + each)
  }
  return weights
}

/** How often the question has each word. A kind of value is a hint, and counts less than a word. */
function countWords(question: string): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (word: string, amount: number) => counts.set(word, (counts.get(word) ?? 0) + amount)
  for (const word of wordsOf(question)) count(word, 1)
  for (const word of wordsOf(valueKinds(question).join(' '))) count(word, kindCount)
  return counts
}

function fieldTexts({ name, description = '', schema }: Tool): Words {
  const parameters = readParameters(schema)
  const words = (text: string) => wordsOf(text.slice(0, longestField))
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
