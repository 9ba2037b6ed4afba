// Says in a sentence what a tool result shows, without the decoration that agents put around it.

import { isRecord } from '../shape.ts'
import { cutBlocks } from './blocks-out.ts'
import type { ToolCall, ToolResult } from './conversation.ts'
import type { Wish } from './wishes.ts'

const MAX_EXCERPT = 200
const LISTED_LINES = 8
const LOOKS_WRONG =
  /^\s*(?:<tool_use_error>|error:|\[?error\]|ENOENT|failed to|file not found|.{0,80}(?:no such file or directory|does not exist\b))/i

export function describeResult(result: ToolResult, call: ToolCall, wish: Wish | undefined): string {
  const lines = undecorate(result.text)
  const first = excerpt(lines[0] ?? '')
  if (result.isError === true || LOOKS_WRONG.test(first)) {
    return `${subjectOf(call, wish)} failed: ${first || 'no reason was given'}`
  }
  if (wish?.kind === 'read') return first ? `${wish.path} begins: ${first}` : `${wish.path} is empty.`
  if (wish?.kind === 'write') return `Wrote ${wish.path}.`
  if (lines.length === 0) return `${subjectOf(call, wish)} gave no output.`
  if (wish?.kind === 'run') return `\`${wish.command}\` printed: ${first}`
  if (wish?.kind === 'search') return `"${wish.pattern}" was found: ${first}`
  if (wish?.kind === 'list')
    return `The files: ${excerpt(
      lines
        .slice(0, LISTED_LINES)
        .map((line) => line.trim())
        .join(', '),
    )}`
  return `The tool ${call.name} returned: ${first}`
}

/** The non-empty lines of what the tool itself gave back. */
export function undecorate(text: string): string[] {
  const plain = cutBlocks(unwrapJson(text), /<system-reminder>/g, () => '</system-reminder>')
  const output = /^(?:output|stdout):[ \t]*\n?([\s\S]*)$/im.exec(plain)?.[1]
  const body = (output ?? plain)
    .replace(/<(path|type|title|metadata)>[^<]*<\/\1>/g, '')
    .replace(
      /^[ \t]*<\/?(?:file|content|file_content|output|stdout|result|function_results)(?:[ \t][^>\r\n\u2028\u2029]*)?>[ \t]*/gim,
      '',
    )
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== '')
  const isMarkup = lines.length > 0 && lines.every((line) => line.trim().startsWith('<'))
  return !isMarkup && lines.every((line) => NUMBERED.test(line) || NOTE.test(line))
    ? lines.filter((line) => NUMBERED.test(line)).map((line) => line.replace(NUMBERED, ''))
    : lines
}

/** `00001| `, `     1\t`, `     1→`, `1: ` */
const NUMBERED = /^\s*\d+(?:\||\t|→|:)[ ]?/
/** A remark of the tool about what it gave, as "(End of file - total 3 lines)". */
const NOTE = /^\s*(?:\(.*\)|<.*>)\s*$/

/** Some agents hand over their results as JSON. */
function unwrapJson(text: string): string {
  if (!/^\s*\{/.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    const inner = isRecord(value) ? (value.output ?? value.stdout ?? value.content ?? value.text) : undefined
    return typeof inner === 'string' ? inner : text
  } catch {
    // Not JSON after all: a file may well begin with a brace.
    return text
  }
}

function subjectOf(call: ToolCall, wish: Wish | undefined): string {
  if (wish === undefined) return `The tool ${call.name}`
  if (wish.kind === 'run') return `\`${wish.command}\``
  if (wish.kind === 'search') return `The search for "${wish.pattern}"`
  if (wish.kind === 'list') return 'Listing the files'
  return `${wish.kind === 'read' ? 'Reading' : 'Writing'} ${wish.path}`
}

function excerpt(line: string): string {
  return line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line
}
