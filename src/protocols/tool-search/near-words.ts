// Words that a question spells otherwise than the tools: `temperatura`, `historyof`, `forcast`. Only the beginning of a word is taken for
// granted, so few words are compared.

/** Letters that both words begin with. */
const begin = 3
/** A word that is shorter has too many neighbours. */
const shortest = 4
/** Of the longer word, the part that both must begin with. */
const share = 0.75
/** Words with one beginning that are compared, and neighbours that are taken: a bound for hostile tools. */
const mostCompared = 256
const mostNear = 2

export class NearWords {
  readonly #byBegin = new Map<string, string[]>()

  constructor(words: Iterable<string>) {
    for (const word of words) {
      if (word.length < shortest) continue
      const key = word.slice(0, begin)
      const others = this.#byBegin.get(key)
      if (!others) this.#byBegin.set(key, [word])
      else if (others.length < mostCompared) others.push(word)
    }
  }

  /** The known words that are nearest to an unknown one, if any is near. */
  near(word: string): string[] {
    if (word.length < shortest) return []
    let nearest = 0
    let found: string[] = []
    for (const other of this.#byBegin.get(word.slice(0, begin)) ?? []) {
      const likeness = likenessOf(word, other)
      if (likeness > nearest) found = []
      if (likeness > 0 && likeness >= nearest) {
        nearest = likeness
        found.push(other)
      }
    }
    return found.slice(0, mostNear)
  }
}

function likenessOf(word: string, other: string): number {
  const same = sameBegin(word, other)
  const part = same / Math.max(word.length, other.length)
  if (same >= shortest && part >= share) return part
  if (word.length > shortest && isOneSlipApart(word, other, same)) return share
  // Two words without a blank between them.
  return same === other.length && other.length > shortest ? part : 0
}

function sameBegin(word: string, other: string): number {
  let at = 0
  while (at < word.length && word[at] === other[at]) at++
  return at
}

/** One letter too many, missing or wrong, or two exchanged, at the first place where the words differ. */
function isOneSlipApart(word: string, other: string, at: number): boolean {
  const more = word.length - other.length
  if (Math.abs(more) > 1) return false
  if (more !== 0) return word.slice(at + (more > 0 ? 1 : 0)) === other.slice(at + (more > 0 ? 0 : 1))
  if (word.slice(at + 1) === other.slice(at + 1)) return true
  return (
    word[at] === other[at + 1] && word[at + 1] === other[at] && word.slice(at + 2) === other.slice(at + 2)
  )
}
