// Whatever the schema: a call that fits reaches the client as the model made it, byte for byte, and nothing is noted.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { style, writeJson } from '../fuzz/json-style.ts'
import { fuzzShare } from '../fuzz/settings.ts'
import { modelOf, useCallBench } from './bench.ts'
import { ask, doorsOfTheRun } from './doors.ts'
import { readExact, writeExact } from './exact-json.ts'
import { fittingCall } from './fitting-call.ts'
import { dialectsOfTheRun, type ModelAnswer, sendsText } from './renderings.ts'
import { withoutSchemaNote } from './verdict.ts'

const bench = useCallBench()

describe.each(dialectsOfTheRun)('a call that fits, of a model that speaks %s', (dialect) => {
  it.each(spread(doorsOfTheRun, 2))('at the door for %s', async (door) => {
    await fc.assert(
      fc.asyncProperty(fittingCall, style, fc.boolean(), async ({ schema, value }, spelling, stream) => {
        const input = writeJson(value, { ...spelling, order: 'as it is' })
        const answer: ModelAnswer = {
          text: 'Let me see.',
          calls: [{ id: 'call_a1', name: 'use', arguments: input }],
          usage: { input: 1, output: 1 },
        }
        bench.play(dialect, [answer])
        const model = modelOf(dialect, 'retry')
        const heard = await ask(bench.url, { door, stream, model, tools: [{ name: 'use', schema }] })
        const sentText = dialect !== 'text' && sendsText(dialect, bench.asked[0])
        const [call] = heard.calls
        expect([heard.error, withoutSchemaNote(heard.notes), heard.calls.length, call?.name]).toEqual([
          undefined,
          '',
          1,
          'use',
        ])
        if (heard.exact && sentText) expect(call?.arguments).toBe(input)
        else expect(writeExact(readExact(call?.arguments ?? ''))).toBe(writeExact(readExact(input)))
        expect(bench.asked).toHaveLength(1)
      }),
      fuzzShare(0.1),
    )
  })
})
