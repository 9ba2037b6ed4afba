import { startGeminiSim } from '../../../sim/gemini.ts'
import { describeBackend } from '../../../test/contract/backend.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createGeminiBackend } from './backend.ts'

describeBackend({
  name: 'gemini',
  model: 'gemini-2.5-flash',
  badFrame: { raw: 'data: {"candidates":[{\r\n\r\n' },
  start: async (progressMs) => {
    const sim = await startGeminiSim({ apiKey: 'test-key' })
    const client = createUpstreamClient(sim.url)
    const backend = createGeminiBackend({
      name: 'google',
      client,
      apiKey: 'test-key',
      headers: {},
      progressMs,
      firstByteMs: 20_000,
    })
    return { backend, sim }
  },
  skip: [{ test: 'arguments as they come', reason: 'the service sends calls whole' }],
})
