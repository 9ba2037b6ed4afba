// A glob as an automaton with one bit per token: it follows all alternatives at once, in one pass over the path.

export type GlobToken =
  /** One character. */
  | { kind: 'set'; negated: boolean; ranges: [from: number, to: number][] }
  /** Any characters within a part. */
  | { kind: 'star' }
  /** The end of a part. */
  | { kind: 'slash' }
  /** Any number of whole parts. */
  | { kind: 'parts' }

type Token = GlobToken | 'within' | 'end'

const slash = 0x2f

/** The path must have a slash after every part. */
export function createGlobAutomaton(alternatives: readonly GlobToken[][]): (text: string) => boolean {
  if (alternatives.length === 0) return () => false
  const layout = layOut(alternatives)
  return (text) => {
    let reached = layout.starts.slice()
    let next = new Uint32Array(reached.length)
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) as number
      if (code > 0xffff) at++
      if (!step(reached, next, layout, code)) return false
      const passed = reached
      reached = next
      next = passed
    }
    return layout.ends.some((bits, word) => (bits & (reached[word] as number)) !== 0)
  }
}

interface Layout {
  starts: Uint32Array
  ends: Uint32Array
  stars: Uint32Array
  /** `parts` has two bits: before a part, where it can be skipped, and within one. */
  beforePart: Uint32Array
  withinPart: Uint32Array
  /** Bits that stay within a part: those of stars and within parts. */
  staying: Uint32Array
  /** The bits that this character moves to the next token. */
  accepting(code: number): Uint32Array
}

function layOut(alternatives: readonly GlobToken[][]): Layout {
  const tokens: Token[] = []
  const firsts: number[] = []
  for (const alternative of alternatives) {
    firsts.push(tokens.length)
    for (const token of alternative) {
      tokens.push(token)
      if (token.kind === 'parts') tokens.push('within')
    }
    tokens.push('end')
  }
  const bitsOf = (isSet: (token: Token, index: number) => boolean) => {
    const bits = new Uint32Array((tokens.length >>> 5) + 1)
    for (const [index, token] of tokens.entries())
      if (isSet(token, index)) bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31))
    return bits
  }
  const isKind = (token: Token, kind: GlobToken['kind']) => typeof token !== 'string' && token.kind === kind
  const isFirst = new Set(firsts.flatMap((first) => optionalFrom(tokens, first)))
  const stars = bitsOf((token) => isKind(token, 'star'))
  const withinPart = bitsOf((token) => token === 'within')
  const accepts = (code: number) => (token: Token) => {
    if (typeof token === 'string') return false
    if (code === slash || token.kind === 'slash') return code === slash && token.kind === 'slash'
    if (token.kind === 'set') return isIn(token.ranges, code) !== token.negated
    return token.kind === 'parts'
  }
  return {
    starts: bitsOf((_, index) => isFirst.has(index)),
    ends: bitsOf((token) => token === 'end'),
    stars,
    beforePart: bitsOf((token) => isKind(token, 'parts')),
    withinPart,
    staying: stars.map((bits, word) => bits | (withinPart[word] as number)),
    accepting: byClass(alternatives.flat(), (code) => bitsOf(accepts(code))),
  }
}

/** A token, and the later ones that are reached without a character. */
function optionalFrom(tokens: readonly Token[], first: number): number[] {
  const token = tokens[first]
  if (typeof token !== 'object') return [first]
  if (token.kind === 'parts') return [first, ...optionalFrom(tokens, first + 2)]
  return token.kind === 'star' ? [first, first + 1] : [first]
}

const isIn = (ranges: readonly [number, number][], code: number) =>
  ranges.some(([from, to]) => code >= from && code <= to)

/** All characters between two bounds of the pattern's sets behave alike, so the bits are computed once per range. */
function byClass(
  tokens: readonly GlobToken[],
  find: (code: number) => Uint32Array,
): (code: number) => Uint32Array {
  const ranges = tokens.flatMap((token) => (token.kind === 'set' ? token.ranges : []))
  const bounds = Uint32Array.from(
    new Set([0, slash, slash + 1, ...ranges.flatMap(([from, to]) => [from, to + 1])]),
  ).sort()
  const known: Uint32Array[] = []
  return (code) => {
    let low = 0
    let high = bounds.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((bounds[middle] as number) <= code) low = middle
      else high = middle
    }
    known[low] ??= find(code)
    return known[low] as Uint32Array
  }
}

/** False if no token can match any more. */
function step(reached: Uint32Array, next: Uint32Array, layout: Layout, code: number): boolean {
  const { staying, withinPart, beforePart, stars } = layout
  const accepting = layout.accepting(code)
  const words = reached.length
  let carried = 0
  let skipped = 0
  let starred = 0
  let any = 0
  for (let word = 0; word < words; word++) {
    const bits = reached[word] as number
    const moving = bits & (accepting[word] as number)
    let to = (moving << 1) | carried | skipped
    carried = moving >>> 31
    if (code !== slash) to |= bits & (staying[word] as number)
    else {
      // The part has ended: back to before the next one.
      to |= (bits & (withinPart[word] as number)) >>> 1
      if (word + 1 < words) to |= ((reached[word + 1] as number) & (withinPart[word + 1] as number) & 1) << 31
    }
    // A `**` and a star can both match nothing. A `**` can lead to a star; neither leads to a `**`.
    const before = to & (beforePart[word] as number)
    to |= before << 2
    skipped = before >>> 30
    const star = to & (stars[word] as number)
    to |= (star << 1) | starred
    starred = star >>> 31
    next[word] = to
    any |= to
  }
  return any !== 0
}
