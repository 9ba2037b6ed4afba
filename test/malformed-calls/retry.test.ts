// Calls that nothing puts right, with `check: "retry"`: the model is asked once more, and what it says then decides.

import { describe, expect, it } from 'vitest'
import { isNightly, share, spread } from '../depth.ts'
import { modelOf, useCallBench } from './bench.ts'
import { ask, type DoorName, doorsOfTheRun } from './doors.ts'
import { readExact, writeExact } from './exact-json.ts'
import type { EmittedCall, Kind } from './kind.ts'
import { kinds } from './kinds.ts'
import { type Dialect, dialectsOfTheRun, sendsText } from './renderings.ts'
import {
  becomes,
  firstAnswer,
  firstUsage,
  refusal,
  type SecondTry,
  secondAnswer,
  secondUsage,
  toolsOf,
  words,
} from './script.ts'
import type { Reply } from './scripted-model.ts'
import { problemsOfSecond } from './second-request.ts'
import { asEmitted, type Expected, problemsOf } from './verdict.ts'

const bench = useCallBench()

const wrong = kinds.filter(({ class: one }) => one === 'unfit' || one === 'ambiguous')

interface Ending {
  name: string
  second: SecondTry | 'fails'
  calls(kind: Kind): EmittedCall[]
  text?: string
  parallel?: true
}

const right = ({ again, call }: Kind) => [again ?? call]
const endings: readonly Ending[] = [
  { name: 'is right', second: 'good', calls: right },
  { name: 'is wrong again', second: 'again', calls: asEmitted },
  // The model takes its call back.
  { name: 'is prose', second: 'prose', calls: () => [], text: `${words}\n\n${refusal}` },
  { name: 'fails', second: 'fails', calls: asEmitted },
  { name: 'repeats the calls that fitted', second: 'repeats', calls: right, parallel: true },
]

interface Row {
  kind: Kind
  dialect: Dialect
  door: DoorName
  parallel: boolean
  stream: boolean
}

const forms = [
  { parallel: false, stream: true },
  { parallel: true, stream: false },
  { parallel: true, stream: true },
  { parallel: false, stream: false },
]

/** At night an eighth of all kinds in all forms, by the seed; by day every dialect at every door, the kinds and forms in turn. */
function rowsOf(ending: Ending, offset: number): Row[] {
  const possible = forms.filter(({ parallel }) => parallel || !ending.parallel)
  const pairs = dialectsOfTheRun.flatMap((dialect) => doorsOfTheRun.map((door) => ({ dialect, door })))
  if (isNightly) {
    const all = wrong.flatMap((kind) =>
      pairs.flatMap((pair) => possible.map((form) => ({ kind, ...pair, ...form }))),
    )
    return share(all, all.length / 8)
  }
  return pairs.flatMap((pair, at) =>
    possible.map((form, turn) => {
      const kind = wrong[(offset * 7 + at * possible.length + turn) % wrong.length] as Kind
      return { kind, ...pair, ...form }
    }),
  )
}

async function judge(row: Row, ending: Ending): Promise<string[]> {
  const { kind, dialect, door, stream, parallel } = row
  const second: Reply = ending.second === 'fails' ? 'fails' : secondAnswer(kind, ending.second)
  bench.play(dialect, [firstAnswer(kind, parallel), second])
  const heard = await ask(bench.url, { door, stream, model: modelOf(dialect, 'retry'), tools: toolsOf(kind) })
  const { text } = ending
  const expected: Expected = { calls: ending.calls(kind), notes: 'some', asked: 2, ...(text ? { text } : {}) }
  const sentText = sendsText(dialect, bench.asked[0])
  const problems = problemsOf({ ...row, mode: 'retry' }, expected, heard, sentText)
  if (bench.asked.length !== 2) problems.push(`the model was asked ${bench.asked.length} times`)
  problems.push(...problemsOfSecond(dialect, bench.asked, kind))
  const [usage, more] = [firstUsage, ending.second === 'fails' ? { input: 0, output: 0 } : secondUsage]
  const sum = { input: usage.input + more.input, output: usage.output + more.output }
  if (JSON.stringify(heard.usage) !== JSON.stringify(sum))
    problems.push(`usage: ${JSON.stringify(heard.usage)}`)
  const where = `${kind.id}: ${dialect} → ${door}, ${stream ? 'streamed' : 'whole'}, ${parallel ? 'parallel' : 'single'}`
  return problems.map((problem) => `${where}: ${problem}`)
}

describe.each(spread(endings, 2))('the second try $name', (ending) => {
  it.each(dialectsOfTheRun)('of a model that speaks %s', async (dialect) => {
    const found: string[] = []
    for (const row of rowsOf(ending, endings.indexOf(ending)))
      if (row.dialect === dialect) found.push(...(await judge(row, ending)))
    expect(found).toEqual([])
  })
})

describe('a second try that can be put right', () => {
  it.each(dialectsOfTheRun)('is put right: a model that speaks %s', async (dialect) => {
    const kind = kinds.find(({ id }) => id === 'required-missing') as Kind
    const mendable = kinds.find(({ id }) => id === 'text-for-integer') as Kind
    const second = { ...secondAnswer({ ...kind, again: mendable.call }, 'good') }
    bench.play(dialect, [firstAnswer(kind, false), second])
    const heard = await ask(bench.url, {
      door: 'chat',
      stream: true,
      model: modelOf(dialect, 'retry'),
      tools: toolsOf(kind),
    })
    const one = { kind: mendable, dialect, mode: 'retry' as const, parallel: false }
    expect(
      problemsOf(
        one,
        { calls: [becomes(mendable, dialect)], rewritten: true, notes: 'some', asked: 2 },
        heard,
        sendsText(dialect, bench.asked[0]),
      ),
    ).toEqual([])
  })
})

describe('two calls of one answer that nothing puts right', () => {
  it.each(dialectsOfTheRun)('are asked for in one question: a model that speaks %s', async (dialect) => {
    const kind = kinds.find(({ id }) => id === 'required-missing') as Kind
    const { calls, ...answer } = firstAnswer(kind, false)
    const twice = [
      ...calls,
      ...calls.map((call) => ({ ...call, id: 'call_bad9', arguments: '{"limit": 9}' })),
    ]
    const again = secondAnswer(kind, 'good')
    const right = ['a.ts', 'b.ts'].map((path, at) => ({
      id: `call_r${at}`,
      name: 'read_file',
      arguments: `{"path": "${path}"}`,
    }))
    bench.play(dialect, [
      { ...answer, calls: twice },
      { ...again, calls: right },
    ])
    const heard = await ask(bench.url, {
      door: 'chat',
      stream: true,
      model: modelOf(dialect, 'retry'),
      tools: toolsOf(kind),
    })
    expect(bench.asked).toHaveLength(2)
    const spelt = (input: string) =>
      sendsText(dialect, bench.asked[0]) ? input : writeExact(readExact(input))
    expect(heard.calls.map((call) => [call.name, call.arguments])).toEqual(
      right.map((call) => [call.name, spelt(call.arguments)]),
    )
    expect(heard.problems).toEqual([])
  })
})
