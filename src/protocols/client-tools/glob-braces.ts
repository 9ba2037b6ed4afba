// Brace expansion of glob patterns: `a.{ts,js}` is `a.ts` and `a.js`. An unmatched brace is an ordinary character.

interface Group {
  alternatives: Piece[][]
}
type Piece = string | Group

interface BraceBounds {
  count: number
  /** Of all alternatives together. */
  characters: number
}

/** Undefined beyond the bounds; checked before anything of that size is built. */
export function expandBraces(pattern: string, bounds: BraceBounds): string[] | undefined {
  if (!pattern.includes('{')) return [pattern]
  let texts: string[] | undefined = ['']
  for (const piece of parseBraces(pattern)) {
    texts = append(texts, piece, bounds)
    if (texts === undefined) return undefined
  }
  return texts
}

function append(texts: string[], piece: Piece, bounds: BraceBounds): string[] | undefined {
  const endings = typeof piece === 'string' ? [piece] : endingsOf(piece, bounds)
  if (endings === undefined || texts.length * endings.length > bounds.count) return undefined
  const characters = lengthOf(texts) * endings.length + lengthOf(endings) * texts.length
  if (characters > bounds.characters) return undefined
  return texts.flatMap((text) => endings.map((ending) => text + ending))
}

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0)

function endingsOf({ alternatives }: Group, bounds: BraceBounds): string[] | undefined {
  const endings = new Set<string>()
  for (const alternative of alternatives) {
    let texts: string[] | undefined = ['']
    for (const piece of alternative) {
      texts = append(texts, piece, bounds)
      if (texts === undefined) return undefined
    }
    for (const text of texts) endings.add(text)
    if (endings.size > bounds.count) return undefined
  }
  return [...endings]
}

/** Braces can be nested. */
function parseBraces(pattern: string): Piece[] {
  const open: Group[] = [{ alternatives: [[]] }]
  for (const piece of pattern.split(/([{},])/)) {
    const group = open.at(-1) as Group
    if (piece === '{') open.push({ alternatives: [[]] })
    else if (piece === '}' && open.length > 1) {
      open.pop()
      last(open).push(group)
    } else if (piece === ',' && open.length > 1) group.alternatives.push([])
    else if (piece !== '') last(open).push(piece)
  }
  // Unclosed braces.
  while (open.length > 1) {
    const { alternatives } = open.pop() as Group
    const pieces = last(open)
    pieces.push('{')
    for (const [index, alternative] of alternatives.entries()) {
      if (index > 0) pieces.push(',')
      for (const piece of alternative) pieces.push(piece)
    }
  }
  return (open[0] as Group).alternatives[0] as Piece[]
}

const last = (open: readonly Group[]): Piece[] => open.at(-1)?.alternatives.at(-1) as Piece[]
