// T65: what the service says of itself in the stream of an answer. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { NOTICE } from '../../sim/cursor/asides.ts'
import { transports, useCursorBench } from '../cursor-bench.ts'
import { ask, doorNames } from '../faults/doors.ts'

for (const transport of transports)
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport, sim: { chatter: true } })

    for (const door of doorNames)
      for (const [form, stream] of [
        ['streamed', true],
        ['whole', false],
      ] as const)
        it(`T65: notices and unknown messages are not part of the answer, ${door}, ${form}`, async () => {
          bench.sim.play([{ say: 'The answer.' }, { end: true }])
          const asked = { model: 'cursor/default', turns: [{ user: 'Hello' }], stream }
          const answer = await ask(bench.url, door, asked)
          expect(answer).toMatchObject({ status: 200, text: 'The answer.', complete: true, problems: [] })
          expect(answer.headers['x-dragoman-notes']).toContain(NOTICE)
          expect(answer.headers['x-dragoman-notes']).toContain('answered by Composer 2')
        })
  })
