// The text of an upstream request body. Values that are unchanged from the client's body keep their exact bytes, including order,
// blanks, escapes and the spelling of numbers: prompt caches stay valid, and no digit is lost.

import { hasOddNumber, hasSpelling, writeAll } from '../../base/exact-json.ts'
import type { Fields } from '../../base/json.ts'
import { type Member, membersOf } from '../../base/json-text.ts'
import type { TurnRequest } from '../../core/request.ts'

type Origin = Pick<TurnRequest['origin'], 'body' | 'text'>

/** `origin`: the client's request. `isExact`: numbers in other parts of `body` have their own spelling, too. */
export function bodyText(body: Readonly<Fields>, origin: Origin = { body: {} }, isExact = false): string {
  const { text } = origin
  const write = isExact || Object.values(origin.body).some(hasSpelling) ? writeAll : JSON.stringify
  const spliced =
    text !== undefined && sharesContent(body, origin) ? splice(body, origin, text, write) : undefined
  return wellFormed(spliced ?? write(body))
}

/** True if the arguments of a call contain a number with its own spelling. Arguments are text in a request, and values in some bodies. */
export const hasOddInput = ({ messages }: TurnRequest): boolean =>
  messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'tool-call' && hasOddNumber(part.input)),
  )

const sharesContent = (body: Readonly<Fields>, { body: original }: Origin) =>
  Object.entries(body).some(
    ([name, value]) => typeof value === 'object' && value !== null && original[name] === value,
  )

/** Undefined for a text with a duplicate name: services may disagree about which one counts. */
function splice(
  body: Readonly<Fields>,
  origin: Origin,
  text: string,
  write: (value: unknown) => string,
): string | undefined {
  const members = membersOf(text)
  const names = new Set(members.map(({ name }) => name))
  const values = new Map(Object.entries(body))
  const [first] = members
  const last = members.at(-1)
  if (!first || !last || names.size < members.length) return undefined
  let out = ''
  for (const [at, member] of members.entries()) {
    const value = values.get(member.name)
    if (value === undefined) continue
    out += out === '' ? text.slice(0, first.start) : text.slice(members[at - 1]?.end, member.start)
    out += value === origin.body[member.name] ? textOf(member, text) : withValue(member, text, write(value))
  }
  if (out === '') return undefined
  for (const [name, value] of values)
    if (value !== undefined && !names.has(name)) out += `,${JSON.stringify(name)}:${write(value)}`
  return out + text.slice(last.end)
}

const textOf = ({ start, end }: Member, text: string) => text.slice(start, end)

const withValue = ({ start, valueStart }: Member, text: string, value: string) =>
  text.slice(start, valueStart) + value

const surrogate = /\\u[dD][89a-fA-F]/g
const secondHalf = /\\u[dD][c-fC-F]/y
const escapeLength = '\\ud83d'.length
/** Above this length, `includes` could take long for a text full of backslashes. It is fast for most texts. */
const largeText = 256 * 1024

const mayHaveSurrogates = (text: string) => {
  if (text.length < largeText) return text.includes('\\ud') || text.includes('\\uD')
  surrogate.lastIndex = 0
  return surrogate.test(text)
}

/** Replaces lone surrogates by U+FFFD: clients that cut text inside an emoji leave them, and services refuse them. */
function wellFormed(text: string): string {
  if (!mayHaveSurrogates(text)) return text
  const pieces: string[] = []
  let from = 0
  surrogate.lastIndex = 0
  for (let found = surrogate.exec(text); found; found = surrogate.exec(text)) {
    const at = found.index
    if (isEscaped(text, at)) continue
    const end = at + escapeLength
    secondHalf.lastIndex = end
    if (isFirstHalf(text, at) && secondHalf.test(text)) {
      surrogate.lastIndex = end + escapeLength
      continue
    }
    pieces.push(text.slice(from, at), '\ufffd')
    from = end
    surrogate.lastIndex = end
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from)
}

/** The backslash at this place is the second of a pair, so it begins no escape. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (before > 0 && text.charCodeAt(before - 1) === 0x5c) before--
  return (at - before) % 2 === 1
}

const isFirstHalf = (text: string, at: number) => '89abAB'.includes(text.charAt(at + 3))
