// Deltas from chunks. The service is asked for deltas, but some of its models send the whole text so far in every chunk. The
// first chunks decide which one a stream is, and only on good evidence: a text can begin with a repetition.

type Manner = 'unknown' | 'deltas' | 'whole'

/** A shorter chunk that begins with the previous one proves nothing: `1`, `10` is also the number 110. */
const tellingLength = 4
const tellingLetters = 3
/** Chunks in a row that extend the previous one: no text repeats itself like that. */
const tellingGrowth = 2
/** The limit for text that is held back undecided. */
const mostHeld = 32
const longestHeld = 128 * 1024

const isTelling = (text: string) => text.length >= tellingLength && new Set(text).size >= tellingLetters

export class GrowingText {
  #manner: Manner = 'unknown'
  #last = ''
  /** Undecided chunks after the first. */
  #held: string[] = []
  #heldLength = 0
  #growth = 0
  /** The length of the first chunk, which is the same in both cases and goes out at once. */
  #given = 0

  /** The new text in this chunk; empty while undecided. */
  push(chunk: string): string {
    if (chunk === '') return ''
    if (this.#manner === 'deltas') return chunk
    if (this.#manner === 'whole') return this.#rest(chunk)
    if (this.#last === '') {
      this.#last = chunk
      this.#given = chunk.length
      return chunk
    }
    if (!chunk.startsWith(this.#last)) return this.#areDeltas(chunk)
    if (chunk.length > this.#last.length && isTelling(this.#last)) this.#growth++
    this.#held.push(chunk)
    this.#heldLength += chunk.length
    this.#last = chunk
    if (this.#growth >= tellingGrowth) return this.#areWhole()
    const isEnough = this.#held.length >= mostHeld || this.#heldLength > longestHeld
    return isEnough ? this.#areDeltas('') : ''
  }

  /** Returns the held text, at the end or before another phase. */
  settle(): string {
    if (this.#manner !== 'unknown' || this.#held.length === 0) return ''
    return this.#growth > 0 ? this.#areWhole() : this.#areDeltas('')
  }

  #areDeltas(chunk: string): string {
    this.#manner = 'deltas'
    const text = this.#held.join('') + chunk
    this.#held = []
    return text
  }

  #areWhole(): string {
    this.#manner = 'whole'
    const text = this.#last.slice(this.#given)
    this.#held = []
    return text
  }

  #rest(chunk: string): string {
    // A repetition of a part: nothing is new.
    if (this.#last.startsWith(chunk)) return ''
    // Deltas after all. The text is not kept, because comparing each delta with all of it would be quadratic.
    if (!isLater(chunk, this.#last)) return this.#areDeltas(chunk)
    const rest = chunk.slice(this.#last.length)
    this.#last = chunk
    return rest
  }
}

/** The same text, extended. Its end may have been rewritten, such as half a character; shown text cannot be retracted. */
function isLater(text: string, before: string): boolean {
  if (text.length < before.length) return false
  let same = 0
  while (same < before.length && text[same] === before[same]) same++
  return 2 * same >= before.length
}
