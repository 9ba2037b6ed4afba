// Where a character stands in a JSON text: the path of the value around it. Reads forward, so that many places take one pass, and
// takes text that is cut or invalid as far as it goes.

interface Level {
  isList: boolean
  index: number
  name: string
  /** The next string is a name. */
  awaitsName: boolean
}

export class JsonPath {
  readonly #text: string
  #levels: Level[] = []
  #next = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Such as `messages[3].content`; empty outside of any object and list. */
  at(index: number): string {
    if (index < this.#next) {
      this.#levels = []
      this.#next = 0
    }
    while (this.#next <= index && this.#next < this.#text.length) if (!this.#step(index)) break
    return pathOf(this.#levels)
  }

  /** False if the next token holds the character. */
  #step(index: number): boolean {
    const level = this.#levels.at(-1)
    const char = this.#text[this.#next]
    if (char === '"') {
      const end = literalEnd(this.#text, this.#next)
      if (level?.awaitsName) {
        level.name = this.#text.slice(this.#next + 1, end)
        level.awaitsName = false
      }
      if (index <= end) return false
      this.#next = end
    } else if (char === '{' || char === '[')
      this.#levels.push({ isList: char === '[', index: 0, name: '', awaitsName: char === '{' })
    else if (char === '}' || char === ']') this.#levels.pop()
    else if (char === ',' && level) {
      level.index++
      level.awaitsName = !level.isList
    }
    this.#next++
    return true
  }
}

const pathOf = (levels: readonly Level[]) =>
  levels
    .map(({ isList, index, name }) => (isList ? `[${index}]` : name === '' ? '' : `.${name}`))
    .join('')
    .replace(/^\./, '')

/** The index of the closing quote of the literal that opens at `at`, or of the last character. */
function literalEnd(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next++) {
    const char = text[next]
    if (char === '\\') next++
    else if (char === '"') return next
  }
  return text.length - 1
}
