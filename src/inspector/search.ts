// Searches the kept turns, newest first, in slices. A turn is found if each word is in its facts or its texts. Only text without
// secrets counts: a search must not tell whether a guessed secret is right.

import { inSlices, type Steps } from '../base/slices.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { Frame } from '../tapes/frame.ts'
import { scrubbedFrames } from '../tapes/write.ts'
import type { FoundText, SearchAnswer, TurnSummary } from './api.ts'
import { mostHits } from './merged-hits.ts'
import { aboutOf, meets, type TurnFilter } from './turn-filter.ts'
import type { Kept } from './turn-shelf.ts'
import { textsOf } from './turn-texts.ts'

/** The most places that are shown of a turn. */
const mostFound = 3

interface SearchOptions {
  /** The turns that the viewer may see, newest first. */
  turns: Iterable<{ kept: Kept; summary: TurnSummary }>
  filter: Pick<TurnFilter, 'words' | 'conditions'>
  scrubber: Scrubber
  /** The client has left: the search can stop. */
  isGone(): boolean
}

export async function searchTurns({ turns, filter, scrubber, isGone }: SearchOptions): Promise<SearchAnswer> {
  const answer: SearchAnswer = { hits: [], searched: 0, more: false }
  for (const { kept, summary } of turns) {
    if (isGone()) break
    if (answer.hits.length >= mostHits) return { ...answer, more: true }
    answer.searched++
    // Only the page knows the whole conversation, so only the page decides whether a turn waits.
    if (!meets(summary, withoutWaiting(filter), { isWaiting: true })) continue
    const about = aboutOf(summary)
    const words = filter.words.filter((word) => !about.includes(word))
    // All words are in the facts, which the page searches itself.
    if (words.length === 0) continue
    if (!(await inSlices(finds(kept.tape.frames, words)))) continue
    const clean = await scrubbedFrames(kept.tape, scrubber)
    const found = await inSlices(finds(clean, words))
    if (found) answer.hits.push({ turn: kept.tape.turn, startedAt: kept.startedAt, found })
  }
  return answer
}

const withoutWaiting = ({ conditions }: Pick<TurnFilter, 'conditions'>) => ({
  conditions: conditions.filter(({ name, value }) => name !== 'is' || value !== 'waiting'),
})

/** Places of the words; undefined if one of them is nowhere. */
export function* finds(frames: readonly Frame[], words: readonly string[]): Steps<FoundText[] | undefined> {
  const missing = new Set(words)
  const found: FoundText[] = []
  for (const { where, text } of textsOf(frames, (raw) => mayHold(raw, words))) {
    yield
    const folded = foldedOf(text)
    for (const word of words) {
      const at = folded.text.indexOf(word)
      if (at < 0) continue
      if (missing.delete(word) && found.length < mostFound)
        found.push({ where, ...excerpt(folded.shown, at, word.length) })
    }
    if (missing.size === 0) return found
  }
  return missing.size === 0 ? found : undefined
}

/** Characters that JSON may write in another way. */
const escaped = /[^\w .,:;-]/

/** False if the text holds none of the words: then a long body need not be parsed. */
function mayHold(raw: string, words: readonly string[]): boolean {
  if (words.some((word) => escaped.test(word))) return true
  const text = raw.toLowerCase()
  // A client may escape ordinary letters too.
  return words.some((word) => text.includes(word)) || text.includes('\\u00')
}

/** In a few languages lower case changes the length of a text, and with it the positions: then the lower case is shown. */
function foldedOf(text: string): { text: string; shown: string } {
  const lower = text.toLowerCase()
  return { text: lower, shown: lower.length === text.length ? text : lower }
}

const [charactersBefore, charactersAfter] = [40, 120]

function excerpt(text: string, at: number, length: number): Omit<FoundText, 'where'> {
  const from = Math.max(0, at - charactersBefore)
  const to = Math.min(text.length, at + length + charactersAfter)
  const line = (part: string) => part.replace(/\s+/g, ' ')
  return {
    before: `${from > 0 ? '…' : ''}${line(text.slice(from, at))}`,
    found: line(text.slice(at, at + length)),
    after: `${line(text.slice(at + length, to))}${to < text.length ? '…' : ''}`,
  }
}
