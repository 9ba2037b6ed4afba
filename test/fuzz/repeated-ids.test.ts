// Calls whose ids, names and indexes collide, in any interleaving: clients get exactly the calls that were sent, or an error.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../src/core/events.ts'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { checkTurn } from '../check-turn.ts'
import { fuzz } from './settings.ts'

const options = (wholeArguments: boolean) => ({
  turnId: 'turn_1',
  model: 'm',
  backend: 'box',
  wholeArguments,
  note: () => undefined,
})

interface Call {
  name: string
  id: string | undefined
  index: number | undefined
  input: string
  /** Where its arguments are cut. */
  cuts: number[]
  /** Which of its later deltas carry what. */
  repeatsName: boolean
  repeatsId: boolean
  hasIndex: boolean
}

const call = (indexes: fc.Arbitrary<number | undefined>): fc.Arbitrary<Omit<Call, 'input'>> =>
  fc.record({
    name: fc.constantFrom('read', 'write', 'delete'),
    id: fc.constantFrom('call_0', 'call_1', undefined),
    index: indexes,
    cuts: fc.array(fc.nat(12), { maxLength: 3 }),
    repeatsName: fc.boolean(),
    repeatsId: fc.boolean(),
    hasIndex: fc.boolean(),
  })

/** Each call's arguments are like no other's, so that a stray piece shows. */
const withInputs = (calls: Omit<Call, 'input'>[]): Call[] =>
  calls.map((entry, at) => ({ ...entry, input: `{"of":"${entry.name} ${at}"}` }))

const turn = fc
  .constantFrom(fc.constant(0), fc.constant(undefined), fc.constantFrom(0, 1, undefined))
  .chain((indexes) => fc.array(call(indexes), { minLength: 1, maxLength: 4 }))
  .map(withInputs)

const isAlike = (one: Call, other: Call) =>
  one.name === other.name &&
  one.index === other.index &&
  (one.id === other.id || ((one.id === undefined || other.id === undefined) && one.index !== undefined))

/**
 * Calls of which no two are alike in all they have. Interleaved, such two could not be told from one call whose name is
 * repeated in every chunk, as some servers do.
 */
const distinctTurn = turn.map((calls) =>
  calls.filter((entry, at) => !calls.slice(0, at).some((earlier) => isAlike(earlier, entry))),
)

function deltasOf({ name, id, index, input, cuts, repeatsName, repeatsId, hasIndex }: Call): object[] {
  const places = [0, ...cuts.toSorted((one, other) => one - other), input.length]
  return places.slice(1).map((end, at) => ({
    ...(index !== undefined && (at === 0 || hasIndex) ? { index } : {}),
    ...(id !== undefined && (at === 0 || repeatsId) ? { id } : {}),
    function: {
      ...(at === 0 || repeatsName ? { name } : {}),
      arguments: input.slice(places[at], end),
    },
  }))
}

/** The deltas of all calls, each call's in order, in the order that `picks` says. */
function interleave(calls: readonly Call[], picks: readonly number[]): object[] {
  const queues = calls.map(deltasOf)
  const sent: object[] = []
  for (let at = 0; queues.some((queue) => queue.length > 0); at++) {
    const waiting = queues.filter((queue) => queue.length > 0)
    const next = waiting[(picks[at] ?? 0) % waiting.length]?.shift()
    if (next) sent.push(next)
  }
  return sent
}

const message = (delta: object, finish_reason: string | null = null) => ({
  event: undefined,
  data: JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }),
})

function streamed(deltas: readonly object[], { whole, together }: { whole: boolean; together: boolean }) {
  const reader = new ChatReader(options(whole))
  const messages = together
    ? [message({ tool_calls: deltas })]
    : deltas.map((delta) => message({ tool_calls: [delta] }))
  return reader.push([...messages, message({}, 'tool_calls'), { event: undefined, data: '[DONE]' }])
}

const shown = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-call-end' ? [`${event.name} ${event.input}`] : []))
const sent = (calls: readonly Call[]) => calls.map(({ name, input }) => `${name} ${input}`)

function expectExactOrError(events: TurnEvent[], calls: readonly Call[]): void {
  expect(checkTurn(events)).toEqual([])
  const last = events.at(-1)
  const got = shown(events)
  if (last?.type === 'turn-error') {
    expect(last.error.code).toBe('upstream-protocol')
    for (const one of got) expect(sent(calls)).toContain(one)
    expect(new Set(got).size).toBe(got.length)
  } else expect(got.toSorted()).toEqual(sent(calls).toSorted())
}

describe('calls with one id', () => {
  it('streamed, in any interleaving: exactly the calls, or an error', () => {
    fc.assert(
      fc.property(
        distinctTurn,
        fc.array(fc.nat(3), { maxLength: 16 }),
        fc.record({ whole: fc.boolean(), together: fc.boolean() }),
        (calls, picks, how) => expectExactOrError(streamed(interleave(calls, picks), how), calls),
      ),
      fuzz,
    )
  })

  it('streamed, one after the other, whole: always exactly the calls', () => {
    fc.assert(
      fc.property(turn, fc.boolean(), fc.boolean(), (given, whole, together) => {
        const calls = given.map((entry) => ({ ...entry, cuts: [] }))
        const events = streamed(calls.flatMap(deltasOf), { whole, together })
        expect(shown(events)).toEqual(sent(calls))
        expect(checkTurn(events)).toEqual([])
      }),
      fuzz,
    )
  })

  it('in a whole answer: always exactly the calls', () => {
    fc.assert(
      fc.property(turn, fc.boolean(), (given, whole) => {
        const calls = given.map((entry) => ({ ...entry, cuts: [] }))
        const choice = {
          index: 0,
          message: { tool_calls: calls.flatMap(deltasOf) },
          finish_reason: 'tool_calls',
        }
        const events = new ChatReader(options(whole)).whole({ choices: [choice] })
        expect(shown(events)).toEqual(sent(calls))
        expect(checkTurn(events)).toEqual([])
      }),
      fuzz,
    )
  })

  it('in blocks that are interleaved: exactly the calls, or an error', () => {
    fc.assert(
      fc.property(turn, fc.array(fc.nat(3), { maxLength: 16 }), fc.boolean(), (given, picks, whole) => {
        const calls = given.map((entry, at) => ({ ...entry, id: entry.id ?? 'toolu', index: at }))
        const blocks = calls.map(({ id, name, index, input, cuts }): object[] => {
          const places = [0, ...cuts.toSorted((one, other) => one - other), input.length]
          return [
            { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
            ...places.slice(1).map((end, at) => ({
              type: 'content_block_delta',
              index,
              delta: { type: 'input_json_delta', partial_json: input.slice(places[at], end) },
            })),
            { type: 'content_block_stop', index },
          ]
        })
        const events: object[] = []
        for (let at = 0; blocks.some((queue) => queue.length > 0); at++) {
          const waiting = blocks.filter((queue) => queue.length > 0)
          const next = waiting[(picks[at] ?? 0) % waiting.length]?.shift()
          if (next) events.push(next)
        }
        const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }]
        const reader = new AnthropicReader({ ...options(whole), toolName: (name) => name })
        const read = reader.push(
          [...events, ...end].map((event) => ({ event: undefined, data: JSON.stringify(event) })),
        )
        const last = read.at(-1)
        const got = shown(read).filter((one) => !one.endsWith(' {}'))
        for (const one of got) expect(sent(calls)).toContain(one)
        if (last?.type === 'turn-end') expect(shown(read).toSorted()).toEqual(sent(calls).toSorted())
      }),
      fuzz,
    )
  })
})
