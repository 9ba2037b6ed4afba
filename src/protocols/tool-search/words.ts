// Words of tools and of questions: split as programmers write names, without words that say nothing, reduced to their stem.

import { stem } from './stem.ts'
import { meanings } from './synonyms.ts'

/** Letters and digits of any script; an apostrophe belongs to no word. */
const run = /[\p{L}\p{M}\p{N}]+/gu

/** Where a name changes its case: `getUserID` is get, User, ID; `HTTPServer` is HTTP, Server. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu

/** Words of a question or a sentence that tell no tool from another. */
const empty = new Set(
  (
    'a about after all also am an and any are as at be been before being but by can could did do does doing done each either ' +
    'else ever every for from had has have having he her here hers him his how i if in into is it its just let like many may me ' +
    'might mine more most much must my no nor not now of off on once one only or other our ours out over own per please rather ' +
    'same shall she should since so some such than thank thanks that the their theirs them then there these they this those ' +
    'through thus to too under until up upon us use used using very via want wants was we well were what when where whether ' +
    'which while who whom whose why will with within without would yes yet you your yours s t d ll m re ve ' +
    // What people say to an assistant, whatever they want.
    'assist assistance could feel give going gonna good got great hello help hey hi interested kind know look looking need needed ' +
    'needs really right something tell think try trying wanna wish wonder wondering'
  ).split(' '),
)

/** Scripts that are written without blanks: their words are pairs of characters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The searchable words of a text, in order. Plural and singular, or two spellings of one idea, are the same word. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const [letters] of text.matchAll(run)) for (const part of letters.split(humps)) add(part, words)
  return words
}

function add(part: string, words: string[]): void {
  const word = part.toLowerCase()
  // A number is a value, whatever tool takes it; `s3` and `http2` are words.
  if (/^\p{N}/u.test(word)) return
  if (unspaced.test(word)) return addPairs(word, words)
  if (empty.has(word)) return
  const root = stem(word)
  words.push(meanings.get(root) ?? root)
}

function addPairs(word: string, words: string[]): void {
  const characters = [...word]
  if (characters.length === 1) words.push(word)
  for (let at = 1; at < characters.length; at++) words.push(`${characters[at - 1]}${characters[at]}`)
}
