// The filter of the list, as words: `claude tool:bash -outcome:stop slower:2s`. The page and the search read it alike.

import type { TurnSummary } from './api.ts'

/** Facts that a condition can name, each with its values in a turn. */
const facts = {
  client: ({ client }: TurnSummary) => [client ?? 'unknown'],
  model: ({ model, upstreamModel }: TurnSummary) => [model, upstreamModel ?? []].flat(),
  backend: ({ backend }: TurnSummary) => [backend ?? []].flat(),
  key: ({ key }: TurnSummary) => [key],
  outcome: ({ running, outcome }: TurnSummary) => [running ? 'running' : (outcome ?? [])].flat(),
  tool: ({ calls }: TurnSummary) => calls,
  error: ({ error }: TurnSummary) => [error?.code ?? []].flat(),
  door: ({ door }: TurnSummary) => [door],
} satisfies Record<string, (turn: TurnSummary) => readonly string[]>

export type Fact = keyof typeof facts

/** Of a turn, for menus. The model is the one that the client asked for. */
export const valuesOf = (turn: TurnSummary, fact: Fact): readonly string[] =>
  fact === 'model' ? [turn.model] : facts[fact](turn)

const states = {
  running: ({ running }: TurnSummary) => running,
  waiting: (_turn: TurnSummary, { isWaiting }: TurnContext) => isWaiting,
  error: ({ error }: TurnSummary) => error !== undefined,
  calls: ({ calls }: TurnSummary) => calls.length > 0,
  notes: ({ notes }: TurnSummary) => notes > 0,
  pinned: ({ pinned }: TurnSummary) => pinned === true,
  resent: ({ resentFrom }: TurnSummary) => resentFrom !== undefined,
  cut: ({ cut }: TurnSummary) => cut,
} satisfies Record<string, (turn: TurnSummary, context: TurnContext) => boolean>

type TurnState = keyof typeof states

/** What a summary alone does not tell. */
interface TurnContext {
  /** The client has the calls, and no result has come back. */
  isWaiting: boolean
}

interface Condition {
  /** As it was written. */
  token: string
  name: string
  value: string
  isNot: boolean
  holds(turn: TurnSummary, context: TurnContext): boolean
}

export interface TurnFilter {
  /** Free words, in lower case. */
  words: readonly string[]
  conditions: readonly Condition[]
  /** Why a condition is not applied. */
  problems: readonly string[]
}

const longestFilter = 500
const mostTokens = 20

export function parseFilter(text: string): TurnFilter {
  const words: string[] = []
  const conditions: Condition[] = []
  const problems: string[] = []
  for (const token of tokensOf(text.slice(0, longestFilter)).slice(0, mostTokens)) {
    const condition = conditionOf(token)
    if (typeof condition === 'string') problems.push(condition)
    else if (condition) conditions.push(condition)
    else if (bare(token) !== '') words.push(bare(token).toLowerCase())
  }
  return { words, conditions, problems }
}

/** Parts between spaces; quotes keep a part together. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = []
  let token = ''
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    if (isQuoted || !/\s/.test(char)) token += char
    else if (token !== '') {
      tokens.push(token)
      token = ''
    }
  }
  return token === '' ? tokens : [...tokens, token]
}

const bare = (token: string) => token.replaceAll('"', '')

/** Undefined for a free word, a text for a condition that cannot be read. */
function conditionOf(token: string): Condition | string | undefined {
  const [, not = '', name = '', rest = ''] = /^(-?)([a-z]+):(.*)$/s.exec(token) ?? []
  const about = { token, name, value: bare(rest), isNot: not !== '' }
  if (name === 'is') return stateCondition(about)
  if (name === 'slower') return durationCondition(about)
  if (!Object.hasOwn(facts, name)) return undefined
  const values = facts[name as Fact]
  const wanted = about.value.toLowerCase()
  const fits =
    wanted === ''
      ? () => true
      : rest.startsWith('"')
        ? (value: string) => value.toLowerCase() === wanted
        : (value: string) => value.toLowerCase().includes(wanted)
  return { ...about, holds: (turn) => values(turn).some(fits) }
}

type About = Omit<Condition, 'holds'>

function stateCondition(about: About): Condition | string {
  if (!Object.hasOwn(states, about.value))
    return `“${about.token}” is not known: write is: with ${Object.keys(states).join(', ')}.`
  return { ...about, holds: states[about.value as TurnState] }
}

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000 }

function durationCondition(about: About): Condition | string {
  const [, number, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(about.value) ?? []
  if (number === undefined)
    return `“${about.token}” is not a duration: write slower:500ms, slower:2s or slower:1m.`
  const least = Number(number) * (units[unit] ?? 1_000)
  return { ...about, holds: ({ milliseconds }) => milliseconds > least }
}

/** Conditions with the same name are alternatives; all others must hold. */
export function meets(
  turn: TurnSummary,
  { conditions }: Pick<TurnFilter, 'conditions'>,
  context: TurnContext,
): boolean {
  const wanted = new Map<string, boolean>()
  for (const { name, isNot, holds } of conditions) {
    const held = holds(turn, context)
    if (isNot && held) return false
    // States are separate facts: a turn can be in several.
    if (!isNot && name === 'is' && !held) return false
    if (!isNot && name !== 'is') wanted.set(name, (wanted.get(name) ?? false) || held)
  }
  return [...wanted.values()].every(Boolean)
}

/** The facts of a turn as one text, in which free words are looked for. */
export const aboutOf = (turn: TurnSummary): string =>
  [turn.id, turn.title, turn.upstreamModel, turn.error?.message, turn.remark]
    .concat(Object.values(facts).flatMap((of) => of(turn)))
    .join('\n')
    .toLowerCase()

/** The filter without this part if it has it, else with it. */
export const toggled = (text: string, token: string): string => {
  const tokens = tokensOf(text)
  return (tokens.includes(token) ? tokens.filter((one) => one !== token) : [...tokens, token]).join(' ')
}

/** The filter with this value as the only condition on the fact; without one, the fact is free. */
export const withFact = (text: string, name: string, value: string | undefined): string =>
  [
    ...tokensOf(text).filter((token) => !token.startsWith(`${name}:`)),
    value === undefined ? [] : tokenFor(name, value),
  ]
    .flat()
    .join(' ')

const tokenFor = (name: string, value: string) =>
  `${name}:${name === 'slower' ? value : `"${value.replaceAll('"', '')}"`}`
