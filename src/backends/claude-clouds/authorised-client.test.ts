// Credentials that a cloud refuses while requests are under way. The simulators check every signature and token.

import { expect, it, vi } from 'vitest'
import { startBedrockSim } from '../../../sim/bedrock.ts'
import { startVertexSim } from '../../../sim/vertex.ts'
import { atTestEnd } from '../../../test/at-end.ts'
import { Latch } from '../../base/latch.ts'
import { createAwsKeys } from '../../credentials/aws-keys.ts'
import { createGoogleToken, type GoogleSettings } from '../../credentials/google-token.ts'
import { createUpstreamClient, type UpstreamClient, type UpstreamRequest } from '../../upstream/client.ts'
import { authorisedClient } from './authorised-client.ts'
import { signingAuthority } from './bedrock.ts'
import { googleAuthority } from './vertex.ts'

const region = 'us-east-1'
const keepSecret = () => undefined

async function onBedrock() {
  const keysOf = (number: number) => ({
    accessKeyId: `ASIA${number}`,
    secretAccessKey: 's',
    sessionToken: 't',
  })
  const options = { region, signers: [keysOf(1)] }
  const sim = await startBedrockSim(options)
  let issued = 1
  const load = vi.fn(async () => keysOf(issued))
  const loadLibrary = async () => ({ defaultProvider: () => load as never })
  const settings = {
    backend: 'cloud',
    region,
    profile: 'p',
    variable: () => undefined,
    keepSecret,
    loadLibrary,
  }
  return {
    sim,
    authority: signingAuthority(await createAwsKeys(settings), region),
    path: '/model/us.anthropic.claude-sonnet-5-5/invoke',
    version: 'bedrock-2023-05-31',
    /** Issues new keys; `accepted`: the service takes them, and no others. */
    issue: (number: number, accepted = number) => {
      issued = number
      options.signers = [keysOf(accepted)]
    },
    loads: () => load.mock.calls.length,
  }
}

async function onVertex() {
  const options = { tokens: ['ya29.1'] }
  const sim = await startVertexSim(options)
  let issued = 1
  const load = vi.fn(async () => ({ token: `ya29.${issued}` }))
  class GoogleAuth {
    getClient = async () => ({ credentials: {}, getAccessToken: load })
  }
  const loadLibrary = (async () => ({ GoogleAuth })) as unknown as GoogleSettings['loadLibrary']
  const source = await createGoogleToken({ backend: 'cloud', project: 'my-project', keepSecret, loadLibrary })
  const model = 'locations/us-east5/publishers/anthropic/models/claude-sonnet-5-5'
  return {
    sim,
    authority: googleAuthority(source),
    path: `/v1/projects/my-project/${model}:rawPredict`,
    version: 'vertex-2023-10-16',
    issue: (number: number, accepted = number) => {
      issued = number
      options.tokens = [`ya29.${accepted}`]
    },
    loads: () => load.mock.calls.length,
  }
}

/** `onAnswer` delays the answer with this number. */
async function started(
  start: typeof onBedrock | typeof onVertex,
  onAnswer: (number: number) => Promise<void>,
) {
  const { sim, authority, path, version, ...cloud } = await start()
  const direct = createUpstreamClient(sim.url)
  atTestEnd(() => Promise.all([direct.close(), sim.close()]))
  let answers = 0
  const delayed: UpstreamClient = {
    ...direct,
    async request(asked) {
      const response = await direct.request(asked)
      await onAnswer(++answers)
      return response
    },
  }
  const client = authorisedClient(delayed, sim.url, authority)
  const body = { anthropic_version: version, max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] }
  const asked: UpstreamRequest = {
    ...{ method: 'POST', path, body: JSON.stringify(body) },
    ...{ headers: { 'content-type': 'application/json' }, signal: new AbortController().signal },
  }
  const ask = async () => {
    const response = await client.request(asked)
    response.body.drain(1_000)
    return response.status
  }
  return { ...cloud, ask, sent: () => sim.requests.length }
}

function gate() {
  const latch = new Latch()
  return { open: () => latch.trip(), opened: new Promise((resolve) => latch.on(resolve)) }
}

const clouds = [
  ['Bedrock', onBedrock],
  ['Vertex', onVertex],
] as const

it.each(clouds)('%s: requests whose credential is refused together are all sent again', async (_, start) => {
  const all = gate()
  // Nobody learns of the refusal before all five have met it.
  const { ask, issue, loads, sent } = await started(start, async (number) => {
    if (number === 6) all.open()
    if (number > 1 && number <= 6) await all.opened
  })
  expect(await ask()).toBe(200)
  issue(2)
  expect(await Promise.all(Array.from({ length: 5 }, ask))).toEqual([200, 200, 200, 200, 200])
  expect([sent(), loads()]).toEqual([11, 2])
})

it.each(clouds)('%s: a refusal that comes late does not discard a newer credential', async (_, start) => {
  const [met, late] = [gate(), gate()]
  const { ask, issue, loads } = await started(start, async (number) => {
    if (number !== 2) return
    met.open()
    await late.opened
  })
  expect(await ask()).toBe(200)
  issue(2)
  const delayed = ask()
  await met.opened
  expect(await ask()).toBe(200)
  late.open()
  expect(await delayed).toBe(200)
  expect(loads()).toBe(2)
})

it.each(clouds)('%s: a request is sent again once, and the next one loads anew', async (_, start) => {
  const { ask, issue, loads, sent } = await started(start, async () => undefined)
  expect(await ask()).toBe(200)
  issue(1, 2)
  expect(await ask()).toBeGreaterThan(400)
  expect([sent(), loads()]).toEqual([3, 2])
  issue(2)
  expect(await ask()).toBe(200)
  expect([sent(), loads()]).toEqual([5, 3])
})
