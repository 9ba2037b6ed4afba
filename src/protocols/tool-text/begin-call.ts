// The decision after an opening tag: whether a call follows, and in which form. It falls as soon as the text allows.

import type { Families, Opening, ValueDialect } from './families.ts'
import { looseTagAt } from './loose-tag.ts'
import type { Toolbox } from './toolbox.ts'
import { skipSpace } from './word-at.ts'

export type Beginning =
  /** Not enough text. */
  | { state: 'more' }
  /** The tag is only mentioned. */
  | { state: 'prose' }
  /** JSON from here: whole calls, or the arguments of the named tool. */
  | { state: 'json'; from: number; name?: string }
  /** `isEmpty`: the tag closes itself. */
  | { state: 'values'; from: number; name: string; dialect: ValueDialect; isEmpty?: true }

const more: Beginning = { state: 'more' }
const prose: Beginning = { state: 'prose' }

const longestGap = 64
const longestHead = 256
const deepestWrapping = 3
const namePattern = /^[^\s<>{}()[\],;"'`]{1,128}$/
/** The beginning of a name, quoted or not. */
const openNamePattern = /^\s*(?:(?:["'][^\s<>{}()[\],;"'`]{0,128}|[^\s<>{}()[\],;"'`]{1,128})["']?\s*)?\/?$/
const fence = /^```(?:json)?[ \t]*\r?\n?\s*/
/** The beginning of JSON that can be a call: a key follows, or the end. */
const jsonStart = /^(?:\{\s*["'}“_A-Za-z]|\[\s*\{)/
const openJsonStart = /^[{[]\s*$/
/** Hunyuan writes it after the name. */
const separator = '<tool_sep>'
const headPattern = /^[\w\s.:<>|｜▁`[\]-]*$/

interface Lookahead {
  text: string
  families: Families
  tools: Toolbox
}

export interface FoundOpening {
  opening: Opening
  /** The position after its marker. */
  from: number
}

export function beginCall({ opening, from }: FoundOpening, look: Lookahead, depth = 0): Beginning {
  switch (opening.kind) {
    case 'block':
      return beginBlock(opening, from, look, depth)
    case 'values':
      return beginValues(opening, from, look, depth)
    case 'named':
      return beginNamed(opening, from, look)
  }
}

/** The longest opening at `at`; `more` if the text ends inside one. */
export function openingAt(
  text: string,
  at: number,
  { openings, callTags }: Families,
): FoundOpening | 'more' | undefined {
  let found: Opening | undefined
  for (const opening of openings) {
    if (text.startsWith(opening.marker, at)) {
      if (!found || opening.marker.length > found.marker.length) found = opening
    } else if (text.length - at < opening.marker.length && opening.marker.startsWith(text.slice(at)))
      return 'more'
  }
  if (found) return { opening: found, from: at + found.marker.length }
  const loose = looseTagAt(text, at, callTags, 'opening')
  if (loose === undefined || loose === 'more') return loose
  const opening = openings.find(({ marker }) => marker.toLowerCase() === `<${loose.name}>`)
  return opening && { opening, from: at + loose.length }
}

function beginBlock(
  opening: Extract<Opening, { kind: 'block' }>,
  from: number,
  look: Lookahead,
  depth: number,
): Beginning {
  const { text, families } = look
  const at = skipSpace(text, from)
  if (at - from > longestGap) return prose
  if (at >= text.length) return more
  const char = text[at]
  if (char === '{' || char === '[') return beginJson(text, at)
  if (char === '`') return beginFenced(text, at)
  if (char === '<') {
    const inner = openingAt(text, at, families)
    if (inner === 'more') return more
    return inner && depth < deepestWrapping ? beginCall(inner, look, depth + 1) : prose
  }
  return opening.names ? beginPairs(opening.names, at, look) : prose
}

function beginJson(text: string, at: number, name?: string): Beginning {
  const start = text.slice(at, at + longestGap)
  if (jsonStart.test(start)) return { state: 'json', from: at, ...(name === undefined ? {} : { name }) }
  return openJsonStart.test(start) && at + longestGap > text.length ? more : prose
}

/** A fence inside the tag. */
function beginFenced(text: string, at: number): Beginning {
  const start = text.slice(at, at + longestGap)
  if ('```json\n'.startsWith(start)) return more
  const skipped = fence.exec(start)?.[0].length
  if (skipped === undefined) return prose
  return at + skipped >= text.length ? more : beginJson(text, at + skipped)
}

/** The bare name of a tool, then keys and values; for a known tool also its arguments as JSON. */
function beginPairs(dialect: ValueDialect, at: number, { text, tools }: Lookahead): Beginning {
  const name = /^[\w.-]+/.exec(text.slice(at, at + 128))?.[0]
  if (name === undefined) return prose
  let next = skipSpace(text, at + name.length)
  if (next - at - name.length > longestGap) return prose
  if (text.startsWith(separator, next)) {
    const from = next + separator.length
    next = skipSpace(text, from)
    if (next - from > longestGap) return prose
  }
  if (next >= text.length) return more
  const follows = (tag: string) => text.startsWith(tag, next)
  const mayFollow = (tag: string) => tag.startsWith(text.slice(next, next + tag.length))
  if (follows(dialect.valueOpen)) return { state: 'values', from: next, name, dialect }
  if (text[next] === '{') return tools.find(name) ? beginJson(text, next, name) : prose
  if (follows(dialect.callClose))
    return tools.find(name) ? { state: 'values', from: next, name, dialect } : prose
  return [separator, dialect.valueOpen, dialect.callClose].some(mayFollow) && text.length - next < 32
    ? more
    : prose
}

function beginValues(
  { dialect, readName }: Extract<Opening, { kind: 'values' }>,
  from: number,
  { text, tools }: Lookahead,
  depth: number,
): Beginning {
  const head = text.slice(from, from + longestHead)
  const stop = head.search(dialect.headEndsAtLine ? /[>\n]/ : />/)
  if (stop < 0) return head.length < longestHead && openNamePattern.test(head) ? more : prose
  const isEmpty = head[stop - 1] === '/'
  const name = readName(head.slice(0, isEmpty ? stop - 1 : stop))
  if (name === undefined || !namePattern.test(name)) return prose
  // Without a tag around it, it is a call only if the tool is known.
  if (depth === 0 && !tools.find(name)) return prose
  return { state: 'values', from: from + stop + 1, name, dialect, ...(isEmpty ? { isEmpty } : {}) }
}

function beginNamed(
  { readName }: Extract<Opening, { kind: 'named' }>,
  from: number,
  { text }: Lookahead,
): Beginning {
  const ahead = text.slice(from, from + longestHead)
  const blank = skipSpace(ahead, 0)
  if (ahead[blank] === '[') {
    // `[ARGS]` and similar marks have no space after the bracket; a list of calls may have one.
    const next = ahead[blank + 1]
    if (next === undefined) return ahead.length < longestHead ? more : prose
    if (next === '{' || next.trim() === '') return beginJson(text, from + blank)
  }
  const stop = ahead.indexOf('{')
  const head = stop < 0 ? ahead : ahead.slice(0, stop)
  if (!headPattern.test(head)) return prose
  if (stop < 0) return ahead.length < longestHead ? more : prose
  if (head.trim() === '') return beginJson(text, from + stop)
  const name = readName(head)
  return name === undefined ? prose : beginJson(text, from + stop, name)
}
