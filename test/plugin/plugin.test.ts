// The plugin in a host that does what OpenCode does, on simulators.

import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import type { HostAuth } from '../../src/plugin/host.ts'
import { backendSettings } from '../../src/plugin/settings.ts'
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

const toolOf = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
})
const look = toolOf('look')
const readFile = toolOf('read_file')
const asking = (model: string, content: string, more: Record<string, unknown> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'user-agent': 'opencode/1.18.33' },
  body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }], ...more }),
})
const withKey = () => host.keep({ [id]: { type: 'api', key } })
const startCursor = () => host.start(DragomanCursor, options)

it('the module has nothing but plugins, one for each provider', async () => {
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
  it('without a credential there is neither a provider nor a loader, and nobody is asked', async () => {
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
    // Answers nobody before both have asked.
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

    it('one that is late hides no other, and its list is for the next start', async () => {
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

describe('login by browser', () => {
  async function login(started: Started, confirm = (url: string) => fetch(`${url}&auto=1`)) {
    const method = started.hooks.auth?.methods[0]
    if (method?.type !== 'oauth') throw new Error('no such method')
    const { url, callback } = await method.authorize()
    await confirm(url)
    return callback()
  }

  it('is kept and renewed where the CLI keeps it; OpenCode gets no token', async () => {
    const entry = await login(await startCursor())
    expect(entry).toMatchObject({ access: 'kept by dragoman', refresh: 'kept by dragoman' })
    expect(entry.expires).toBeGreaterThan(Date.now())
    const store = join(host.home, 'data/dragoman/auth.json')
    expect(JSON.parse(readFileSync(store, 'utf8')).cursor[sim.url].accessToken).toMatch(/^ey/)
    const { type: _type, ...tokens } = entry
    host.keep({ [id]: { type: 'oauth', ...tokens } })
    // A variable that happens to be set does not come before the login that was chosen.
    vi.stubEnv('CURSOR_API_KEY', 'crsr_of_somebody_else')
    const started = await startCursor()
    sim.auth.expire()
    const answer = await started.fetch(id)(address, asking('cursor/composer-2', 'Say hello'))
    expect(await answer.text()).toContain('[DONE]')
    expect(sim.auth.refreshes).toBe(1)
  })

  it('that cannot be kept is said on the screen, which has no words of its own for it', async () => {
    const started = await startCursor()
    const store = host.write('data/dragoman/auth.json', { cursor: {} })
    const open = () => chmodSync(store, 0o644)
    await expect(login(started, async (url) => fetch(`${url}&auto=1`).finally(open))).rejects.toThrow()
    expect(host.toasts).toEqual([expect.stringMatching(/auth.json can be read by other users/)])
    await expect(login(started)).rejects.toThrow()
  })

  it('says whose it is, where that is not Cursor itself', async () => {
    const [method] = (await startCursor()).hooks.auth?.methods ?? []
    if (method?.type !== 'oauth') throw new Error('no such method')
    expect((await method.authorize()).instructions).toContain(`It is for ${sim.url}.`)
  })

  it('ends with OpenCode', async () => {
    const started = await startCursor()
    const leave = async () => void setTimeout(() => started.hooks.dispose(), 50)
    await expect(login(started, leave as never)).rejects.toThrow()
    expect(existsSync(join(host.home, 'data/dragoman/auth.json'))).toBe(false)
  })

  it('a login that is gone is said, not shown', async () => {
    host.keep({ [id]: { type: 'oauth', access: '', refresh: '', expires: 0 } })
    const { config } = await startCursor()
    expect(config.provider).toBeUndefined()
    expect(host.toasts).toEqual([expect.stringMatching(/is gone; run `opencode auth login`/)])
  })
})

describe('fetch', () => {
  it('answers with the gateway in this process: calls of the tools that the client offers', async () => {
    withKey()
    const started = await startCursor()
    const answer = await started.fetch(id)(
      address,
      asking('cursor/composer-2', 'Call look with {"path":"a"}', { tools: [look] }),
    )
    expect(await answer.text()).toContain('"name":"look"')
    expect(sim.violations).toEqual([])
  })

  it('tells the gateway where the client works', async () => {
    withKey()
    const started = await startCursor()
    await (await started.fetch(id)(address, asking('cursor/composer-2', 'hi'))).text()
    expect(sim.runs[0]?.context?.env?.workspacePaths).toEqual([host.home])
  })

  it('anything else goes to the network as it is', async () => {
    withKey()
    const seen: unknown[][] = []
    const network = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
      seen.push(args)
      return new Response('elsewhere')
    })
    const fetch = (await startCursor()).fetch(id)
    const init = { method: 'POST', body: 'x' }
    const request = new Request('https://api.example/v1')
    await fetch('http://dragoman.internal.example/v1', init)
    await fetch(new URL('https://api.example/'))
    await fetch(request)
    network.mockRestore()
    expect(seen).toEqual([
      ['http://dragoman.internal.example/v1', init],
      [new URL('https://api.example/'), undefined],
      [request, undefined],
    ])
    expect(seen[0]?.[1]).toBe(init)
    expect(seen[2]?.[0]).toBe(request)
  })

  it('a cancel ends the run', async () => {
    withKey()
    const started = await startCursor()
    sim.play({ steps: [{ say: 'Begun.' }, { wait: 60_000 }] })
    const stop = new AbortController()
    const init = { ...asking('cursor/composer-2', 'slowly'), signal: stop.signal }
    const reader = (await started.fetch(id)(address, init)).body?.getReader()
    await reader?.read()
    stop.abort()
    await expect(reader?.read()).rejects.toThrow()
    await sim.runs[0]?.waitForClose()
  })

  it('nothing is written to the terminal', async () => {
    withKey()
    const write = vi.spyOn(process.stderr, 'write')
    const print = vi.spyOn(process.stdout, 'write')
    const started = await startCursor()
    sim.play({ steps: [{ error: { code: 'internal', message: 'Error' } }] })
    await (await started.fetch(id)(address, asking('cursor/composer-2', 'hi'))).text()
    expect([...write.mock.calls, ...print.mock.calls]).toEqual([])
    write.mockRestore()
    print.mockRestore()
  })
})

describe('the other providers', () => {
  it("Anthropic's models by Anthropic's own dialect", async () => {
    const anthropic = await startAnthropicSim({ apiKey: 'sk-ant-canary' })
    host.keep({ 'dragoman-anthropic': { type: 'api', key: 'sk-ant-canary' } })
    const started = await host.start(DragomanAnthropic, { anthropic: { baseUrl: anthropic.url } })
    expect(started.provider('dragoman-anthropic')?.npm).toBe('@ai-sdk/anthropic')
    expect(started.models('dragoman-anthropic')['claude-opus-4-5']).toMatchObject({ reasoning: true })
    const body = { max_tokens: 100, stream: false }
    const init = asking('anthropic/claude-demo', 'Say hello', body)
    const answer = await started.fetch('dragoman-anthropic')('http://dragoman.internal/v1/messages', init)
    expect(answer.status).toBe(200)
    await anthropic.close()
  })

  it('a server without keys, whose model knows no tools', async () => {
    const text = await startTextSim()
    const metadata = { baseUrl: `${text.url}/v1`, tools: 'text' }
    host.keep({ 'dragoman-openai': { type: 'api', key: 'none', metadata } })
    const started = await host.start(DragomanOpenAI)
    const model = Object.values(started.models('dragoman-openai'))[0]?.id ?? ''
    const answer = await started.fetch('dragoman-openai')(
      address,
      asking(model, 'Read a.txt', { tools: [readFile] }),
    )
    expect(await answer.text()).toContain('"name":"read_file"')
    await text.close()
  })

  const settings = () => ({
    backends: { sub: { kind: 'cursor', baseUrl: sim.url, apiKey: key } },
    models: { fast: 'sub/composer-2-fast' },
  })

  it.each([
    ['in its usual place', () => host.write('config/dragoman/config.jsonc', settings()), {}],
    ['named by a variable', () => vi.stubEnv('DRAGOMAN_CONFIG', host.write('d.jsonc', settings())), {}],
  ])('all of a configuration %s', async (_where, write, options) => {
    write()
    const started = await host.start(Dragoman, options)
    expect(started.models('dragoman').fast).toMatchObject({ id: 'fast', name: 'fast' })
    expect(started.models('dragoman')['sub/composer-2']?.name).toBe('Composer 2')
  })

  it('a gateway that runs by itself is left alone', async () => {
    host.write('config/dragoman/config.jsonc', settings())
    const provider = { dragoman: { options: { baseURL: 'http://127.0.0.1:18741/v1', apiKey: 'own' } } }
    const { config } = await host.start(Dragoman, {}, { provider: structuredClone(provider) })
    expect(config.provider).toEqual(provider)
    expect(sim.requests).toEqual([])
  })

  it('a server whose address was never asked for', async () => {
    host.keep({ 'dragoman-openai': { type: 'api', key: 'k' } })
    await host.start(DragomanOpenAI)
    expect(host.toasts).toEqual([expect.stringMatching(/address of the server is not known; run `opencode/)])
  })

  it('a configuration named by an option, or none', async () => {
    const file = host.write('mine.jsonc', settings())
    expect((await host.start(Dragoman, { config: file })).models('dragoman').fast).toBeDefined()
    host.write('config/dragoman/config.jsonc', settings())
    expect((await host.start(Dragoman, { config: false })).config.provider).toBeUndefined()
    const { config } = await host.start(Dragoman, { config: join(host.home, 'missing.jsonc') })
    expect(config.provider).toBeUndefined()
    expect(host.toasts).toEqual([expect.stringMatching(/missing.jsonc.*does not exist/s)])
  })

  it('a configuration is named by its whole path: a relative one would be in the project', async () => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(host.home)
    host.write('mine.jsonc', settings())
    expect((await host.start(Dragoman, { config: 'mine.jsonc' })).config.provider).toBeUndefined()
    expect(host.toasts).toEqual([expect.stringMatching(/"mine.jsonc" must be a whole path/)])
    expect((await host.start(Dragoman, { config: '~/mine.jsonc' })).models('dragoman').fast).toBeDefined()
    cwd.mockRestore()
  })

  it('a key goes to the server that it was typed for', async () => {
    const [own, other] = [await startTextSim(), await startTextSim()]
    host.keep({ 'dragoman-openai': { type: 'api', key: 'k', metadata: { baseUrl: `${own.url}/v1` } } })
    await host.start(DragomanOpenAI, { openai: { baseUrl: `${other.url}/v1` } })
    expect([own.requests.length, other.requests.length]).toEqual([1, 0])
    await Promise.all([own.close(), other.close()])
  })

  it('files that options name are not looked for in the project', () => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(host.home)
    host.write('secret.txt', 'of the project')
    const backend = { kind: 'anthropic', apiKey: '{file:secret.txt}' }
    expect(() => backendSettings('anthropic', backend, readEnvironment())).toThrow(
      /secret.txt cannot be read/,
    )
    const { config } = backendSettings(
      'x',
      { kind: 'anthropic', apiKey: 'k', connect: { ca: 'a.pem' } },
      readEnvironment(),
    )
    expect(config.backends.x?.connect?.ca).toBe(join(host.home, 'config/opencode/a.pem'))
    cwd.mockRestore()
  })

  it("never the project's own file: nobody asked a stranger's repository for backends", async () => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(host.home)
    host.write('dragoman.jsonc', settings())
    expect((await host.start(Dragoman)).config.provider).toBeUndefined()
    cwd.mockRestore()
  })
})
