import { type Node, parsePattern } from './parse.ts'

/** A condition on the characters before and after a place. `undefined` is the start or the end of the text. */
type Condition = (before: number | undefined, after: number | undefined) => boolean
type Way = { to: number; conditions: Condition[] }

interface Position {
  /** Of each class of characters, whether it is one of these. */
  set: boolean[]
}

/** What a part of the pattern adds: how it is entered and left, and how it is passed without a character. One entry for each way. */
interface Part {
  first: Way[]
  last: Way[]
  empty: Condition[][]
}

/** The pattern as an automaton whose edges keep their number, because two edges are two ways to match the same text. */
export interface Automaton {
  /** One character for each class of characters that the pattern tells apart. */
  samples: string[]
  start: number
  /** The states from which a search begins anew at the next character. */
  restarts: Set<number>
  /** next[state][class] */
  next: number[][][]
  /** accepts[state][class of the character that follows]; the last column is the end of the text. */
  accepts: boolean[][]
}

/** A repetition of one atom up to this is a constant factor; beyond it the engine's work is that of an endless one. */
const longestBounded = 1024
const longestUnrolled = 8

export const createAutomaton = (source: string, flags: string): Automaton =>
  new Builder(source, flags).automaton()

class Builder {
  private readonly samples: string[]
  private readonly members = new Map<string, boolean[]>()
  private readonly positions: Position[] = []
  private readonly follow: Way[][] = []
  private readonly before: Condition[] = []
  private readonly flags: string
  private readonly root: Node

  constructor(source: string, flags: string) {
    this.flags = flags
    this.root = parsePattern(source, flags)
    const all = sampleCharacters(source).filter((sample) => sample.length === 1 || /[uv]/.test(flags))
    for (const atom of [...atomsOf(this.root), '\\w', '\\n', '[\\n\\r\\u2028\\u2029]']) {
      const pattern = new RegExp(`^(?:${atom})$`, flags.replace(/[gymd]/g, ''))
      this.members.set(
        atom,
        all.map((sample) => pattern.test(sample)),
      )
    }
    const kept = firstOfEachClass(all, [...this.members.values()])
    for (const [atom, set] of this.members)
      this.members.set(
        atom,
        kept.map((index) => set[index] as boolean),
      )
    this.samples = kept.map((index) => all[index] as string)
  }

  automaton(): Automaton {
    const part = this.part(this.root)
    return new States(
      this.samples,
      this.positions,
      this.follow,
      part,
      this.before,
      this.flags.includes('y'),
    ).automaton()
  }

  private set(atom: string): boolean[] {
    return this.members.get(atom) as boolean[]
  }

  private part(node: Node): Part {
    if (node.kind === 'atom') return this.atom(this.set(node.source))
    if (node.kind === 'edge') return { first: [], last: [], empty: [[this.edge(node.edge)]] }
    if (node.kind === 'look') return this.look(node)
    if (node.kind === 'choice') return node.items.map((item) => this.part(item)).reduce(either)
    if (node.kind === 'sequence')
      return node.items.reduce((part, item) => this.join(part, this.part(item)), nothing())
    return this.repeat(node.item, node.min, node.max)
  }

  private atom(set: boolean[]): Part {
    const to = this.positions.push({ set }) - 1
    this.follow.push([])
    return { first: [{ to, conditions: [] }], last: [{ to, conditions: [] }], empty: [] }
  }

  private edge(edge: '^' | '$' | 'b' | 'B'): Condition {
    const lineEnd = this.set('[\\n\\r\\u2028\\u2029]')
    const word = this.set('\\w')
    const lines = this.flags.includes('m')
    if (edge === '$') return (_, after) => after === undefined || (lines && (lineEnd[after] as boolean))
    if (edge === '^')
      return this.looksBack((before) => before === undefined || (lines && (lineEnd[before] as boolean)))
    const isWord = (at: number | undefined) => at !== undefined && (word[at] as boolean)
    return this.looksBack((before, after) => (isWord(before) !== isWord(after)) === (edge === 'b'))
  }

  private looksBack(condition: Condition): Condition {
    this.before.push(condition)
    return condition
  }

  /** A look at one character is a condition. A longer one ahead is a branch that leads nowhere: its work counts, its outcome is left open. */
  private look({ ahead, negative, item }: Node & { kind: 'look' }): Part {
    const single = this.singleCharacter(item)
    if (single) {
      const holds = (at: number | undefined) =>
        (at === undefined ? single.end : (single.set[at] as boolean)) !== negative
      return {
        first: [],
        last: [],
        empty: [[ahead ? (_, after) => holds(after) : this.looksBack((before) => holds(before))]],
      }
    }
    if (!ahead) {
      if (longest(item) > longestBounded)
        throw new Error('a look-behind without a bound reads the text before each place again')
      return nothing()
    }
    const { first } = this.part(item)
    return { first, last: [], empty: [[]] }
  }

  private singleCharacter(item: Node): { set: boolean[]; end: boolean } | undefined {
    if (item.kind === 'atom') return { set: this.set(item.source), end: false }
    if (item.kind === 'edge' && (item.edge === '$' || item.edge === '^') && !this.flags.includes('m'))
      return { set: this.samples.map(() => false), end: true }
    if (item.kind !== 'choice') return undefined
    const parts = item.items.map((part) => this.singleCharacter(part))
    if (parts.some((part) => !part)) return undefined
    return {
      set: this.samples.map((_, index) => parts.some((part) => part?.set[index])),
      end: parts.some((part) => part?.end),
    }
  }

  private repeat(item: Node, min: number, max: number): Part {
    const bounded = item.kind === 'atom' ? max <= longestBounded : max <= longestUnrolled
    const required = Math.min(min, 3)
    let tail = nothing()
    if (bounded) {
      const optional = item.kind === 'atom' ? Math.min(max - min, 3) : max - min
      for (let count = 0; count < optional; count++) tail = optionally(this.join(this.part(item), tail))
    } else if (max > min) tail = this.star(item)
    for (let count = 0; count < (bounded && item.kind !== 'atom' ? min : required); count++)
      tail = this.join(this.part(item), tail)
    return tail
  }

  private star(item: Node): Part {
    const part = this.part(item)
    this.connect(part.last, part.first)
    return { ...part, empty: [[]] }
  }

  private join(a: Part, b: Part): Part {
    this.connect(a.last, b.first)
    return {
      first: [...a.first, ...through(a.empty, b.first)],
      last: [...b.last, ...through(b.empty, a.last)],
      empty: a.empty.flatMap((left) => b.empty.map((right) => [...left, ...right])).slice(0, 8),
    }
  }

  private connect(last: Way[], first: Way[]): void {
    for (const from of last)
      for (const way of first)
        this.follow[from.to]?.push({ to: way.to, conditions: [...from.conditions, ...way.conditions] })
  }
}

const nothing = (): Part => ({ first: [], last: [], empty: [[]] })
const optionally = (part: Part): Part => ({ ...part, empty: [[]] })
const through = (empty: Condition[][], ways: Way[]): Way[] =>
  empty.flatMap((conditions) =>
    ways.map((way) => ({ to: way.to, conditions: [...conditions, ...way.conditions] })),
  )
const either = (a: Part, b: Part): Part => ({
  first: [...a.first, ...b.first],
  last: [...a.last, ...b.last],
  empty: [...a.empty, ...b.empty].slice(0, 8),
})

/** States are positions of the pattern, split by what the conditions ask of the character before. Position -1 is the search itself. */
class States {
  private readonly index = new Map<string, number>()
  private readonly list: { position: number; before: number | undefined }[] = []
  /** For each class, which of the kinds of characters before a place it is. */
  private readonly looks: number[]
  private readonly sticky: boolean
  private readonly samples: string[]
  private readonly positions: Position[]
  private readonly follow: Way[][]
  private readonly root: Part

  constructor(
    samples: string[],
    positions: Position[],
    follow: Way[][],
    root: Part,
    conditions: Condition[],
    sticky: boolean,
  ) {
    this.sticky = sticky
    this.samples = samples
    this.positions = positions
    this.follow = follow
    this.root = root
    const afters = [...samples.keys(), undefined]
    const lookOf = (before: number | undefined) =>
      conditions.map((holds) => afters.map((after) => (holds(before, after) ? 1 : 0)).join('')).join()
    const known: string[] = []
    this.looks = samples.map((_, index) => {
      const look = lookOf(index)
      return known.includes(look) ? known.indexOf(look) : known.push(look) - 1
    })
  }

  automaton(): Automaton {
    const start = this.state(-1, undefined)
    const next: number[][][] = []
    const accepts: boolean[][] = []
    for (let at = 0; at < this.list.length; at++) {
      next.push(this.samples.map((_, on) => this.targets(at, on)))
      accepts.push([...this.samples.map((_, on) => this.accepts(at, on)), this.accepts(at, undefined)])
    }
    const restarts = new Set([...this.list.keys()].filter((at) => this.list[at]?.position === -1))
    return { samples: this.samples, start, restarts, next, accepts }
  }

  private state(position: number, before: number | undefined): number {
    const key = `${position} ${before === undefined ? 'start' : this.looks[before]}`
    const known = this.index.get(key)
    if (known !== undefined) return known
    this.index.set(key, this.list.length)
    return this.list.push({ position, before }) - 1
  }

  private targets(at: number, on: number): number[] {
    const { position, before } = this.list[at] as { position: number; before: number | undefined }
    const targets = position === -1 && !this.sticky ? [this.state(-1, on)] : []
    for (const { to, conditions } of (position === -1 ? this.root.first : this.follow[position]) ?? []) {
      if (this.positions[to]?.set[on] && conditions.every((holds) => holds(before, on)))
        targets.push(this.state(to, on))
    }
    return targets
  }

  private accepts(at: number, on: number | undefined): boolean {
    const { position, before } = this.list[at] as { position: number; before: number | undefined }
    const ends =
      position === -1
        ? this.root.empty
        : this.root.last.filter(({ to }) => to === position).map(({ conditions }) => conditions)
    return ends.some((conditions) => conditions.every((holds) => holds(before, on)))
  }
}

const atomsOf = (node: Node): string[] => {
  if (node.kind === 'atom') return [node.source]
  if (node.kind === 'edge') return []
  if (node.kind === 'sequence' || node.kind === 'choice') return node.items.flatMap(atomsOf)
  return atomsOf(node.item)
}

const longest = (node: Node): number => {
  if (node.kind === 'atom') return 1
  if (node.kind === 'edge' || node.kind === 'look') return 0
  if (node.kind === 'choice') return Math.max(...node.items.map(longest))
  if (node.kind === 'sequence') return node.items.reduce((sum, item) => sum + longest(item), 0)
  return node.max * longest(node.item)
}

const common = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\x85\x9b\xa0éßİſK\u0301\u200b\u2028\u202e\u3000中：«\ufeff\ufffd😀',
]

const sampleCharacters = (source: string): string[] => {
  const named = [...source.matchAll(/\\u\{([\da-fA-F]+)\}|\\u([\da-fA-F]{4})|\\x([\da-fA-F]{2})/g)].map(
    (match) => Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '0', 16),
  )
  const literal = [...source].map((char) => char.codePointAt(0) as number).filter((code) => code > 127)
  const around = [...named, ...literal]
    .flatMap((code) => [code - 1, code, code + 1])
    .filter((code) => code >= 0 && code <= 0x10ffff)
  return [...new Set([...common, ...around.map((code) => String.fromCodePoint(code))])]
}

const firstOfEachClass = (all: string[], sets: boolean[][]): number[] => {
  const seen = new Map<string, number>()
  // Printable samples first, so that an attack that is reported can be read.
  const order = [...all.keys()].sort(
    (a, b) => Number(/[ -~]/.test(all[b] as string)) - Number(/[ -~]/.test(all[a] as string)),
  )
  for (const index of order) {
    const key = sets.map((set) => (set[index] ? 1 : 0)).join('')
    if (!seen.has(key)) seen.set(key, index)
  }
  return [...seen.values()]
}
