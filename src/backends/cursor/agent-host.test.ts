import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { GetServerConfigResponseSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import { AgentHosts } from './agent-host.ts'
import type { Rpc } from './rpc.ts'

const home = 'https://api2.cursor.sh'

function hosts(
  reply: { agentUrl?: string; agentnUrl?: string; http2Config?: number } | GatewayError,
  { baseUrl = home, privacy = true }: { baseUrl?: string; privacy?: boolean } = {},
) {
  let now = 0
  let asked = 0
  const rpc: Rpc = {
    async call<Out extends DescMessage>(): Promise<MessageShape<Out>> {
      asked++
      if (reply instanceof GatewayError) throw reply
      const { http2Config = 0, ...agentUrlConfig } = reply
      return create(GetServerConfigResponseSchema, {
        http2Config,
        agentUrlConfig,
      }) as unknown as MessageShape<Out>
    },
    json: () => Promise.reject(new Error('not used')),
  }
  const found = new AgentHosts({ baseUrl, privacy, rpc, now: () => now })
  return {
    found,
    get asked() {
      return asked
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('the agent host', () => {
  it('matches the privacy mode', async () => {
    const urls = { agentUrl: 'https://agent.api5.cursor.sh', agentnUrl: 'https://agentn.api5.cursor.sh/' }
    expect((await hosts(urls).found.find()).baseUrl).toBe('https://agent.api5.cursor.sh')
    expect((await hosts(urls, { privacy: false }).found.find()).baseUrl).toBe('https://agentn.api5.cursor.sh')
  })

  it('has alternatives: the other named host, then the base URL', async () => {
    const urls = { agentUrl: 'https://agent.api5.cursor.sh', agentnUrl: 'https://agentn.api5.cursor.sh/' }
    expect((await hosts(urls).found.find()).others).toEqual(['https://agentn.api5.cursor.sh', home])
    const odd = { agentUrl: 'https://agent.example.com', agentnUrl: 'https://agentn.api5.cursor.sh' }
    expect(await hosts(odd).found.find()).toMatchObject({
      baseUrl: 'https://agentn.api5.cursor.sh',
      others: [home],
    })
    expect((await hosts({}).found.find()).others).toEqual([])
  })

  it.each([
    'https://agent.example.com',
    'https://cursor.sh.example.com',
    'https://evilcursor.sh',
    'http://agent.api5.cursor.sh',
    'https://user:pass@agent.api5.cursor.sh',
    'https://agent.api5.cursor.sh@example.com',
    'http://127.0.0.1:9999',
    'file:///etc/passwd',
    'not a url',
    '',
  ])('is never %s', async (agentUrl) => {
    expect((await hosts({ agentUrl }).found.find()).baseUrl).toBe(home)
  })

  it.each(['https://agent.api5.cursor.sh', 'http://example.com'])(
    'of another service than Cursor is its own: not %s',
    async (agentUrl) => {
      const baseUrl = 'https://gateway.example'
      expect((await hosts({ agentUrl }, { baseUrl }).found.find()).baseUrl).toBe(baseUrl)
    },
  )

  it('is asked for once, again after a while, and sooner after a failure', async () => {
    const good = hosts({})
    await Promise.all([good.found.find(), good.found.find()])
    await good.found.find()
    expect(good.asked).toBe(1)
    good.pass(31 * 60_000)
    await good.found.find()
    expect(good.asked).toBe(2)
    const bad = hosts(new GatewayError('upstream-unavailable', 'down'))
    expect(await bad.found.find()).toMatchObject({ baseUrl: home, http2: 'open' })
    bad.pass(61_000)
    await bad.found.find()
    expect(bad.asked).toBe(2)
  })

  it.each([
    [0, 'open'],
    [1, 'forbidden'],
    [2, 'demanded'],
    [3, 'forbidden'],
    [4, 'demanded'],
    [9, 'open'],
  ])('has HTTP/2 setting %i: %s', async (http2Config, http2) => {
    expect((await hosts({ http2Config }).found.find()).http2).toBe(http2)
  })
})

const hostFor = async (baseUrl: string, agentUrl: string) =>
  (await hosts({ agentUrl }, { baseUrl }).found.find()).baseUrl

const service = 'https://api2.cursor.sh'
const local = 'http://127.0.0.1:4000'

it.each([
  [service, 'https://agent.api5.cursor.sh'],
  [service, 'https://AGENT.api5.Cursor.SH'],
  [local, 'http://127.0.0.1:4001'],
  [local, 'http://localhost:4001'],
  [local, 'http://[::1]:4001'],
])('from %s the token goes to %s', async (baseUrl, named) => {
  expect(await hostFor(baseUrl, named)).toBe(named)
})

it.each([
  [service, 'http://agent.api5.cursor.sh'],
  [service, 'https://cursor.sh.example.com'],
  [service, 'https://evilcursor.sh'],
  [service, 'https://agent.cursor.sh.'],
  [service, 'https://agent.cursor.sh@example.com'],
  [service, 'https://me@agent.cursor.sh'],
  [service, 'https://:secret@agent.cursor.sh'],
  [service, 'https://example.com/.cursor.sh'],
  [service, 'https://example.com#.cursor.sh'],
  [service, 'https://127.0.0.1'],
  [service, 'wss://agent.cursor.sh'],
  [service, '//agent.cursor.sh'],
  [local, 'https://agent.api5.cursor.sh'],
  [local, 'http://127.0.0.1.example.com'],
  [local, 'http://192.168.0.1'],
  ['https://gateway.example.com', 'https://agent.api5.cursor.sh'],
])('from %s the token does not go to %s', async (baseUrl, named) => {
  expect(await hostFor(baseUrl, named)).toBe(baseUrl)
})
