// The rows of some classes of calls, one test for each kind.

import { describe, expect, it } from 'vitest'
import { isNightly, share } from '../depth.ts'
import { type CallBench, modelOf, useCallBench } from './bench.ts'
import { ask } from './doors.ts'
import type { CallClass } from './kind.ts'
import { kinds } from './kinds.ts'
import { sendsText } from './renderings.ts'
import { allRows, type Row, rowsOfTheDay } from './rows.ts'
import { firstAnswer, secondAnswer, toolsOf } from './script.ts'
import { expectedOf, problemsOf } from './verdict.ts'

export function describeCalls(...classes: CallClass[]): void {
  const bench = useCallBench()
  const rows = isNightly ? [...rowsOfTheDay(), ...share(allRows, allRows.length / 10)] : rowsOfTheDay()

  describe.each(classes)('%s', (one) => {
    it.each(kinds.filter((kind) => kind.class === one).map(({ id }) => id))('%s', async (id) => {
      const wrong: string[] = []
      for (const row of rows) if (row.kind.id === id) wrong.push(...(await judge(bench, row)))
      expect(wrong).toEqual([])
    })
  })
}

async function judge(bench: CallBench, row: Row): Promise<string[]> {
  const { kind, dialect, door, mode, parallel, stream } = row
  bench.play(dialect, [firstAnswer(kind, parallel), secondAnswer(kind, 'good')])
  const heard = await ask(bench.url, { door, stream, model: modelOf(dialect, mode), tools: toolsOf(kind) })
  const sentText = sendsText(dialect, bench.asked[0])
  const expected = expectedOf(row)
  const problems = problemsOf(row, expected, heard, sentText)
  if (bench.asked.length !== expected.asked) problems.push(`the model was asked ${bench.asked.length} times`)
  const where = `${dialect} → ${door}, ${stream ? 'streamed' : 'whole'}, ${parallel ? 'parallel' : 'single'}, ${mode}`
  return problems.map((problem) => `${where}: ${problem}`)
}
