// How often the index of deferred tools finds the right tool: the questions of the Berkeley Function Calling Leaderboard, with the tools
// of all its rows in one index. Prints the share for each category. Needs CASES_DIR.

import { expect, it } from 'vitest'
import type { Tool } from '../../src/core/request.ts'
import { ToolIndex } from '../../src/protocols/tool-search/tool-index.ts'
import { type BfclRow, readBfcl } from './bfcl.ts'

const folder = process.env.CASES_DIR

if (folder === undefined)
  it.skip('set CASES_DIR to the folder of bfcl.jsonl.gz, and recall is measured', () => undefined)
else
  it('finds the right tools of the leaderboard', () => {
    const rows = readBfcl(folder)
    const first = measure(rows, 5)
    print(first, measure(rows, 10))
    // What the index reaches today. It is below the aim of 95 %: docs/deferred-tools.md says why.
    expect(first.all.any).toBeGreaterThan(0.92)
    expect(measure(rows.filter(isNotLive), 5).all.any).toBeGreaterThan(0.96)
  })

const isNotLive = ({ category }: BfclRow) => !category.startsWith('live')

interface Share {
  /** Of the questions, how many found one of their tools, and how many all of them. */
  any: number
  every: number
  questions: number
}

interface Figures {
  all: Share
  byCategory: Map<string, Share>
}

/** Rows repeat tools under one name, with other descriptions: the first `most` different names count. */
function measure(rows: readonly BfclRow[], most: number): Figures {
  const distinct = new Map(
    rows.flatMap(({ tools }) => tools.map((tool): [string, Tool] => [JSON.stringify(tool), tool])),
  )
  const tools = [...distinct.values()]
  const index = new ToolIndex(tools)
  const outcomes = rows.flatMap(({ category, question, calls }) => {
    if (calls.length === 0) return []
    const names = new Set(index.search(question, 200).map((at) => tools[at]?.name))
    const found = new Set([...names].slice(0, most))
    const wanted = [...new Set(calls.map(({ name }) => name))]
    return [
      {
        category,
        any: wanted.some((name) => found.has(name)),
        every: wanted.every((name) => found.has(name)),
      },
    ]
  })
  const shareOf = (some: typeof outcomes): Share => ({
    any: some.filter(({ any }) => any).length / some.length,
    every: some.filter(({ every }) => every).length / some.length,
    questions: some.length,
  })
  const categories = [...new Set(outcomes.map(({ category }) => category))]
  const of = (category: string) => outcomes.filter((outcome) => outcome.category === category)
  return { all: shareOf(outcomes), byCategory: new Map(categories.map((name) => [name, shareOf(of(name))])) }
}

function print(five: Figures, ten: Figures): void {
  const percent = (share = 0) => `${(100 * share).toFixed(1)} %`
  const line = (name: string, { questions, any, every }: Share, more: Share | undefined) =>
    `| ${name} | ${questions} | ${percent(any)} | ${percent(every)} | ${percent(more?.any)} |`
  const lines = [...five.byCategory].map(([name, share]) => line(name, share, ten.byCategory.get(name)))
  process.stdout.write(`${[...lines, line('all', five.all, ten.all)].join('\n')}\n`)
}
