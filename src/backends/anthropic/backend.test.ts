import { startAnthropicSim } from '../../../sim/anthropic.ts'
import { describeBackend } from '../../../test/contract/backend.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createAnthropicBackend } from './backend.ts'
import { anthropicPlatform } from './own-platform.ts'

describeBackend({
  name: 'anthropic',
  model: 'claude-sonnet-4-5',
  reasoning: { reasoning: { effort: 'low' } },
  badFrame: { raw: 'event: content_block_delta\ndata: {"type":\n\n' },
  start: async (progressMs) => {
    const sim = await startAnthropicSim({ apiKey: 'test-key' })
    const client = createUpstreamClient(sim.url)
    const backend = createAnthropicBackend({
      name: 'claude',
      client,
      platform: anthropicPlatform({ name: 'claude', apiKey: 'test-key', host: 'api.anthropic.com' }),
      headers: {},
      promptCache: 'auto',
      progressMs,
      firstByteMs: 20_000,
    })
    return { backend, sim }
  },
})
