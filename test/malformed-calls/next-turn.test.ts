// The turn after a mended call: the service sees the call, its result, and the reasoning that belongs to it, although the client
// sends back a call that the model never made.

import { describe, expect, it } from 'vitest'
import { useCallBench } from './bench.ts'
import { ask, type DoorName, doorsOfTheRun } from './doors.ts'
import { readExact, sortedExact } from './exact-json.ts'
import { callSignature } from './gemini-rendering.ts'
import { historyOf, thinking } from './histories.ts'
import type { EmittedCall, Kind } from './kind.ts'
import { kinds } from './kinds.ts'
import { type Dialect, dialectsOfTheRun, type ModelAnswer, type Spoken, spokenBy } from './renderings.ts'
import { badId, firstAnswer, toolsOf } from './script.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests are looked into
type Json = any

const bench = useCallBench()
const models: Record<Dialect, string> = {
  chat: 'chat-repair/gpt-demo',
  messages: 'messages-repair/claude-sonnet-4-5',
  bedrock: 'bedrock-repair/claude-sonnet-4-5',
  vertex: 'vertex-repair/claude-sonnet-4-5',
  responses: 'responses-repair/gpt-5.6-sol',
  gemini: 'gemini-repair/gemini-3.8-flash',
  text: 'text-repair/m',
}
const chosen = [
  'name-with-dash',
  'parameter-in-camel-case',
  'text-for-list',
  'null-for-optional',
  'wrapped-in-input',
]
const mended = kinds.filter(({ id }) => chosen.includes(id))
const said: ModelAnswer = { text: 'Done.', calls: [], usage: { input: 1, output: 1 } }

interface Replayed {
  call: EmittedCall & { id: string }
  resultId: string
  hasThinking: boolean
}

const readers: Record<Spoken, (body: Json) => Replayed> = {
  chat: ({ messages }) => {
    const [call] = messages.find((one: Json) => one.tool_calls).tool_calls
    const result = messages.find((one: Json) => one.role === 'tool')
    return { call: { id: call.id, ...call.function }, resultId: result.tool_call_id, hasThinking: true }
  },
  messages: ({ messages }) => {
    const { content } = messages.find((one: Json) => one.role === 'assistant')
    const { id, name, input } = content.find((one: Json) => one.type === 'tool_use')
    const result = messages.at(-1).content.find((one: Json) => one.type === 'tool_result')
    return {
      call: { id, name, arguments: JSON.stringify(input) },
      resultId: result.tool_use_id,
      hasThinking: content[0].type === 'thinking' && content[0].signature !== '',
    }
  },
  responses: ({ input }) => {
    const call = input.find((one: Json) => one.type === 'function_call')
    const result = input.find((one: Json) => one.type === 'function_call_output')
    const hasThinking = input.some(
      (one: Json) => one.type === 'reasoning' && one.encrypted_content === 'sealed',
    )
    return { call: { ...call, id: call.call_id }, resultId: result.call_id, hasThinking }
  },
  gemini: ({ contents }) => {
    const parts: Json[] = contents.flatMap((content: Json) => content.parts)
    const { functionCall: call, thoughtSignature } = parts.find((part) => part.functionCall)
    const { functionResponse: result } = parts.find((part) => part.functionResponse)
    return {
      call: { id: call.id, name: call.name, arguments: JSON.stringify(call.args) },
      resultId: result.id,
      hasThinking: thoughtSignature === callSignature,
    }
  },
  text: ({ messages }) => {
    const content: string = messages.find((one: Json) => one.role === 'assistant').content
    const block = /<tool_call>\n?(.*?)\n?<\/tool_call>/s.exec(content)?.[1] ?? '{}'
    const { name, arguments: input } = JSON.parse(block)
    return { call: { id: '', name, arguments: JSON.stringify(input) }, resultId: '', hasThinking: true }
  },
}

const spelt = ({ name, arguments: input }: EmittedCall) => `${name} ${sortedExact(readExact(input))}`

async function twoTurns(kind: Kind, dialect: Dialect, door: DoorName, stream: boolean): Promise<Replayed> {
  bench.play(dialect, [{ ...firstAnswer(kind, false), thinking: 'Hm.' }, said])
  const asking = { door, stream, model: models[dialect], tools: toolsOf(kind), more: thinking[door] }
  const heard = await ask(bench.url, asking)
  expect([heard.error, heard.calls.map(spelt)]).toEqual([undefined, [spelt(kind.becomes as EmittedCall)]])
  const next = await ask(bench.url, { ...asking, more: { ...thinking[door], ...historyOf[door](heard) } })
  expect([next.error, next.text]).toEqual([undefined, 'Done.'])
  expect(bench.asked).toHaveLength(2)
  return readers[spokenBy(dialect)](JSON.parse(bench.asked[1]?.body ?? ''))
}

const ways = dialectsOfTheRun.flatMap((dialect) =>
  doorsOfTheRun
    // Thinking of these is the client's to keep.
    .map((door) => ({ dialect, door, keeps: spokenBy(dialect) !== 'messages' || door !== 'messages' })),
)

describe.each(ways)('$dialect → $door', ({ dialect, door, keeps }) => {
  it.each(mended.map((kind, at) => ({ kind, stream: at % 2 === 0, id: kind.id })))(
    '$id',
    async ({ kind, stream }) => {
      const { call, resultId, hasThinking } = await twoTurns(kind, dialect, door, stream)
      // As the model made it or as the client made it, but no third form.
      expect([kind.call, kind.becomes as EmittedCall].map(spelt)).toContain(spelt(call))
      expect(resultId).toBe(call.id)
      if (dialect !== 'text') expect(call.id).toContain(badId)
      if (keeps) expect(hasThinking).toBe(true)
    },
  )
})
