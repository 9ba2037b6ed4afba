// The plugin in a host that does what OpenCode does, on simulators.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import type { HostAuth } from '../../src/plugin/host.ts'
import { isNightly } from '../depth.ts'
import { startUpstream } from '../end-to-end/wire.ts'
import { FakeHost, plugins, type Started } from './fake-host.ts'

const { DragomanCursor, DragomanAnthropic, DragomanOpenAI, Dragoman } = plugins
const id = 'dragoman-cursor'
const key = 'crsr_typed_canary_5772156649'
const address = 'http://dragoman.internal/v1/chat/completions'

let host: FakeHost
let sim: CursorSim
let options: Record<string, unknown>

beforeEach(async () => {
  host = new FakeHost()
  sim = await startCursorSim({ apiKey: key })
  options = { cursor: { baseUrl: sim.url, websiteUrl: sim.url } }
})
afterEach(async () => {
  await host.close()
  await sim.close()
})

const asking = (model: string, content: string, more: Record<string, unknown> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'user-agent': 'opencode/1.18.33' },
  body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }], ...more }),
})
const withKey = () => host.keep({ [id]: { type: 'api', key } })
const startCursor = () => host.start(DragomanCursor, options)

it('the main module has nothing but plugins, one for each provider', async () => {
  expect(Object.values(plugins).every((plugin) => typeof plugin === 'function')).toBe(true)
  const hooks = await Promise.all(Object.values(plugins).map((plugin) => plugin({ directory: '/' })))
  expect(hooks.map(({ auth }) => auth?.provider).toSorted()).toEqual([
    'dragoman-anthropic',
    'dragoman-cursor',
    'dragoman-openai',
    undefined,
  ])
  expect(hooks.flatMap(({ auth }) => auth?.methods.map(({ label }) => label) ?? []).toSorted()).toEqual([
    'Anthropic API key',
    'Cursor API key',
    'Cursor account (browser)',
    'OpenAI-compatible server',
  ])
})

describe('registration', () => {
  it('without a credential there is neither a provider nor a loader, and no request', async () => {
    const { hooks, config } = await startCursor()
    expect(config.provider).toBeUndefined()
    expect(hooks.auth?.loader).toBeUndefined()
    expect(sim.requests).toEqual([])
    expect(host.logged).toEqual([])
  })

  it('with a key there are the models that the account has now, with what they can do', async () => {
    withKey()
    const started = await startCursor()
    expect(started.provider(id)).toMatchObject({
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: 'http://dragoman.internal/v1' },
    })
    expect(started.models(id)['composer-2']).toMatchObject({
      id: 'cursor/composer-2',
      name: 'Composer 2',
      tool_call: true,
      attachment: true,
      reasoning: false,
      limit: { context: 200_000 },
    })
    expect(await started.hooks.auth?.loader?.()).toMatchObject({ fetch: started.fetch(id) })
    // Neither the provider nor the loader's answer holds the key.
    expect(JSON.stringify(started.config)).not.toContain(key)
  })

  it.each([{ disabled_providers: [id] }, { enabled_providers: ['other'] }])(
    'nobody is asked for what the user does not want: %j',
    async (config) => {
      withKey()
      expect((await host.start(DragomanCursor, options, config)).config.provider).toBeUndefined()
      expect(sim.requests).toEqual([])
    },
  )

  it('a variable is a credential, too', async () => {
    vi.stubEnv('CURSOR_API_KEY', key)
    expect(Object.keys((await startCursor()).models(id))).toContain('composer-2')
  })

  it('what the user has written for the provider comes first, field by field', async () => {
    withKey()
    const own = { name: 'Mine', models: { 'composer-2': { limit: { context: 9, output: 9 } }, extra: {} } }
    const started = await host.start(DragomanCursor, options, { provider: { [id]: own } })
    expect(started.provider(id)?.name).toBe('Mine')
    expect(started.models(id)['composer-2']).toMatchObject({ name: 'Composer 2', limit: { context: 9 } })
    expect(Object.keys(started.models(id))).toContain('extra')
  })

  it('but not where it is called, nor with what: OpenCode would send the key there', async () => {
    withKey()
    const own = { options: { baseURL: 'https://elsewhere.example', apiKey: '', timeout: 9 } }
    const started = await host.start(DragomanCursor, options, { provider: { [id]: own } })
    expect(started.provider(id)?.options).toMatchObject({
      baseURL: 'http://dragoman.internal/v1',
      apiKey: 'in-process',
      timeout: 9,
    })
  })

  it('an entry of its name that is not this one is taken out, for the same reason', async () => {
    withKey()
    const own = { options: { baseURL: 'https://elsewhere.example' }, models: { auto: {} } }
    const { config } = await host.start(DragomanCursor, { cursr: {} }, { provider: { [id]: own, other: {} } })
    expect(config.provider).toEqual({ other: {} })
  })

  it('the last list serves while the service cannot be asked', async () => {
    withKey()
    await (await startCursor()).hooks.dispose()
    await sim.close()
    const started = await startCursor()
    expect(Object.keys(started.models(id))).toContain('composer-2')
    expect(host.logged.at(-1)?.message).toMatch(/could not be reached/)
    expect(host.toasts).toEqual([])
  })

  it('a service that was never listed has the one model that every account has, and the user is told', async () => {
    host.keep({ [id]: { type: 'api', key: 'crsr_of_somebody_else' } })
    const started = await startCursor()
    expect(Object.keys(started.models(id))).toEqual(['auto'])
    expect(host.toasts).toEqual([expect.stringMatching(/the API key was refused by Cursor \(HTTP 401\)/)])
    const answer = await started.fetch(id)(address, asking('cursor/auto', 'hi'))
    expect(answer.status).toBe(502)
    const { error } = (await answer.json()) as { error: { message: string } }
    expect(error.message).toMatch(/the API key was refused .* run `opencode auth login`/)
  })

  it.each([
    [{ cursr: {} }, /options cannot be used.*cursr/],
    [{ cursor: { baseUrl: 'nowhere' } }, /baseUrl/],
    [{ cursor: { transport: 'http3' } }, /transport/],
  ])('options %j are refused in words, and OpenCode goes on', async (wrong, words) => {
    withKey()
    const { config } = await host.start(DragomanCursor, wrong)
    expect(config.provider).toBeUndefined()
    expect(host.toasts).toEqual([expect.stringMatching(words)])
  })
})

describe('several providers and backends', () => {
  const listOf = (...ids: string[]) => JSON.stringify({ data: ids.map((id) => ({ id, type: 'model' })) })
  const serverOf = (respond: (path: string) => string | Promise<string>) =>
    startUpstream(async (request, response) => {
      const body = await respond(request.url ?? '')
      response.writeHead(body === '' ? 500 : 200, { 'content-type': 'application/json' })
      response.end(body)
    })
  const keyFor = (url: string): HostAuth => ({
    type: 'api',
    key: 'k-canary',
    metadata: { baseUrl: `${url}/v1` },
  })

  it('are asked at the same time', async () => {
    let asked = 0
    let allCame: () => void = () => undefined
    const all = new Promise<void>((resolve) => {
      allCame = resolve
    })
    // Answers only after both have asked.
    const server = await serverOf(async () => {
      if (++asked === 2) allCame()
      await all
      return listOf('a-model')
    })
    host.keep({
      'dragoman-anthropic': { type: 'api', key: 'k-canary' },
      'dragoman-openai': keyFor(server.url),
    })
    const [started] = await host.startAll([DragomanAnthropic, DragomanOpenAI], {
      anthropic: { baseUrl: server.url },
    })
    expect(Object.keys(started?.config.provider ?? {}).toSorted()).toEqual([
      'dragoman-anthropic',
      'dragoman-openai',
    ])
    expect(host.toasts).toEqual([])
    await server.close()
  })

  it('what is wrong for all of them is said once', async () => {
    await host.startAll(Object.values(plugins), { cursr: {} })
    expect(host.toasts).toEqual([expect.stringMatching(/options cannot be used.*cursr/)])
  })

  it('a list is of one address: another server has other models', async () => {
    const server = await serverOf(() => listOf('a-model'))
    host.keep({ 'dragoman-openai': keyFor(server.url) })
    expect((await host.start(DragomanOpenAI)).models('dragoman-openai')).toHaveProperty('a-model')
    host.keep({ 'dragoman-openai': keyFor('http://127.0.0.1:9') })
    expect((await host.start(DragomanOpenAI)).config.provider).toBeUndefined()
    expect(host.toasts).toEqual([expect.stringMatching(/dragoman-openai: .*could not be reached/)])
    await server.close()
  })

  it('a server without models says so', async () => {
    const server = await serverOf(() => listOf())
    host.keep({ 'dragoman-openai': keyFor(server.url) })
    expect((await host.start(DragomanOpenAI)).config.provider).toBeUndefined()
    expect(host.toasts).toEqual(['dragoman-openai: the service lists no models.'])
    await server.close()
  })

  describe('of one configuration', () => {
    const lists = { one: '', two: '' as string | Promise<string> }
    let server: Awaited<ReturnType<typeof serverOf>>
    beforeEach(async () => {
      server = await serverOf((path) => (path.startsWith('/one') ? lists.one : lists.two))
    })
    afterEach(() => server.close())

    const start = async (models: Record<string, string> = {}) => {
      const backend = (name: string) => ({ kind: 'openai', baseUrl: `${server.url}/${name}` })
      const backends = { one: backend('one'), two: backend('two') }
      host.write('config/dragoman/config.jsonc', { backends, models })
      return host.start(Dragoman)
    }
    const names = (started: Started) => Object.keys(started.models('dragoman')).toSorted()
    const startAndLeave = async (models?: Record<string, string>) => {
      const started = await start(models)
      await started.hooks.dispose()
      return names(started)
    }

    it('one that fails keeps its last list, the others have their new ones', async () => {
      Object.assign(lists, { one: listOf('a'), two: listOf('b') })
      expect(await startAndLeave()).toEqual(['one/a', 'two/b'])
      Object.assign(lists, { one: listOf('a', 'new'), two: '' })
      expect(await startAndLeave({ fast: 'one/new' })).toEqual(['fast', 'one/a', 'one/new', 'two/b'])
      Object.assign(lists, { one: '' })
      expect(await startAndLeave()).toEqual(['one/a', 'one/new', 'two/b'])
      expect(host.toasts).toEqual([])
    })

    it.runIf(isNightly)('one that is late hides no other, and its list is for the next start', async () => {
      Object.assign(lists, { one: listOf('a'), two: listOf('b') })
      await startAndLeave()
      let answer: (list: string) => void = () => undefined
      lists.one = listOf('a', 'new')
      lists.two = new Promise((resolve) => {
        answer = resolve
      })
      const started = await start()
      expect(names(started)).toEqual(['one/a', 'one/new', 'two/b'])
      expect(host.logged.at(-1)?.message).toMatch(/two: the models were not listed in time/)
      answer(listOf('late'))
      const kept = join(host.home, 'state/dragoman/opencode/dragoman.json')
      await expect.poll(() => readFileSync(kept, 'utf8')).toContain('late')
      await started.hooks.dispose()
      lists.two = ''
      expect(await startAndLeave()).toEqual(['one/a', 'one/new', 'two/late'])
    })
  })
})

describe("a stranger's repository", () => {
  const foreign = (source: string) => ({
    plugin_origins: [{ spec: ['file:///dragoman', options] as [string, typeof options], source }],
  })
  const inProject = () => join(host.home, 'project/opencode.json')

  it.each(['project/opencode.json', 'project/.opencode/opencode.json', 'config/opencode-not/opencode.json'])(
    'does not say where credentials go: %s',
    async (file) => {
      withKey()
      const { config } = await host.start(DragomanCursor, options, foreign(join(host.home, file)))
      expect(config.provider).toBeUndefined()
      expect(host.toasts).toEqual([expect.stringMatching(/"cursor" from .*A project must not say/)])
      expect(sim.requests).toEqual([])
    },
  )

  it.each([undefined, 'https://company.example/.well-known/opencode'])(
    'nor does whoever is not known: %s',
    async (source) => {
      withKey()
      const given = source === undefined ? { plugin_origins: [] } : foreign(source)
      expect((await host.start(DragomanCursor, options, given)).config.provider).toBeUndefined()
      expect(sim.requests).toEqual([])
    },
  )

  it('gets no login either', async () => {
    const { hooks } = await host.start(DragomanCursor, options, foreign(inProject()))
    const [method] = hooks.auth?.methods ?? []
    if (method?.type !== 'oauth') throw new Error('no such method')
    await expect(method.authorize()).rejects.toThrow(/A project must not say/)
  })

  it.each([
    ['OPENCODE_CONFIG', () => inProject()],
    ['OPENCODE_CONFIG_DIR', () => join(host.home, 'project')],
  ])('but may be made one of your own by %s', async (variable, path) => {
    withKey()
    vi.stubEnv(variable, path())
    const started = await host.start(DragomanCursor, options, foreign(inProject()))
    expect(Object.keys(started.models(id))).toContain('composer-2')
  })

  it('may do without a configuration', async () => {
    withKey()
    options = { config: false }
    const { hooks } = await host.start(Dragoman, options, foreign(inProject()))
    expect(host.toasts).toEqual([])
    await hooks.dispose()
  })
})
