// T62: models that have Cursor's own tools use those, and the client's agent gets an empty turn or the wrong tools. docs/wire-cases.md
// explains it.

import { describe, expect, it } from 'vitest'
import type { CursorSim } from '../../sim/cursor.ts'
import { builtInTools } from '../../src/protocols/cursor-agent/built-in-tools.ts'
import { answerOf, askCursor, startCursorBench, transports, useCursorBench } from '../cursor-bench.ts'
import { spread } from '../depth.ts'
import { ask, type Call, doorNames, type Turn } from '../faults/doors.ts'

const model = 'cursor/composer-2'
const first: Turn[] = [{ user: 'Read a.txt' }]
const withResults = (calls: readonly Call[]): Turn[] => [
  ...first,
  { text: '', calls },
  { results: calls.map(({ id }) => ({ id, content: 'alpha' })) },
]
const forms = [
  ['streamed', true],
  ['whole', false],
] as const

/** Of all requests of runs: the allowed tools, and the excluded ones. */
const headersOf = ({ requests, runs }: CursorSim) => {
  const ids = runs.map(({ requestId }) => requestId)
  const ofRuns = requests.filter(({ headers }) => ids.includes(String(headers['x-request-id'])))
  const lists = ofRuns.map(({ headers }) => [
    headers['x-cursor-agent-allowed-tools'],
    headers['x-cursor-agent-exclude-tools'],
  ])
  return [...new Set(lists.map((list) => JSON.stringify(list)))].map((text) => JSON.parse(text))
}
const clientTools = 'mcp_tool_call,get_mcp_tools_tool_call'

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    for (const [setting, kind, allowed] of [
      ['hide', 'mcpArgs', clientTools],
      ['redirect', 'readArgs', null],
    ] as const)
      describe(setting, () => {
        const bench = useCursorBench({ transport, backend: { nativeTools: setting } })

        for (const door of spread(doorNames, 4))
          for (const [form, stream] of forms)
            it(`T62: the client's tool does the work, ${door}, ${form}`, async () => {
              const called = await ask(bench.url, door, { model, turns: first, stream })
              expect(called.calls.map(({ name }) => name)).toEqual(['read'])
              const turns = withResults(called.calls)
              const said = await ask(bench.url, door, { model, turns, stream })
              expect(said).toMatchObject({ status: 200, text: 'a.txt begins: alpha', problems: [] })
              expect(bench.sim.runs[0]?.asked).toEqual(['requestContextArgs', kind])
              expect(headersOf(bench.sim)).toEqual([[allowed, null]])
            })

        it.each([
          ['without tools', { tools: undefined }],
          ['with tool_choice none', { tool_choice: 'none' }],
        ])('T62: %s there is none at all', async (_, more) => {
          const answer = await answerOf(bench.url, askCursor('Read a.txt', more), 'whole')
          expect(answer).toMatchObject({ status: 200, calls: [], finish: 'stop' })
          expect(headersOf(bench.sim)).toEqual([[setting === 'hide' ? '' : null, null]])
        })
      })

    it('T62: a tool of Cursor that comes all the same is redirected', async () => {
      const bench = await startCursorBench({ transport, sim: { toolset: 'leaky' } })
      const called = await ask(bench.url, 'chat', { model, turns: first, stream: true })
      expect(called.calls.map(({ name }) => name)).toEqual(['read'])
      expect(bench.sim.runs[0]?.asked).toContain('readArgs')
      await bench.close()
    })

    for (const [form] of forms)
      it(`T62: a tool that the service requires is allowed after its refusal, ${form}`, async () => {
        const withClientTools = ['get_mcp_tools_tool_call', 'read_tool_call']
        const bench = await startCursorBench({ transport, sim: { requiredTools: { withClientTools } } })
        const answer = await answerOf(bench.url, askCursor('Read a.txt'), form)
        expect(answer).toMatchObject({ status: 200, finish: 'tool_calls' })
        expect(answer.notes).toContain('read_tool_call')
        expect(bench.sim.runs).toHaveLength(2)
        bench.sim.clear()
        const next = await answerOf(bench.url, askCursor('Read b.txt'), form)
        expect(next).toMatchObject({ status: 200, finish: 'tool_calls' })
        expect(next.notes).not.toContain('read_tool_call')
        expect(headersOf(bench.sim)).toEqual([[`${clientTools},read_tool_call`, null]])
        expect(bench.sim.violations).toEqual([])
        await bench.close()
      })

    it('T62: where none may be allowed, all are excluded', async () => {
      const sim = { requiredTools: { withoutClientTools: ['read_tool_call'] } }
      const bench = await startCursorBench({ transport, sim })
      const body = askCursor('Hello', { tools: undefined })
      const answer = await answerOf(bench.url, body, 'streamed')
      expect(answer).toMatchObject({ status: 200, finish: 'stop' })
      bench.sim.clear()
      await answerOf(bench.url, body, 'streamed')
      expect(headersOf(bench.sim)).toEqual([[null, builtInTools.join()]])
      expect(bench.sim.runs).toHaveLength(1)
      await bench.close()
    })

    it('T62: a service that is never content is tried twice, not for ever', async () => {
      const withClientTools = ['get_mcp_tools_tool_call', 'a_tool_call', 'b_tool_call', 'c_tool_call']
      const bench = await startCursorBench({
        transport,
        sim: { requiredTools: { withClientTools } },
        gateway: {
          retryPolicy: { retries: 0, baseDelayMs: 1, longestWaitMs: 0, longestWaitBesideOthersMs: 0 },
        },
      })
      const answer = await answerOf(bench.url, askCursor('Read a.txt'), 'whole')
      expect(answer.status).toBe(502)
      expect(answer.error?.message).toContain('Required tool B not found')
      expect(bench.sim.runs).toHaveLength(2)
      await bench.close()
    })
  })
}
