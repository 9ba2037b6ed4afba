import { expect } from 'vitest'
import { startQwenWebSim } from '../../../sim/qwen-web.ts'
import { type ContractSim, describeBackend } from '../../../test/contract/backend.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createQwenWebBackend } from './backend.ts'

async function start(progressMs: number) {
  const sim = await startQwenWebSim({ apiKey: 'test-token' })
  const backend = createQwenWebBackend({
    name: 'qwen',
    client: createUpstreamClient(sim.url),
    token: 'test-token',
    version: '0.2.81',
    headers: {},
    thinking: 'auto',
    deleteChats: false,
    toolText: { format: 'json', formats: {}, tag: 'use_tool', secondTry: true, systemRole: true },
    progressMs,
    firstByteMs: 20_000,
    busyWaitMs: 20,
  })
  const answers: ContractSim = {
    // Each request first creates a chat, which is not part of the contract.
    get requests() {
      return sim.requests.filter(({ path }) => path.endsWith('/completions'))
    },
    play: (steps) => sim.play(steps),
    clear: () => sim.clear(),
    async close() {
      expect(sim.violations).toEqual([])
      await sim.close()
    },
  }
  return { backend, sim: answers }
}

const gate = 'a page in place of an answer is the anti-bot gate: upstream-challenge'

describeBackend({
  name: 'qwen-web',
  model: 'qwen3-max',
  start,
  callId: () => expect.stringMatching(/^call_/),
  badFrame: { raw: 'data: {"choices":\n\n' },
  skip: [
    { test: 'an HTML page in place of an answer, streamed', reason: gate },
    { test: 'an HTML page in place of an answer, whole', reason: gate },
    { test: 'arguments as they come', reason: 'a call that is written as text counts when it is complete' },
  ],
})
