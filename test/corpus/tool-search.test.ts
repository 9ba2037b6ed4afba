// How often the index of deferred tools finds the right tool. First the questions of the Berkeley Function Calling Leaderboard, with the
// tools of all its rows in one index: prints the share for each category, and needs CASES_DIR. Then questions about tools of MCP servers.

import { expect, it } from 'vitest'
import type { Tool } from '../../src/core/request.ts'
import { readParameters, ToolIndex } from '../../src/protocols/tool-search/tool-index.ts'
import { mcpQuestions } from '../fixtures/mcp-questions.ts'
import { mcpTools } from '../fixtures/mcp-tools.ts'
import { type BfclRow, readBfcl } from './bfcl.ts'

const folder = process.env.CASES_DIR

if (folder === undefined)
  it.skip('set CASES_DIR to the folder of bfcl.jsonl.gz, and recall is measured', () => undefined)
else
  it('finds the right tools of the leaderboard', () => {
    const outcomes = measure(readBfcl(folder))
    const written = outcomes.filter(({ category }) => !category.startsWith('live'))
    print(outcomes)
    // What the index reaches, less a few questions.
    expect(shareOf(outcomes, 'five')).toBeGreaterThan(0.952)
    expect(shareOf(written, 'five')).toBeGreaterThan(0.972)
    expect(shareOf(outcomes, 'ten')).toBeGreaterThan(0.97)
    for (const half of halvesOf(outcomes)) expect(shareOf(half, 'five')).toBeGreaterThan(0.945)
  })

it('finds tools of MCP servers by what people call things', () => {
  const index = new ToolIndex(mcpTools)
  const found = mcpQuestions.filter(([question, ...wanted]) =>
    index.search(question, 5).some((at) => wanted.some((name) => mcpTools[at]?.name === `mcp__${name}`)),
  )
  process.stdout.write(`${found.length} of ${mcpQuestions.length} questions about MCP servers\n`)
  for (const [, ...wanted] of mcpQuestions)
    for (const name of wanted)
      expect(
        mcpTools.some((tool) => tool.name === `mcp__${name}`),
        name,
      ).toBe(true)
  // docs/deferred-tools.md states it.
  expect([found.length, mcpQuestions.length]).toEqual([53, 59])
})

/** What one question found. */
interface Outcome {
  category: string
  wanted: readonly string[]
  /** One of its tools in the first five, and in the first ten. */
  five: boolean
  ten: boolean
  /** All its tools in the first five. */
  every: boolean
  /** One of its tools in the first five, or one with the same description and parameters under another name. */
  equivalent: boolean
}

type Measured = 'five' | 'ten' | 'every' | 'equivalent'

/** Rows repeat tools under one name, with other descriptions: the first different names count. */
function measure(rows: readonly BfclRow[]): Outcome[] {
  const distinct = new Map(
    rows.flatMap(({ tools }) => tools.map((tool): [string, Tool] => [JSON.stringify(tool), tool])),
  )
  const tools = [...distinct.values()]
  const index = new ToolIndex(tools)
  const namesOf = groupNames(tools)
  return rows
    .filter(({ calls }) => calls.length > 0)
    .map(({ category, question, calls, tools: own }) => {
      const names = [...new Set(index.search(question, 200).map((at) => tools[at]?.name))]
      const wanted = [...new Set(calls.map(({ name }) => name))]
      const isWithin = (name: string, most: number) => names.slice(0, most).includes(name)
      const same = own.filter(({ name }) => wanted.includes(name)).flatMap((tool) => namesOf(tool))
      return {
        category,
        wanted,
        five: wanted.some((name) => isWithin(name, 5)),
        ten: wanted.some((name) => isWithin(name, 10)),
        every: wanted.every((name) => isWithin(name, 5)),
        equivalent: [...wanted, ...same].some((name) => isWithin(name, 5)),
      }
    })
}

/** The names under which a tool's description and parameters occur. */
function groupNames(tools: readonly Tool[]): (tool: Tool) => string[] {
  const words = (text = '') => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
  const contentOf = ({ description, schema }: Tool) =>
    JSON.stringify([words(description), readParameters(schema).names.map(words).sort()])
  const names = new Map<string, Set<string>>()
  for (const tool of tools) {
    const content = contentOf(tool)
    names.set(content, (names.get(content) ?? new Set()).add(tool.name))
  }
  return (tool) => [...(names.get(contentOf(tool)) ?? [])]
}

const shareOf = (outcomes: readonly Outcome[], what: Measured): number =>
  outcomes.filter((outcome) => outcome[what]).length / outcomes.length

/** The weights were compared on the first half. No tool comes first in both. */
function halvesOf(outcomes: readonly Outcome[]): [Outcome[], Outcome[]] {
  const isFirst = ({ wanted: [name = ''] }: Outcome) => hashOf(name) % 2 === 0
  return [outcomes.filter(isFirst), outcomes.filter((outcome) => !isFirst(outcome))]
}

/** FNV-1a, with its bits mixed once more. */
function hashOf(text: string): number {
  let hash = 2166136261
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 12)) >>> 0
}

function print(outcomes: readonly Outcome[]): void {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const line = (name: string, some: readonly Outcome[]) =>
    `| ${name} | ${some.length} | ${(['five', 'every', 'ten'] as const).map((what) => percent(shareOf(some, what))).join(' | ')} |`
  const categories = [...new Set(outcomes.map(({ category }) => category))]
  const lines = categories.map((name) =>
    line(
      name,
      outcomes.filter(({ category }) => category === name),
    ),
  )
  const [first, second] = halvesOf(outcomes)
  process.stdout.write(
    `${[...lines, line('all', outcomes), line('first half', first), line('second half', second)].join('\n')}
with equivalents: ${percent(shareOf(outcomes, 'equivalent'))}\n`,
  )
}
