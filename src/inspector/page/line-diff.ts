// The difference of two texts by lines (Myers' algorithm), bounded: beyond the bound the rest counts as replaced.

export interface DiffRow {
  left?: string
  right?: string
}

/** Steps of the search; texts that differ in more lines are not aligned. */
const mostSteps = 500

/** Equal lines are in both; a removed and an added line at the same place share a row. */
export function diffLines(left: readonly string[], right: readonly string[]): DiffRow[] {
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  let end = 0
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end++
  const [one, other] = [left.slice(start, left.length - end), right.slice(start, right.length - end)]
  const same = (line: string): DiffRow => ({ left: line, right: line })
  return [
    ...left.slice(0, start).map(same),
    ...paired(middle(one, other)),
    ...left.slice(left.length - end).map(same),
  ]
}

export const isSame = ({ left, right }: DiffRow) => left !== undefined && left === right

/** Removed and added lines, in order, as rows with one side each. */
function middle(left: readonly string[], right: readonly string[]): DiffRow[] {
  const apart = [...left.map((line): DiffRow => ({ left: line })), ...right.map((line) => ({ right: line }))]
  if (left.length === 0 || right.length === 0) return apart
  const trace = search(left, right)
  return trace ? walkBack(trace, left, right) : apart
}

type Reached = Map<number, number>

/** How far each diagonal reaches after each step; undefined beyond the bound. */
function search(left: readonly string[], right: readonly string[]): Reached[] | undefined {
  const trace: Reached[] = []
  let reached: Reached = new Map([[1, 0]])
  for (let step = 0; step <= Math.min(mostSteps, left.length + right.length); step++) {
    trace.push(new Map(reached))
    const next: Reached = new Map(reached)
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      const [above, below] = [next.get(diagonal + 1) ?? -1, next.get(diagonal - 1) ?? -1]
      let x = diagonal === -step || (diagonal !== step && below < above) ? above : below + 1
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++
      next.set(diagonal, x)
      if (x >= left.length && x - diagonal >= right.length) return trace
    }
    reached = next
  }
  return undefined
}

function walkBack(trace: readonly Reached[], left: readonly string[], right: readonly string[]): DiffRow[] {
  const rows: DiffRow[] = []
  let [x, y] = [left.length, right.length]
  for (let step = trace.length - 1; step >= 0; step--) {
    const reached = trace[step] as Reached
    const diagonal = x - y
    const [above, below] = [reached.get(diagonal + 1) ?? -1, reached.get(diagonal - 1) ?? -1]
    const before = diagonal === -step || (diagonal !== step && below < above) ? diagonal + 1 : diagonal - 1
    const fromX = reached.get(before) ?? 0
    const fromY = fromX - before
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      rows.push({ left: left[--x] as string, right: right[--y] as string })
    }
    if (step > 0) rows.push(x === fromX ? { right: right[--y] as string } : { left: left[--x] as string })
  }
  return rows.reverse()
}

/** Runs of removed and added lines beside each other. */
function paired(rows: readonly DiffRow[]): DiffRow[] {
  const out: DiffRow[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      out.push({
        ...(at < removed.length ? { left: removed[at] as string } : {}),
        ...(at < added.length ? { right: added[at] as string } : {}),
      })
    removed = []
    added = []
  }
  for (const row of rows) {
    if (row.left !== undefined && row.right !== undefined) {
      flush()
      out.push(row)
    } else if (row.left !== undefined) removed.push(row.left)
    else added.push(row.right ?? '')
  }
  flush()
  return out
}
