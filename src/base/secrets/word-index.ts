// Aho-Corasick: finds all words of a list in one pass over a text. ASCII letters match in either case.

/** Longer words are found by their beginning: the table stays small. */
export const longestKey = 256

/** A state stands for a prefix of a word that the text read so far ends with. */
interface State {
  /** Index of the word that ends here, or -1. */
  word: number
  /** The first word of the list with this prefix. */
  leadsTo: number
  depth: number
  /** The states of its longest suffix that is a prefix of a word, and of the longest that is a word. */
  suffix: number
  shorterWord: number
}

/** A part of a text, and the state after the part before it. */
interface Part {
  from?: number
  to?: number
  state?: number
}

export class WordIndex {
  readonly #states: State[] = [{ word: -1, leadsTo: -1, depth: 0, suffix: 0, shorterWord: 0 }]
  readonly #classes = new Uint16Array(128)
  readonly #otherClasses = new Map<number, number>()
  readonly #classCount: number
  /** By state and class: the next state, times the number of classes; its complement where a word ends. */
  readonly #next: Int32Array

  constructor(words: readonly string[]) {
    const keys = words.map((word) => word.slice(0, longestKey))
    this.#classCount = this.#classify(keys)
    this.#next = new Int32Array(keys.reduce((sum, key) => sum + key.length, 1) * this.#classCount)
    this.#addWords(keys)
    this.#link()
  }

  /**
   * Reports hits in the order of their ends. A long text can be scanned in parts: pass the result of one as `state` of the next.
   */
  scan(
    text: string,
    onHit: (word: number, start: number) => void,
    { from = 0, to = text.length, state: before = 0 }: Part = {},
  ): number {
    if (this.#states.length === 1) return 0
    const next = this.#next
    const classes = this.#classes
    let state = before
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      state = next[state + (code < 128 ? (classes[code] as number) : this.#otherClass(code))] as number
      if (state >= 0) continue
      state = ~state
      this.#tell(state / this.#classCount, at + 1, onHit)
    }
    return state
  }

  /** The length of the longest word prefix at the end of the text that is long enough for its word. */
  beginningAtEnd(text: string, shortestOf: (word: number) => number): number {
    let place = 0
    for (let at = Math.max(0, text.length - longestKey); at < text.length; at++) {
      const code = text.charCodeAt(at)
      place = this.#next[
        place + (code < 128 ? (this.#classes[code] as number) : this.#otherClass(code))
      ] as number
      if (place < 0) place = ~place
    }
    let state = this.#states[place / this.#classCount] as State
    while (state.depth > 0 && state.depth < shortestOf(state.leadsTo))
      state = this.#states[state.suffix] as State
    return state.depth
  }

  #tell(ending: number, end: number, onHit: (word: number, start: number) => void): void {
    const first = this.#states[ending] as State
    for (let nth = first.word === -1 ? first.shorterWord : ending; nth !== 0; ) {
      const { word, depth, shorterWord } = this.#states[nth] as State
      onHit(word, end - depth)
      nth = shorterWord
    }
  }

  /** Class 0: characters that no word has. */
  #classify(keys: readonly string[]): number {
    let count = 1
    for (const key of keys)
      for (let at = 0; at < key.length; at++) {
        const code = key.charCodeAt(at)
        if (this.#classOf(code) !== 0) continue
        for (const same of bothCases(code))
          if (same < 128) this.#classes[same] = count
          else this.#otherClasses.set(same, count)
        count++
      }
    return count
  }

  #classOf(code: number): number {
    return code < 128 ? (this.#classes[code] as number) : this.#otherClass(code)
  }

  #otherClass(code: number): number {
    return this.#otherClasses.size === 0 ? 0 : (this.#otherClasses.get(code) ?? 0)
  }

  #addWords(keys: readonly string[]): void {
    for (const [word, key] of keys.entries()) {
      let nth = 0
      for (let at = 0; at < key.length; at++) {
        const place = nth * this.#classCount + this.#classOf(key.charCodeAt(at))
        if (this.#next[place] === 0) {
          this.#next[place] = this.#states.length * this.#classCount
          this.#states.push({ word: -1, leadsTo: word, depth: at + 1, suffix: 0, shorterWord: 0 })
        }
        nth = (this.#next[place] as number) / this.#classCount
      }
      const last = this.#states[nth] as State
      if (last.word === -1) last.word = word
    }
  }

  /** Breadth first: the suffix of a state is complete before the state. */
  #link(): void {
    const count = this.#classCount
    const queue: number[] = [0]
    for (let at = 0; at < queue.length; at++) {
      const nth = queue[at] as number
      const { suffix, depth } = this.#states[nth] as State
      for (let kind = 0; kind < count; kind++) {
        const child = (this.#next[nth * count + kind] as number) / count
        const beside = this.#placeOf(suffix * count + kind)
        if (child === 0) this.#next[nth * count + kind] = depth === 0 ? 0 : this.#marked(beside)
        else {
          this.#linkChild(child, depth === 0 ? 0 : beside)
          this.#next[nth * count + kind] = this.#marked(child)
          queue.push(child)
        }
      }
    }
  }

  #linkChild(child: number, suffix: number): void {
    const state = this.#states[child] as State
    const leanedOn = this.#states[suffix] as State
    state.suffix = suffix
    state.shorterWord = leanedOn.word === -1 ? leanedOn.shorterWord : suffix
  }

  #placeOf(at: number): number {
    const value = this.#next[at] as number
    return (value < 0 ? ~value : value) / this.#classCount
  }

  #marked(nth: number): number {
    const { word, shorterWord } = this.#states[nth] as State
    const value = nth * this.#classCount
    return word === -1 && shorterWord === 0 ? value : ~value
  }
}

function bothCases(code: number): number[] {
  const char = String.fromCharCode(code)
  const both = /[A-Za-z]/.test(char) ? [char.toLowerCase(), char.toUpperCase()] : [char]
  return both.map((one) => one.charCodeAt(0))
}
