// Which tool a request is about, by the words that they share. A word that few tools have says more than one that all have.

import type { Tool } from './conversation.ts'
import { parametersOf } from './fill-call.ts'
import { findTool, ROLES, type RoleName } from './tool-roles.ts'
import { contentStems, isCommonVerb, nameWords, stem } from './words.ts'

const LONGEST_DESCRIPTION = 300
const MOST_WORDS = 200

/** The tools that may be meant, best first. Tools for files and commands are not among them: wishes.ts reads what is said of those. */
export function rankTools(text: string, tools: readonly Tool[]): Tool[] {
  const asked = new Set([...contentStems(withoutPhrases(text)).slice(0, MOST_WORDS), ...conceptsIn(text)])
  const known = tools.map((tool) => ({ tool, terms: termsOf(tool) }))
  const rarity = (word: string) =>
    Math.log(1 + tools.length / known.filter(({ terms }) => terms.has(word)).length)
  return known
    .filter(({ tool }) => !hasRole(tool))
    .map(({ tool, terms }) => {
      const shared = [...terms].filter(([word]) => asked.has(word))
      const score = shared.reduce((sum, [word, weight]) => sum + weight * rarity(word), 0)
      const isNamed = shared.some(([word, weight]) => weight >= NAME && !isCommonVerb(word))
      return { tool, score, isMeant: isNamed || (shared.length > 1 && isPlain(tool)) }
    })
    .filter(({ isMeant }) => isMeant)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool)
}

const NAME = 2

/** A long description shares words with any request, and a tool without parameters could be called for any. */
const isPlain = ({ description, schema }: Tool) =>
  description.length <= LONGEST_DESCRIPTION && parametersOf(schema, schema).length > 0

function termsOf(tool: Tool): Map<string, number> {
  const terms = new Map<string, number>()
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) terms.set(word, Math.max(weight, terms.get(word) ?? 0))
  }
  add(contentStems(nameWords(tool.name.split(/__|[.:/]/).at(-1) ?? '').join(' ')), NAME)
  add(contentStems(tool.description.slice(0, LONGEST_DESCRIPTION)), 1)
  for (const { name, schema } of parametersOf(tool.schema, tool.schema)) {
    add(nameWords(name).map(stem), 0.5)
    if (Array.isArray(schema.enum))
      add(
        schema.enum.map((value) => stem(String(value))),
        0.5,
      )
  }
  return terms
}

/** Ways to say how and when, not what. */
const withoutPhrases = (text: string) =>
  text.replace(/\bat the same time\b|\bright now\b|\bthis time\b|\bin (?:this|that) order\b/gi, ' ')

/** What a word is an example of. */
function conceptsIn(text: string): string[] {
  return /\b(?:euros?|dollars?|yen|pounds?|francs?|yuan|rupees?)\b/i.test(text)
    ? ['currency', 'money'].map(stem)
    : []
}

const hasRole = (tool: Tool) => (Object.keys(ROLES) as RoleName[]).some((role) => findTool(role, [tool]))
