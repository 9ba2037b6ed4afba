// What follows from texts that are known: the line that answers a question, a sum, a difference, the largest of several figures.

import { contentStems } from './words.ts'

/** The line of a text that shares most with the question; undefined if none shares enough. */
export function lineAbout(question: string, lines: readonly string[]): string | undefined {
  const asked = [...new Set(contentStems(question.slice(0, LONGEST_QUESTION)))]
  const words = lines.map((line) => new Set(contentStems(line.slice(0, LONGEST_LINE))))
  const lineCounts = new Map(asked.map((word) => [word, words.filter((own) => own.has(word)).length]))
  let best: { line: string; score: number } | undefined
  for (const [at, own] of words.entries()) {
    const score = asked.reduce((sum, word) => sum + (own.has(word) ? 1 / (lineCounts.get(word) ?? 1) : 0), 0)
    if (score > (best?.score ?? 0)) best = { line: lines[at] ?? '', score }
  }
  // A word that stands in many lines does not tell which one is meant.
  return best !== undefined && best.score >= 0.5 ? best.line : undefined
}

const LONGEST_QUESTION = 2000
const LONGEST_LINE = 400

export const isQuestion = (text: string) =>
  /\?|\b(?:tell|say|which|what|how (?:many|much|high|long))\b/i.test(text)

/** An answer to the last question, from what the user said and the tools gave before. */
export function recallFrom(text: string, earlier: readonly string[]): string | undefined {
  const sentences = text.split(/(?<=[.!?])\s+/)
  const question = sentences.at(-1) ?? ''
  if (!question.includes('?') || !isQuestion(question)) return undefined
  const told = [...earlier, ...sentences.slice(0, -1).flatMap((sentence) => sentence.split(/,? and /))]
  const line = lineAbout(question, told.flatMap((one) => one.split('\n')).slice(0, MOST_LINES))
  return line === undefined || (isAboutNumber(question) && !/\d/.test(line)) ? undefined : line.trim()
}

const MOST_LINES = 2000
const isAboutNumber = (question: string) => /\bhow (?:many|much|high|long|old)\b|\bnumber\b/i.test(question)

const OPERATORS: Readonly<Record<string, (one: number, other: number) => number>> = {
  plus: (one, other) => one + other,
  minus: (one, other) => one - other,
  times: (one, other) => one * other,
  'divided by': (one, other) => one / other,
}
const SIGNS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '×': 'times',
  '/': 'divided by',
}

/** "What is 17 plus 25?" */
export function sumIn(text: string): string | undefined {
  const found =
    /\bwhat(?:'s| is) (-?\d{1,12}(?:\.\d{1,6})?) ?(plus|minus|times|divided by|[-+*/×]) ?(-?\d{1,12}(?:\.\d{1,6})?)\s*\?/i.exec(
      text.slice(0, LONGEST_QUESTION),
    )
  if (!found) return undefined
  const [, one = '', sign = '', other = ''] = found
  const name = SIGNS[sign] ?? sign.toLowerCase()
  const value = OPERATORS[name]?.(Number(one), Number(other))
  return value === undefined || !Number.isFinite(value)
    ? undefined
    : `${one} ${name} ${other} is ${Number(value.toFixed(6))}.`
}

interface Figure {
  readonly text: string
  readonly value: number
}

/** A sentence about several results, each with one figure. */
export function comparison(text: string, results: readonly string[]): string | undefined {
  const figures = results.flatMap((result): Figure[] => {
    const value = figureIn(result)
    return value === undefined ? [] : [{ text: result.trim(), value }]
  })
  if (figures.length < 2 || figures.length < results.length) return undefined
  const values = figures.map(({ value }) => value)
  const round = (value: number) => Number(value.toFixed(6))
  if (/\b(?:together|altogether|in total|total|sum)\b/i.test(text))
    return `Together that is ${round(values.reduce((sum, value) => sum + value, 0))}.`
  if (values.length === 2 && /\bby how (?:many|much)\b|\bdifference\b/i.test(text))
    return `The difference is ${round(Math.abs((values[0] ?? 0) - (values[1] ?? 0)))}.`
  const sorted = [...figures].sort((one, other) => other.value - one.value)
  const extreme = MOST.test(text) ? sorted[0] : LEAST.test(text) ? sorted.at(-1) : undefined
  return extreme && `That is ${extreme.text}.`
}

const MOST = /\b(?:dearest|most expensive|highest|largest|biggest|longest|warmest|hottest|oldest|most)\b/i
const LEAST = /\b(?:cheapest|least expensive|lowest|smallest|shortest|coldest|youngest|fewest|least)\b/i

/** The one number of a line; undefined if there are several. */
function figureIn(result: string): number | undefined {
  const numbers = result.slice(0, LONGEST_LINE).match(/(?<![\w.-])\d{1,12}(?:\.\d{1,6})?(?![\w-])/g) ?? []
  return numbers.length === 1 ? Number(numbers[0]) : undefined
}
