// The calls of the corpus as native calls: those that fit their schema pass through the gateway as they are, and nothing is noted.
// Needs CASES_DIR.

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { modelOf, useCallBench } from '../malformed-calls/bench.ts'
import { ask, type DoorName } from '../malformed-calls/doors.ts'
import type { Dialect, ModelAnswer } from '../malformed-calls/renderings.ts'
import { type BfclRow, readBfcl } from './bfcl.ts'
import { fitsTypes } from './own-schema.ts'

const folder = process.env.CASES_DIR

if (!folder) it.skip('set CASES_DIR to the folder of bfcl.jsonl.gz, and this is read', () => undefined)
else describe('calls that are right', () => onRows(readBfcl(folder).filter(({ calls }) => calls.length > 0)))

/** What the types leave out. */
function fitsRules(value: unknown, schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  const {
    enum: allowed,
    required = [],
    properties = {},
    items,
    maximum,
    minItems,
    maxItems,
  } = schema as {
    enum?: unknown[]
    required?: string[]
    properties?: Record<string, unknown>
    items?: unknown
    maximum?: number
    minItems?: number
    maxItems?: number
  }
  if (allowed && !allowed.some((one) => isDeepStrictEqual(one, value))) return false
  if (typeof value === 'number') return maximum === undefined || value <= maximum
  if (Array.isArray(value))
    return (
      value.length >= (minItems ?? 0) &&
      value.length <= (maxItems ?? value.length) &&
      value.every((one) => fitsRules(one, items))
    )
  if (typeof value !== 'object' || value === null) return true
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, one]) => fitsRules(one, properties[name]))
  )
}

const fits = ({ calls, tools }: BfclRow) =>
  calls.every((call) => {
    const tool = tools.find(({ name }) => name === call.name)
    return tool && fitsTypes(call.arguments, tool.schema) && fitsRules(call.arguments, tool.schema)
  })

function onRows(rows: readonly BfclRow[]): void {
  const bench = useCallBench()
  const fitting = rows.filter(fits)

  it('are as many as they should be', () => {
    expect([rows.length, fitting.length]).toEqual([2501, 2299])
  })

  const ways: readonly [Dialect, DoorName, boolean][] = [
    ['chat', 'chat', true],
    ['messages', 'responses', true],
    ['responses', 'messages', true],
    ['chat', 'gemini', false],
  ]
  it.each(ways)(
    'fit, and pass without a change or a note: %s → %s, streamed: %s',
    async (dialect, door, stream) => {
      const wrong: unknown[] = []
      for (const { id, calls, tools } of fitting) {
        const emitted = calls.map(({ name, arguments: input }, at) => ({
          id: `call_${at}`,
          name,
          arguments: JSON.stringify(input, null, 1),
        }))
        const answer: ModelAnswer = { text: 'Let me see.', calls: emitted, usage: { input: 1, output: 1 } }
        bench.play(dialect, [answer])
        const heard = await ask(bench.url, { door, stream, model: modelOf(dialect, 'retry'), tools })
        const same = (one: string, at: number) =>
          heard.exact ? one === emitted[at]?.arguments : one === JSON.stringify(calls[at]?.arguments)
        const isRight =
          heard.error === undefined &&
          heard.notes === '' &&
          heard.calls.length === calls.length &&
          heard.calls.every((call, at) => call.name === calls[at]?.name && same(call.arguments, at)) &&
          bench.asked.length === 1
        if (!isRight)
          wrong.push({
            id,
            error: heard.error,
            notes: heard.notes,
            calls: heard.calls,
            asked: bench.asked.length,
          })
      }
      expect(wrong).toEqual([])
    },
  )
}
