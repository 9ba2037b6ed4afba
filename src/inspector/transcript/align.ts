// Requests of one conversation repeat each other. Finds the entries that one request adds to another.

import type { Entry } from './entry.ts'

/** Positions of entries by their keys. */
class Positions {
  readonly #byKey = new Map<string, number[]>()

  constructor(entries: readonly Entry[]) {
    for (const [at, { keys }] of entries.entries())
      for (const key of keys) {
        const known = this.#byKey.get(key)
        if (known) known.push(at)
        else this.#byKey.set(key, [at])
      }
  }

  /** The first position of the entry, from `from` on. */
  find({ keys }: Entry, from: number): number | undefined {
    const found = keys.flatMap((key) => firstFrom(this.#byKey.get(key) ?? [], from) ?? [])
    return found.length === 0 ? undefined : Math.min(...found)
  }
}

function firstFrom(sorted: readonly number[], from: number): number | undefined {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < from) low = middle + 1
    else high = middle
  }
  return sorted[low]
}

export interface Placed {
  entry: Entry
  /** The entry is of an earlier turn, and not in the request of the chosen turn. */
  isOutside?: boolean
  /** The request of this entry repeats nothing that came before. */
  isRewritten?: boolean
}

/** The entries of a request, and between them the entries of earlier turns that the request does not contain. */
export function withEarlier(earlier: readonly Entry[], request: readonly Entry[]): Placed[] {
  const positions = new Positions(earlier)
  const placed: Placed[] = []
  let next = 0
  /** The start of the entries that no earlier turn has. Entries that the request leaves out go before them. */
  let fresh = 0
  const leaveOut = (to: number) => {
    const left = earlier.slice(next, to).filter(({ role }) => role !== 'system')
    placed.splice(fresh, 0, ...left.map((entry) => ({ entry, isOutside: true })))
    next = to
  }
  for (const entry of request) {
    const at = positions.find(entry, next)
    if (at === undefined) {
      placed.push({ entry })
      continue
    }
    leaveOut(at)
    next = at + 1
    placed.push({ entry })
    fresh = placed.length
  }
  // System entries stay first.
  while (placed[fresh]?.entry.role === 'system') fresh++
  leaveOut(earlier.length)
  return placed
}

/** The entries after the last known entry that is no system entry. Without such an entry: all entries that are not known. */
export function addedBy(request: readonly Entry[], known: readonly Entry[]): Placed[] {
  const positions = new Positions(known)
  let next = 0
  let last = -1
  for (const [at, entry] of request.entries()) {
    const found = positions.find(entry, next)
    if (found === undefined) continue
    next = found + 1
    if (entry.role !== 'system') last = at
  }
  if (last >= 0 || known.length === 0) return request.slice(last + 1).map((entry) => ({ entry }))
  const fresh = request.filter((entry) => positions.find(entry, 0) === undefined)
  return fresh.map((entry, at) => (at === 0 ? { entry, isRewritten: true } : { entry }))
}

/** Finds the answers of turns in a history, the latest first: a text may repeat. */
export function findAnswers(
  history: readonly Entry[],
  answers: ReadonlyMap<string, Entry>,
): { history: Entry[]; found: ReadonlySet<string> } {
  const byKey = new Map<string, string[]>()
  for (const [turn, { keys }] of answers)
    for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), turn])
  const found = new Set<string>()
  const named = history.toReversed().map((entry) => {
    if (entry.role !== 'assistant') return entry
    const turn = entry.keys
      .map((key) => byKey.get(key)?.findLast((one) => !found.has(one)))
      .find((one) => one !== undefined)
    if (turn === undefined) return entry
    found.add(turn)
    return { ...entry, answerOf: turn }
  })
  return { history: named.reverse(), found }
}
