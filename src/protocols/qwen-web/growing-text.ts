// The service is asked for deltas, and some of its models send the whole text so far in every chunk all the same. Which
// of the two a stream is, is judged by its first chunks, and only on good evidence: a text may begin with a repetition.

type Manner = 'unknown' | 'deltas' | 'whole'

/** Below this, one chunk that begins with the one before it says nothing: `1`, `10` is also the number 110. */
const tellingLength = 4
const tellingLetters = 3
/** So often in a row a chunk grew out of the one before it: nobody repeats like that. */
const tellingGrowth = 2
/** A text of repetitions is no longer waited for. */
const mostHeld = 32
const longestHeld = 128 * 1024

const isTelling = (text: string) => text.length >= tellingLength && new Set(text).size >= tellingLetters

export class GrowingText {
  #manner: Manner = 'unknown'
  #last = ''
  /** The chunks behind the first that could be either. */
  #held: string[] = []
  #heldLength = 0
  #growth = 0
  /** The length of the first chunk: it is the same in both manners, and was given at once. */
  #given = 0

  /** What is new in this chunk; nothing while that cannot be told. */
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

  /** The text is over, or something else comes between: what is held back is given. */
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
    // Said again, in part: nothing is new.
    if (this.#last.startsWith(chunk)) return ''
    // Deltas after all. The text is not kept then: each of them would have to be compared with all of it.
    if (!isLater(chunk, this.#last)) return this.#areDeltas(chunk)
    const rest = chunk.slice(this.#last.length)
    this.#last = chunk
    return rest
  }
}

/** The same text, grown; its end may have been rewritten, such as half a character. What was shown cannot be unsaid. */
function isLater(text: string, before: string): boolean {
  if (text.length < before.length) return false
  let same = 0
  while (same < before.length && text[same] === before[same]) same++
  return 2 * same >= before.length
}
