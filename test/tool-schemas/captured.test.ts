// The tools that real clients offer, in the subset of every service. Needs CAPTURED_REQUESTS, a folder that
// `npm run test:captured-schemas` makes.

import { afterAll, describe, expect, it } from 'vitest'
import { findStrictExcess } from '../../sim/anthropic/strict-schema.ts'
import { type StrictForm, toStrictTools } from '../../src/protocols/tool-schemas/strict-tools.ts'
import { mcpTools } from '../fixtures/mcp-tools.ts'
import { type CapturedTools, capturedTools } from './captured-tools.ts'
import { type Judgement, judgeRewrite, type Outcome } from './judge-rewrite.ts'
import { serviceRules, subsetNames } from './service-rules.ts'

type Schema = Record<string, unknown>

const folder = process.env.CAPTURED_REQUESTS
/** Random arguments per schema and direction, beside three of a model's manner. */
const runs = 60
const forms: readonly StrictForm[] = ['openai', 'cerebras', 'xgrammar', 'anthropic']

if (!folder) it.skip('set CAPTURED_REQUESTS to a folder of requests, and this is judged', () => undefined)
else judge(capturedTools(folder), { client: 'MCP servers', tools: [...mcpTools] })

interface Distinct {
  schema: Schema
  /** Who offers it, as CLIENT TOOL. */
  by: string[]
}

function distinct(all: readonly CapturedTools[]): Distinct[] {
  const found = new Map<string, Distinct>()
  for (const { client, tools } of all)
    for (const { name, schema } of tools) {
      const key = JSON.stringify(schema)
      const known = found.get(key) ?? { schema, by: [] }
      known.by.push(`${client} ${name}`)
      found.set(key, known)
    }
  return [...found.values()]
}

const row = (entries: readonly unknown[]) => `| ${entries.join(' | ')} |`
const print = (head: readonly string[], rows: readonly (readonly unknown[])[]) =>
  void process.stdout.write(`\n${[head, head.map(() => '---'), ...rows].map(row).join('\n')}\n`)

/** `servers`: what a user may add to any client. */
function judge(captured: readonly CapturedTools[], servers: CapturedTools): void {
  const all = [...captured, servers]
  const schemas = distinct(all)
  const rows: unknown[][] = []
  afterAll(() => print(columns, rows))

  it('every client offers tools', () => {
    expect(captured.length).toBeGreaterThan(0)
    const shown = all.map(({ client, tools }) => [
      client,
      tools.length,
      ...forms.map((form) => strictOf(tools, form)),
    ])
    print(['client', 'tools', ...forms.map((form) => `strict: ${form}`)], shown)
    const count = all.reduce((sum, { tools }) => sum + tools.length, 0)
    process.stdout.write(`${count} tools, ${schemas.length} schemas\n`)
    expect(all.filter(({ tools }) => tools.length === 0).map(({ client }) => client)).toEqual([])
  })

  describe.each(subsetNames)('%s', (name) => {
    it('takes what is sent, and no arguments are lost or misfit', () => {
      const judged = schemas.map(({ schema, by }) => ({ by: by[0], ...judgeRewrite(schema, name, runs) }))
      rows.push(summary(name, judged))
      const wrong = judged.filter(({ refusal, misfits, lost }) => refusal || misfits.length + lost.length > 0)
      expect(
        wrong.map(({ misfits, lost, ...rest }) => ({ ...rest, misfit: misfits[0], lost: lost[0] })),
      ).toEqual([])
      expect(
        judged.filter(({ outcome, back, good }) => outcome !== 'not strict' && back * good === 0),
      ).toEqual([])
    })
  })

  it.each(forms)('sets of tools keep to the limits of a request: %s', (form) => {
    const problems = all.flatMap(({ client, tools }) =>
      setProblems(tools, form).map((text) => `${client}: ${text}`),
    )
    expect(problems).toEqual([])
  })
}

const columns = [
  'subset', 'schemas', 'as they are', 'rewritten, same meaning', 'lowered', 'not strict', 'refused', 'arguments translated back', 'break what is told', 'misfit',
  'good arguments', 'lost', 'why not strict',
] // biome-ignore format: a list to be read as one

function summary(name: string, judged: readonly Judgement[]): unknown[] {
  const count = (outcome: Outcome) => judged.filter((one) => one.outcome === outcome).length
  const sum = (of: (one: Judgement) => number) => judged.reduce((total, one) => total + of(one), 0)
  const reasons = new Map<string, number>()
  for (const { reason } of judged) if (reason) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  return [
    ...[name, judged.length, count('as is'), count('exact'), count('lowered'), count('not strict')],
    ...[sum(({ refusal }) => (refusal === undefined ? 0 : 1)), sum(({ back }) => back)],
    ...[sum(({ told }) => told), sum(({ misfits }) => misfits.length)],
    ...[sum(({ good }) => good), sum(({ lost }) => lost.length)],
    [...reasons].map(([reason, times]) => `${times}: ${reason}`).join('; '),
  ]
}

function strictOf(tools: CapturedTools['tools'], form: StrictForm): number {
  return toStrictTools(tools, form)?.count ?? 0
}

/** What the service says of the whole list. */
function setProblems(tools: CapturedTools['tools'], form: StrictForm): string[] {
  const made = toStrictTools(tools, form)
  if (!made) return []
  const strict = made.tools.filter((tool) => tool.strict)
  const single = strict.flatMap(({ name, schema }) => serviceRules[form](schema, name) ?? [])
  const excess = form === 'anthropic' ? (findStrictExcess(strict.map(({ schema }) => schema)) ?? []) : []
  const isMixed = form === 'cerebras' && strict.length < made.tools.length
  return [...single, ...[excess].flat(), ...(isMixed ? ['strict for some tools only'] : [])]
}
