// The matching lines of a text, with context lines.

import type { CompiledPattern } from './rg-pattern.ts'

export interface MatchOptions {
  pattern: CompiledPattern
  multiline: boolean
  before: number
  after: number
  /** The search stops after this many lines. */
  maxLines: number
}

interface ShownLine {
  /** From 1. */
  line: number
  text: string
  context: boolean
}

export interface TextMatches {
  /** All matching lines, shown or not. */
  count: number
  lines: ShownLine[]
}

export interface SearchedText {
  text: string
  isAscii: boolean
}

export function matchText({ text, isAscii }: SearchedText, options: MatchOptions): TextMatches {
  const expression = isAscii ? options.pattern.ascii : options.pattern.unicode
  const lines = linesOf(text)
  const matched = options.multiline
    ? linesOfMatches(text, lines, expression, options.maxLines)
    : matchingLines(lines, expression, options.maxLines)
  return { count: matched.length, lines: withContext(lines, matched, options) }
}

/** Without line ends. No line follows a final line end. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line)

function matchingLines(lines: readonly string[], expression: RegExp, maxLines: number): number[] {
  const matched: number[] = []
  for (let index = 0; index < lines.length && matched.length < maxLines; index++) {
    expression.lastIndex = 0
    if (expression.test(withoutReturn(lines[index] as string))) matched.push(index)
  }
  return matched
}

/** Every line that a match covers. */
function linesOfMatches(
  text: string,
  lines: readonly string[],
  expression: RegExp,
  maxLines: number,
): number[] {
  const matched: number[] = []
  let index = 0
  let lineEnd = (lines[0]?.length ?? 0) + 1
  for (const { 0: found, index: start } of text.matchAll(expression)) {
    if (matched.length >= maxLines || (start >= text.length && text.endsWith('\n'))) break
    const last = start + Math.max(0, found.length - 1)
    while (lineEnd <= start) lineEnd += (lines[++index]?.length ?? 0) + 1
    if (matched.at(-1) !== index) matched.push(index)
    while (lineEnd <= last) {
      lineEnd += (lines[++index]?.length ?? 0) + 1
      matched.push(index)
    }
  }
  return matched.filter((line) => line < lines.length)
}

function withContext(
  lines: readonly string[],
  matched: readonly number[],
  { before, after, maxLines }: MatchOptions,
): ShownLine[] {
  const out: ShownLine[] = []
  let next = 0
  const show = (index: number, context: boolean) => {
    out.push({ line: index + 1, text: withoutReturn(lines[index] as string), context })
    next = index + 1
  }
  for (const [position, index] of matched.entries()) {
    if (out.length >= maxLines) break
    for (let above = Math.max(next, index - before); above < index; above++) show(above, true)
    show(index, false)
    const end = Math.min(lines.length, index + 1 + after, matched[position + 1] ?? lines.length)
    for (let below = index + 1; below < end; below++) show(below, true)
  }
  return out
}
