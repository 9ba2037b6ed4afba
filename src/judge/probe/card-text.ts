// The score card and the estimate as text for the terminal.

import { visibleLine } from '../../base/visible-text.ts'
import { costOf, type Estimate, type Prices, tokensPerSecond } from './estimate.ts'
import type { FailureReport, Report } from './report.ts'

export const grouped = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ')

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  return `${Math.round(seconds / 60)} min`
}

/** Prices have no currency here: the user knows which one the flags are in. */
export const money = (amount: number): string => amount.toFixed(amount < 0.1 ? 4 : 2)

export function estimateText(
  found: Estimate,
  options: { prices?: Prices | undefined; concurrency: number },
): string {
  const { tasks, requests, inputTokens, outputTokens, seconds } = found
  const cost = options.prices
    ? `about ${money(costOf(found, options.prices))}, in the currency of the prices`
    : 'unknown here; --price-in and --price-out (for a million tokens) show it'
  return [
    `tasks      ${tasks}, in about ${requests} requests`,
    `tokens     about ${grouped(inputTokens)} in, ${grouped(outputTokens)} out, for a model that makes no mistake; what it thinks is not counted`,
    `cost       ${cost}`,
    `time       about ${duration(seconds / options.concurrency)}, at ${tokensPerSecond} tokens a second`,
    '',
  ].join('\n')
}

/** One line each, whatever text of models and services they hold. */
const inOneLine = (text: string): string => visibleLine(text.replace(/[\n\t]/g, ' '))

export function cardText(report: Report): string {
  const { model, door, stream, state, stopped, score, passed, total, planned } = report
  const lines = [
    '',
    `${model}, by the ${door} door${stream ? '' : ', not streamed'}`,
    // The score comes last, next to the shell prompt, even after a long list of failures.
    ...report.failures.flatMap(failureLines),
    '',
    ...report.groups.map(
      ({ group, title, passed: good, total: all }) =>
        `  ${good === all ? 'ok  ' : 'FAIL'}  ${`${good}/${all}`.padStart(6)}  ${group.padEnd(14)} ${title}`,
    ),
    '',
    ...(state === 'partial'
      ? [`PARTIAL: ${total} of ${planned} were run${stopped === undefined ? '' : `; ${stopped}`}`]
      : []),
    `score      ${score} of 100${state === 'partial' ? ', of what was run' : ''} (${passed} of ${total} passed, weighted)`,
    ...figures(report),
  ]
  return `${lines.map(inOneLine).join('\n')}\n`
}

function figures({
  requests,
  inputTokens,
  outputTokens,
  cost,
  firstTokenMs,
  milliseconds,
  blame,
  failures,
}: Report): string[] {
  const blamed = Object.entries(blame).flatMap(([who, times]) => (times > 0 ? [`${who} ${times}`] : []))
  return [
    `tokens     ${grouped(inputTokens)} in, ${grouped(outputTokens)} out, in ${requests} requests${cost === undefined ? '' : `; ${money(cost)}`}`,
    `time       ${duration(milliseconds / 1000)}${firstTokenMs === undefined ? '' : `; first token after ${grouped(firstTokenMs)} ms (p50)`}`,
    ...(failures.length > 0 ? [`to blame   ${blamed.join(', ')}`] : []),
  ]
}

function failureLines({
  task,
  attempt,
  title,
  blame,
  code,
  expected,
  came,
  notes,
  tapes,
  turns = [],
}: FailureReport): string[] {
  return [
    '',
    `${task}${attempt > 1 ? ` (run ${attempt})` : ''}: ${title}`,
    `  to blame  ${blame}${code === undefined ? '' : ` (${code})`}`,
    `  expected  ${expected}`,
    `  came      ${came}`,
    ...notes.map((note) => `  note      ${note}`),
    ...tapes.map((tape) => `  tape      dragoman tape show ${shellWord(tape)}`),
    ...turns.map((turn) => `  turn      ${turn}`),
  ]
}

const shellWord = (path: string): string =>
  /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
