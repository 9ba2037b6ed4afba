// Whether a result is a failure, by its text where the wire does not say so, and what it means for a second try.

import type { ToolResult } from './conversation.ts'
import { type PlainResult, plainResult } from './plain-result.ts'
import type { WishKind } from './wish.ts'

/** At the beginning of a result: agents whose wire has no mark for errors. */
const LOOKS_WRONG =
  /^\s*(?:<tool_use_error>|error\b[^\n]{0,60}:|\[?error\]|ENOENT|EACCES|failed to\b|file not found|.{0,200}(?:no such file or directory|does not exist\b))/i
/** For tools whose results are remarks of the agent, never the text of a file. */
const REMARK_LOOKS_WRONG =
  /\b(?:already exists|must not exist|has not been read|must (?:first )?read|read it first|not found in|no match(?:es)? found|could not|cannot|can't|unable to|invalid|failed|denied|rejected)\b/i

/** A search or a list that is one line of complaint. */
const COMPLAINT = /\b(?:error:|failed\b|ENOENT\b|timed out\b)/i

const REMARKS: ReadonlySet<WishKind> = new Set(['write', 'append', 'replace'])

export function isFailure(result: ToolResult, kind: WishKind | undefined): boolean {
  const plain = plainResult(result.text)
  if (result.isError === true || plain.isError === true) return true
  if (plain.exitCode !== undefined && plain.exitCode !== 0) return kind !== 'search' || plain.exitCode > 1
  const first = firstLine(plain).slice(0, LONGEST_REMARK)
  if (kind === 'run' && /^command failed\b/i.test(first)) return true
  const isSearch = kind === 'search' || kind === 'list'
  if (isSearch && plain.lines.length === 1 && COMPLAINT.test(first)) return true
  return (
    LOOKS_WRONG.test(first) || (kind !== undefined && REMARKS.has(kind) && REMARK_LOOKS_WRONG.test(first))
  )
}

const LONGEST_REMARK = 300

export function reasonOf(result: ToolResult): string {
  const reason = firstLine(plainResult(result.text)) || result.text.trim().split('\n')[0] || ''
  return reason.replace(/<\/?tool_use_error>/g, '')
}

function firstLine({ lines }: PlainResult): string {
  return lines[0] ?? ''
}

type Remedy = 'read-first' | 'another-way' | 'none'

const REMEDIES: readonly { readonly match: RegExp; readonly remedy: Remedy }[] = [
  { match: /permission|denied|not allowed|rejected|refused|declined|cancel/i, remedy: 'none' },
  {
    match:
      /\bnot been read\b|\bmust (?:first )?read\b|\bread it first\b|\b(?:read|view) tool first\b|\balready exists\b/i,
    remedy: 'read-first',
  },
]
const NOT_THERE = /no such file|not found|does not exist|ENOENT|cannot find|couldn't find/i

/** A command that fails has been run; a file that is not there is not there for another tool either. */
export function remedyFor(result: ToolResult, kind: WishKind): Remedy {
  if (kind === 'run' || (kind === 'read' && NOT_THERE.test(result.text.slice(0, 1000)))) return 'none'
  return REMEDIES.find(({ match }) => match.test(result.text.slice(0, 1000)))?.remedy ?? 'another-way'
}

const SUGGESTION = /\bdid you mean:? ["'`]?([^\s"'`?]+)/i

/** What a failure says was probably meant. */
export const suggestionIn = ({ text }: ToolResult): string | undefined =>
  SUGGESTION.exec(text.slice(0, 1000))?.[1]
