// Checks of a task's outcome. Each one tests one demand and reports what it expected and what it found.

import { isObject } from '../../base/json.ts'
import type { Check, Fault, MadeCall, Transcript } from './task.ts'

/** A pattern for a string, or the value itself; also lists and objects of these. */
type Wanted = unknown

/** Arguments by name; others are allowed if the tool's schema allows them. */
type WantedInput = Record<string, Wanted>

interface WantedCall {
  name: string
  input?: WantedInput
}

export const call = (name: string, input: WantedInput = {}): WantedCall => ({ name, input })

/** Exactly these calls, in any order. */
export function calledExactly(...wanted: readonly WantedCall[]): Check {
  return ({ calls, text }) => {
    const left = [...calls]
    for (const want of wanted) {
      const at = left.findIndex((made) => isWanted(made, want))
      if (at < 0) return { expected: `a call of ${inWords(want)}`, came: listed({ calls, text }) }
      left.splice(at, 1)
    }
    const [extra] = left
    if (extra === undefined) return undefined
    return {
      expected: `${wanted.length === 1 ? 'one call' : `${wanted.length} calls`} and no more`,
      came: `also ${shown(extra)}`,
    }
  }
}

/** This call, and possibly others. */
export function called(want: WantedCall): Check {
  return ({ calls, text }) =>
    calls.some((made) => isWanted(made, want))
      ? undefined
      : { expected: `a call of ${inWords(want)}`, came: listed({ calls, text }) }
}

/** Each call comes in a later answer than the call before it: its arguments need that call's result. */
export function calledInOrder(...wanted: readonly WantedCall[]): Check {
  return (seen) => {
    let after = -1
    for (const want of wanted) {
      const found = seen.calls.find((made) => made.turn > after && isWanted(made, want))
      if (found === undefined) return outOfOrder(seen, want, after)
      after = found.turn
    }
    return undefined
  }
}

function outOfOrder(seen: Transcript, want: WantedCall, after: number): Fault {
  const early = seen.calls.some((made) => isWanted(made, want))
  return early && after >= 0
    ? {
        expected: `${inWords(want)} behind the result of the call before it`,
        came: 'it was called before that result was there',
      }
    : { expected: `a call of ${inWords(want)}`, came: listed(seen) }
}

/** All these calls in the model's first answer. */
export function calledTogether(...wanted: readonly WantedCall[]): Check {
  return ({ calls, text }) => {
    const first = calls.filter(({ turn }) => turn === 0)
    const missing = wanted.find((want) => !first.some((made) => isWanted(made, want)))
    return (
      missing && {
        expected: `${wanted.length} calls in one answer, among them ${inWords(missing)}`,
        came: listed({ calls: first, text }),
      }
    )
  }
}

export const calledNothing: Check = (seen) =>
  seen.calls.length === 0 ? undefined : { expected: 'an answer without a tool call', came: listed(seen) }

export function neverCalled(name: string): Check {
  return ({ calls }) => {
    const made = calls.find((entry) => entry.name === name)
    return made && { expected: `no call of ${name}`, came: shown(made) }
  }
}

/** The first answer has a call; with a name, only calls of that tool. */
export function firstCalls(name?: string): Check {
  return ({ calls, text }) => {
    const first = calls.filter(({ turn }) => turn === 0)
    const good = first.length > 0 && first.every((made) => name === undefined || made.name === name)
    if (good) return undefined
    return {
      expected: `a call of ${name ?? 'a tool'} in the first answer`,
      came: listed({ calls: first, text }),
    }
  }
}

export const oneAtATime: Check = ({ calls, text }) => {
  const second = calls.find((made, at) => made.turn === calls[at - 1]?.turn)
  if (second === undefined) return undefined
  const together = calls.filter(({ turn }) => turn === second.turn)
  return {
    expected: 'at most one call in an answer',
    came: `${together.length} in one: ${listed({ calls: together, text })}`,
  }
}

export function mostCalls(most: number): Check {
  return (seen) =>
    seen.calls.length <= most
      ? undefined
      : { expected: `at most ${most} calls`, came: `${seen.calls.length}: ${listed(seen)}` }
}

export const answers: Check = ({ text }) =>
  text.trim() === '' ? { expected: 'an answer in words at the end', came: 'no text' } : undefined

/** Matches numbers with any thousands separator but not inside other numbers, and words in any case. */
export function says(...wanted: readonly (string | RegExp)[]): Check {
  return ({ text }) => {
    const plain = text.replace(/(?<=\d)[,'’\u00a0\u202f ](?=\d{3}\b)/g, '')
    const missing = wanted.find((want) => !(typeof want === 'string' ? asPattern(want) : want).test(plain))
    if (missing === undefined) return undefined
    const words = typeof missing === 'string' ? JSON.stringify(missing) : String(missing)
    return { expected: `${words} in the answer`, came: quoted(text) }
  }
}

function asPattern(words: string): RegExp {
  if (!/^\d/.test(words)) return new RegExp(literal(words), 'i')
  const zeros = words.includes('.') ? '0*' : ''
  return new RegExp(`(?<![\\d.])${literal(words)}${zeros}(?!\\d)`)
}

/** The exact text; one line break more or less at its end is accepted. */
export function wrote(tool: string, argument: string, wanted: string): Check {
  return (seen) => {
    const made = seen.calls.filter(({ name }) => name === tool)
    const last = made.at(-1)?.input[argument]
    if (typeof last !== 'string')
      return { expected: `a call of ${tool} with "${argument}"`, came: listed(seen) }
    return differenceIn(last.replace(/\n$/, ''), wanted.replace(/\n$/, ''))
  }
}

function differenceIn(came: string, wanted: string): Fault | undefined {
  if (came === wanted) return undefined
  let at = 0
  while (at < came.length && came[at] === wanted[at]) at++
  const line = wanted.slice(0, at).split('\n').length
  const around = (text: string) => (at >= text.length ? 'the end' : JSON.stringify(text.slice(at, at + 40)))
  return {
    expected: `the text to the byte: ${wanted.length} characters; at character ${at} (line ${line}) ${around(wanted)}`,
    came: `${came.length} characters; there it has ${around(came)}`,
  }
}

function isWanted(made: MadeCall, { name, input = {} }: WantedCall): boolean {
  return made.name === name && Object.entries(input).every(([key, wanted]) => fits(made.input[key], wanted))
}

function fits(value: unknown, wanted: Wanted): boolean {
  if (wanted instanceof Like) return fits(value, wanted.pattern)
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value)
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((want, at) => fits(value[at], want))
    )
  if (isObject(wanted)) {
    if (!isObject(value)) return false
    return Object.entries(wanted).every(([key, want]) => fits(value[key], want))
  }
  return Object.is(value, wanted)
}

/** A condition with a description of what it expects. */
class Like {
  readonly words: string
  readonly pattern: RegExp

  constructor(words: string, pattern: RegExp) {
    this.words = words
    this.pattern = pattern
  }
}

/** A file name, also written as a path of the current folder. */
export const path = (name: string): Like =>
  new Like(JSON.stringify(name), new RegExp(`^(?:\\./)?${literal(name)}/?$`))

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function inWords({ name, input = {} }: WantedCall): string {
  const parts = Object.entries(input).map(([key, wanted]) => `${key}: ${wantedInWords(wanted)}`)
  return `${name}(${parts.join(', ')})`
}

function wantedInWords(wanted: Wanted): string {
  if (wanted instanceof Like) return wanted.words
  return wanted instanceof RegExp ? String(wanted) : JSON.stringify(wanted)
}

function listed({ calls, text }: Pick<Transcript, 'calls' | 'text'>): string {
  if (calls.length === 0) return text.trim() === '' ? 'no call, and no text' : `no call, but ${quoted(text)}`
  const most = 4
  const more = calls.length > most ? ` and ${calls.length - most} more` : ''
  return `${calls.slice(0, most).map(shown).join(', ')}${more}`
}

const shown = ({ name, input }: Pick<MadeCall, 'name' | 'input'>): string => {
  const text = JSON.stringify(input)
  return `${name}(${text.length > 120 ? `${text.slice(0, 120)}…` : text})`
}

const quoted = (text: string): string => {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return short.trim() === '' ? 'nothing' : JSON.stringify(short)
}
