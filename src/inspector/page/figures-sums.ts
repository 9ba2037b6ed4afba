// The figures in words and numbers. What is not known is said to be unknown, and is never zero.

import { type CostSum, knownWords, missingWords } from '../../observe/cost.ts'
import { type PlainTally, percentileOf, Tally } from '../../observe/tally.ts'
import type { FiguresAnswer } from '../api.ts'
import { count, duration, plural } from './format.ts'

export interface Tile {
  name: string
  value: string
  /** More about the value. */
  about: string
  /** Per minute, for a chart. */
  values?: number[]
  bad?: number[]
  isBad?: boolean
}

export function totalOf({ minutes }: FiguresAnswer): PlainTally {
  const sum = new Tally()
  for (const minute of minutes) sum.add(minute)
  return sum.toJSON()
}

export const share = (part: number, whole: number): string =>
  whole === 0 ? 'unknown' : `${((100 * part) / whole).toFixed(part > 0 && part < whole / 10 ? 1 : 0)} %`

export const firstOutput = (tally: PlainTally, of: number): string => {
  const ms = percentileOf(tally, of)
  return ms === undefined ? 'unknown' : duration(ms)
}

export function tilesOf(figures: FiguresAnswer): Tile[] {
  const total = totalOf(figures)
  const each = (of: (tally: PlainTally) => number | undefined) =>
    figures.minutes.map((minute) => of(minute) ?? 0)
  const {
    turns = 0,
    failed = 0,
    canceled = 0,
    input = 0,
    output = 0,
    cacheRead = 0,
    cacheWrite = 0,
    cacheable = 0,
  } = total
  const { retries = 0, fallbacks = 0, reasoning = 0, estimated = 0 } = total
  const now = figures.minutes.at(-1) ?? {}
  return [
    {
      ...{ name: 'Turns', value: count(turns), about: `${count(now.turns ?? 0)} in this minute` },
      ...{ values: each((tally) => tally.turns), bad: each((tally) => tally.failed) },
    },
    ...costTile(total, each),
    {
      ...{ name: 'Tokens in', value: count(input), values: each((tally) => tally.input) },
      about: estimated > 0 ? `${plural(estimated, 'turn')} estimated` : 'as the services report them',
    },
    {
      ...{ name: 'Tokens out', value: count(output), values: each((tally) => tally.output) },
      about: reasoning > 0 ? `${count(reasoning)} of them reasoning` : 'no reasoning reported',
    },
    {
      ...{
        name: 'First output',
        value: firstOutput(total, 0.5),
        values: each((tally) => percentileOf(tally, 0.5)),
      },
      about: `95 % within ${firstOutput(total, 0.95)}`,
    },
    {
      ...{ name: 'Errors', value: count(failed), isBad: failed > 0, bad: each((tally) => tally.failed) },
      ...{ values: each((tally) => tally.failed) },
      about: `${share(failed, turns)} of turns${canceled > 0 ? `, and ${canceled} canceled` : ''}`,
    },
    {
      ...{ name: 'Cache hits', value: share(cacheRead, cacheable), values: each((tally) => tally.cacheRead) },
      about:
        cacheable === 0
          ? 'no service reports them'
          : `${count(cacheRead)} tokens read, ${count(cacheWrite)} written`,
    },
    {
      ...{ name: 'Retries', value: count(retries + fallbacks) },
      about: fallbacks > 0 ? `${fallbacks} of them by another backend` : 'none by another backend',
      values: each((tally) => (tally.retries ?? 0) + (tally.fallbacks ?? 0)),
    },
    parkedTile(figures, total),
    timesTile(total),
  ]
}

function costTile(
  total: PlainTally,
  each: (of: (tally: PlainTally) => number | undefined) => number[],
): Tile[] {
  const { cost } = total
  if (!cost) return total.turns ? [] : [{ name: 'Cost', value: '–', about: 'no turns yet' }]
  const missing = missingWords(cost)
  return [
    {
      ...{ name: 'Cost', value: knownWords(cost) ?? 'unknown', values: each((tally) => tally.cost?.dollars) },
      about:
        missing.length === 0
          ? 'by list or configured prices'
          : `${cost.priced > 0 ? '+ ' : ''}${missing.join(' + ')}`,
    },
  ]
}

function parkedTile({ sessions }: FiguresAnswer, { sessions: turns = [] }: PlainTally): Tile {
  const waiting = sessions.reduce((sum, one) => sum + one.waiting, 0)
  const words = turns.map(([state, number]) => `${number} ${state}`).join(', ')
  const about =
    sessions.length === 0
      ? 'no backend has sessions'
      : words === ''
        ? 'wait for tool results'
        : `turns: ${words}`
  return { name: 'Parked runs', value: count(waiting), about }
}

/** Where the time went: in the model, or in the client's tools. */
function timesTile({ modelMs = 0, toolMs = 0, followUps = 0, timedFollowUps = 0 }: PlainTally): Tile {
  const whole = modelMs + toolMs
  const known = timedFollowUps < followUps ? ` (known of ${timedFollowUps} of ${followUps})` : ''
  return {
    name: 'Time in the model',
    value: share(modelMs, whole),
    about: `${duration(modelMs)}; the clients’ tools took ${timedFollowUps === 0 ? 'an unknown time' : duration(toolMs)}${known}`,
  }
}

/** For a narrow column. */
export function shortCost(cost: CostSum | undefined): string {
  if (!cost) return '–'
  const { noPrice, plan, noUsage } = cost
  const unknown = noPrice + plan + noUsage
  const known = knownWords(cost)
  if (known !== undefined) return unknown === 0 ? known : `${known} + ${count(unknown)} unknown`
  return plan > 0 && noPrice === 0 ? 'by plan' : 'unknown'
}

const repairNames = new Map([
  ['arguments', 'arguments: corrected'],
  ['call-repaired', 'call: made to fit its schema'],
  ['call-unfit', 'call: did not fit'],
  ['call-retried', 'call: asked for again'],
  ['text-mended', 'call in text: mended'],
  ['text-asked-again', 'call in text: asked for again'],
  ['text-unreadable', 'call in text: unreadable'],
])

/** Kinds of repairs are names of notes. */
export const repairWords = (kind: string): string =>
  repairNames.get(kind) ?? (kind === '' ? 'others' : kind.replaceAll('-', ' '))
