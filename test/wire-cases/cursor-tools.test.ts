// T60 and T61: how Cursor comes to know and to call the client's tools, at every door and in both forms of answer.
// docs/wire-cases.md explains each case.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { transports, useCursorBench } from '../cursor-bench.ts'
import { spread } from '../depth.ts'
import { ask, type Call, type DoorName, doorNames, type Turn } from '../faults/doors.ts'

const model = 'cursor/composer-2'
const forms = [true, false]
const first: Turn[] = [{ user: 'Read a.txt' }]
const withResults = (calls: readonly Call[]): Turn[] => [
  ...first,
  { text: '', calls },
  { results: calls.map(({ id }) => ({ id, content: 'alpha' })) },
]

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport, sim: { mcpState: 'every' } })
    const converse = async (door: DoorName, stream: boolean) => {
      const called = await ask(bench.url, door, { model, turns: first, stream })
      const said = await ask(bench.url, door, { model, turns: withResults(called.calls), stream })
      return { called, said }
    }

    for (const door of spread(doorNames, 4))
      for (const stream of forms) {
        const form = stream ? 'streamed' : 'whole'

        it(`T60: the service gets the state of the tools before each call, ${door}, ${form}`, async () => {
          const read: CursorStep = { exec: { mcp: { name: 'read', args: { path: 'a.txt' } } } }
          bench.sim.play([
            read,
            { await: 'results' },
            { exec: { mcpState: {} } },
            { await: 'results' },
            { say: 'alpha' },
          ])
          const { called, said } = await converse(door, stream)
          expect(called).toMatchObject({ status: 200, complete: true, problems: [] })
          expect(said).toMatchObject({ status: 200, text: 'alpha', problems: [] })
          expect(bench.sim.runs).toHaveLength(1)
          expect(bench.sim.runs[0]?.thrown.size).toBe(0)
        })

        it(`T61: a tool that is called like one of Cursor's own works under its own name, ${door}, ${form}`, async () => {
          bench.sim.play([
            {
              exec: {
                mcp: {
                  name: 'mcp_client_read',
                  providerIdentifier: 'client',
                  toolName: 'client-read',
                  args: { path: 'a' },
                },
              },
            },
            { await: 'results' },
            { say: 'alpha' },
          ])
          const { called, said } = await converse(door, stream)
          expect(called.calls.map(({ name }) => name)).toEqual(['read'])
          expect(said).toMatchObject({ status: 200, text: 'alpha', problems: [] })
          const [offered] = bench.sim.runs[0]?.request.mcpTools?.mcpTools ?? []
          expect([offered?.name, offered?.toolName]).toEqual(['client-read', 'client-read'])
        })
      }

    it('T60: the service gets the state while the run waits for results', async () => {
      bench.sim.play([
        { exec: { mcp: { name: 'read', args: { path: 'a' } } } },
        { wait: 400 },
        { exec: { mcpState: { serverIdentifiers: ['client'] } } },
        { await: 'results' },
        { say: 'alpha' },
      ])
      const called = await ask(bench.url, 'chat', { model, turns: first, stream: false })
      const [run] = bench.sim.runs
      await expect.poll(() => run?.execResults.size).toBe(3)
      const said = await ask(bench.url, 'chat', { model, turns: withResults(called.calls), stream: false })
      expect(said.text).toBe('alpha')
    })
  })
}
