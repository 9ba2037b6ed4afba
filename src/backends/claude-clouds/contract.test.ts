// The contract of every backend, on both clouds. The simulators check every signature and token.

import { startBedrockSim } from '../../../sim/bedrock.ts'
import { startVertexSim } from '../../../sim/vertex.ts'
import { describeBackend } from '../../../test/contract/backend.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createAnthropicBackend } from '../anthropic/backend.ts'
import { authorisedClient } from './authorised-client.ts'
import { bedrockDecoder, bedrockPlatform, signingAuthority } from './bedrock.ts'
import { googleAuthority, vertexPlatform } from './vertex.ts'

const shared = { headers: {}, promptCache: 'auto', firstByteMs: 20_000 } as const
const account = {
  accessKeyId: 'AKIATESTTESTTEST',
  secretAccessKey: 'secret/of+the+test',
  sessionToken: 'session==',
}

describeBackend({
  name: 'bedrock',
  model: 'claude-sonnet-4-5',
  reasoning: { reasoning: { effort: 'low' } },
  badFrame: { raw: 'no frame of an event stream' },
  start: async (progressMs) => {
    const sim = await startBedrockSim({ region: 'eu-west-1', signers: [account] })
    const authority = signingAuthority({ get: async () => account, reject: () => false }, 'eu-west-1')
    const client = () =>
      authorisedClient(createUpstreamClient(sim.url), sim.url, authority, bedrockDecoder('cloud'))
    const platform = bedrockPlatform({ name: 'cloud', region: 'eu-west-1', profile: 'eu', control: client() })
    const backend = createAnthropicBackend({
      name: 'cloud',
      client: client(),
      platform,
      progressMs,
      ...shared,
    })
    return { backend, sim }
  },
})

describeBackend({
  name: 'vertex',
  model: 'claude-sonnet-4-5',
  reasoning: { reasoning: { effort: 'low' } },
  badFrame: { raw: 'event: content_block_delta\ndata: {"type":\n\n' },
  start: async (progressMs) => {
    const sim = await startVertexSim({ tokens: ['ya29.test'] })
    const token = { token: 'ya29.test' }
    const authority = googleAuthority({ get: async () => token, reject: () => false })
    const client = authorisedClient(createUpstreamClient(sim.url), sim.url, authority)
    const models = ['claude-sonnet-4-5']
    const platform = vertexPlatform({ name: 'cloud', project: 'my-project', region: 'us-east5', models })
    const backend = createAnthropicBackend({ name: 'cloud', client, platform, progressMs, ...shared })
    return { backend, sim }
  },
})
