// Line diff: shown before a file is written, and the basis of the three-way merge that removes a setup from a file that has
// changed since.

interface Hunk {
  /** A range of lines of the old text, and the new lines that replace it. */
  from: number
  to: number
  lines: string[]
}

const context = 3
/** Above this many comparisons, the differing middle is shown as one replacement. */
const mostCells = 4_000_000

/** Lines with their line ends: joined, they give the text. */
export const linesOf = (text: string) => text.match(/[^\n]+\n?|\n/g) ?? []

export function hunksOf(before: string[], after: string[]): Hunk[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  if (old.length === 0 && now.length === 0) return []
  if (old.length * now.length > mostCells) return [{ from: start, to: start + old.length, lines: now }]
  return middleHunks(old, now).map(({ from, to, lines }) => ({ from: from + start, to: to + start, lines }))
}

function middleHunks(old: string[], now: string[]): Hunk[] {
  const common = commonLengths(old, now)
  const width = now.length + 1
  const hunks: Hunk[] = []
  let open: Hunk | undefined
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      open = undefined
      i++
      j++
      continue
    }
    if (!open) {
      open = { from: i, to: i, lines: [] }
      hunks.push(open)
    }
    const down = i < old.length ? (common[(i + 1) * width + j] ?? 0) : -1
    const right = j < now.length ? (common[i * width + j + 1] ?? 0) : -1
    if (down >= right) open.to = ++i
    else open.lines.push(now[j++] ?? '')
  }
  return hunks
}

/** At `i * width + j`: the length of the longest common subsequence of the lines from i and from j. */
function commonLengths(old: string[], now: string[]): Uint32Array {
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0)
  return common
}

/** `+` and `-` lines with a few lines of context. */
export function showDiff(before: string, after: string): string {
  const old = linesOf(before)
  const rows: { mark: ' ' | '-' | '+'; line: string }[] = []
  let at = 0
  const add = (mark: ' ' | '-' | '+', lines: string[]) => {
    for (const line of lines) rows.push({ mark, line: line.replace(/\r?\n$/, '') })
  }
  for (const { from, to, lines } of hunksOf(old, linesOf(after))) {
    add(' ', old.slice(at, from))
    add('-', old.slice(from, to))
    add('+', lines)
    at = to
  }
  add(' ', old.slice(at))
  const isNear = (index: number) =>
    rows.slice(Math.max(0, index - context), index + context + 1).some(({ mark }) => mark !== ' ')
  return rows
    .map(({ mark, line }, index) => (isNear(index) ? `${mark} ${line}\n` : isNear(index - 1) ? '  …\n' : ''))
    .join('')
}

/**
 * Applies the changes from `base` to `mine` to `theirs`; undefined if they overlap the changes from `base` to `theirs`. Changes
 * may be adjacent if the result can be verified afterwards: a client that appends to its file does so right after what setup
 * added.
 */
export function merge(
  base: string,
  mine: string,
  theirs: string,
  { mayTouch = true }: { mayTouch?: boolean } = {},
): string | undefined {
  const lines = linesOf(base)
  const wanted = hunksOf(lines, linesOf(mine))
  const made = hunksOf(lines, linesOf(theirs))
  const meet = (one: Hunk, other: Hunk) =>
    (!mayTouch && one.from <= other.to && other.from <= one.to) ||
    (one.from < other.to && other.from < one.to) ||
    (one.from === one.to && one.from > other.from && one.from < other.to) ||
    (other.from === other.to && other.from > one.from && other.from < one.to)
  if (wanted.some((one) => made.some((other) => meet(one, other)))) return undefined
  const all = [...wanted, ...made].sort((one, other) => one.from - other.from || one.to - other.to)
  let result = ''
  let at = 0
  for (const { from, to, lines: inserted } of all) {
    result += [...lines.slice(at, from), ...inserted].join('')
    at = to
  }
  return result + lines.slice(at).join('')
}
