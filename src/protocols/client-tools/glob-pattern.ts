// Glob patterns with the syntax of ripgrep and the clients' tools: `*`, `?`, `**`, `[a-z]`, `{a,b}`. Patterns and paths come
// from outside, so patterns are bounded, and a path is matched in one pass.

import { createGlobAutomaton, type GlobToken } from './glob-automaton.ts'
import { expandBraces } from './glob-braces.ts'

/** A pattern beyond the bounds. The message goes to the model that called the tool. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}

export type Glob = (path: string) => boolean

const maxLength = 2_048
const maxAlternatives = 256
/** Of all alternatives together. Matching costs a thirty-second of them for each character of a path. */
const maxTokens = 2_048

export const compileGlob = (pattern: string): Glob => compileGlobs([pattern])

/** Matches any of the patterns. A pattern without a slash matches the last part of a path in any directory. */
export function compileGlobs(patterns: readonly string[]): Glob {
  const names: GlobToken[][] = []
  const paths: GlobToken[][] = []
  let size = 0
  for (const pattern of patterns) {
    for (const alternative of alternativesOf(pattern)) {
      const parts = partsOf(alternative)
      const isName = parts.length === 1 && !alternative.includes('/') && parts[0] !== '**'
      const tokens = parts.flatMap((part, index) => tokensOfPart(part, parts[index - 1]))
      size += tokens.length + 1
      if (size > maxTokens) throw tooLarge(`is longer than ${maxTokens} signs with its braces written out`)
      ;(isName ? names : paths).push(tokens)
    }
  }
  const matchesName = createGlobAutomaton(names)
  const matchesPath = createGlobAutomaton(paths)
  return (path) => {
    const parts = partsOf(path)
    return matchesName(`${parts.at(-1) ?? ''}/`) || matchesPath(parts.map((part) => `${part}/`).join(''))
  }
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.')

function alternativesOf(pattern: string): string[] {
  if (pattern.length > maxLength) throw tooLarge(`is longer than ${maxLength} characters`)
  const expanded = expandBraces(pattern, { count: maxAlternatives, characters: maxTokens })
  if (expanded === undefined)
    throw tooLarge(`stands for more than ${maxAlternatives} patterns, or for very long ones`)
  return expanded
}

const tooLarge = (reason: string) =>
  new GlobError(`The glob pattern ${reason}. Search with a simpler one, such as "**/*.ts".`)

/** The automaton needs a slash after every part. Two `**` in a row are one. */
function tokensOfPart(part: string, before: string | undefined): GlobToken[] {
  if (part === '**') return before === '**' ? [] : [{ kind: 'parts' }]
  return [...tokensOf(part), { kind: 'slash' }]
}

function tokensOf(part: string): GlobToken[] {
  const tokens: GlobToken[] = []
  const lastClose = part.lastIndexOf(']')
  for (let at = 0; at < part.length; ) {
    const char = String.fromCodePoint(part.codePointAt(at) as number)
    const end = char === '[' && at < lastClose ? endOfSet(part, at) : at + char.length
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (char === '?') tokens.push({ kind: 'set', negated: true, ranges: [] })
    else if (char === '[' && at < lastClose) tokens.push(setOf(part.slice(at + 1, end - 1)))
    else if (char === '\\' && end < part.length) {
      const literal = part.codePointAt(end) as number
      tokens.push({ kind: 'set', negated: false, ranges: [[literal, literal]] })
      at = end + (literal > 0xffff ? 2 : 1)
      continue
    } else {
      const literal = char.codePointAt(0) as number
      tokens.push({ kind: 'set', negated: false, ranges: [[literal, literal]] })
    }
    at = end
  }
  return tokens
}

/** The position after the set at `at`. A `]` that comes first is a member of the set if another one closes it. */
function endOfSet(part: string, at: number): number {
  const first = /[!^]/.test(part[at + 1] ?? '') ? at + 2 : at + 1
  const close = part.indexOf(']', part[first] === ']' ? first + 1 : first)
  return (close < 0 ? first : close) + 1
}

function setOf(written: string): GlobToken {
  const negated = /^[!^]/.test(written)
  const codes = Array.from(negated ? written.slice(1) : written, (char) => char.codePointAt(0) as number)
  const ranges: [number, number][] = []
  for (let at = 0; at < codes.length; at++) {
    const from = codes[at] as number
    const to = codes[at + 2]
    if (codes[at + 1] === 0x2d && to !== undefined) {
      if (from <= to) ranges.push([from, to])
      at += 2
    } else ranges.push([from, from])
  }
  return { kind: 'set', negated, ranges }
}
