/** The tree of a regular expression, as far as the number of ways to match depends on it: groups, names and laziness are gone. */
export type Node =
  | { kind: 'atom'; source: string }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; items: Node[] }
  | { kind: 'repeat'; item: Node; min: number; max: number }
  | { kind: 'edge'; edge: '^' | '$' | 'b' | 'B' }
  | { kind: 'look'; ahead: boolean; negative: boolean; item: Node }

const escapes = /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])/y
const counts = /\{(\d+)(?:(,)(\d*))?\}/y
const openings: [string, 'group' | 'ahead' | 'behind', boolean][] = [
  ['(?:', 'group', false],
  ['(?=', 'ahead', false],
  ['(?!', 'ahead', true],
  ['(?<=', 'behind', false],
  ['(?<!', 'behind', true],
]

export const parsePattern = (source: string, flags: string): Node => new Parser(source, flags).pattern()

class Parser {
  private readonly source: string
  private at = 0
  private readonly groups: Node[] = []
  private readonly names = new Map<string, number>()
  private readonly unicode: boolean
  private readonly sets: boolean

  constructor(source: string, flags: string) {
    this.source = source
    this.unicode = /[uv]/.test(flags)
    this.sets = flags.includes('v')
  }

  pattern(): Node {
    const node = this.choice()
    if (this.at < this.source.length)
      throw new Error(`unread in the pattern ${this.source}: ${this.source.slice(this.at)}`)
    return node
  }

  private choice(): Node {
    const items: Node[] = []
    do {
      items.push(this.sequence())
    } while (this.take('|'))
    return items.length === 1 ? (items[0] as Node) : { kind: 'choice', items }
  }

  private sequence(): Node {
    const items: Node[] = []
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')')
      items.push(this.repeat(this.one()))
    return items.length === 1 ? (items[0] as Node) : { kind: 'sequence', items }
  }

  private repeat(item: Node): Node {
    const range = this.range()
    if (!range) return item
    this.take('?')
    return { kind: 'repeat', item, min: range[0], max: range[1] }
  }

  private range(): [number, number] | undefined {
    if (this.take('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.take('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.take('?')) return [0, 1]
    const count = this.match(counts)
    if (!count) return undefined
    const min = Number(count[1])
    if (!count[2]) return [min, min]
    return [min, count[3] ? Number(count[3]) : Number.POSITIVE_INFINITY]
  }

  private one(): Node {
    const start = this.at
    const char = this.source[start]
    if (char === '(') return this.group()
    if (char === '[') {
      this.set()
      return { kind: 'atom', source: this.source.slice(start, this.at) }
    }
    if (char === '^' || char === '$') {
      this.at++
      return { kind: 'edge', edge: char }
    }
    if (char === '\\') return this.escape()
    this.at += this.unicode && (this.source.codePointAt(start) as number) > 0xffff ? 2 : 1
    const atom = this.source.slice(start, this.at)
    return { kind: 'atom', source: /[\]{}/]/.test(atom) ? `\\${atom}` : atom }
  }

  private escape(): Node {
    const start = this.at
    if (this.take('\\b')) return { kind: 'edge', edge: 'b' }
    if (this.take('\\B')) return { kind: 'edge', edge: 'B' }
    const named = this.match(/\\k<(\w+)>/y)
    const number = named ? this.names.get(named[1] as string) : Number(this.match(/\\([1-9])/y)?.[1] ?? 0)
    // What a group has matched can stand here again, so the group's own tree covers it.
    if (number) return this.groups[number] ?? { kind: 'sequence', items: [] }
    this.match(escapes)
    return { kind: 'atom', source: this.source.slice(start, this.at) }
  }

  private group(): Node {
    const opening = openings.find(([text]) => this.take(text))
    if (opening) {
      const item = this.choice()
      this.take(')')
      return opening[1] === 'group'
        ? item
        : { kind: 'look', ahead: opening[1] === 'ahead', negative: opening[2], item }
    }
    const name = this.match(/\(\?<(\w+)>/y)?.[1]
    if (name === undefined) this.take('(')
    const number = Math.max(this.groups.length, 1)
    this.groups[number] = { kind: 'sequence', items: [] }
    if (name !== undefined) this.names.set(name, number)
    const item = this.choice()
    this.take(')')
    this.groups[number] = item
    return item
  }

  private set(): void {
    this.at++
    while (this.at < this.source.length && this.source[this.at] !== ']') {
      if (this.source[this.at] === '\\') this.match(escapes)
      else if (this.sets && this.source[this.at] === '[') this.set()
      else this.at++
    }
    this.at++
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    if (found) this.at += found[0].length
    return found
  }
}
