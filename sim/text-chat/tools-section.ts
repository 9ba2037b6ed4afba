// Finds the section of a prompt that shows tools: their signatures one per line, the shape of a call, and at the end
// what the choice of tools is.

import type { Conversation, Tool } from '../model.ts'
import { isRecord } from '../shape.ts'
import { type Markup, toMarkup } from './markup.ts'

export interface ToolsSection {
  readonly tools: readonly Tool[]
  readonly markup: Markup
  readonly toolChoice: Conversation['toolChoice']
  readonly parallelCalls: boolean
}

export interface SplitText {
  readonly before: string
  readonly section: ToolsSection
  /** What follows in a text that goes on behind the section, as a user's words do. */
  readonly after: string
}

const SIGNATURES = /(?:^|\n)# Tools\n[\s\S]*?(?<=\n)<tools>\n([\s\S]*?)\n<\/tools>\n/
const EXAMPLE = /(?:^|\n)<([A-Za-z][\w-]*)>\n(\{"name": ?"|<function=)[\s\S]*?\n<\/\1>(?=\n|$)/
const MUST_CALL = /\bmust\s+(?:now\s+)?(?:call|use)\b/i
const ONE_CALL =
  /\b(?:at most|only|no more than|not more than|never more than|exactly|just|a single|one)\b[^.\n]*/i
const PER_ANSWER = /\b(?:per|in|at)\b[^.\n]*\b(?:answer|reply|response|message|turn|time)\b/i

/** Undefined where the text shows no tools. `isWhole`: the section goes on to the end of the text. */
export function splitAtTools(text: string, isWhole: boolean): SplitText | undefined {
  const signatures = SIGNATURES.exec(text)
  if (signatures === null) return undefined
  const tools = (signatures[1] ?? '').split('\n').flatMap(readSignature)
  const rules = text.slice(signatures.index + signatures[0].length)
  const example = EXAMPLE.exec(rules)
  if (tools.length === 0 || example === null) return undefined
  const tail = rules.slice(example.index + example[0].length)
  const { closing, after } = isWhole ? { closing: tail, after: '' } : splitTail(tail)
  const format = example[2] === '<function=' ? 'xml' : 'json'
  return {
    before: text.slice(0, signatures.index).trim(),
    section: {
      tools,
      markup: toMarkup(example[1] ?? '', format),
      toolChoice: readChoice(closing, tools),
      parallelCalls: !asksForOneCall(`${rules.slice(0, example.index)}\n${closing}`),
    },
    after,
  }
}

function readSignature(line: string): Tool[] {
  const { function: tool } = asRecord(parseOrUndefined(line))
  const { name, description = '', parameters = {} } = asRecord(tool)
  return typeof name === 'string'
    ? [{ name, description: String(description), schema: asRecord(parameters) }]
    : []
}

/** In front of a user's words: the line right below the example and paragraphs that are plainly rules. */
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

function asksForOneCall(rules: string): boolean {
  return rules
    .split(/(?<=[.!])\s+|\n+/)
    .filter((rule) => /\b(?:call|tool)\b/i.test(rule) && !/\bat least\b/i.test(rule))
    .some((rule) => PER_ANSWER.test(ONE_CALL.exec(rule)?.[0] ?? ''))
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function parseOrUndefined(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A line that is no signature is no tool.
    return undefined
  }
}
