import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test } from 'vitest'
import { GetUsableModelsResponseSchema } from '../../proto/gen/agent/v1/model_pb.ts'
import { GetServerConfigResponseSchema } from '../../proto/gen/aiserver/v1/service_pb.ts'
import { type CursorSim, type CursorSimOptions, startCursorSim } from '../cursor.ts'

let sim: CursorSim
afterEach(() => sim?.close())

async function start(options: CursorSimOptions = {}): Promise<void> {
  sim = await startCursorSim(options)
}

function post(path: string, bearer: string | undefined, body?: unknown, type = 'application/json') {
  return fetch(`${sim.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
    body: body === undefined ? '' : JSON.stringify(body),
  })
}

const EXCHANGE = '/auth/exchange_user_api_key'
const USABLE = '/agent.v1.AgentService/GetUsableModels'

describe('tokens', () => {
  test('are given for keys and look as they should', async () => {
    await start({ apiKey: 'crsr_right', tokenSeconds: 60 })
    expect((await post(EXCHANGE, 'crsr_wrong', {})).status).toBe(401)
    const tokens = (await (await post(EXCHANGE, 'crsr_right', {})).json()) as { accessToken: string }
    const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.exp - claims.iat).toBe(60)
    expect(sim.auth.exchanges).toBe(1)
    expect((await post(USABLE, tokens.accessToken, {})).status).toBe(200)
  })

  test('run out, and are renewed in all three known ways', async () => {
    await start()
    const { accessToken, refreshToken } = sim.auth.issue()
    sim.auth.expire()
    const refused = await post(USABLE, accessToken, {})
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({
      code: 'unauthenticated',
      details: [{ debug: { error: 12 } }],
    })
    const ways = [
      await post('/auth/token', undefined, { refreshToken }),
      await post('/auth/refresh', refreshToken),
      await post(EXCHANGE, refreshToken, {}),
    ]
    for (const way of ways) {
      const renewed = (await way.json()) as { accessToken: string }
      expect((await post(USABLE, renewed.accessToken, {})).status).toBe(200)
    }
    expect(sim.auth).toMatchObject({ refreshes: 3, exchanges: 0 })
    expect((await post('/auth/token', undefined, { refreshToken: 'other' })).status).toBe(401)
    sim.auth.revoke()
    expect((await post('/auth/refresh', refreshToken)).status).toBe(401)
  })
})

test('tokens of one simulator can be good on another', async () => {
  await start()
  const other = await startCursorSim({ auth: sim.auth })
  const { accessToken } = sim.auth.issue()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
  const answer = await fetch(`${other.url}${USABLE}`, { method: 'POST', headers, body: '{}' })
  expect(answer.status).toBe(200)
  await other.close()
})

describe('logins', () => {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')

  test('wait for the browser, then give tokens to the client that began them', async () => {
    await start()
    const uuid = randomUUID()
    const page = `/loginDeepControl?challenge=${challenge}&uuid=${uuid}&mode=login&redirectTarget=cli`
    const pending = await post('/auth/poll', undefined, { uuid, verifier })
    expect([pending.status, await pending.text()]).toEqual([404, 'Not found'])
    expect(await (await fetch(`${sim.url}${page}`)).text()).toContain('<button>')
    expect((await fetch(`${sim.url}/auth/poll?uuid=${uuid}&verifier=${verifier}`)).status).toBe(404)
    expect(await (await fetch(`${sim.url}${page}`, { method: 'POST' })).text()).toContain('Approved')
    expect((await post('/auth/poll', undefined, { uuid, verifier: 'other' })).status).toBe(403)
    const done = await fetch(`${sim.url}/auth/poll?uuid=${uuid}&verifier=${verifier}`)
    const tokens = (await done.json()) as { accessToken: string; refreshToken: string }
    expect((await post(USABLE, tokens.accessToken, {})).status).toBe(200)
    expect(sim.auth.polls).toBe(4)
  })

  test('are approved by the page itself, by the test, or at a certain poll', async () => {
    await start({ loginPolls: 2 })
    const poll = async (uuid: string) => (await post('/auth/poll', undefined, { uuid, verifier })).status
    await fetch(`${sim.url}/loginDeepControl?challenge=${challenge}&uuid=a&auto=1`)
    expect(await poll('a')).toBe(200)
    sim.auth.approveLogin('b')
    expect(await poll('b')).toBe(200)
    expect([await poll('c'), await poll('c')]).toEqual([404, 200])
    sim.auth.approveLogin()
    expect(await poll('d')).toBe(200)
    expect((await fetch(`${sim.url}/loginDeepControl`)).status).toBe(400)
  })
})

describe('models and settings', () => {
  test('are listed in every way', async () => {
    await start({ models: ['composer-2', 'gpt-5.2-high'] })
    const { accessToken } = sim.auth.issue()
    const proto = await post(USABLE, accessToken, undefined, 'application/proto')
    const { models } = fromBinary(GetUsableModelsResponseSchema, new Uint8Array(await proto.arrayBuffer()))
    expect(models.map(({ modelId, thinkingDetails }) => [modelId, thinkingDetails !== undefined])).toEqual([
      ['composer-2', false],
      ['gpt-5.2-high', true],
    ])
    const json = await post('/aiserver.v1.AiService/GetUsableModels', accessToken, {})
    expect(await json.json()).toMatchObject({ models: [{ modelId: 'composer-2' }, { thinkingDetails: {} }] })
    const available = await post('/aiserver.v1.AiService/AvailableModels', accessToken, {})
    expect(await available.json()).toMatchObject({
      models: [{ name: 'composer-2', contextTokenLimit: 200_000, supportsThinking: false }, {}],
    })
    const rest = await fetch(`${sim.url}/v1/models`, { headers: { authorization: 'Bearer crsr_key' } })
    expect(await rest.json()).toMatchObject({ items: [{ id: 'composer-2' }, { id: 'gpt-5.2-high' }] })
    expect((await fetch(`${sim.url}/v1/models`)).status).toBe(401)
  })

  test('say where and how to run', async () => {
    await start({ http2: 'forced', agentUrl: 'https://region.example' })
    const { accessToken } = sim.auth.issue()
    const path = '/aiserver.v1.ServerConfigService/GetServerConfig'
    const proto = await post(path, accessToken, undefined, 'application/proto')
    const config = fromBinary(GetServerConfigResponseSchema, new Uint8Array(await proto.arrayBuffer()))
    expect(config).toMatchObject({ http2Config: 2, agentUrlConfig: { agentnUrl: 'https://region.example' } })
    const json = await post(path, accessToken, { telem_enabled: false })
    expect(await json.json()).toMatchObject({ agentUrlConfig: { agentUrl: 'https://region.example' } })
  })

  test('other calls of the official client get an empty answer; others do not exist', async () => {
    await start()
    const { accessToken } = sim.auth.issue()
    const empty = await post('/aiserver.v1.AnalyticsService/BootstrapStatsig', accessToken, {})
    expect([empty.status, await empty.text()]).toEqual([200, '{}'])
    expect((await post('/agent.v1.AgentService/RunPoll', accessToken, {})).status).toBe(501)
    expect((await fetch(`${sim.url}/elsewhere`)).status).toBe(404)
    expect(sim.requests.map(({ path, http }) => [path.split('/').at(-1), http])).toEqual([
      ['BootstrapStatsig', '1.1'],
      ['RunPoll', '1.1'],
      ['elsewhere', '1.1'],
    ])
  })
})
