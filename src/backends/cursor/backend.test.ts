import { expect } from 'vitest'
import { type CursorSim, startCursorSim } from '../../../sim/cursor.ts'
import { type ContractSim, describeBackend } from '../../../test/contract/backend.ts'
import { cursorBackend, toCursorStep } from '../../../test/cursor-backend.ts'

for (const transport of ['http2', 'sse'] as const) {
  describeBackend({
    name: `cursor over ${transport}`,
    model: 'composer-2',
    callId: () => expect.stringMatching(/^sess_[A-Za-z0-9]{12}__call_[a-z0-9]+$/),
    badFrame: { raw64: Buffer.from([0, 0, 0, 0, 2, 0xff, 0xff]).toString('base64') },
    start: async (progressMs) => {
      const sim = await startCursorSim()
      return { backend: cursorBackend(sim, { transport, progressMs }), sim: asContractSim(sim) }
    },
    skip: [{ test: 'arguments as they come', reason: 'the service asks for whole calls' }],
  })
}

function asContractSim(sim: CursorSim): ContractSim {
  return {
    play: (steps) => sim.play(steps.map(toCursorStep)),
    get requests() {
      return sim.runs.map((run) => ({
        waitForAbort: async () => {
          expect(await run.waitForClose()).toBe('by-client')
          return 0
        },
      }))
    },
    clear: () => sim.clear(),
    close: () => sim.close(),
  }
}
