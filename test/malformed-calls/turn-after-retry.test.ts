// The turn after a second try: the client knows one answer of calls that all fit, the service has given two, with a complaint between
// them. What goes back is a conversation that a service accepts, with every result in its place.

import { describe, expect, it } from 'vitest'
import { modelOf, useCallBench } from './bench.ts'
import { ask, doorsOfTheRun } from './doors.ts'
import { historyOf } from './histories.ts'
import type { Kind } from './kind.ts'
import { kinds } from './kinds.ts'
import { dialectsOfTheRun, type ModelAnswer } from './renderings.ts'
import { firstAnswer, secondAnswer, toolsOf } from './script.ts'
import { replayed } from './second-request.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests are looked into
type Json = any

const bench = useCallBench()
const kind = kinds.find(({ id }) => id === 'required-missing') as Kind
const said: ModelAnswer = { text: 'Done.', calls: [], usage: { input: 1, output: 1 } }

/** Gemini wants as many results as calls, in the content behind theirs. */
function missingInContents({ contents = [] }: Json): string[] {
  const idsOf = (content: Json, part: string): string[] =>
    (content?.parts ?? []).flatMap((one: Json) => (one[part] ? [one[part].id] : []))
  return contents.flatMap((content: Json, at: number) => {
    const results = idsOf(contents[at + 1], 'functionResponse')
    return idsOf(content, 'functionCall').filter((id, place) => results[place] !== id)
  })
}

/** Both services want the results of a message's calls directly behind it. */
function missingBehind({ messages = [] }: Json): string[] {
  const callsOf = (message: Json): string[] => [
    ...(message.tool_calls ?? []).map(({ id }: Json) => id),
    ...(Array.isArray(message.content) ? message.content : [])
      .filter(({ type }: Json) => type === 'tool_use')
      .map(({ id }: Json) => id),
  ]
  const resultsOf = (message: Json): string[] => [
    ...(message?.role === 'tool' ? [message.tool_call_id] : []),
    ...(Array.isArray(message?.content) ? message.content : [])
      .filter(({ type }: Json) => type === 'tool_result')
      .map(({ tool_use_id: id }: Json) => id),
  ]
  return messages.flatMap((message: Json, at: number) => {
    const behind: string[] = []
    for (let next = at + 1; resultsOf(messages[next]).length > 0; next++)
      behind.push(...resultsOf(messages[next]))
    return callsOf(message).filter((id) => !behind.includes(id))
  })
}

const native = dialectsOfTheRun.filter((dialect) => dialect !== 'text')
const ways = native.flatMap((dialect) =>
  doorsOfTheRun.flatMap((door, at) =>
    [true, false].map((parallel) => ({ dialect, door, parallel, stream: (at % 2 === 0) === parallel })),
  ),
)

describe.each(ways)('$dialect → $door, parallel: $parallel', ({ dialect, door, parallel, stream }) => {
  it('has every call once, each with its result', async () => {
    bench.play(dialect, [firstAnswer(kind, parallel), secondAnswer(kind, 'good'), said])
    const asking = { door, stream, model: modelOf(dialect, 'retry'), tools: toolsOf(kind) }
    const heard = await ask(bench.url, asking)
    expect([heard.error, heard.calls.length]).toEqual([undefined, parallel ? 3 : 1])
    const next = await ask(bench.url, { ...asking, more: historyOf[door](heard) })
    expect([next.error, next.text, next.problems]).toEqual([undefined, 'Done.', []])
    expect(bench.asked).toHaveLength(3)
    const body: Json = JSON.parse(bench.asked[2]?.body ?? '')
    const { calls, results } = replayed(dialect, body)
    const ids = calls.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(results.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect([...missingBehind(body), ...missingInContents(body)]).toEqual([])
    // What the client did came from the client, for each call that it saw.
    expect(results.filter(({ text }) => text.includes('the result'))).toHaveLength(heard.calls.length)
  })
})
