// Goes through what was done for the wishes so far, in the order of the calls, and says what comes next: the calls of the next
// step, or a second try where a call failed and there is another way.

import type { ToolCall, ToolResult } from './conversation.ts'
import { isFailure, remedyFor, suggestionIn } from './failure.ts'
import { fileLines, plainResult } from './plain-result.ts'
import { lookAt, type Workplace, waysTo } from './ways.ts'
import type { Wish } from './wish.ts'

export interface Done {
  readonly call: ToolCall
  readonly result: ToolResult
}

export interface Outcome {
  readonly wish: Wish | undefined
  /** The last call for it. */
  readonly done: Done | undefined
  /** No tool can grant it. */
  readonly isImpossible?: boolean
}

interface Progress {
  /** To be called now; all of them are independent. */
  readonly calls: readonly ToolCall[]
  readonly outcomes: readonly Outcome[]
}

/** More tries than any file is worth. */
const MAX_TRIES = 4

interface Try extends Done {
  /** Which way it was; undefined for a look at the file. */
  readonly way?: string
  /** The wish with another path, as a failure suggested. */
  readonly instead?: Wish
}

export function progressOf(
  steps: readonly (readonly Wish[])[],
  done: readonly Done[],
  workplace: Workplace,
): Progress {
  const left = [...done]
  const known = new Map<string, string>()
  const outcomes: Outcome[] = []
  for (const wanted of steps) {
    const step = wanted.flatMap((wish) => toNamedPath(wish, known) ?? [])
    const tries = new Map<Wish, Try[]>(step.map((wish) => [wish, []]))
    for (;;) {
      const next = step.flatMap((wish) => nextCall(wish, tries.get(wish) ?? [], workplace, known) ?? [])
      const answered = next.map((one) => ({ ...one, done: takeFor(one.call, left, workplace) }))
      for (const { wish, way, instead, done: found } of answered) {
        if (found === undefined) continue
        tries.get(wish)?.push({ ...found, ...(way !== undefined && { way }), ...(instead && { instead }) })
        remember(instead ?? wish, found, known, way === undefined)
      }
      const open = next.filter((_, index) => answered[index]?.done === undefined)
      if (open.length > 0)
        return {
          calls: open.map(({ call }) => call),
          outcomes: [...outcomes, ...lastOf(step, tries, workplace)],
        }
      if (next.length === 0) break
    }
    outcomes.push(...lastOf(step, tries, workplace))
  }
  return { calls: [], outcomes: [...outcomes, ...left.map((one) => ({ wish: undefined, done: one }))] }
}

const isPath = (word: string) =>
  /^[\w@~./-]+$/.test(word) && (word.includes('/') || /\w\.[A-Za-z]\w{0,9}$/.test(word))
const MOST_TEXT = 10_000

/** "That file" is the one that a file read before names; undefined if none names one. */
function toNamedPath(wish: Wish, known: ReadonlyMap<string, string>): Wish | undefined {
  if (wish.kind !== 'read' || !wish.isNamedThere) return wish
  const named = [...known.values()].flatMap((text) => text.slice(0, MOST_TEXT).split(/[\s"'`()<>,;=]/))
  const path = named.findLast((one) => isPath(one) && !known.has(one))
  return path === undefined ? undefined : { ...wish, path }
}

/** The result of the first call left that can be this one: a model may have had to call another tool before. */
function takeFor(call: ToolCall, left: Done[], { tools }: Workplace): Done | undefined {
  const isStray = ({ call: { name } }: Done) => name !== call.name && tools.some((tool) => tool.name === name)
  const at = left.findIndex((one) => !isStray(one))
  return at < 0 ? undefined : left.splice(at, 1)[0]
}

function lastOf(
  step: readonly Wish[],
  tries: ReadonlyMap<Wish, readonly Try[]>,
  workplace: Workplace,
): Outcome[] {
  return step.map((wish) => {
    const done = tries.get(wish)?.findLast(({ way }) => way !== undefined)
    return {
      wish: done?.instead ?? wish,
      done,
      isImpossible: waysTo(wish, workplace, undefined).length === 0,
    }
  })
}

interface NextCall {
  readonly wish: Wish
  readonly call: ToolCall
  readonly way?: string
  readonly instead?: Wish
}

function nextCall(
  wish: Wish,
  tries: readonly Try[],
  workplace: Workplace,
  known: ReadonlyMap<string, string>,
): NextCall | undefined {
  const last = tries.at(-1)
  const ways = waysTo(wish, workplace, 'path' in wish ? known.get(wish.path) : undefined)
  const toCall = (call: ToolCall | undefined) => call && { wish, call, way: call.name }
  if (last === undefined) return toCall(ways[0])
  if (tries.length >= MAX_TRIES) return undefined
  // The file has been looked at: what was refused before may do now.
  if (last.way === undefined) return toCall(ways.find(({ name }) => isHopeful(name, tries)) ?? ways[0])
  if (!isFailure(last.result, wish.kind)) return undefined
  const suggested = suggestionIn(last.result)
  if ('path' in wish && suggested !== undefined && tries.every(({ instead }) => instead === undefined)) {
    const instead = { ...wish, path: suggested }
    const [call] = waysTo(instead, workplace, undefined)
    if (call) return { wish, call, way: call.name, instead }
  }
  const remedy = remedyFor(last.result, wish.kind)
  if (remedy === 'none') return undefined
  const isUntried = ({ name }: ToolCall) => !tries.some(({ way }) => way === name)
  const next = ways.find(isUntried)
  if (remedy === 'read-first' && tries.every(({ way }) => way !== undefined) && 'path' in wish) {
    const look = lookAt(wish.path, workplace)
    // With the text known, another tool may do; or this one again.
    const better = waysTo(wish, workplace, 'its text').find(
      (call) => isUntried(call) || isHopeful(call.name, tries),
    )
    if (look && better && better.name !== next?.name) return { wish, call: look }
  }
  return toCall(next)
}

/** A tool that only wants the file to be read is tried again; one for new files is not. */
function isHopeful(name: string, tries: readonly Try[]): boolean {
  return !tries.some(({ way, result }) => way === name && /already exists/i.test(result.text))
}

function remember(wish: Wish, { result }: Done, known: Map<string, string>, isLook: boolean): void {
  if (!('path' in wish) || isFailure(result, isLook ? 'read' : wish.kind)) return
  if (wish.kind === 'read' || isLook) known.set(wish.path, fileLines(plainResult(result.text)).join('\n'))
  else if (wish.kind === 'write') known.set(wish.path, wish.text.replace(/\n$/, ''))
  else known.delete(wish.path)
}
