// What a question asks for, as words with weights. Dates are values and no words; names of people and places, too, rather than wishes,
// so they count less. What the question only hints at counts less than what it says.

import { topics } from './topics.ts'
import { dates, valueKinds } from './value-kinds.ts'
import { type KnownRuns, keyOf, letterRuns, wordsOf } from './words.ts'

const nameWeight = 0.65
const kindWeight = 0.5
const topicWeight = 0.5

/** The words of a question, each with the number of times that it is asked for. */
export function readQuestion(question: string): Map<string, number> {
  const weights = new Map<string, number>()
  const count = (word: string, weight: number) => weights.set(word, (weights.get(word) ?? 0) + weight)
  const hints = new Set<string>()
  const known: KnownRuns = new Map()
  for (const { text, isName } of runsOf(question.replace(dates, ' , ')))
    for (const word of wordsOf(text, known)) {
      count(word, isName ? nameWeight : 1)
      for (const topic of topics.get(word) ?? []) hints.add(topic)
    }
  for (const kind of valueKinds(question)) count(keyOf(kind), kindWeight)
  for (const topic of hints) count(topic, topicWeight)
  return weights
}

interface Run {
  text: string
  isName: boolean
}

/** A capital inside a sentence begins a name, unless the text has capitals everywhere. */
function runsOf(question: string): Run[] {
  const runs: Run[] = []
  let end = 0
  let capitals = 0
  for (const match of question.matchAll(letterRuns)) {
    const [text] = match
    const gap = question.slice(end, match.index)
    const isFirst = end === 0 || /[.!?:\n"“([{]/.test(gap)
    const isCapital = /^\p{Lu}/u.test(text)
    if (isCapital) capitals++
    // `CA` is a name after another, as in `Oakland, CA`.
    const isWritten = /^.\p{Ll}+$/u.test(text) || runs.at(-1)?.isName === true
    runs.push({ text, isName: isCapital && !isFirst && isWritten })
    end = match.index + text.length
  }
  return capitals * 3 > runs.length * 2 ? runs.map(({ text }) => ({ text, isName: false })) : runs
}
