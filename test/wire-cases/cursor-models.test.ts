// T66 and T67: models that want max mode, and models that take a short history alone. docs/wire-cases.md explains each case.

import { describe, expect, it } from 'vitest'
import { answerOf, askCursor, transports, useCursorBench } from '../cursor-bench.ts'
import { answered, called, user } from '../harness.ts'

const models = [
  'composer-2',
  'gpt-5.2-high',
  { id: 'only', maxMode: 'only' },
  { id: 'also', maxMode: 'also' },
  { id: 'wide', maxMode: 'also', contexts: ['200k', '1m'] },
] as const

/** Turns of a call each: user, call, result, text. */
const turns = (count: number, text = 'alpha') =>
  Array.from({ length: count }, (_, n) => [
    user(`read ${n}`),
    { role: 'assistant', content: null, tool_calls: [called(`c${n}`, 'read', '{"path":"a"}')] },
    answered(`c${n}`, text),
    { role: 'assistant', content: `it was ${n}` },
  ]).flat()

for (const transport of transports)
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport, sim: { models } })

    for (const form of ['streamed', 'whole'] as const) {
      it.each([
        ['only', true, []],
        ['also', false, []],
        ['also[max=true]', true, []],
        ['wide', false, []],
        ['wide[context=200k]', false, ['200k']],
        ['wide[context=1m]', true, ['1m']],
      ] as const)(`T66: %s has max mode: %s, ${form}`, async (name, isMax, contexts) => {
        const answer = await answerOf(bench.url, askCursor('Hello', { model: `cursor/${name}` }), form)
        expect(answer).toMatchObject({ status: 200, finish: 'stop' })
        expect(answer.notes.includes('max mode')).toBe(isMax)
        const { requestedModel, modelDetails } = bench.sim.runs[0]?.request ?? {}
        expect([requestedModel?.maxMode, modelDetails?.maxMode ?? false]).toEqual([isMax, isMax])
        expect(requestedModel?.parameters.map(({ value }) => value)).toEqual(contexts)
      })

      it.each([
        ['of many messages', turns(60)],
        ['of many bytes', turns(10, 'x'.repeat(100_000))],
      ])(`T67: a history %s is told as far as the model takes it, ${form}`, async (_, history) => {
        const messages = [...history, user('Hello')]
        const long = await answerOf(
          bench.url,
          askCursor('', { model: 'cursor/gpt-5.2-high', messages }),
          form,
        )
        expect(long).toMatchObject({ error: undefined, status: 200, finish: 'stop' })
        expect(long.notes).toContain('messages were left out')
        const own = await answerOf(bench.url, askCursor('', { messages }), form)
        expect(own.notes).not.toContain('left out: this model')
      })
    }
  })
