// Finds the tools section of a prompt: one signature per line, the shape of a call, and at the end the tool choice.

import type { Conversation, Tool } from '../model.ts'
import { isRecord } from '../shape.ts'
import { type Markup, toMarkup } from './markup.ts'

interface ToolsSection {
  readonly tools: readonly Tool[]
  readonly markup: Markup
  readonly toolChoice: Conversation['toolChoice']
  readonly parallelCalls: boolean
}

interface SplitText {
  readonly before: string
  readonly section: ToolsSection
  /** The text after the section, such as the user's words. */
  readonly after: string
}

const HEADING = /(?:^|\n)# Tools\n/
const EXAMPLE = /(?:^|\n)<([A-Za-z][\w-]*)>\n(\{"name": ?"|<function=)/g
const EXAMPLE_END = /\n<\/([A-Za-z][\w-]*)>(?=\n|$)/g
const MUST_CALL = /\bmust\s+(?:now\s+)?(?:call|use)\b/i
const ONE_CALL =
  /\b(?:at most|only|no more than|not more than|never more than|exactly|just|a single|one)\b[^.\n]*/i
const PER = /\b(?:per|in|at)\b/i
const ANSWER = /\b(?:answer|reply|response|message|turn|time)\b/i

/** Undefined if the text shows no tools. `isWhole`: the section extends to the end of the text. */
export function splitAtTools(text: string, isWhole: boolean): SplitText | undefined {
  const signatures = findSignatures(text)
  if (signatures === undefined) return undefined
  const tools = signatures.lines.split('\n').flatMap(readSignature)
  const rules = text.slice(signatures.end)
  const example = findExample(rules)
  if (tools.length === 0 || example === undefined) return undefined
  const tail = rules.slice(example.end)
  const { closing, after } = isWhole ? { closing: tail, after: '' } : splitTail(tail)
  const format = example.begin === '<function=' ? 'xml' : 'json'
  return {
    before: text.slice(0, signatures.index).trim(),
    section: {
      tools,
      markup: toMarkup(example.tag, format),
      toolChoice: readChoice(closing, tools),
      parallelCalls: !asksForOneCall(`${rules.slice(0, example.index)}\n${closing}`),
    },
    after,
  }
}

function findSignatures(text: string): { index: number; lines: string; end: number } | undefined {
  const heading = HEADING.exec(text)
  if (heading === null) return undefined
  const open = text.indexOf('\n<tools>\n', heading.index + heading[0].length - 1)
  const start = open + '\n<tools>\n'.length
  const end = open < 0 ? -1 : text.indexOf('\n</tools>\n', start)
  if (end < 0) return undefined
  return { index: heading.index, lines: text.slice(start, end), end: end + '\n</tools>\n'.length }
}

/** The first complete block that shows a call. */
function findExample(rules: string): { index: number; tag: string; begin: string; end: number } | undefined {
  const ends = [...rules.matchAll(EXAMPLE_END)]
  const lastEnds = new Map(ends.map(({ index, 1: tag }) => [tag, index]))
  for (const { index, 0: head, 1: tag = '', 2: begin = '' } of rules.matchAll(EXAMPLE)) {
    const start = index + head.length
    if ((lastEnds.get(tag) ?? -1) < start) continue
    const end = ends.find((found) => found[1] === tag && found.index >= start)
    if (end) return { index, tag, begin, end: end.index + end[0].length }
  }
  return undefined
}

function readSignature(line: string): Tool[] {
  const { function: tool } = asRecord(parseOrUndefined(line))
  const { name, description = '', parameters = {} } = asRecord(tool)
  return typeof name === 'string'
    ? [{ name, description: String(description), schema: asRecord(parameters) }]
    : []
}

/** Before a user's words: the line after the example, and paragraphs that are clearly rules. */
function splitTail(tail: string): { closing: string; after: string } {
  const paragraphs = tail.split(/\n{2,}/)
  const closing = [paragraphs.shift() ?? '']
  while (paragraphs[0] !== undefined && (MUST_CALL.test(paragraphs[0]) || asksForOneCall(paragraphs[0]))) {
    closing.push(paragraphs.shift() ?? '')
  }
  return { closing: closing.join('\n'), after: paragraphs.join('\n\n').trim() }
}

function readChoice(closing: string, tools: readonly Tool[]): Conversation['toolChoice'] {
  const demand = closing
    .split(/(?<=[.!])\s+|\n+/)
    .filter((sentence) => MUST_CALL.test(sentence))
    .at(-1)
  if (demand === undefined) return 'auto'
  const named = tools.find(({ name }) => demand.includes(`\`${name}\``))
  return named ? { name: named.name } : 'required'
}

function isPerAnswer(words: string): boolean {
  const found = PER.exec(words)
  return found !== null && ANSWER.test(words.slice(found.index + found[0].length))
}

function asksForOneCall(rules: string): boolean {
  return rules
    .split(/(?<=[.!])\s+|\n+/)
    .filter((rule) => /\b(?:call|tool)\b/i.test(rule) && !/\bat least\b/i.test(rule))
    .some((rule) => isPerAnswer(ONE_CALL.exec(rule)?.[0] ?? ''))
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function parseOrUndefined(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A line that is not a signature is ignored.
    return undefined
  }
}
