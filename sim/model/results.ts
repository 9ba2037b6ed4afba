// Says in a sentence what came of a wish: what was asked for, out of what the tools gave back.

import { isQuestion, lineAbout } from './conclusions.ts'
import type { ToolCall, ToolResult } from './conversation.ts'
import { isFailure, reasonOf } from './failure.ts'
import { findMatches } from './found-lines.ts'
import { fileLines, type PlainResult, plainResult } from './plain-result.ts'
import type { Wish } from './wish.ts'

const LONGEST_LINE = 300
/** A text of this size is told whole, a longer one by its beginning. */
const TOLD_LINES = 12
const ASKED_LINES = 60
const LISTED_LINES = 40

/** `asked`: the words of the request; the answer to a question in them is looked for in a long text. */
export function describeResult(
  result: ToolResult,
  call: ToolCall,
  wish: Wish | undefined,
  asked = '',
): string {
  const plain = plainResult(result.text)
  if (wish?.kind === 'run') return describeRun(wish, plain, isFailure(result, 'run'))
  if (isFailure(result, wish?.kind)) {
    return `${subjectOf(call, wish)} failed: ${shorten(reasonOf(result)) || 'no reason was given'}`
  }
  switch (wish?.kind) {
    case 'read':
      return describeFile(wish, fileLines(plain), asked)
    case 'write':
      return `Wrote ${wish.path}.`
    case 'append':
      return `Added to ${wish.path}.`
    case 'replace':
      return `Changed ${wish.path}.`
    case 'search': {
      const found = findMatches(plain.lines)
      return found.length === 0
        ? `"${wish.pattern}" was not found.`
        : `"${wish.pattern}" was found: ${tell(found, ASKED_LINES)}`
    }
    case 'list':
      return describeList(plain)
    default:
      return plain.lines.length === 0
        ? `${subjectOf(call, wish)} gave no output.`
        : `${subjectOf(call, wish)} returned: ${tell(plain.lines, TOLD_LINES)}`
  }
}

function describeFile(
  { path, question }: Extract<Wish, { kind: 'read' }>,
  lines: readonly string[],
  asked: string,
): string {
  if (lines.length === 0) return `${path} is empty.`
  if (question === 'lines') return `${path} has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}.`
  if (question === 'heading') {
    const heading = lines.find((line) => /^#{1,6} /.test(line))
    if (heading) return `The first heading of ${path}: ${shorten(heading)}`
  }
  const found = question === undefined ? foundIn(lines, asked) : undefined
  if (found !== undefined) return `${path} says: ${shorten(found)}`
  return `${path} begins: ${tell(lines, question === 'content' ? ASKED_LINES : TOLD_LINES)}`
}

/** The line that answers a question, in a text that is too long to be told whole. */
const foundIn = (lines: readonly string[], asked: string) =>
  lines.length > TOLD_LINES && isQuestion(asked) ? lineAbout(asked, lines) : undefined

/** What a result says about the request, as one line or a few: to count with. */
export function figureText(result: ToolResult, asked: string): string {
  const lines = fileLines(plainResult(result.text))
  return foundIn(lines, asked) ?? lines.slice(0, 2).join('\n')
}

function describeRun(
  { command, wantsExitCode }: Extract<Wish, { kind: 'run' }>,
  { lines, exitCode }: PlainResult,
  isFailed: boolean,
): string {
  const told = tell(lines, ASKED_LINES)
  if (isFailed) {
    const code = exitCode === undefined || exitCode === 0 ? '' : ` with exit code ${exitCode}`
    return `\`${command}\` failed${code}: ${told || 'it gave no output'}`
  }
  const code = wantsExitCode
    ? ` (${exitCode === undefined ? 'no exit code was stated' : `exit code ${exitCode}`})`
    : ''
  return lines.length === 0
    ? `\`${command}\` gave no output${code}.`
    : `\`${command}\` printed${code}: ${told}`
}

/** `Found 4 file(s) matching …:`, a ruler, `(Results are truncated …)` */
const LIST_REMARK = /^(?:found \d+ |-{2,}$|\()/i

function describeList({ lines }: PlainResult): string {
  const names = lines.map((line) => line.trim()).filter((line) => line !== '' && !LIST_REMARK.test(line))
  if (names.length === 0) return 'There are no files.'
  const more = names.length > LISTED_LINES ? `, and ${names.length - LISTED_LINES} more` : ''
  return `The files: ${names.slice(0, LISTED_LINES).map(shorten).join(', ')}${more}`
}

/** All lines of a short text; the first of a long one, and how many there are. */
function tell(lines: readonly string[], most: number): string {
  if (lines.length <= most) return lines.map(shorten).join('\n')
  const first = most === TOLD_LINES ? 1 : most
  return `${lines.slice(0, first).map(shorten).join('\n')}\n… (${lines.length} lines)`
}

function subjectOf(call: ToolCall, wish: Wish | undefined): string {
  if (wish === undefined) return `The tool ${call.name}`
  switch (wish.kind) {
    case 'run':
      return `\`${wish.command}\``
    case 'search':
      return `The search for "${wish.pattern}"`
    case 'list':
      return 'Listing the files'
    case 'read':
      return `Reading ${wish.path}`
    case 'write':
      return `Writing ${wish.path}`
    default:
      return `Changing ${wish.path}`
  }
}

function shorten(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}
