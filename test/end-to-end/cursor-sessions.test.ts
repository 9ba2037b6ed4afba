// One run serves all turns of an agent's loop, and of no other agent.

import { describe, expect, it } from 'vitest'
import { type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import {
  answerOf,
  askCursor,
  followUp,
  startCursorBench,
  transports,
  useCursorBench,
} from '../cursor-bench.ts'
import { chatStream, startBench, user } from '../harness.ts'

const loop: CursorStep[] = [
  { exec: { read: { path: 'a' } } },
  { await: 'results' },
  { say: 'live' },
  { end: true },
]
const afresh: CursorStep[] = [{ say: 'afresh' }, { end: true }]

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })

    it('ten rounds of tools are one run', async () => {
      const rounds = Array.from({ length: 10 }, (_, index): CursorStep[] => [
        { say: `round ${index}` },
        { exec: { read: { path: `f${index}` } } },
        { await: 'results' },
      ])
      bench.sim.play([...rounds.flat(), { say: 'done' }, { end: true }])
      let body = askCursor('go')
      let answer = await answerOf(bench.url, body, 'streamed')
      for (let index = 0; index < 10; index++) {
        expect(answer).toMatchObject({ text: `round ${index}`, finish: 'tool_calls' })
        body = followUp(body, answer, [`content ${index}`])
        answer = await answerOf(bench.url, body, index % 2 === 0 ? 'whole' : 'streamed')
        expect(answer.session).toBe('live')
      }
      expect(answer).toMatchObject({ text: 'done', finish: 'stop' })
      expect(bench.sim.runs).toHaveLength(1)
    })

    it('a follow-up without tools continues the run', async () => {
      bench.sim.play(loop)
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const { tools: _tools, ...next } = followUp(body, first, ['A'])
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'live', session: 'live' })
    })

    it('ignored settings of a follow-up are in its notes, too', async () => {
      bench.sim.play(loop)
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = { ...followUp(body, first, ['A']), temperature: 0.5, tool_choice: 'required' }
      const second = await answerOf(bench.url, next, 'streamed')
      expect(second.session).toBe('live')
      expect(second.notes).toContain('temperature')
      expect(second.notes).toContain('tool_choice')
    })

    it('a call that the client wrote down in its own way is still that call', async () => {
      bench.sim.play(loop)
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A'])
      const shown = JSON.stringify(next.messages).replace('{\\"path\\"', '{\\"all\\":false,\\"path\\"')
      expect(shown).toContain('false')
      next.messages = JSON.parse(shown)
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'live', session: 'live' })
    })

    it('an edited history, another model and a second window are not the same conversation', async () => {
      for (const change of ['edited', 'call', 'model', 'window'] as const) {
        bench.sim.clear()
        bench.sim.play(loop, afresh)
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, 'streamed')
        const next = followUp(body, first, ['A'])
        const messages = next.messages as object[]
        if (change === 'call')
          next.messages = JSON.parse(
            JSON.stringify(messages).replace('{\\"path\\":\\"a\\"}', '{\\"path\\":\\"b\\"}'),
          )
        else if (change === 'edited') next.messages = [user('read something else'), ...messages.slice(1)]
        else if (change === 'model') next.model = 'cursor/default'
        else next.messages = [user('earlier'), { role: 'assistant', content: 'yes' }, ...messages]
        const second = await answerOf(bench.url, next, 'streamed')
        expect(second).toMatchObject({ text: 'afresh', session: 'fresh' })
        // With another model the same conversation went on; of the others, the run's own client may still come.
        if (change === 'model') {
          expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
          continue
        }
        const own = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
        expect(own).toMatchObject({ text: 'live', session: 'live' })
      }
    })

    it('a new question instead of results abandons the run', async () => {
      bench.sim.play(loop, afresh)
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A'])
      next.messages = [...(next.messages as object[]), user('never mind, hello')]
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'afresh', session: 'fresh' })
      expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
    })
  })
}

it('nothing is kept with sessions.reuse off', async () => {
  const bench = await startCursorBench({ settings: { sessions: { reuse: false } } })
  bench.sim.play(loop, afresh)
  const body = askCursor('read it')
  const first = await answerOf(bench.url, body, 'streamed')
  expect(first.calls).toHaveLength(1)
  expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
  const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
  expect(second).toMatchObject({ text: 'afresh', session: 'fresh' })
  await bench.close()
})

it('a run that waits too long expires; if there are too many, the oldest goes first', async () => {
  const bench = await startCursorBench({ settings: { sessions: { idleMs: 300, max: 1 } } })
  bench.sim.play(loop, loop)
  await answerOf(bench.url, askCursor('one'), 'streamed')
  await answerOf(bench.url, askCursor('two'), 'streamed')
  expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
  expect(await bench.sim.runs[1]?.waitForClose()).toBe('by-client')
  await bench.close()
})

it('another key cannot take a run over', async () => {
  const sim = await startCursorSim()
  const keys = [
    { name: 'alice', key: 'alice-key-123456' },
    { name: 'bob', key: 'bob-key-12345678' },
  ]
  const cursor = { kind: 'cursor', baseUrl: sim.url, apiKey: 'crsr_x', transport: 'http2' }
  const bench = await startBench({ settings: { backends: { cursor } }, gateway: { keys } })
  sim.play(loop, afresh)
  const body = askCursor('read it')
  const first = await chatStream(bench.url, body, { authorization: 'Bearer alice-key-123456' })
  const next = followUp(body, { calls: first.calls, text: first.text }, ['A'])
  const stolen = await chatStream(bench.url, next, { authorization: 'Bearer bob-key-12345678' })
  expect([stolen.text, stolen.headers.get('x-dragoman-session')]).toEqual(['afresh', 'fresh'])
  const own = await chatStream(bench.url, next, { authorization: 'Bearer alice-key-123456' })
  expect([own.text, own.headers.get('x-dragoman-session')]).toEqual(['live', 'live'])
  await bench.close()
  await sim.close()
})
