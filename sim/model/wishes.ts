// What a user's words ask for, as far as the demo model understands them: files to read, commands to run, …
// "A and B" can be done at once; "A, then B" is done one after the other.

import type { Wish } from './wish.ts'
import { PATTERNS, QUESTIONS, type Restore } from './wish-patterns.ts'

/** The steps in order; the wishes of one step are independent of each other. */
export function readWishes(text: string): Wish[][] {
  const quotes: string[] = []
  // Quoted text is data: no verb, comma or "then" inside it may cut the sentence.
  const plain = withoutBlock(text, quotes).replace(
    /(?<!`)`+([^`]+)`+|"([^"]+)"|“([^“”]+)”|(?<!\w)'([^']+)'(?!\w)/g,
    (...groups) => {
      quotes.push(groups.slice(1, 5).find((group) => group !== undefined) ?? '')
      return `«${quotes.length - 1}»`
    },
  )
  const restore = (part: string) => part.replace(/«(\d+)»/g, (_, index) => quotes[Number(index)] ?? '')
  const steps: Wish[][] = []
  for (const sentence of plain.split(SEQUENCE)) {
    const step: Wish[] = []
    for (const clause of sentence.split(PARALLEL)) {
      const wishes = readClause(clause.trim(), restore)
      if (wishes.length > 0) step.push(...wishes.map((wish) => withQuestion(wish, clause)))
      // "Tell me its first heading" belongs to what was wished for before.
      else refine(step.length > 0 ? step : (steps.at(-1) ?? []), clause)
    }
    steps.push(...inOrder(step))
  }
  return steps.filter((step) => step.length > 0)
}

const RULER = /^([=*#~_+-])\1{4,}[ \t]*$/gm

/** A text between two equal lines of signs stands for "the following text". */
function withoutBlock(text: string, quotes: string[]): string {
  const [first] = text.matchAll(RULER)
  if (first === undefined) return text
  const from = first.index + first[0].length + 1
  const last = [...text.slice(from).matchAll(RULER)].findLast(([line]) => line === first[0])
  if (last === undefined) return text
  quotes.push(text.slice(from, Math.max(from, from + last.index - 1)))
  const rest = `${text.slice(0, first.index)}${text.slice(from + last.index + last[0].length)}`
  return rest.replace(FOLLOWING, `«${quotes.length - 1}»`)
}

const FOLLOWING = /\b(?:the |this )?following (?:text|contents?|lines|code|words)\b/i

const VERB =
  '(?:read|open|show|view|cat|list|run|execute|search|grep|find|write|save|create|append|add|replace|change|overwrite|count)'
const SEQUENCE = /(?:[,;.]\s*)?\b(?:and\s+)?(?:then|after that|afterwards|finally)\b,?|[.;!?]\s+|\n+/i
const PARALLEL = new RegExp(`(?:,|(?<!\\s))\\s+and\\s+(?:also\\s+)?(?=${VERB}\\b)|,\\s+(?=${VERB}\\b)`, 'i')

function refine(wishes: Wish[], clause: string): void {
  if (clause.length > LONGEST_CLAUSE) return
  for (const [index, wish] of wishes.entries()) wishes[index] = withQuestion(wish, clause)
}

function withQuestion(wish: Wish, clause: string): Wish {
  if (wish.kind === 'run')
    return /\bexit (?:code|status)\b/i.test(clause) ? { ...wish, wantsExitCode: true } : wish
  const question = QUESTIONS.find(({ match }) => match.test(clause))?.question
  return wish.kind === 'read' && question !== undefined ? { ...wish, question } : wish
}

/** What follows a change waits for it if it could see the difference. */
function inOrder(wishes: readonly Wish[]): Wish[][] {
  const steps: Wish[][] = [[]]
  for (const wish of wishes) {
    if (steps.at(-1)?.some((earlier) => changes(earlier, wish))) steps.push([])
    steps.at(-1)?.push(wish)
  }
  return steps
}

function changes(earlier: Wish, wish: Wish): boolean {
  const isChange = earlier.kind === 'write' || earlier.kind === 'append' || earlier.kind === 'replace'
  return isChange && (!('path' in wish) || wish.kind === 'search' || wish.path === earlier.path)
}

/** The patterns have ways to go through a long text many times over; what is longer than this is hardly a wish. */
const LONGEST_CLAUSE = 500

/** What is to be told is no part of what is to be done. */
const TELLING = /(?:,|(?<!\s)) {1,3}and (?:then |please )?(?:tell|give|say|report|answer|let me|explain)\b/i

function readClause(whole: string, restore: Restore): Wish[] {
  if (whole.length > LONGEST_CLAUSE) return []
  if (/\b(?:don't|do not|never)\b/i.test(whole)) return []
  const clause = whole.slice(0, TELLING.exec(whole)?.index ?? whole.length)
  for (const { match, wish } of PATTERNS) {
    const found = match.exec(clause)
    const wishes = found ? wish(found.slice(1), restore) : []
    if (wishes.length > 0) return wishes
  }
  return []
}
