// Streams the text of a custom tool out of its one JSON argument: deltas of `{"input":"…` → deltas of the text. Arguments of another
// shape give no text here; it is known at the end of the call.

const beginning = /^\s*\{\s*"input"\s*:\s*"/
/** Longer arguments without a match do not have this beginning. */
const longestBeginning = 100

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
/** One whole escape. No match: the rest of the escape is in the next piece. */
const oneEscape = /\\(?:u([0-9a-fA-F]{4})|([^u]))/y

export class CustomTextReader {
  #state: 'before' | 'inside' | 'over' = 'before'
  #rest = ''

  /** The text that this piece adds. */
  push(json: string): string {
    if (this.#state === 'over') return ''
    this.#rest += json
    if (this.#state === 'before' && !this.#begins()) return ''
    return this.#read()
  }

  #begins(): boolean {
    const found = beginning.exec(this.#rest)
    if (found) {
      this.#state = 'inside'
      this.#rest = this.#rest.slice(found[0].length)
    } else if (this.#rest.length > longestBeginning) this.#state = 'over'
    return found !== null
  }

  #read(): string {
    const json = this.#rest
    let text = ''
    let at = 0
    while (at < json.length) {
      const next = nextMark(json, at)
      text += json.slice(at, next)
      at = next
      if (at === json.length) break
      if (json[at] === '"') {
        this.#state = 'over'
        break
      }
      oneEscape.lastIndex = at
      const found = oneEscape.exec(json)
      if (!found) break
      text += unescaped(found)
      at = oneEscape.lastIndex
    }
    this.#rest = this.#state === 'over' ? '' : json.slice(at)
    return this.#withoutHalf(text)
  }

  /** Holds back half of a surrogate pair: alone it is not valid text for every client. */
  #withoutHalf(text: string): string {
    const last = text.charCodeAt(text.length - 1)
    if (this.#state === 'over' || !(last >= 0xd800 && last < 0xdc00)) return text
    this.#rest = `\\u${last.toString(16)}${this.#rest}`
    return text.slice(0, -1)
  }
}

/** The position of the next escape or of the closing quote. */
function nextMark(json: string, from: number): number {
  for (let at = from; at < json.length; at++) if (json[at] === '\\' || json[at] === '"') return at
  return json.length
}

function unescaped([, code, letter = '']: RegExpExecArray): string {
  return code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16))
}
