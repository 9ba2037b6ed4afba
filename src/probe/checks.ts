// What judges are made of. Each check is one demand, and says in a sentence what it wanted and what there was.

import { isObject } from '../protocols/json.ts'
import type { Check, Fault, MadeCall, Transcript } from './task.ts'

/** A pattern for strings, a test for anything, or the value itself. */
export type Wanted = RegExp | ((value: unknown) => boolean) | unknown

/** Arguments by name; others may be there, as far as the tool's schema allows them. */
export type WantedInput = Record<string, Wanted>

export interface WantedCall {
  name: string
  input?: WantedInput
}

export const call = (name: string, input: WantedInput = {}): WantedCall => ({ name, input })

/** These calls and no others, in any order. */
export function calledExactly(...wanted: readonly WantedCall[]): Check {
  return ({ calls }) => {
    const left = [...calls]
    for (const want of wanted) {
      const at = left.findIndex((made) => isWanted(made, want))
      if (at < 0) return { expected: `a call of ${inWords(want)}`, came: listed(calls) }
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

/** Among others, this call. */
export function called(want: WantedCall): Check {
  return ({ calls }) =>
    calls.some((made) => isWanted(made, want))
      ? undefined
      : { expected: `a call of ${inWords(want)}`, came: listed(calls) }
}

/** Each call in an answer behind the one that has the result of the call before it. */
export function calledInOrder(...wanted: readonly WantedCall[]): Check {
  return ({ calls }) => {
    let after = -1
    for (const want of wanted) {
      const found = calls.find((made) => made.turn > after && isWanted(made, want))
      if (found === undefined) return outOfOrder(calls, want, after)
      after = found.turn
    }
    return undefined
  }
}

function outOfOrder(calls: readonly MadeCall[], want: WantedCall, after: number): Fault {
  const early = calls.some((made) => isWanted(made, want))
  return early && after >= 0
    ? {
        expected: `${inWords(want)} behind the result of the call before it`,
        came: 'it was called before that result was there',
      }
    : { expected: `a call of ${inWords(want)}`, came: listed(calls) }
}

/** All of them in the model's first answer. */
export function calledTogether(...wanted: readonly WantedCall[]): Check {
  return ({ calls }) => {
    const first = calls.filter(({ turn }) => turn === 0)
    const missing = wanted.find((want) => !first.some((made) => isWanted(made, want)))
    return (
      missing && {
        expected: `${wanted.length} calls in one answer, among them ${inWords(missing)}`,
        came: listed(first),
      }
    )
  }
}

export const calledNothing: Check = ({ calls }) =>
  calls.length === 0 ? undefined : { expected: 'an answer without a tool call', came: listed(calls) }

export function neverCalled(name: string): Check {
  return ({ calls }) => {
    const made = calls.find((entry) => entry.name === name)
    return made && { expected: `no call of ${name}`, came: shown(made) }
  }
}

/** In its first answer it calls something, and nothing but this where a name is given. */
export function firstCalls(name?: string): Check {
  return ({ calls }) => {
    const first = calls.filter(({ turn }) => turn === 0)
    const good = first.length > 0 && first.every((made) => name === undefined || made.name === name)
    if (good) return undefined
    return { expected: `a call of ${name ?? 'a tool'} in the first answer`, came: listed(first) }
  }
}

export const oneAtATime: Check = ({ calls }) => {
  const second = calls.find((made, at) => made.turn === calls[at - 1]?.turn)
  if (second === undefined) return undefined
  const together = calls.filter(({ turn }) => turn === second.turn)
  return { expected: 'at most one call in an answer', came: `${together.length} in one: ${listed(together)}` }
}

export function mostCalls(most: number): Check {
  return ({ calls }) =>
    calls.length <= most
      ? undefined
      : { expected: `at most ${most} calls`, came: `${calls.length}: ${listed(calls)}` }
}

export const answers: Check = ({ text }) =>
  text.trim() === '' ? { expected: 'an answer in words at the end', came: 'no text' } : undefined

/** Figures count however their thousands are separated; words in any case. */
export function says(...wanted: readonly (string | RegExp)[]): Check {
  return ({ text }) => {
    const plain = text.replace(/(?<=\d)[,'’\u00a0\u202f ](?=\d{3}\b)/g, '').toLowerCase()
    const missing = wanted.find((want) =>
      typeof want === 'string' ? !plain.includes(want.toLowerCase()) : !want.test(plain),
    )
    return missing === undefined
      ? undefined
      : {
          expected: `${typeof missing === 'string' ? JSON.stringify(missing) : missing} in the answer`,
          came: quoted(text),
        }
  }
}

/** The text to the byte; one line break more or less at its end is forgiven. */
export function wrote(tool: string, argument: string, text: string): Check {
  return ({ calls }) => {
    const made = calls.filter(({ name }) => name === tool)
    const last = made.at(-1)?.input[argument]
    if (typeof last !== 'string')
      return { expected: `a call of ${tool} with "${argument}"`, came: listed(calls) }
    return differenceIn(last.replace(/\n$/, ''), text.replace(/\n$/, ''))
  }
}

function differenceIn(came: string, wanted: string): Fault | undefined {
  if (came === wanted) return undefined
  let at = 0
  while (at < came.length && came[at] === wanted[at]) at++
  const line = wanted.slice(0, at).split('\n').length
  const around = (text: string) => (at >= text.length ? 'the end' : quoted(text.slice(at, at + 40)))
  return {
    expected: `the text to the byte: ${wanted.length} characters; at character ${at} (line ${line}) ${around(wanted)}`,
    came: `${came.length} characters; there it has ${around(came)}`,
  }
}

function isWanted(made: MadeCall, { name, input = {} }: WantedCall): boolean {
  return made.name === name && Object.entries(input).every(([key, wanted]) => fits(made.input[key], wanted))
}

export function fits(value: unknown, wanted: Wanted): boolean {
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value)
  if (typeof wanted === 'function') return wanted(value) === true
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

/** A file's name, however the model writes that it is here. */
export const path = (name: string): RegExp =>
  new RegExp(`^(?:\\./)?${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)

function inWords({ name, input = {} }: WantedCall): string {
  const parts = Object.entries(input).map(([key, wanted]) => `${key}: ${wantedInWords(wanted)}`)
  return `${name}(${parts.join(', ')})`
}

function wantedInWords(wanted: Wanted): string {
  if (wanted instanceof RegExp) return String(wanted)
  return typeof wanted === 'function' ? 'as asked' : quoted(JSON.stringify(wanted))
}

function listed(calls: Transcript['calls']): string {
  if (calls.length === 0) return 'no call'
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
