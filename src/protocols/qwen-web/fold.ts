// Folds a conversation into one message, because the service accepts exactly one: the system text, then each turn under a
// heading. Text that looks like such a heading is escaped.

import { GatewayError } from '../../core/errors.ts'
import type { Message } from '../../core/request.ts'

/** The limit that the service's page states. */
export const longestMessage = 131_072
export const inWords = (count: number): string => count.toLocaleString('en-GB')

interface Folded {
  text: string
  /** Turns that did not fit. */
  leftOut: number
}

interface Turn {
  role: Exclude<Message['role'], 'tool'>
  text: string
}

const headings = { user: '### User', assistant: '### Assistant', system: '### System' }
const introduction =
  'The conversation so far follows, each turn under a heading. Answer the last one as the assistant, without a heading.'
const gap = '\n\n'

export const textOf = (message: Message): string =>
  message.role === 'tool'
    ? ''
    : message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** Line ends. */
const lineEnd = String.raw`\n\r\v\f\u0085\u2028\u2029`
/** Invisible characters within a line. The classes do not overlap: a run of such characters would backtrack. */
const unseen = String.raw`[\t\p{Zs}\p{Cf}]*`
const heading = new RegExp(
  `(^|[${lineEnd}])(${unseen})(?=#{1,6}${unseen}[*_\`]*(?:user|assistant|system)[*_\`]*${unseen}(?:[:：#${lineEnd}]|$))`,
  'giu',
)

/** Escapes text that looks like a heading, with Markdown's backslash. */
export const withoutHeadings = (text: string): string => text.replace(heading, '$1$2\\')

interface FoldOptions {
  /** For error messages. */
  backend: string
  /** A user turn with nothing but results of tool calls. */
  isResults(text: string): boolean
}

export function fold(messages: readonly Message[], { backend, isResults }: FoldOptions): Folded {
  const turns = messages.flatMap((message): Turn[] =>
    message.role === 'tool' ? [] : [{ role: message.role, text: textOf(message) }],
  )
  const begin = turns.findIndex(({ role }) => role !== 'system')
  const opening = begin < 0 ? turns.length : begin
  const system = turns.slice(0, opening).map(({ text }) => text)
  const rest = turns.slice(opening)
  if (rest.every(({ role }) => role === 'user') && rest.length <= 1)
    return { text: fitting(turns.map(({ text }) => text).join(gap), backend), leftOut: 0 }
  const head = [...system.map(withoutHeadings), introduction].join(gap)
  const bodies = rest.map(({ role, text }) => `${headings[role]}\n${withoutHeadings(text)}`)
  const untouched = [head, ...bodies].join(gap)
  if (untouched.length <= longestMessage) return { text: untouched, leftOut: 0 }
  return shortened([head, ...bodies], unitsOf(rest, isResults), backend)
}

/** The text itself; throws if it is too long for the service. */
export function fitting(text: string, backend: string): string {
  if (text.length <= longestMessage) return text
  throw new GatewayError(
    'context-overflow',
    `${backend}: what has to be sent in one message is ${inWords(text.length)} characters long, and this service takes ` +
      `${inWords(longestMessage)} at most. Compact the conversation, send less at once, or take a model of another backend.`,
  )
}

/** Turns that can be left out together, oldest first. Turns that must stay are in no unit. */
function unitsOf(turns: readonly Turn[], isResults: (text: string) => boolean): number[][] {
  const lastWords = turns.findLastIndex(({ role, text }) => role === 'user' && !isResults(text))
  const units: number[][] = []
  for (const [at, { role, text }] of turns.entries()) {
    if (at === turns.length - 1 || at === lastWords) continue
    const before = units.at(-1)
    // Results make no sense without their calls.
    if (role === 'user' && isResults(text) && before?.at(-1) === at - 1) before.push(at)
    else units.push([at])
  }
  return units
}

/** Leaves out as few of the oldest turns as necessary, and says so in their place. The head stays. */
function shortened(parts: readonly string[], units: readonly number[][], backend: string): Folded {
  const out = new Set<number>()
  let length = parts.reduce((sum, part) => sum + part.length + gap.length, 0)
  for (const unit of units) {
    for (const turn of unit) {
      out.add(turn + 1)
      length -= (parts[turn + 1] ?? '').length + gap.length
    }
    if (length > longestMessage) continue
    const text = withMarks(parts, out)
    if (text.length <= longestMessage) return { text, leftOut: out.size }
  }
  return { text: fitting(withMarks(parts, out), backend), leftOut: out.size }
}

function withMarks(parts: readonly string[], out: ReadonlySet<number>): string {
  const kept: string[] = []
  let missing = 0
  for (const [at, part] of parts.entries()) {
    if (out.has(at)) {
      missing++
      continue
    }
    if (missing > 0) kept.push(mark(missing))
    missing = 0
    kept.push(part)
  }
  return kept.join(gap)
}

const mark = (count: number) =>
  `[${count} earlier ${count === 1 ? 'turn was' : 'turns were'} left out here: all of them are too long for one message.]`
