// What to call next for a request that is about none of the usual tools of agents: the tool that the request is about, and what
// that needs first; after a result, what the result asks for.

import { isRecord } from '../shape.ts'
import { rankTools } from './choose-tool.ts'
import type { Tool, ToolCall } from './conversation.ts'
import { isFailure, suggestionIn } from './failure.ts'
import { fillCalls, type Known, parametersOf } from './fill-call.ts'
import { type Mentions, readMentions } from './mentions.ts'
import type { Done } from './progress.ts'
import { contentStems } from './words.ts'

/** More than any request needs. */
const MOST_DONE = 24
const DEEPEST = 4

export function nextErrands(text: string, tools: readonly Tool[], done: readonly Done[]): ToolCall[] {
  if (done.length >= MOST_DONE || isDenied(text)) return []
  const errand = { text, mentions: readMentions(text), tools, done }
  for (const tool of rankTools(text, tools).slice(0, 3)) {
    const planned = planFor(tool, errand, DEEPEST)
    if (planned === undefined) continue
    const open = planned.flatMap((call) => stillOpen(call, done))
    return open.length > 0 ? open : followed(tool, errand)
  }
  return []
}

const isDenied = (text: string) => /\b(?:don't|do not|never)\s+(?:call|use|ask|look)\b/i.test(text)

interface Errand {
  readonly text: string
  readonly mentions: Mentions
  readonly tools: readonly Tool[]
  readonly done: readonly Done[]
}

/** Undefined if the text does not say enough. */
function planFor(tool: Tool, errand: Errand, depth: number): ToolCall[] | undefined {
  const known = new Map<string, string>()
  for (const { name, schema, isRequired } of parametersOf(tool.schema, tool.schema)) {
    const source = isRequired ? sourceOf(String(schema.description ?? ''), tool, errand.tools) : undefined
    if (source === undefined) continue
    const result = errand.done.findLast(
      ({ call, result: came }) =>
        plainName(call.name) === plainName(source.name) && !isFailure(came, undefined),
    )
    if (result === undefined) return depth > 0 ? planFor(source, errand, depth - 1) : undefined
    const value = idIn(result.result.text, errand.text)
    if (value !== undefined) known.set(name, value)
  }
  return plannedWith(tool, errand, known)
}

function plannedWith(tool: Tool, { mentions }: Errand, known: Known): ToolCall[] | undefined {
  const { calls, missing } = fillCalls(tool, mentions, known)
  return missing.length > 0 ? undefined : [...calls]
}

/** "As find_customer gives it" */
function sourceOf(description: string, own: Tool, tools: readonly Tool[]): Tool | undefined {
  const words = new Set(description.match(/[\w.-]+/g) ?? [])
  return tools.find((tool) => tool !== own && words.has(tool.name.split('__').at(-1) ?? ''))
}

const LONGEST_RESULT = 4000

/** Of the ids in a result, the one beside the words of the request: "the open order" is O-551 in "O-551 (open), O-498 (closed)". */
function idIn(result: string, text: string): string | undefined {
  const asked = new Set(contentStems(text))
  const parts = result.slice(0, LONGEST_RESULT).split(/[,;\n]/)
  const found = parts.flatMap((part) => {
    const id = /\b(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9][\w-]{0,40}\b/.exec(part)?.[0]
    return id === undefined
      ? []
      : [{ id, shared: contentStems(part).filter((word) => asked.has(word)).length }]
  })
  return found.sort((one, other) => other.shared - one.shared)[0]?.id
}

const TEMPORARY = /\b(?:busy|temporar\w*|try\b.{0,30}\bagain|503|429|overloaded|timed out)\b/i
const FINAL = /\b(?:will not help|won't help|denied|forbidden|not allowed|permanent\w*)\b/i

/** A call that was not made yet, a second one after a temporary failure, or another as the failure suggests. */
function stillOpen(call: ToolCall, done: readonly Done[]): ToolCall[] {
  const tries = done.filter((one) => isSame(one.call, call))
  const last = tries.at(-1)
  if (last === undefined) return [call]
  if (!isFailure(last.result, undefined) || tries.length > 1) return []
  const reason = last.result.text.slice(0, LONGEST_RESULT)
  if (FINAL.test(reason)) return []
  if (TEMPORARY.test(reason)) return [call]
  const better = withSuggestion(call, suggestionIn(last.result))
  return better === undefined || done.some((one) => isSame(one.call, better)) ? [] : [better]
}

function withSuggestion(call: ToolCall, suggestion: string | undefined): ToolCall | undefined {
  const texts = Object.entries(call.arguments).filter(([, value]) => typeof value === 'string')
  const [only] = texts
  if (suggestion === undefined || only === undefined || texts.length > 1) return undefined
  return { name: call.name, arguments: { ...call.arguments, [only[0]]: suggestion } }
}

/** A model knows its own calls, however it wrote them: in another spelling, or with values as text. */
const isSame = (one: ToolCall, other: ToolCall) =>
  plainName(one.name) === plainName(other.name) &&
  JSON.stringify(plainValue(one.arguments)) === JSON.stringify(plainValue(other.arguments))

const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return /^[[{]/.test(value) ? plainValue(parsed(value)) : value
  if (Array.isArray(value)) return value.map(plainValue)
  if (!isRecord(value)) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainValue(part)]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Text that only begins like JSON.
    return ` ${text}`
  }
}

const FOLLOWS = /\bfollow\b|\bto the end\b|\buntil\b|\bstep by step\b/i

/** Where the request says to go on: the next value that the last result names. */
function followed(tool: Tool, { text, done }: Errand): ToolCall[] {
  const last = done.at(-1)
  if (
    !FOLLOWS.test(text) ||
    last === undefined ||
    plainName(last.call.name) !== plainName(tool.name) ||
    isFailure(last.result, undefined)
  )
    return []
  const { calls } = fillCalls(tool, readMentions(last.result.text))
  return calls.filter((call) => !done.some((one) => isSame(one.call, call))).slice(0, 1)
}
