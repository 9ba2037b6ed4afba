// T64: an answer that ends with only some of its calls, because the rest took a moment. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { transports, useCursorBench } from '../cursor-bench.ts'
import { spread } from '../depth.ts'
import { ask, type Call, doorNames, type Turn } from '../faults/doors.ts'

const model = 'cursor/composer-2'
const first: Turn[] = [{ user: 'read them' }]
const withResults = (calls: readonly Call[]): Turn[] => [
  ...first,
  { text: '', calls },
  { results: calls.map(({ id }) => ({ id, content: 'alpha' })) },
]
/** Longer than the gateway waits for a stream to become quiet. */
const pause: CursorStep = { wait: 400 }
const read = (path: string): CursorStep => ({ exec: { mcp: { name: 'read', args: { path } } } })
const pathsOf = (calls: readonly Call[]) => calls.map(({ input }) => JSON.parse(input).path)

for (const transport of transports)
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })

    for (const door of spread(doorNames, 4))
      for (const [form, stream] of [
        ['streamed', true],
        ['whole', false],
      ] as const)
        it(`T64: all announced calls are one answer, ${door}, ${form}`, async () => {
          bench.sim.play([{ listed: 2 }, read('a'), pause, read('b'), { await: 'results' }, { say: 'done' }])
          const called = await ask(bench.url, door, { model, turns: first, stream })
          expect(pathsOf(called.calls)).toEqual(['a', 'b'])
          const turns = withResults(called.calls)
          const said = await ask(bench.url, door, { model, turns, stream })
          expect(said).toMatchObject({ status: 200, text: 'done', problems: [] })
          expect(bench.sim.runs).toHaveLength(1)
        })

    it.each([
      ['too many', { listed: 5 }],
      ['none', { listed: 0 }],
      ['nothing', { listed: false }],
    ] as const)('T64: %s said, and the answer still comes to its end', async (_, listed) => {
      bench.sim.play([listed, read('a'), read('b'), { await: 'results' }, { say: 'done' }])
      const called = await ask(bench.url, 'chat', { model, turns: first, stream: true })
      expect(pathsOf(called.calls)).toEqual(['a', 'b'])
      const said = await ask(bench.url, 'chat', { model, turns: withResults(called.calls), stream: true })
      expect(said.text).toBe('done')
    })
  })
