// A metadata service that takes requests and never answers, through the whole gateway: a clear error in bounded time, a client that
// leaves does not wait for it, and no credential is in a log.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { startBedrockSim } from '../../sim/bedrock.ts'
import { startMetadataSim } from '../../sim/clouds/metadata.ts'
import { startVertexSim } from '../../sim/vertex.ts'
import { atTestEnd } from '../at-end.ts'
import { startGateway } from '../harness.ts'
import { until } from './wire.ts'

/** The limit of a credential is 10 s: the test fails if a request waits much longer. */
const boundMs = 50_000

async function start() {
  const metadata = await startMetadataSim({ hangs: true })
  atTestEnd(() => metadata.close())
  const { url, host } = metadata
  for (const [name, value] of Object.entries({
    AWS_ACCESS_KEY_ID: undefined,
    AWS_SECRET_ACCESS_KEY: undefined,
    AWS_PROFILE: undefined,
    GOOGLE_APPLICATION_CREDENTIALS: undefined,
    HOME: '/nonexistent',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
    GCE_METADATA_HOST: host,
    METADATA_SERVER_DETECTION: 'assume-present',
  }))
    vi.stubEnv(name, value)
  atTestEnd(() => void vi.unstubAllEnvs())
  const bedrock = await startBedrockSim({
    signers: [{ accessKeyId: 'AKIA', secretAccessKey: 'canary-secret' }],
  })
  const vertex = await startVertexSim({ tokens: ['canary-token'] })
  atTestEnd(() => Promise.all([bedrock.close(), vertex.close()]))
  const claude = { kind: 'anthropic' }
  const google = {
    provider: 'vertex',
    region: 'us-east5',
    project: 'my-project',
    models: ['claude-sonnet-5-5'],
  }
  const started = await startGateway({
    backends: {
      bedrock: { ...claude, provider: 'bedrock', region: 'us-east-1', baseUrl: bedrock.url },
      vertex: { ...claude, ...google, baseUrl: vertex.url },
    },
  })
  atTestEnd(() => started.gateway.close())
  return { ...started, metadata, sims: [bedrock, vertex] }
}

it('is an error that says where to look, for every request that waits', {
  timeout: 2 * boundMs,
}, async () => {
  const { url, logs, sims, metadata } = await start()
  const ask = async (cloud: string, stream: boolean, signal?: AbortSignal) => {
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: `${cloud}/claude-sonnet-5-5`, max_tokens: 9, stream },
        messages: [{ role: 'user', content: 'hello' }],
      }),
      ...(signal ? { signal } : {}),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const leaving = new AbortController()
  const left = ask('bedrock', true, leaving.signal).catch(() => 'left')
  const asked = ['bedrock', 'vertex'].flatMap((cloud) =>
    [true, false].map(async (stream) => ({ cloud, ...(await ask(cloud, stream)) })),
  )
  await until(() => metadata.asked.length >= 2)
  leaving.abort()
  expect(await left).toBe('left')
  const active = async () =>
    Number(/^dragoman_active_requests (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])
  // Those that stay, and the question.
  while ((await active()) !== 5) await sleep(20)
  for (const { cloud, status, text } of await Promise.all(asked)) {
    expect([cloud, status]).toEqual([cloud, 502])
    const what = cloud === 'bedrock' ? 'AWS credentials' : 'Google'
    expect(text).toMatch(new RegExp(`${cloud}: .*${what}`))
    expect(text).toMatch(/check |name a /)
  }
  // Nothing went out without a credential.
  expect(sims.flatMap(({ requests }) => [...requests])).toEqual([])
  expect(logs.join('\n')).not.toMatch(/canary/)
})
