// What a tool itself gave back, without what agents put around it: JSON, headers, tags, fences, line numbers, remarks.

import { isRecord } from '../shape.ts'
import { cutBlocks } from './blocks-out.ts'

export interface PlainResult {
  /** The lines, blank ones among them, without those at the beginning and the end. */
  readonly lines: readonly string[]
  readonly exitCode?: number
  /** The agent marked it as a failure. */
  readonly isError?: boolean
}

export function plainResult(text: string): PlainResult {
  const json = fromJson(text)
  if (json !== undefined) return json
  const whole = cutBlocks(inside(text), REMARKS, ([, tag]) => `</${tag}>`).replace(WALL_TIME, '')
  const isError = text.includes('<system>ERROR')
  const exitCode = statedExitCode(whole)
  const body = withoutTags(sectionOf(whole) ?? whole).replace(TITLE, '')
  const lines = trimmed(withoutFences(trimmed(body.split(/\r?\n/).filter((line) => !EXIT_LINE.test(line)))))
  return { lines, ...(exitCode !== undefined && { exitCode }), ...(isError && { isError }) }
}

/** Gemini CLI puts what comes from commands, pages and servers into a pair of tags, and a last line about the process. */
function inside(text: string): string {
  const wrapped = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>\s*$/.exec(text)
  return wrapped?.[1]?.replace(/\nProcess Group PGID: \d+$/, '') ?? text
}

/** The lines of a file, without the numbers and remarks that some agents put there. */
export function fileLines({ lines }: PlainResult): readonly string[] {
  const told = trimmed(lines.filter((line) => !NOTE.test(line)))
  const sparse = withoutTenths(told)
  if (sparse) return trimmed(sparse)
  const filled = told.filter((line) => line.trim() !== '')
  const numbers = filled.map((line) => Number(NUMBERED.exec(line)?.[1]))
  const isNumbered =
    filled.length > 0 &&
    !numbers.includes(Number.NaN) &&
    numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))
  return isNumbered ? trimmed(told.map((line) => line.replace(NUMBERED, ''))) : told
}

/** xAI's Grok numbers the first line and every tenth. A file of one line is numbered in any manner. */
function withoutTenths(lines: readonly string[]): readonly string[] | undefined {
  const first = Number(/^(\d+)→/.exec(lines[0] ?? '')?.[1])
  const isDue = (at: number) => at === 0 || (first + at) % 10 === 0
  const fits = (line: string, at: number) => line.startsWith(`${first + at}→`) === isDue(at)
  if (lines.length < 2 || !lines.every(fits)) return undefined
  return lines.map((line, at) => (isDue(at) ? line.slice(line.indexOf('→') + 1) : line))
}

/** Kimi's first line where a tool was slow or failed. */
const WALL_TIME = /^Wall time: [\d.]+ seconds\n(?!Process exited|Output:)/
/** The first line of Grok and of Continue. */
const TITLE = /^\s*(?:(?:directory )?contents? of|files in) [^\n]*:\n/i
const REMARKS = /<(system-reminder|system)>/g
/** `00001| `, `1 | `, `     1\t`, `     1→`, `1: ` */
const NUMBERED = /^\s*(\d+)(?: ?\||\t|→|:)[ ]?/
/** A remark of the tool about what it gave, as "(End of file - total 3 lines)". */
const NOTE =
  /^\s*(?:\((?:end of|file has|showing|total|output)\b[^()]*\)|\[(?:end of|showing|file|\d+ more)\b[^[\]]*\]|<\/?(?:file|content|path|type)\b[^<>]*>)\s*$/i

/** The agents that answer in JSON, and the fields that hold what counts. */
const TEXT_FIELDS = ['output', 'stdout', 'result', 'content', 'text', 'error', 'stderr', 'message']

function fromJson(text: string): PlainResult | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return fromValue(JSON.parse(text))
  } catch {
    // Not JSON after all: a file may well begin with a brace.
    return undefined
  }
}

function fromValue(value: unknown): PlainResult | undefined {
  if (Array.isArray(value)) {
    const parts = value.map(fromValue)
    if (parts.length === 0 || parts.some((part) => part === undefined)) return undefined
    const found = parts.filter((part) => part !== undefined)
    const exitCode = found.find((part) => part.exitCode !== undefined)?.exitCode
    return {
      lines: found.flatMap(({ lines }) => lines),
      ...(exitCode !== undefined && { exitCode }),
      ...(found.some(({ isError }) => isError) && { isError: true }),
    }
  }
  if (!isRecord(value)) return undefined
  // Without a sign that it is a result, it is a file's own JSON.
  const isMarked = 'success' in value || 'metadata' in value || 'exit_code' in value || 'exitCode' in value
  const isBlock = value.type === 'text' && typeof value.text === 'string'
  const isOutput = typeof value.output === 'string' || typeof value.stdout === 'string'
  if (!isMarked && !isBlock && !isOutput) return undefined
  const metadata = isRecord(value.metadata) ? value.metadata : {}
  const code = [value.exit_code, value.exitCode, metadata.exit_code, metadata.exitCode].find(Number.isInteger)
  const said = TEXT_FIELDS.map((field) => value[field]).find(
    (part) => typeof part === 'string' && part !== '',
  )
  const inner = plainResult(String(said ?? ''))
  const exitCode = typeof code === 'number' ? code : inner.exitCode
  return {
    lines: inner.lines,
    ...(exitCode !== undefined && { exitCode }),
    ...((value.success === false || inner.isError) && { isError: true }),
  }
}

/** Agents state it in a line of its own, before or after the output: in brackets, or as a sentence of known words. */
const EXIT_LINE =
  /^\s*(?:[<[(][^<>[\]()\d]{0,40}(?:\d+ )?[^<>[\]()\d]{0,40}\bexit[^<>[\]()\d]{1,20}(-?\d+)\.?[>\])]|(?:(?:the )?(?:process|command|tool)(?: has)? )?(?:exit(?:ed)?|failed|finished|completed)(?: with)?(?: exit)?(?: code| status)?:? (-?\d+)\.?)\s*$/i
const STATED_LINES = 6

function statedExitCode(text: string): number | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const edges = [...lines.slice(-STATED_LINES).reverse(), ...lines.slice(0, STATED_LINES)]
  for (const line of edges) {
    const found = line.length > 200 ? undefined : EXIT_LINE.exec(line)?.slice(1).find(Boolean)
    if (found !== undefined) return Number(found)
  }
  return undefined
}

const SECTION =
  /^(?:command|directory|chunk id|wall time|process exited\b.*|exit code|original token count|total output lines|output|stdout|stderr|error|signal|background pids|process group pgid)(?::|$)/i

/** What stands under "Output:" where only such headings are before it; what is under a later heading is left out. */
function sectionOf(text: string): string | undefined {
  const lines = text.split(/\r?\n/)
  const out: string[] = []
  let at = 0
  while (at < lines.length && SECTION.test(lines[at] ?? '') && !/^(?:output|stdout):/i.test(lines[at] ?? ''))
    at++
  const heading = /^(?:output|stdout):[ \t]?(.*)$/i.exec(lines[at] ?? '')
  if (heading === null) return undefined
  if (heading[1] && heading[1] !== '(empty)') out.push(heading[1])
  const isKeyed = /^command:/i.test(lines[0] ?? '')
  for (const line of lines.slice(at + 1)) {
    const next = isKeyed
      ? /^(?:stderr|error|exit code|signal|background pids|process group pgid):[ \t]?(.*)$/i.exec(line)
      : null
    if (next === null) out.push(line)
    else if (/^(?:stderr|error):/i.test(line) && !/^\((?:empty|none)\)$/.test(next[1] ?? ''))
      out.push(next[1] ?? '')
    else if (/^exit code:/i.test(line)) break
  }
  return out.join('\n')
}

function withoutTags(text: string): string {
  return text
    .replace(/<(path|type|title|metadata)>[^<]*<\/\1>/g, '')
    .replace(
      /^[ \t]*<\/?(?:file|content|contents|file_content|output|stdout|result|function_results)(?:[ \t][^>\r\n\u2028\u2029]*)?>[ \t]*/gim,
      '',
    )
}

function withoutFences(lines: readonly string[]): readonly string[] {
  const isFenced = lines.length > 1 && /^```\S*$/.test(lines[0] ?? '') && /^```\s*$/.test(lines.at(-1) ?? '')
  return isFenced ? lines.slice(1, -1) : lines
}

function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first < 0 ? [] : lines.slice(first, last + 1)
}
