// How much of the suite runs. `npm test` takes a spread of long tables and leaves long tests out; `npm run test:nightly` takes
// everything, and of the longest tables a share that its seed chooses, so that the nights together take all.

import { fuzz } from './fuzz/settings.ts'

export const isNightly = Boolean(process.env.NIGHTLY)

/** All rows at night. By day `count` of them, evenly spread, the first and the last among them. */
export function spread<Row>(rows: readonly Row[], count: number): Row[] {
  if (isNightly || rows.length <= count) return [...rows]
  const step = count < 2 ? 0 : (rows.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, at) => rows[Math.round(at * step)] as Row)
}

/** The size of a long text or the number of repetitions. */
export const scaled = (full: number, byDay: number): number => (isNightly ? full : byDay)

/** The positions 0 to `length` (exclusive): every one at night, but at most `byNight`, and `count` of them by day. */
export function positions(length: number, count: number, byNight = length): number[] {
  const all = Array.from({ length }, (_, at) => at)
  return isNightly ? share(all, byNight) : spread(all, count)
}

/** `count` of the rows, in their order, chosen by the seed of the run. */
export function share<Row>(rows: readonly Row[], count: number): Row[] {
  if (rows.length <= count) return [...rows]
  const random = randomNumbers(fuzz.seed)
  let left = count
  return rows.filter((_, at) => {
    const isTaken = random() * (rows.length - at) < left
    if (isTaken) left--
    return isTaken
  })
}

/** Between 0 and 1, the same for the same seed (an xorshift of 32 bits). */
function randomNumbers(seed = Date.now()): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
