// The plugin in its host: login by browser, requests, and the providers beside Cursor.

import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { backendSettings } from '../../src/plugin/settings.ts'
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

  it("never from the project's own file: a stranger's repository must not add backends", async () => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(host.home)
    host.write('dragoman.jsonc', settings())
    expect((await host.start(Dragoman)).config.provider).toBeUndefined()
    cwd.mockRestore()
  })
})
