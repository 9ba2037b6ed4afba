// T56: addresses with parameters and keys in headers of their own, as Azure has them. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { upstreamKey } from '../harness.ts'
import { addresses, useServers } from '../server-bench.ts'
import { acceptedAt, askAt, doorForms } from './at-doors.ts'

const key = { authHeader: 'Api-Key' }
const bench = useServers({
  classic: {
    server: 'azure-classic',
    baseUrl: addresses['azure-classic'],
    settings: { ...key, query: { 'api-version': '2024-10-21', odd: 'ä &=' } },
  },
  v1: { server: 'azure', baseUrl: 'http://other.openai.azure.com/openai/v1', settings: key },
})

describe.each(doorForms)('T56: Azure ($door, stream $stream)', (at) => {
  it.each(['classic', 'v1'])('%s', async (name) => {
    const sim = bench.sims[name]
    const { sent } = await acceptedAt(bench.url, sim, at, { model: `${name}/gpt-4o` })
    const { headers, query } = sim?.requests.at(-1) ?? {}
    expect([headers?.['api-key'], headers?.authorization]).toEqual([upstreamKey, undefined])
    expect(sent.model).toBe('gpt-4o')
    expect(Object.fromEntries(query ?? [])).toEqual(
      name === 'v1' ? {} : { 'api-version': '2024-10-21', odd: 'ä &=' },
    )
  })
})

describe('T56: secrets', () => {
  it('a key in a custom header is in no answer and no log', async () => {
    bench.sims.v1?.play([
      { status: 401, body: { error: { message: `Access denied for api-key: ${upstreamKey}` } } },
    ])
    const { status, text } = await askAt(bench.url, { door: 'chat', stream: false }, { model: 'v1/gpt-4o' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toContain('upstream_credential_refused')
    expect(bench.logs.join()).toContain('Access denied')
    expect(text + bench.logs.join()).not.toContain(upstreamKey)
  })
})

describe('T56: listings', () => {
  it('have the parameters and the key, too', async () => {
    const response = await fetch(`${bench.url}/v1/models`)
    const { data } = (await response.json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['classic/gpt-5', 'v1/gpt-5']))
  })
})
