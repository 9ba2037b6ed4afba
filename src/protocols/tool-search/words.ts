// Words of tools and of questions: split as programmers write names, without words that say nothing, reduced to their stem.

import { stem } from './stem.ts'
import { meanings } from './synonyms.ts'

/** Letters and digits of any script; an apostrophe belongs to no word. */
export const letterRuns = /[\p{L}\p{M}\p{N}]+/gu

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
/** Where such a script meets another, as in `的workspace`. */
const scripts = new RegExp(`(?<=${unspaced.source})(?=[a-z0-9])|(?<=[a-z0-9])(?=${unspaced.source})`, 'iu')

/** The words of each run of letters that was read before. Tools repeat their words, and splitting one takes time. */
export type KnownRuns = Map<string, readonly string[]>

/** The searchable words of a text, in order. Plural and singular, or two spellings of one idea, are the same word. */
export function wordsOf(text: string, known: KnownRuns = new Map()): string[] {
  const words: string[] = []
  for (const run of text.match(letterRuns) ?? []) {
    const ofRun = known.get(run) ?? partsOf(run).flatMap(wordsOfPart)
    known.set(run, ofRun)
    for (const word of ofRun) words.push(word)
  }
  return words
}

function partsOf(run: string): string[] {
  const parts = run.split(humps)
  return unspaced.test(run) ? parts.flatMap((part) => part.split(scripts)) : parts
}

/** The form in which an idea is looked up. */
export function keyOf(word: string): string {
  const root = stem(word)
  return meanings.get(root) ?? root
}

function wordsOfPart(part: string): string[] {
  const word = withoutAccents(part.toLowerCase())
  // A number is a value, whatever tool takes it; `s3` and `http2` are words.
  if (/^\p{N}/u.test(word) || empty.has(word)) return []
  return unspaced.test(word) ? pairsOf(word) : [keyOf(word)]
}

/** `café` is `cafe`. Marks that are letters of their own script stay. */
const withoutAccents = (word: string): string =>
  /^[a-z0-9]*$/.test(word)
    ? word
    : word
        .normalize('NFD')
        .replace(/(?<=[a-z])\p{M}/gu, '')
        .normalize('NFC')

function pairsOf(word: string): string[] {
  const characters = [...word]
  if (characters.length === 1) return [word]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}
