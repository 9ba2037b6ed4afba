// How much of the suite runs. `npm test` takes a spread of long tables and leaves long tests out; `npm run test:nightly` takes
// everything.

export const isNightly = Boolean(process.env.NIGHTLY)

/** All rows at night. By day `count` of them, evenly spread, the first and the last among them. */
export function spread<Row>(rows: readonly Row[], count: number): Row[] {
  if (isNightly || rows.length <= count) return [...rows]
  const step = count < 2 ? 0 : (rows.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, at) => rows[Math.round(at * step)] as Row)
}

/** The size of a long text or the number of repetitions. */
export const scaled = (full: number, byDay: number): number => (isNightly ? full : byDay)

/** The positions 0 to `length` (exclusive): every one at night, `count` of them by day. */
export const positions = (length: number, count: number): number[] =>
  spread(
    Array.from({ length }, (_, at) => at),
    count,
  )
