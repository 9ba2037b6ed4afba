// The matches of a search as `file:line: text`, from the forms in which agents show them.

/** A line under the name of its file: `  Line 3: text`, `L3: text`, `  3: text`, `> 3: text`. */
const UNDER = /^(?: {0,12}|\t)(>?) {0,6}(?:line |L)?(\d+) ?[:|] ?(.*)$/i
/** `File: src/a.ts`, `src/a.ts:`, `src/a.ts:3:14`, or the path alone. */
const FILE = /^(?:file(?:path)?: |##? )?([^\s:]+)(?::\d+){0,2}:?$/i
const NOTHING = /^\s*(?:no (?:matches|match|files|results|occurrences)|found 0\b|0 (?:matches|results))/i
const REMARK = /^\s*(?:found \d+|searched \d+|\d+ (?:matches|results)|-{2,}|search results\b|\(.*\))/i

export function findMatches(lines: readonly string[]): string[] {
  const found: string[] = []
  // Where some lines are marked, the others are there for context.
  const isMarked = lines.some((line) => UNDER.exec(line)?.[1] === '>')
  let file = ''
  for (const line of lines) {
    if (NOTHING.test(line)) return []
    if (line.trim() === '' || REMARK.test(line)) continue
    const [under, mark, number, text = ''] = UNDER.exec(line) ?? []
    const named = FILE.exec(line)?.[1]
    const isPath = named !== undefined && /[./]/.test(named)
    if (under !== undefined && file !== '') {
      if (!isMarked || mark === '>') found.push(`${file}:${number}: ${text.trim()}`)
    } else if (isPath) {
      file = named
      found.push(named)
    } else found.push(line.trim())
  }
  // A name counts alone only where no line of that file is shown.
  return found.filter((line, index) => !found[index + 1]?.startsWith(`${line}:`))
}
