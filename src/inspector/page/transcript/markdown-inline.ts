// Markdown inside a line of text: code, bold, italic, struck out, links. One pass; what does not close stays text.

export type Inline =
  | string
  | { type: 'code'; text: string }
  | { type: 'strong' | 'emphasis' | 'strike'; children: Inline[] }
  | { type: 'link'; href: string; children: Inline[] }

type Mark = '**' | '__' | '*' | '_' | '~~' | '['

interface Open {
  mark: Mark | ''
  children: Inline[]
}

const kinds = { '**': 'strong', __: 'strong', '*': 'emphasis', _: 'emphasis', '~~': 'strike' } as const

/** Beyond this, marks are text: levels multiply the time. */
const deepest = 12
/** A longer text is not read for marks. */
const longestInline = 64 * 1024
const longestHref = 2_000

export function parseInline(text: string): Inline[] {
  return text.length > longestInline ? [text] : new InlineReader(text).read()
}

class InlineReader {
  readonly #text: string
  readonly #ticks: TickRuns
  readonly #open: Open[] = [{ mark: '', children: [] }]
  #pending = ''
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#ticks = new TickRuns(text)
  }

  read(): Inline[] {
    while (this.#at < this.#text.length) this.#step()
    this.#flush()
    while (this.#open.length > 1) this.#giveUp()
    return (this.#open[0] as Open).children
  }

  #step(): void {
    const char = this.#text[this.#at] as string
    if (char === '`') this.#code()
    else if (char === '\\') this.#escape()
    else if (char === '*' || char === '_' || char === '~') this.#mark(char)
    else if (char === '[') this.#openLink()
    else if (char === ']') this.#closeLink()
    else this.#plain()
  }

  #plain(): void {
    plainText.lastIndex = this.#at
    const [words = this.#text[this.#at] as string] = plainText.exec(this.#text) ?? []
    this.#take(words)
  }

  #take(words: string): void {
    this.#pending += words
    this.#at += words.length
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? ''
    if (!/[!-/:-@[-`{-~]/.test(next)) return this.#take('\\')
    this.#pending += next
    this.#at += 2
  }

  #code(): void {
    const { length, end } = this.#ticks.runAt(this.#at)
    if (end === undefined) return this.#take('`'.repeat(length))
    const inner = this.#text.slice(this.#at + length, end)
    const isPadded = inner.length > 2 && inner.startsWith(' ') && inner.endsWith(' ')
    this.#add({ type: 'code', text: isPadded ? inner.slice(1, -1) : inner })
    this.#at = end + length
  }

  #mark(char: '*' | '_' | '~'): void {
    const isDouble = this.#text[this.#at + 1] === char
    if (char === '~' && !isDouble) return this.#take(char)
    const mark = (isDouble ? char + char : char) as Exclude<Mark, '['>
    const before = this.#text[this.#at - 1] ?? ' '
    const after = this.#text[this.#at + mark.length] ?? ' '
    // Underscores within a word are text.
    const isInWord = char === '_' && wordChar.test(before) && wordChar.test(after)
    const place = this.#open.findLastIndex((one) => one.mark === mark)
    if (place > 0 && !space.test(before) && !isInWord) this.#close(place, kinds[mark])
    else if (!space.test(after) && !isInWord && this.#open.length < deepest) this.#begin(mark)
    else return this.#take(mark)
    this.#at += mark.length
  }

  #openLink(): void {
    if (this.#open.length >= deepest) return this.#take('[')
    this.#begin('[')
    this.#at++
  }

  #closeLink(): void {
    const place = this.#open.findLastIndex(({ mark }) => mark === '[')
    if (place < 1) return this.#take(']')
    const target = this.#text[this.#at + 1] === '(' ? targetAt(this.#text, this.#at + 2) : undefined
    this.#flush()
    while (this.#open.length > place + 1) this.#giveUp()
    if (!target) {
      this.#giveUp()
      return this.#take(']')
    }
    const { children } = this.#open.pop() as Open
    this.#open.at(-1)?.children.push({ type: 'link', href: target.href, children })
    this.#at = target.end
  }

  #begin(mark: Mark): void {
    this.#flush()
    this.#open.push({ mark, children: [] })
  }

  #close(place: number, type: 'strong' | 'emphasis' | 'strike'): void {
    this.#flush()
    while (this.#open.length > place + 1) this.#giveUp()
    const { children } = this.#open.pop() as Open
    this.#open.at(-1)?.children.push({ type, children })
  }

  /** The innermost mark is text after all. */
  #giveUp(): void {
    const { mark, children } = this.#open.pop() as Open
    const outer = this.#open.at(-1) as Open
    outer.children.push(mark)
    for (const child of children) outer.children.push(child)
  }

  #add(node: Inline): void {
    this.#flush()
    this.#open.at(-1)?.children.push(node)
  }

  #flush(): void {
    if (this.#pending === '') return
    const isInLink = this.#open.some(({ mark }) => mark === '[')
    const children = isInLink ? [this.#pending] : withLinks(this.#pending)
    for (const child of children) this.#open.at(-1)?.children.push(child)
    this.#pending = ''
  }
}

const plainText = /[^`\\*_~[\]]+/y
const space = /\s/
const wordChar = /[\p{L}\p{N}]/u

/** Runs of backticks, and where each is closed by one of the same length. */
class TickRuns {
  readonly #ends = new Map<number, number>()
  readonly #lengths = new Map<number, number>()

  constructor(text: string) {
    const last = new Map<number, number>()
    for (const { index, 0: run } of text.matchAll(/`+/g)) {
      const before = last.get(run.length)
      if (before !== undefined) this.#ends.set(before, index)
      last.set(run.length, index)
      this.#lengths.set(index, run.length)
    }
  }

  runAt(at: number): { length: number; end: number | undefined } {
    return { length: this.#lengths.get(at) ?? 1, end: this.#ends.get(at) }
  }
}

/** The target of a link, up to its parenthesis; it may hold one pair itself. A title is left out. */
function targetAt(text: string, from: number): { href: string; end: number } | undefined {
  let isInside = false
  for (let at = from; at < text.length && at - from < longestHref; at++) {
    const char = text[at] as string
    if (char === ')' && !isInside) return target(text.slice(from, at), at + 1)
    if (char === ')' || char === '(') {
      if (char === '(' && isInside) return undefined
      isInside = char === '('
    } else if (/[[\]<\n]/.test(char)) return undefined
  }
  return undefined
}

function target(given: string, end: number): { href: string; end: number } | undefined {
  const [address = ''] = given.trim().split(/\s/, 1)
  const href = safeHref(address)
  return href === undefined ? undefined : { href, end }
}

/** Only http and https, in the browser's own spelling. */
export function safeHref(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || address.length > longestHref) return undefined
  try {
    return new URL(address).href
  } catch {
    return undefined
  }
}

const bareLink = /https?:\/\/[^\s<>"'`]+/g
const closing = new Set('.,;:!?)]}')

function withLinks(text: string): Inline[] {
  const found: Inline[] = []
  let from = 0
  for (const { index, 0: match } of text.matchAll(bareLink)) {
    let length = match.length
    while (length > 0 && closing.has(match[length - 1] as string)) length--
    const href = safeHref(match.slice(0, length))
    if (href === undefined || wordChar.test(text[index - 1] ?? '')) continue
    if (index > from) found.push(text.slice(from, index))
    found.push({ type: 'link', href, children: [match.slice(0, length)] })
    from = index + length
  }
  if (from < text.length) found.push(text.slice(from))
  return found
}
