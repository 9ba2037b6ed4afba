// Where the check is set, what it is without a setting, and where it can only note.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { startGateway } from '../harness.ts'
import { type CallBench, modelOf, modes, startCallBench, useCallBench } from './bench.ts'
import { ask, doorsOfTheRun, type Heard } from './doors.ts'
import type { Kind } from './kind.ts'
import { kinds } from './kinds.ts'
import { type Dialect, dialectsOfTheRun, sendsText } from './renderings.ts'
import { firstAnswer, secondAnswer, toolsOf } from './script.ts'
import { expectedOf, problemsOf } from './verdict.ts'

const kindOf = (id: string) => kinds.find((kind) => kind.id === id) as Kind
const mendable = kindOf('parameter-in-camel-case')
const unfit = kindOf('required-missing')
const native = dialectsOfTheRun.filter((dialect) => dialect !== 'text')

async function hear(bench: CallBench, kind: Kind, dialect: Dialect, model: string): Promise<Heard> {
  bench.play(dialect, [firstAnswer(kind, false), secondAnswer(kind, 'good')])
  return ask(bench.url, { door: 'chat', stream: true, model, tools: toolsOf(kind) })
}

/** As a backend behaves whose own setting is `mode`. */
async function expectMode(bench: CallBench, dialect: Dialect, mode: (typeof modes)[number], model: string) {
  for (const kind of [mendable, unfit]) {
    const heard = await hear(bench, kind, dialect, model)
    const one = { kind, dialect, mode, parallel: false }
    const expected = expectedOf(one)
    expect(problemsOf(one, expected, heard, sendsText(dialect, bench.asked[0]))).toEqual([])
    expect(bench.asked).toHaveLength(expected.asked)
  }
}

describe('without a setting', () => {
  const bench = useCallBench()

  it.each(native)('calls of a model that speaks %s are repaired', async (dialect) => {
    await expectMode(bench, dialect, 'repair', modelOf(dialect))
  })

  it('calls in text are asked for again', async () => {
    await expectMode(bench, 'text', 'retry', modelOf('text'))
  })
})

describe.each(modes)('calls: { check: "%s" }', (check) => {
  const bench = useCallBench({ calls: { check } })

  it.each(dialectsOfTheRun)('is the setting of a backend without one of its own: %s', async (dialect) => {
    await expectMode(bench, dialect, check, modelOf(dialect))
  })

  it.each(modes)('gives way to the setting of a backend: %s', async (own) => {
    await expectMode(bench, 'chat', own, modelOf('chat', own))
  })
})

describe('arguments that are passed on as they come', () => {
  const bench = useCallBench({ toolArguments: 'streamed' })

  const ways = dialectsOfTheRun.flatMap((dialect) => doorsOfTheRun.map((door) => ({ dialect, door })))
  it.each(spread(ways, 6))(
    '$dialect → $door: a wrong call is noted, and not changed',
    async ({ dialect, door }) => {
      for (const kind of [mendable, unfit])
        for (const set of ['repair', 'retry'] as const) {
          bench.play(dialect, [firstAnswer(kind, false), secondAnswer(kind, 'good')])
          const model = modelOf(dialect, set)
          const heard = await ask(bench.url, { door, stream: true, model, tools: toolsOf(kind) })
          // Calls in text are whole before they are calls, and Gemini's come whole.
          const mode = dialect === 'text' || dialect === 'gemini' ? set : ('note' as const)
          const one = { kind, dialect, mode, parallel: false }
          const expected = expectedOf(one)
          expect(problemsOf(one, expected, heard, sendsText(dialect, bench.asked[0]))).toEqual([])
          expect(bench.asked).toHaveLength(expected.asked)
        }
    },
  )
})

describe('the metric', () => {
  let bench: CallBench
  beforeAll(async () => {
    bench = await startCallBench()
  })
  afterAll(() => bench.close())

  /** By backend and outcome. */
  async function checks(): Promise<Map<string, number>> {
    const text = await (await fetch(`${bench.url}/metrics`)).text()
    const lines = text.matchAll(/^dragoman_call_checks_total\{backend="([^"]+)",outcome="([^"]+)"\} (\d+)$/gm)
    return new Map([...lines].map(([, backend, outcome, count]) => [`${backend} ${outcome}`, Number(count)]))
  }

  /** The outcomes that one turn adds. */
  async function added(kind: Kind, dialect: Dialect, mode: (typeof modes)[number]): Promise<string[]> {
    const before = await checks()
    await hear(bench, kind, dialect, modelOf(dialect, mode))
    return [...(await checks())]
      .filter(([key, count]) => count > (before.get(key) ?? 0))
      .map(([key]) => key.replace(`${dialect}-${mode} `, ''))
      .sort()
  }

  it.each(dialectsOfTheRun)('counts by backend and outcome: %s', async (dialect) => {
    expect(await added(kindOf('fits-plain'), dialect, 'repair')).toEqual(['fits'])
    // The parser of calls in text has put it right before.
    expect(await added(mendable, dialect, 'repair')).toEqual([dialect === 'text' ? 'fits' : 'repaired'])
    expect(await added(unfit, dialect, 'note')).toEqual(['unfit'])
    expect(await added(unfit, dialect, 'repair')).toEqual(['unfit'])
    expect(await added(unfit, dialect, 'retry')).toEqual(['fits', 'retried', 'unfit'])
    expect(await added(unfit, dialect, 'off')).toEqual([])
    expect(await added(mendable, dialect, 'off')).toEqual([])
  })
})

it('refuses another word', async () => {
  const backend = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'x' }
  await expect(startGateway({ backends: { up: backend }, calls: { check: 'fix' } })).rejects.toThrow(/check/)
  await expect(startGateway({ backends: { up: { ...backend, calls: { check: 'fix' } } } })).rejects.toThrow(
    /check/,
  )
})
