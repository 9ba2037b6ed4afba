// `dragoman usage`: tokens, calls, errors and costs from the usage record of `serve`.

import { join } from 'node:path'
import { aligned, type Span } from '../base/painted.ts'
import { ConfigError } from '../config/config-error.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { findConfigFile, loadConfig } from '../config/load.ts'
import { dollarWords, knownWords, missingWords } from '../observe/cost.ts'
import { Prices } from '../observe/prices.ts'
import { readUsage, type UsageGroup, type UsageReport, type UsageSum } from '../observe/usage-report.ts'
import { CommandError } from '../process/command-error.ts'
import { err, outJson, outLine } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { bars, drawsBlocks, shortNumber } from './usage-plot.ts'

interface UsageFlags {
  config?: string
  since: { text: string; from: Date }
  by: UsageGroup
  json?: boolean
}

export async function usage(flags: UsageFlags): Promise<void> {
  const environment = readEnvironment()
  const file = join(environment.stateFolder, 'usage.jsonl')
  const prices = pricesOf(flags.config, environment)
  const { since, by } = flags
  const question = { file, since: since.from, until: new Date(), by, prices }
  const report = await withProgress(`reading ${file}`, readUsage(question)).catch((error) => {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  })
  if (report.unreadable > 0) err(`${report.unreadable} lines of ${file} could not be read and do not count\n`)
  if (flags.json) return printJson(report, flags)
  if (report.total.turns === 0)
    return outLine([
      `No turn ${/^\d{4}-/.test(since.text) ? 'since' : 'in the last'} ${since.text}: \`dragoman serve\` writes the record in ${file}.`,
    ])
  printTable(report, { by, hasCosts: !prices.areOff })
  printPlot(report, environment)
  if (!prices.areOff) printCosts(report)
}

/** Without a good configuration the tokens are still known. */
function pricesOf(flag: string | undefined, environment: Environment): Prices {
  const none = new Prices({ backends: {}, prices: {} })
  try {
    if (findConfigFile(flag, environment) === undefined) return none
    return new Prices(loadConfig(flag, environment, { unset: 'kept' }).config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    err(`costs are not known, because the configuration is refused: ${error.message}\n`)
    return none
  }
}

function printJson({ groups, times, prices, ...report }: UsageReport, { since, by }: UsageFlags): void {
  outJson({
    ...{ since: since.from.toISOString(), by, ...report },
    groups: groups.map(([name, sum]) => ({ name, ...sum })),
    times: times.map(([time, tokens]) => ({ time, tokens })),
    prices: prices.map(([model, price]) => ({ model, ...price })),
  })
}

const columns: readonly [heading: string, of: (sum: UsageSum) => number][] = [
  ['TURNS', ({ turns }) => turns],
  ['CALLS', ({ calls }) => calls],
  ['ERRORS', ({ errors }) => errors],
  ['INPUT', ({ inputTokens }) => inputTokens],
  ['CACHE READ', ({ cacheReadTokens }) => cacheReadTokens],
  ['CACHE WRITE', ({ cacheWriteTokens }) => cacheWriteTokens],
  ['OUTPUT', ({ outputTokens }) => outputTokens],
  ['REASONING', ({ reasoningTokens }) => reasoningTokens],
]

function printTable({ groups, total }: UsageReport, options: { by: UsageGroup; hasCosts: boolean }): void {
  const { by, hasCosts } = options
  const row = (name: Span, sum: UsageSum): Span[] => [
    name,
    ...columns.map(([heading, of]): Span => {
      const text = shortNumber(of(sum))
      return heading === 'ERRORS' && sum.errors > 0 ? ['red', text] : text
    }),
    ...(hasCosts ? [costWords(sum)] : []),
  ]
  const headings = [by.toUpperCase(), ...columns.map(([heading]) => heading), ...(hasCosts ? ['COST'] : [])]
  const rows = [
    headings.map((heading): Span => ['bold', heading]),
    ...groups.map(([name, sum]) => row(['cyan', name], sum)),
    ...(groups.length > 1 ? [row(['bold', 'all'], total)] : []),
  ]
  for (const line of aligned(
    rows,
    columns.map((_, at) => at + 1),
  ))
    outLine(line)
}

/** A plus sign: some turns have no known cost. */
function costWords({ cost }: UsageSum): string {
  const known = knownWords(cost)
  if (known === undefined) return cost.plan > 0 && cost.noPrice === 0 ? 'plan' : 'unknown'
  return missingWords(cost).length > 0 ? `${known} +` : known
}

function printPlot({ times }: UsageReport, { variable }: Environment): void {
  if (times.length < 2) return
  outLine([])
  outLine([['bold', 'tokens']])
  const options = { columns: process.stdout.columns || 80, hasBlocks: drawsBlocks(variable) }
  for (const line of bars(times, options)) outLine(line)
}

/** What the costs do not contain, and where the prices come from. */
function printCosts({ total, prices }: UsageReport): void {
  const missing = missingWords(total.cost)
  outLine([])
  if (missing.length > 0) outLine([['dim', `The cost does not contain ${missing.join(', ')}.`]])
  for (const [model, { input, output, source, date }] of prices) {
    const from = date === undefined ? source : `${source}, ${date}`
    outLine([
      ['dim', `${model}: ${dollarWords(input)} in, ${dollarWords(output)} out per million tokens (${from})`],
    ])
  }
  if (prices.length === 0)
    outLine([['dim', 'No price is known; "prices" in the configuration sets them (docs/configuration.md).']])
}
