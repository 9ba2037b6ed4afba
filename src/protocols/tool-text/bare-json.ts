// JSON without a tag, bare or in a fence, that may be a call. The parser holds it back: it is a call only at the very end of a
// reply, and only if it names a tool exactly.

import { parseJson } from '../../base/json.ts'
import type { Call } from './pieces.ts'
import { isPlainCall, readCalls } from './read-calls.ts'
import type { Toolbox } from './toolbox.ts'
import { skipSpace } from './word-at.ts'

const quote = 0x22
const backslash = 0x5c

/** `open`: more text decides. */
type Candidate = 'open' | 'no' | 'yes'

const nameKeys = new Set(['name', 'tool', 'tool_name', 'function_name'])
const laterKeys = new Set(['arguments', 'parameters'])
/** In the shape of the Chat Completions API, `type` and `function` come before the name. */
const allKeys = [...nameKeys, ...laterKeys, 'function', 'tool_calls', 'type']
const fenceLine = /^(?:`{3,}|~{3,})[ \t]*(?:(?:json|tool_calls?|tool_code|tool)[ \t]*)?\r?\n/
const openFenceLine = /^(?:`{1,}|~{1,})[ \t]*(?:(?:j|js|jso|json|t|to|too|tool|tool_[a-z]*)[ \t]*)?\r?$/
const longestStart = 512

/** Judges what may begin a call. `from` is the first character of its line that is not white space. */
export function judgeStart(text: string, from: number, tools: Toolbox): Candidate {
  const candidate = judge(text.slice(from, from + longestStart), tools)
  return candidate === 'open' && text.length - from >= longestStart ? 'no' : candidate
}

function judge(text: string, tools: Toolbox): Candidate {
  let at = 0
  if (text.startsWith('`') || text.startsWith('~')) {
    const fence = fenceLine.exec(text)?.[0]
    if (fence === undefined) return openFenceLine.test(text) ? 'open' : 'no'
    at = fence.length
  }
  return judgeJson(text, at, tools)
}

function judgeJson(text: string, from: number, tools: Toolbox): Candidate {
  let at = skipSpace(text, from)
  if (text[at] === '[') at = skipSpace(text, at + 1)
  for (;;) {
    if (at >= text.length) return 'open'
    if (text[at] !== '{') return 'no'
    at = skipSpace(text, at + 1)
    const key = readString(text, at, allKeys)
    if (key === 'open' || key === 'no') return key
    at = skipSpace(text, key.end)
    if (at >= text.length) return 'open'
    if (text[at] !== ':') return 'no'
    if (laterKeys.has(key.value)) return 'yes'
    at = skipSpace(text, at + 1)
    if (key.value === 'type') return found(readString(text, at, ['function']))
    if (nameKeys.has(key.value)) return found(readString(text, at, tools.names))
    if (key.value === 'tool_calls') {
      if (at >= text.length) return 'open'
      if (text[at] !== '[') return 'no'
      at = skipSpace(text, at + 1)
    }
  }
}

const found = (value: ReturnType<typeof readString>) => (typeof value === 'object' ? 'yes' : value)

/** Reads one of these words as a string literal without escapes. */
function readString(
  text: string,
  at: number,
  words: readonly string[],
): { value: string; end: number } | 'open' | 'no' {
  if (at >= text.length) return 'open'
  if (text[at] !== '"') return 'no'
  const end = text.indexOf('"', at + 1)
  const value = text.slice(at + 1, end < 0 ? undefined : end)
  if (end < 0) return words.some((word) => word.startsWith(value)) ? 'open' : 'no'
  return words.includes(value) ? { value, end: end + 1 } : 'no'
}

/** Scans JSON values with nothing but separators between them, in a fence or without one. */
export class BareJson {
  /** Undefined before the first character. */
  #fence: { char: string; inHead: boolean; closed: boolean } | 'none' | undefined
  #depth = 0
  #inString = false
  #escaped = false
  #start = -1
  #length = 0
  /** Positions in the scanned text. */
  readonly values: { from: number; to: number }[] = []

  /** There are values, and none is open. */
  get isComplete(): boolean {
    return this.#start < 0 && this.values.length > 0
  }

  /** The position of the first character that does not belong to the values; -1: all do. */
  scan(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      if (!this.#on(text.charCodeAt(at), text[at] as string)) return at
      this.#length++
    }
    return -1
  }

  #on(code: number, char: string): boolean {
    if (this.#start >= 0) {
      this.#inValue(code, char)
      return true
    }
    this.#fence ??= char === '`' || char === '~' ? { char, inHead: true, closed: false } : 'none'
    if (this.#fence !== 'none' && this.#fence.inHead) {
      this.#fence.inHead = char !== '\n'
      return true
    }
    return code <= 0x20 || this.#between(char)
  }

  #inValue(code: number, char: string): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (code === backslash) this.#escaped = true
      else if (code === quote) this.#inString = false
    } else if (code === quote) this.#inString = true
    else if (char === '{' || char === '[') this.#depth++
    else if ((char === '}' || char === ']') && --this.#depth === 0) {
      this.values.push({ from: this.#start, to: this.#length + 1 })
      this.#start = -1
    }
  }

  #between(char: string): boolean {
    if (this.#fence !== 'none' && this.#fence !== undefined) {
      if (char === this.#fence.char) this.#fence.closed = true
      else if (this.#fence.closed) return false
      if (this.#fence.closed) return true
    }
    if (char === '{' || char === '[') {
      this.#start = this.#length
      this.#depth = 1
      return true
    }
    return (char === ',' || char === ';') && this.values.length > 0
  }
}

/** The calls, if every value is one; otherwise undefined. */
export function bareCalls(
  json: BareJson,
  text: string,
  tools: Toolbox,
  { isEcho }: { isEcho?(text: string): boolean },
): Call[] | undefined {
  if (!json.isComplete) return undefined
  const calls: Call[] = []
  for (const { from, to } of json.values) {
    const source = text.slice(from, to)
    const found = isPlainCall(parseJson(source)) ? readCalls(source, tools) : undefined
    if (!found?.every((call) => tools.fits(call)) || isEcho?.(source)) return undefined
    calls.push(...found)
  }
  return calls
}
