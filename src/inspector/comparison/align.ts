// Pairs the equal elements of two sequences, in order where that is possible. Unique elements are the anchors (as in a patience
// diff), so that the time is almost linear; a diff by dynamic programming would be quadratic.

export type Pair = readonly [client: number, upstream: number]

/** Each element is in one pair at most. */
export function align(client: readonly number[], upstream: readonly number[]): Pair[] {
  const pairs = new Pairs(client, upstream)
  pairs.extend(-1, -1, 1)
  pairs.extend(client.length, upstream.length, -1)
  for (const [one, other] of longestRising(uniquePairs(pairs))) {
    pairs.add(one, other)
    pairs.extend(one, other, 1)
    pairs.extend(one, other, -1)
  }
  pairs.addRest()
  return pairs.all
}

class Pairs {
  readonly client: readonly number[]
  readonly upstream: readonly number[]
  readonly ofClient = new Map<number, number>()
  readonly ofUpstream = new Map<number, number>()

  constructor(client: readonly number[], upstream: readonly number[]) {
    this.client = client
    this.upstream = upstream
  }

  get all(): Pair[] {
    return [...this.ofClient].sort(([one], [other]) => one - other)
  }

  add(one: number, other: number): boolean {
    if (this.ofClient.has(one) || this.ofUpstream.has(other)) return false
    this.ofClient.set(one, other)
    this.ofUpstream.set(other, one)
    return true
  }

  /** Pairs the neighbours of a pair, as far as they are equal. */
  extend(one: number, other: number, step: 1 | -1): void {
    const { client, upstream } = this
    for (let [at, place] = [one + step, other + step]; ; at += step, place += step) {
      const value = client[at]
      if (value === undefined || value !== upstream[place] || !this.add(at, place)) return
    }
  }

  /** Equal elements that are left, in order. */
  addRest(): void {
    const left = new Map<number, number[]>()
    for (const [place, value] of this.upstream.entries()) {
      if (this.ofUpstream.has(place)) continue
      const places = left.get(value)
      if (places) places.push(place)
      else left.set(value, [place])
    }
    for (const places of left.values()) places.reverse()
    for (const [at, value] of this.client.entries()) {
      if (this.ofClient.has(at)) continue
      const place = left.get(value)?.pop()
      if (place !== undefined) this.add(at, place)
    }
  }
}

/** Elements that occur once on each side, among those without a pair. */
function uniquePairs({ client, upstream, ofClient, ofUpstream }: Pairs): Pair[] {
  const found = new Map<number, number | undefined>()
  for (const [place, value] of upstream.entries())
    if (!ofUpstream.has(place)) found.set(value, found.has(value) ? undefined : place)
  const counts = new Map<number, number>()
  for (const [at, value] of client.entries())
    if (!ofClient.has(at)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...client.entries()].flatMap(([at, value]): Pair[] => {
    const place = ofClient.has(at) || counts.get(value) !== 1 ? undefined : found.get(value)
    return place === undefined ? [] : [[at, place]]
  })
}

/** The longest part of the pairs whose second numbers rise. The first ones must rise already. */
export function longestRising(pairs: readonly Pair[]): Pair[] {
  /** The index of the pair that ends the best row of each length. */
  const ends: number[] = []
  const before: (number | undefined)[] = []
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[ends[middle] as number] as Pair)[1] < place) low = middle + 1
      else high = middle
    }
    before.push(low === 0 ? undefined : ends[low - 1])
    ends[low] = index
  }
  const row: Pair[] = []
  for (let at = ends.at(-1); at !== undefined; at = before[at]) row.push(pairs[at] as Pair)
  return row.reverse()
}
