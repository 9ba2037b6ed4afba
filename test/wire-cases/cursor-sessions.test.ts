// T27, T28 and T35 to T37: one run through broken streams, edits and second windows, on both transports.
// docs/wire-cases.md explains each case.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CursorRun, CursorStep, CursorTurn } from '../../sim/cursor.ts'
import { answerOf, askCursor, closedCalls, followUp, transports, useCursorBench } from '../cursor-bench.ts'
import { until } from '../end-to-end/wire.ts'
import { user } from '../harness.ts'

const forms = ['streamed', 'whole'] as const
const read = (path: string): CursorStep => ({ exec: { read: { path } } })
const results: CursorStep = { await: 'results' }
const checkpoint: CursorStep = { checkpoint: true }
const end: CursorStep = { end: true }
const resumed = (...steps: CursorStep[]): CursorTurn => ({ when: { action: 'resume' }, steps })

type ExecResults = CursorRun['execResults'] extends ReadonlyMap<number, infer Messages> ? Messages : never

const contentsOf = (messages: ExecResults) =>
  messages.flatMap(({ message }) =>
    message.case === 'readResult' && message.value.result.case === 'success'
      ? [message.value.result.value.output.value]
      : [],
  )

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })
    const checkpointed = (run: CursorRun | undefined) =>
      until(() => bench.sim.conversations.get(run?.request.conversationId ?? '')?.checkpoint !== undefined)
    const breaks =
      transport === 'http2' ? (['rst-stream', 'reset', 'fin'] as const) : (['reset', 'fin'] as const)
    const callIdsAsked = () => [...bench.sim.deliveries.keys()]

    for (const form of forms) {
      it(`T27: a stream that breaks after the results is resumed from its checkpoint, ${form}`, async () => {
        for (const fault of breaks) {
          bench.sim.clear()
          bench.sim.play(
            [read('a'), checkpoint, results, checkpoint, { fault }],
            resumed({ say: 'taken up' }, end),
          )
          const body = askCursor('read it')
          const first = await answerOf(bench.url, body, form)
          const before = callIdsAsked().length
          const second = await answerOf(bench.url, followUp(body, first, ['A']), form)
          expect(second).toMatchObject({ text: 'taken up', session: 'resumed', finish: 'stop', calls: [] })
          const [one, other] = bench.sim.runs
          expect(bench.sim.runs).toHaveLength(2)
          expect(other?.request.action?.action.case).toBe('resumeAction')
          expect(other?.request.runId).toBe(one?.request.runId)
          expect(other?.request.conversationId).toBe(one?.request.conversationId)
          expect(other?.headers['x-original-request-id']).toBe(one?.headers['x-original-request-id'])
          expect(other?.requestId).not.toBe(one?.requestId)
          expect(callIdsAsked().length).toBe(before + 1)
        }
      })

      it(`T27: if no checkpoint has the call, a new run receives the whole history, ${form}`, async () => {
        bench.sim.play(
          [{ say: 'let me see' }, checkpoint, read('a'), results, { fault: 'reset' }],
          [{ say: 'afresh' }, end],
        )
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, form)
        const second = await answerOf(bench.url, followUp(body, first, ['A']), form)
        expect(second).toMatchObject({ text: 'afresh', session: 'fresh', calls: [] })
        expect(bench.sim.runs[1]?.request.conversationId).not.toBe(bench.sim.runs[0]?.request.conversationId)
      })

      it(`T28: a request repeated after a reconnect is answered from memory, ${form}`, async () => {
        for (const reask of [true, 'same-id'] as const) {
          bench.sim.clear()
          bench.sim.play(
            [read('a'), read('b'), checkpoint, { fault: 'hang' }],
            resumed({ reask }, results, { say: 'have both' }, end),
          )
          const body = askCursor('read both')
          const first = await answerOf(bench.url, body, form)
          expect(first.calls).toHaveLength(2)
          await checkpointed(bench.sim.runs[0])
          const answering = answerOf(bench.url, followUp(body, first, ['A', 'B']), form)
          // The results arrived, but the service did not acknowledge them.
          await until(() => closedCalls(bench.sim.runs[0]) === 2)
          bench.sim.breakRuns()
          const second = await answering
          // Over HTTP/1.1 the answers to the appends say that they have come: then the service is not made to ask again.
          const session = transport === 'http2' ? 'resumed' : 'fresh'
          expect(second).toMatchObject({ text: 'have both', session, calls: [] })
          expect(bench.sim.runs).toHaveLength(2)
          const given = [...(bench.sim.runs[1]?.execResults.values() ?? [])].flat()
          expect(contentsOf(given)).toEqual(transport === 'http2' ? ['A', 'B'] : [])
        }
      })

      it(`T28: the service need not ask again for results that it acknowledged, ${form}`, async () => {
        bench.sim.clear()
        bench.sim.play([read('a'), checkpoint, results, { fault: 'reset' }], [{ say: 'have it' }, end])
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, form)
        const second = await answerOf(bench.url, followUp(body, first, ['A']), form)
        expect(second).toMatchObject({ text: 'have it', session: 'fresh', calls: [] })
        expect(closedCalls(bench.sim.runs[1])).toBe(0)
      })

      it(`T28: a stream that breaks while parked is resumed when the results arrive, ${form}`, async () => {
        bench.sim.play(
          [read('a'), checkpoint, { wait: 300 }, { fault: 'reset' }],
          resumed({ reask: true }, results, { say: 'taken up' }, end),
        )
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, form)
        await bench.sim.runs[0]?.waitForClose()
        await sleep(50)
        expect(bench.sim.runs).toHaveLength(1)
        const second = await answerOf(bench.url, followUp(body, first, ['A']), form)
        expect(second).toMatchObject({ text: 'taken up', session: 'resumed', calls: [] })
      })
    }

    it('T35: two windows with the same first message never share a session', async () => {
      const loop = (word: string): CursorStep[] => [read('a'), results, { say: word }, end]
      bench.sim.play(loop('one'), loop('two'))
      const body = askCursor('read it')
      const windows = [
        await answerOf(bench.url, body, 'streamed'),
        await answerOf(bench.url, body, 'streamed'),
      ]
      const [one, two] = windows.map(({ calls }) => calls[0]?.id)
      expect(one).not.toBe(two)
      const answers = await Promise.all(
        windows.map((first, at) =>
          answerOf(bench.url, followUp(body, first, [`of window ${at}`]), 'streamed'),
        ),
      )
      expect(answers.map(({ text, session }) => [text, session])).toEqual([
        ['one', 'live'],
        ['two', 'live'],
      ])
      const given = bench.sim.runs.map(({ execResults }) => contentsOf([...execResults.values()].flat()))
      expect(given).toEqual([['of window 0'], ['of window 1']])
    })

    it('T35: nor in their second turns, although their histories are equal', async () => {
      bench.sim.play(
        [{ say: 'Hello.' }, end],
        [{ say: 'Hello.' }, end],
        [{ say: 'A' }, end],
        [{ say: 'B' }, end],
      )
      const body = askCursor('hi')
      for (let window = 0; window < 2; window++) await answerOf(bench.url, body, 'streamed')
      await sleep(100)
      const messages = [user('hi'), { role: 'assistant', content: 'Hello.' }, user('and now?')]
      for (let window = 0; window < 2; window++) await answerOf(bench.url, { ...body, messages }, 'streamed')
      const ids = bench.sim.runs.map(({ request }) => request.conversationId)
      expect(new Set(ids).size).toBe(4)
    })

    it('T36: results after an edited history start a new run; the parked run keeps waiting for its own', async () => {
      bench.sim.play([read('a'), results, { say: 'live' }, end], [{ say: 'afresh' }, end])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A'])
      const edited = { ...next, messages: [user('read that'), ...(next.messages as object[]).slice(1)] }
      expect(await answerOf(bench.url, edited, 'streamed')).toMatchObject({
        text: 'afresh',
        session: 'fresh',
      })
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'live', session: 'live' })
      expect(contentsOf([...(bench.sim.runs[0]?.execResults.values() ?? [])].flat())).toEqual(['A'])
    })

    it('T37: a follow-up that comes twice is delivered once, also where a new run answers it', async () => {
      for (const isBroken of [false, true]) {
        bench.sim.clear()
        const slow: CursorStep[] = [{ say: 'once' }, { wait: 400 }, end]
        if (isBroken) bench.sim.play([read('a'), { wait: 200 }, { fault: 'reset' }], slow)
        else bench.sim.play([read('a'), results, ...slow])
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, 'streamed')
        if (isBroken) await bench.sim.runs[0]?.waitForClose()
        const next = followUp(body, first, ['A'])
        const both = await Promise.all([
          answerOf(bench.url, next, 'streamed'),
          sleep(50).then(() => answerOf(bench.url, next, 'whole')),
        ])
        expect(both).toMatchObject([
          { status: 200, text: 'once', session: isBroken ? 'fresh' : 'live' },
          { status: 409, error: { message: expect.stringContaining('already') } },
        ])
        expect(bench.sim.runs).toHaveLength(isBroken ? 2 : 1)
      }
    })
  })
}
