// The plugin in hosts like OpenCode 2, on simulators. The host's client of models is the AI SDK's, by a real connection.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, streamText, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import * as plugin from '../../src/plugin/opencode.ts'
import type { Cleanup, Context } from '../../src/plugin/opencode-2/host.ts'
import { FakeHost } from './fake-host.ts'
import { FakeHost2, type HostVersion } from './fake-host-2.ts'

const id = 'dragoman-cursor'
const key = 'crsr_typed_canary_5772156649'

let home: FakeHost
let sim: CursorSim
let options: Record<string, unknown>
const cleanups: Cleanup[] = []
const logged: string[] = []

beforeEach(async () => {
  home = new FakeHost()
  sim = await startCursorSim({ apiKey: key })
  options = { cursor: { baseUrl: sim.url, websiteUrl: sim.url } }
  ownConfig(options)
  logged.length = 0
  for (const level of ['warn', 'error', 'log', 'info'] as const)
    vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line)))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
  await home.close()
  await sim.close()
  vi.restoreAllMocks()
})

const ownConfig = (given: Record<string, unknown>) =>
  home.write('config/opencode/opencode.json', { plugin: [['file:///dragoman', given]] })
const hostOf = (version: HostVersion, more: Partial<ConstructorParameters<typeof FakeHost2>[1]> = {}) =>
  new FakeHost2(version, { directory: home.home, options, ...more })
async function load(host: FakeHost2): Promise<FakeHost2> {
  const cleanup = await host.load(plugin)
  if (cleanup) cleanups.push(cleanup)
  return host
}
function withKey(host: FakeHost2): FakeHost2 {
  host.credentials.set(id, { type: 'key', key })
  return host
}

/** As the host calls a model: address and key from the registered settings, headers from the hooks. */
function ask(
  host: FakeHost2,
  prompt: string,
  { provider = id, model = 'composer-2', sessionID = 's1' } = {},
) {
  const { settings } = host.providers.get(provider)?.provider ?? {}
  const sdk = createOpenAICompatible({
    name: provider,
    baseURL: String(settings?.baseURL),
    apiKey: host.keyFor(provider),
    headers: host.headersFor(provider, sessionID),
  })
  const sent = host.models(provider).find(({ id }) => id === model)?.modelID ?? ''
  return streamText({
    model: sdk(sent),
    prompt,
    maxRetries: 0,
    onError: () => undefined,
    tools: {
      look: tool({ inputSchema: jsonSchema<{ path: string }>({ properties: { path: { type: 'string' } } }) }),
    },
  })
}

it('the module has one export, which both versions take', () => {
  expect(Object.keys(plugin)).toEqual(['default'])
  const { id, server, setup } = plugin.default
  expect([id, typeof server, typeof setup]).toEqual(['dragoman', 'function', 'function'])
  expect(Object.keys(plugin.default)).toEqual(['id', 'server', 'setup'])
})

it('OpenCode 1 runs all providers of it, with the login of Cursor', async () => {
  home.keep({ [id]: { type: 'api', key }, 'dragoman-openai': { type: 'api', key: 'k' } })
  const started = await home.start(plugin.default.server, options)
  expect(started.hooks.auth?.provider).toBe(id)
  expect(started.hooks.auth?.methods).toHaveLength(2)
  expect(Object.keys(started.models(id))).toContain('composer-2')
  expect(await started.hooks.auth?.loader?.()).toMatchObject({ fetch: started.fetch(id) })
  // The others are asked for their settings as well.
  expect(home.toasts).toEqual([expect.stringMatching(/^dragoman-openai: the address of the server/)])
})

it('in OpenCode 1, setup registers nothing', async () => {
  const host = await load(withKey(hostOf('1.18.33')))
  expect([host.calls, cleanups, sim.requests]).toEqual([[], [], []])
})

describe.each(['2.0.4', '2.0.3'] as const)('OpenCode %s', (version) => {
  it('has the provider with its models, without the key', async () => {
    const host = await load(withKey(hostOf(version)))
    expect(host.failure).toBeUndefined()
    const { provider } = host.providers.get(id) ?? {}
    expect(provider).toMatchObject({
      id,
      name: 'Cursor (Dragoman)',
      activation: 'enabled',
      package: 'aisdk:@ai-sdk/openai-compatible',
      settings: { baseURL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/) },
    })
    expect(host.models(id).find((model) => model.id === 'composer-2')).toEqual({
      id: 'composer-2',
      modelID: 'cursor/composer-2',
      providerID: id,
      name: 'Composer 2',
      capabilities: { tools: true, input: ['text', 'image'], output: ['text'] },
      variants: [],
      time: { released: 0 },
      cost: [],
      status: 'active',
      enabled: true,
      limit: { context: 200_000, output: 32_000 },
    })
    expect(JSON.stringify([...host.providers])).not.toContain(key)
    expect(logged).toEqual([])
  })

  it('makes a tool call through it', async () => {
    const host = await load(withKey(hostOf(version)))
    const [call, ...others] = await ask(host, 'Call look with {"path":"a"}').toolCalls
    expect(call).toMatchObject({ toolName: 'look', input: { path: 'a' } })
    expect(others).toEqual([])
    expect(sim.violations).toEqual([])
    // The gateway knows where the client works.
    expect(sim.runs[0]?.context?.env?.workspacePaths).toEqual([home.home])
  })

  it('has the logins', async () => {
    const host = await load(hostOf(version))
    const methods = host.methods.map(({ integrationID, method }) => [integrationID, method])
    expect(methods).toEqual([
      [id, { id: 'browser', type: 'oauth', label: 'Cursor account (browser)' }],
      [id, { type: 'key', label: 'Cursor API key' }],
      [id, { type: 'env', names: ['CURSOR_API_KEY'] }],
      ['dragoman-anthropic', { type: 'key', label: 'Anthropic API key' }],
      ['dragoman-openai', expect.objectContaining({ type: 'key', label: 'OpenAI-compatible server' })],
    ])
    expect(host.names.get(id)).toBe('Cursor (Dragoman)')
    expect(host.providers.size).toBe(0)
    expect(sim.requests).toEqual([])
  })

  it('a login counts at once, and so does its end', async () => {
    const host = await load(hostOf(version))
    host.connect(id, { type: 'key', key })
    await expect.poll(() => host.models(id).length).toBeGreaterThan(0)
    host.connect(id, undefined)
    await expect.poll(() => host.providers.size).toBe(0)
  })

  it('a project does not say where credentials go', async () => {
    ownConfig({})
    const host = await load(withKey(hostOf(version)))
    expect(host.providers.size).toBe(0)
    expect(sim.requests).toEqual([])
    expect(logged).toEqual([expect.stringMatching(/A project must not say where your credentials go/)])
  })

  it("an entry of the user's configuration with our name gets no key: neither with a provider here nor without", async () => {
    const configured = {
      [id]: { name: 'Mine', settings: { baseURL: 'https://elsewhere.example', timeout: 9 } },
    }
    const without = await load(hostOf(version, { configured }))
    expect(without.providers.get(id)?.provider.activation).toBe('disabled')
    const host = await load(withKey(hostOf(version, { configured })))
    expect(host.providers.get(id)?.provider).toMatchObject({ name: 'Mine', settings: { timeout: 9 } })
    expect((await ask(host, 'hi').text).length).toBeGreaterThan(0)
  })

  it('a gateway that runs by itself is left alone', async () => {
    home.write('config/dragoman/config.jsonc', {
      backends: { sub: { kind: 'cursor', baseUrl: sim.url, apiKey: key } },
    })
    const settings = { baseURL: 'http://127.0.0.1:18741/v1', apiKey: 'own' }
    const host = await load(hostOf(version, { configured: { dragoman: { settings } } }))
    expect(host.providers.get('dragoman')?.provider.settings).toEqual(settings)
    const alone = await load(hostOf(version))
    expect(alone.models('dragoman').map((model) => model.id)).toContain('sub/composer-2')
  })
})

describe('one failure leaves the rest in place', () => {
  const refuse = () => {
    throw new Error('not in this version')
  }

  it.each<[string, Partial<Context>]>([
    ['integration', { integration: { transform: refuse } }],
    ['session', { session: { hook: refuse } }],
    ['event', { event: { subscribe: refuse } }],
    ['no integration', { integration: undefined }],
  ])('of %s', async (_what, broken) => {
    vi.stubEnv('CURSOR_API_KEY', key)
    const host = await load(hostOf('2.0.4', { broken }))
    expect(host.models(id).map((model) => model.id)).toContain('composer-2')
  })

  it('of the list: the host does not switch the plugin off', async () => {
    const host = withKey(hostOf('2.0.4'))
    const transform = host.context.provider?.transform
    host.context.provider = {
      transform: (change) => transform!((editor) => change({ ...editor, add: refuse })),
    }
    await load(host)
    expect(host.failure).toBeUndefined()
    expect(logged).toEqual([expect.stringMatching(/dragoman-cursor: OpenCode does not take it: not in this/)])
    expect(host.methods.length).toBeGreaterThan(0)
  })
})

describe('logins', () => {
  it('by browser: kept by dragoman, and the placeholder is never sent as a key', async () => {
    const host = await load(hostOf('2.0.4'))
    const method = host.methods.find((one) => one.method.type === 'oauth')
    if (!method || !('authorize' in method)) throw new Error('no such method')
    const { url, callback, mode } = await method.authorize()
    await fetch(`${url}&auto=1`)
    const credential = await callback
    expect(mode).toBe('auto')
    expect(credential).toMatchObject({ type: 'oauth', methodID: 'browser', access: 'kept by dragoman' })
    host.connect(id, credential)
    await expect.poll(() => host.models(id).length).toBeGreaterThan(0)
    expect((await ask(host, 'hi').text).length).toBeGreaterThan(0)
  })

  it('the answers of a form are used', async () => {
    const server = await startTextSim()
    const host = hostOf('2.0.4')
    const configuration = { baseUrl: `${server.url}/v1`, tools: 'text' }
    host.credentials.set('dragoman-openai', { type: 'key', key: 'none', configuration })
    await load(host)
    const form = host.methods.flatMap(({ method }) => (method.type === 'key' ? (method.form ?? []) : []))
    expect(form.map(({ key }) => key)).toEqual(Object.keys(configuration))
    expect(new RegExp(form[0]?.pattern ?? '').test(configuration.baseUrl)).toBe(true)
    expect(new RegExp(form[0]?.pattern ?? '').test('ftp://x')).toBe(false)
    expect(form[1]?.options?.map(({ value }) => value)).toEqual(['native', 'text'])
    const [model] = host.models('dragoman-openai')
    const { text } = ask(host, 'hi', { provider: 'dragoman-openai', model: model?.id ?? '' })
    expect((await text).length).toBeGreaterThan(0)
    await server.close()
  })

  it("Anthropic's models by Anthropic's own dialect", async () => {
    const anthropic = await startAnthropicSim({ apiKey: 'sk-ant-canary' })
    options = { anthropic: { baseUrl: anthropic.url } }
    ownConfig(options)
    const host = hostOf('2.0.4')
    host.credentials.set('dragoman-anthropic', { type: 'key', key: 'sk-ant-canary' })
    await load(host)
    const { provider } = host.providers.get('dragoman-anthropic') ?? {}
    expect(provider?.package).toBe('aisdk:@ai-sdk/anthropic')
    const answer = await fetch(`${provider?.settings?.baseURL}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': host.keyFor('dragoman-anthropic') },
      body: JSON.stringify({
        model: 'anthropic/claude-demo',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ type: 'message' })
    await anthropic.close()
  })
})

describe('the port', () => {
  it("is for this host's requests only", async () => {
    const host = await load(withKey(hostOf('2.0.4')))
    const { settings } = host.providers.get(id)?.provider ?? {}
    const models = (headers: Record<string, string>) =>
      fetch(`${settings?.baseURL}/models`, { headers }).then(({ status }) => status)
    expect(await models({})).toBe(401)
    expect(await models({ authorization: `Bearer ${key}` })).toBe(401)
    expect(await models({ authorization: `Bearer ${settings?.apiKey}x` })).toBe(401)
    expect(await models({ authorization: `Bearer ${settings?.apiKey}` })).toBe(200)
    expect(await models({ 'x-api-key': String(settings?.apiKey) })).toBe(200)
  })

  it('a cancel ends the run', async () => {
    const host = await load(withKey(hostOf('2.0.4')))
    sim.play({ steps: [{ say: 'Begun.' }, { wait: 60_000 }] })
    const { settings } = host.providers.get(id)?.provider ?? {}
    const stop = new AbortController()
    const answer = await fetch(`${settings?.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${settings?.apiKey}` },
      body: JSON.stringify({
        model: 'cursor/composer-2',
        stream: true,
        messages: [{ role: 'user', content: 'slowly' }],
      }),
      signal: stop.signal,
    })
    await answer.body?.getReader().read()
    stop.abort()
    await sim.runs[0]?.waitForClose()
  })

  it('two projects share one gateway and one port, each with its own key and folder', async () => {
    const other = `${home.home}/other`
    const first = await load(withKey(hostOf('2.0.4')))
    const second = await load(withKey(hostOf('2.0.4', { directory: other })))
    const of = (host: FakeHost2) => host.providers.get(id)?.provider.settings
    expect(of(second)?.baseURL).toBe(of(first)?.baseURL)
    expect(of(second)?.apiKey).not.toBe(of(first)?.apiKey)
    await ask(second, 'hi').text
    expect(sim.runs[0]?.context?.env?.workspacePaths).toEqual([other])
    // The key was exchanged once: there is one gateway.
    expect(sim.auth.exchanges).toBe(1)
    await cleanups.pop()?.()
    expect((await ask(first, 'hi').text).length).toBeGreaterThan(0)
    await cleanups.pop()?.()
    // The first may fail because its old connection is closed; the second needs a new one.
    await fetch(String(of(first)?.baseURL)).catch(() => undefined)
    await expect(fetch(String(of(first)?.baseURL))).rejects.toThrow()
  })

  it("sessions are the host's", async () => {
    const host = await load(withKey(hostOf('2.0.4')))
    expect(host.headersFor(id, 'ses_1')).toEqual({ 'x-session-id': 'ses_1' })
    expect(host.headersFor('other', 'ses_1')).toEqual({})
  })
})

it('options may be in the form of either version, in a file with comments', async () => {
  home.write(
    'config/opencode/opencode.json',
    `{ // mine\n "plugins": [${JSON.stringify({ package: 'dragoman-gateway', options })},] }`,
  )
  expect((await load(withKey(hostOf('2.0.4')))).models(id).length).toBeGreaterThan(0)
})

it('a module of version 1 is refused by the host, as the real one refuses it', async () => {
  const { plugins } = await import('./fake-host.ts')
  await expect(hostOf('2.0.4').load(plugins)).rejects.toThrow(/must export a default definition/)
})
