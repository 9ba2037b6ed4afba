// Detects "Tool read does not exists.": the answer of the service itself if it takes the model's call for a call of one of its
// own tools. An answer that may become this sentence is held back until it differs.

const words = [/^tool$/i, /^\S+$/, /^does$/i, /^not$/i, /^exists?[.!]?$/i]
const beginnings = ['tool', undefined, 'does', 'not', 'exists.']
/** Tool names are shorter. */
const longest = 240

export class Interception {
  #held = ''
  #open = true

  /** The text that can go out. */
  push(text: string): string {
    if (!this.#open) return text
    this.#held += text
    if (couldBecome(this.#held)) return ''
    return this.settle()
  }

  /** The whole answer has been held back, and it is this sentence. */
  get isSure(): boolean {
    const said = this.#held.trim().split(/\s+/)
    return this.#open && said.length === words.length && words.every((word, at) => word.test(said[at] ?? ''))
  }

  get words(): string {
    return this.#held.trim()
  }

  settle(): string {
    const held = this.#held
    if (held === '') return ''
    this.#open = false
    this.#held = ''
    return held
  }
}

function couldBecome(text: string): boolean {
  if (text.length > longest) return false
  const said = text.trimStart().split(/\s+/)
  const last = said.length - 1
  // White space at the end gives an empty last word.
  if (last > words.length || (last === words.length && said[last] !== '')) return false
  return said.every((word, at) => {
    if (at === last) return (beginnings[at] ?? word).startsWith(word.toLowerCase()) || words[at]?.test(word)
    return words[at]?.test(word)
  })
}
