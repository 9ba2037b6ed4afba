// Finds secrets in a text: known values and everything that looks like one, in each view of the text, one pass per view.

import { finish, type Steps } from '../slices.ts'
import { type SecretForm, secretForms } from './forms.ts'
import { apart, type Span } from './spans.ts'
import { encodings, shortestSecret, spellings } from './spellings.ts'
import { isTakenOut } from './taken-out.ts'
import { viewsOf } from './views.ts'
import { longestKey, WordIndex } from './word-index.ts'

export interface Found extends Span {
  /** "something that looks like …"; never the secret itself. */
  what: string
}

type OnFound = (start: number, end: number, what: string) => void

/** Characters that are searched between two pauses. */
const partLength = 64 * 1024

/** For a secret that the text cuts off: the shortest beginning that counts. */
const shortestBeginning = 3
const shortestEncodedBeginning = 8

const formsByWord = new Map<string, SecretForm[]>()
for (const form of secretForms)
  for (const word of form.words.map((one) => one.toLowerCase()))
    formsByWord.set(word, [...(formsByWord.get(word) ?? []), form])

export class SecretFinder {
  readonly #values = new Set<string>()
  /** Spellings of values, then encodings of values, then the words of forms. */
  #words: string[] = []
  #encodedFrom = 0
  #formsFrom = 0
  #index: WordIndex | undefined

  add(value: string): void {
    if (value.length < shortestSecret || this.#values.has(value)) return
    this.#values.add(value)
    this.#index = undefined
  }

  /** In order, without overlap. */
  find(text: string): Found[] {
    return finish(this.findSteps(text))
  }

  /** The same in slices. */
  *findSteps(text: string): Steps<Found[]> {
    const found: Found[] = []
    for (const view of viewsOf(text)) {
      if (view === undefined) yield
      else
        yield* this.#search(view.text, (start, end, what) => {
          found.push({ start: view.startOf(start), end: view.endOf(end), what })
        })
    }
    return found.length < 2 ? found : apart(found)
  }

  /** Where a secret begins that the end of the text cuts off; the end of the text if there is none. */
  cutSecretIn(text: string): number {
    const index = this.#built()
    let start = text.length
    for (const view of viewsOf(text)) {
      if (view === undefined) continue
      const length = index.beginningAtEnd(view.text, (word) => this.#shortestBeginning(word))
      if (length > 0) start = Math.min(start, view.startOf(view.text.length - length))
    }
    return start
  }

  #shortestBeginning(word: number): number {
    if (word >= this.#formsFrom) return Number.POSITIVE_INFINITY
    return word < this.#encodedFrom ? shortestBeginning : shortestEncodedBeginning
  }

  *#search(text: string, onFound: OnFound): Steps<void> {
    const index = this.#built()
    const onHit = this.#reading(text, onFound)
    let state = 0
    for (let from = 0; from < text.length; from += partLength) {
      if (from > 0) yield
      state = index.scan(text, onHit, { from, to: Math.min(from + partLength, text.length), state })
    }
  }

  /** The handler for each word that the index finds. */
  #reading(text: string, onFound: OnFound): (nth: number, start: number) => void {
    /** How far each form has read. */
    const seen = new Map<SecretForm, number>()
    return (nth, start) => {
      const word = this.#words[nth] as string
      if (nth < this.#formsFrom) return tellValue(text, word, start, onFound)
      for (const form of formsByWord.get(word) as SecretForm[]) {
        if (start < (seen.get(form) ?? 0)) continue
        const read = form.read(text, start, start + word.length)
        if (read === undefined) continue
        seen.set(form, typeof read === 'number' ? read : read.end)
        if (typeof read === 'number' || isTakenOut(text.slice(read.start, read.end))) continue
        onFound(read.start, read.end, form.what)
      }
    }
  }

  #built(): WordIndex {
    if (this.#index) return this.#index
    const values = [...this.#values]
    const plain = new Set(values.flatMap(spellings))
    const encoded = new Set(values.flatMap(encodings).filter((word) => !plain.has(word)))
    this.#words = [...plain, ...encoded, ...formsByWord.keys()]
    this.#encodedFrom = plain.size
    this.#formsFrom = plain.size + encoded.size
    this.#index = new WordIndex(this.#words)
    return this.#index
  }
}

/** The index ignores case, and knows only the beginning of long words: compare the text itself. */
function tellValue(text: string, word: string, start: number, onFound: OnFound): void {
  const what = 'a secret of this gateway'
  if (text.startsWith(word, start)) onFound(start, start + word.length, what)
  else if (word.length > longestKey && text.startsWith(word.slice(0, longestKey), start))
    onFound(start, start + longestKey, what)
}

/** Finds secrets by their look alone. */
export const looksSecret = new SecretFinder()
