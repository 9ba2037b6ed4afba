// `login cursor`, `logout`, `status`, and several processes that share one login, against a small Cursor of our own.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { isNightly } from '../depth.ts'
import { type CommandEnd, type CommandRun, startCommand } from './command-process.ts'
import { apiKey, FakeCursor, hour, jwt } from './fake-cursor.ts'
import { atEnd, deadPort, type Ended, Home, program, root, stackTrace } from './program.ts'

let cursor: FakeCursor

beforeAll(async () => {
  cursor = await new FakeCursor().start()
})

/** A command that is talked to while it runs. By day only standard input needs a process of its own. */
function begin(home: Home, args: string[], options: { stdin?: string; env?: Record<string, string> } = {}) {
  const run = {
    args,
    cwd: home.path('work'),
    env: { PATH: process.env.PATH ?? '', ...home.env, ...options.env },
  }
  const out = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  const onOutput = (name: 'stdout' | 'stderr', text: string) => {
    out[name] += text
    for (const look of watchers) look()
  }
  const isShared = options.stdin === undefined && !isNightly
  const child =
    (isShared ? startCommand(program, run, onOutput) : undefined) ??
    beginProcess(run, options.stdin ?? '', onOutput)
  const ended = child.ended.then((end): Ended => ({ ...end, ...out, output: out.stdout + out.stderr }))
  const seen = (name: 'stdout' | 'stderr', pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(out[name])
        if (found) resolve(found[1] ?? found[0])
      }
      watchers.add(look)
      look()
      void ended.then(({ output }) => reject(new Error(`ended before ${pattern}:\n${output}`)))
    })
  return { ended, seen, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

function beginProcess(run: CommandRun, stdin: string, onOutput: Parameters<typeof startCommand>[2]) {
  const child = spawn(process.execPath, [program, ...run.args], {
    cwd: run.cwd,
    env: run.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  atEnd(() => child.kill('SIGKILL'))
  child.stdin.end(stdin)
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => onOutput(name, text))
  const ended = new Promise<CommandEnd>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  return { ended, kill: (signal: NodeJS.Signals) => void child.kill(signal) }
}

const authFile = (home: Home) => home.path('data', 'dragoman', 'auth.json')
const address = /^ {2}(http\S+)$/m
const loginArgs = () => ['login', 'cursor', '--base-url', cursor.url, '--website-url', cursor.url]

function expectDiscreet({ output }: Ended): void {
  expect(output).not.toContain('canary')
  expect(output).not.toMatch(stackTrace)
  for (const verifier of cursor.verifiers) expect(output).not.toContain(verifier)
}

async function logIn(home: Home, more: readonly string[] = []): Promise<Ended> {
  const command = begin(home, [...loginArgs(), ...more])
  await fetch(await command.seen('stdout', address))
  return command.ended
}

describe.concurrent('by browser', () => {
  it('from the address to the logout', async () => {
    const home = new Home()
    const command = begin(home, loginArgs())
    const url = new URL(await command.seen('stdout', address))
    expect(url.pathname).toBe('/loginDeepControl')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ mode: 'login', redirectTarget: 'cli' })
    await command.seen('stderr', /waiting for the browser/)
    expect(existsSync(authFile(home))).toBe(false)
    await fetch(url)
    const done = await command.ended
    expect(done.code).toBe(0)
    expect(done.stdout).toContain(`Logged in to ${cursor.url} as someone@mail.example`)
    expect(done.stdout).toContain(`stored in ${authFile(home)}`)
    expect(done.stdout).toMatch(/valid for 4 hours \(until .* UTC\), then renewed automatically/)
    expectDiscreet(done)
    expect(statSync(authFile(home)).mode & 0o777).toBe(0o600)
    expect(readdirSync(home.path('data', 'dragoman'))).toEqual(['auth.json'])

    const shown = await home.run(['status'])
    expect(shown.code).toBe(0)
    expect(shown.stdout).toMatch(/login +cursor at http:\S+: someone@mail\.example, for 4 hours/)
    expectDiscreet(shown)

    const gone = await home.run(['logout'])
    expect(gone).toMatchObject({ code: 0, stderr: '' })
    expect(gone.stdout).toContain(`Logged out of ${cursor.url}`)
    expect(existsSync(authFile(home))).toBe(false)
    expect((await home.run(['logout', 'cursor'])).stdout).toContain('No login is stored')
  })

  it('several accounts, each by its name', async () => {
    const home = new Home()
    const names = ['work', 'home']
    const accounts = names.map((name) => ({ name }))
    const file = home.write('dragoman.jsonc', {
      backends: { cursor: { kind: 'cursor', baseUrl: cursor.url, accounts } },
    })
    const status = () => home.run(['status', '--config', file])
    const before = await status()
    expect(before.code).toBe(1)
    expect(before.stdout).toContain(`dragoman login cursor --base-url ${cursor.url} --as work`)
    for (const name of names) {
      const done = await logIn(home, ['--as', name])
      expect(done.stdout).toContain(`, for the account "${name}"`)
      expectDiscreet(done)
    }
    const shown = await status()
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    for (const name of names) {
      expect(shown.stdout).toMatch(new RegExp(`^ok +backend cursor@${name}: stored login`, 'm'))
      expect(shown.stdout).toMatch(new RegExp(`^login +cursor at \\S+ as ${name}: `, 'm'))
    }
    const gone = await home.run(['logout', '--as', 'work'])
    expect(gone.stdout).toContain(`Logged out of ${cursor.url} (account "work")`)
    expect((await status()).stdout).toMatch(/^PROBLEM backend cursor@work: there is no login/m)
    expect((await status()).stdout).toMatch(/^ok +backend cursor@home: /m)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s leaves nothing behind', async (signal, code) => {
    const home = new Home()
    const command = begin(home, loginArgs())
    await command.seen('stderr', /waiting/)
    command.kill(signal)
    const ended = await command.ended
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain('nothing was stored')
    expectDiscreet(ended)
    expect(existsSync(home.path('data'))).toBe(false)
  })

  it.runIf(isNightly)('opens the browser if there is one, unless --no-browser is set', async () => {
    const home = new Home()
    const opener = home.write(
      `bin/${process.platform === 'darwin' ? 'open' : 'xdg-open'}`,
      '#!/bin/sh\nprintf %s "$1" > "$0.called"\n',
    )
    chmodSync(opener, 0o755)
    const env = { PATH: `${home.path('bin')}:${process.env.PATH}`, DISPLAY: ':0' }
    const quiet = begin(home, [...loginArgs(), '--no-browser'], { env })
    await fetch(await quiet.seen('stdout', address))
    expect((await quiet.ended).code).toBe(0)
    expect(existsSync(`${opener}.called`)).toBe(false)
    const command = begin(home, loginArgs(), { env })
    const url = await command.seen('stdout', address)
    await expect
      .poll(() => existsSync(`${opener}.called`) && readFileSync(`${opener}.called`, 'utf8'), {
        timeout: 10_000,
      })
      .toBe(url)
    await fetch(url)
    expect((await command.ended).code).toBe(0)
  })

  it.runIf(isNightly)('a service that is not there is named', async () => {
    const home = new Home()
    const url = `http://127.0.0.1:${await deadPort()}`
    const ended = await home.run(['login', 'cursor', '--base-url', url])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('nothing listens there')
    expectDiscreet(ended)
  })
})

describe.concurrent('with an API key', () => {
  const args = () => ['login', 'cursor', '--base-url', cursor.url, '--api-key-stdin']

  it('stores a key that works, and names the credential that takes precedence', async () => {
    const home = new Home()
    const done = await begin(home, args(), { stdin: `${apiKey}\n`, env: { CURSOR_API_KEY: 'env-canary' } })
      .ended
    expect(done.code).toBe(0)
    expect(done.stdout).toContain(`Logged in to ${cursor.url}`)
    expect(done.stderr).toContain('CURSOR_API_KEY is set and takes precedence')
    expectDiscreet(done)
    expect(readFileSync(authFile(home), 'utf8')).toContain(apiKey)
  })

  it.each([
    ['wrong-canary', 1, 'refused'],
    ['two words canary', 2, 'not an API key'],
    ['', 2, 'Standard input has no API key'],
  ])('%j is not stored', async (stdin, code, message) => {
    const home = new Home()
    const ended = await begin(home, args(), { stdin }).ended
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain(message)
    expectDiscreet(ended)
    expect(existsSync(authFile(home))).toBe(false)
  })
})

describe.concurrent('mistakes', () => {
  it.each([
    [['login'], 'missing required argument'],
    [['login', 'nobody'], 'only cursor has a login'],
    [['login', 'cursor', '--base-url', 'ftp://x'], 'http:// or https:// URL'],
    [['login', 'cursor', '--backend', 'nope'], '"nope" is not a backend of kind "cursor"'],
    [['logout', 'nobody'], 'Allowed choices are cursor'],
  ])('%j', async (args, message) => {
    const ended = await new Home().run(args)
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(message)
  })

  it('an open or damaged store is refused before the browser is bothered', async () => {
    const home = new Home()
    await logIn(home)
    chmodSync(authFile(home), 0o644)
    for (const args of [loginArgs(), ['logout']]) {
      const ended = await home.run(args)
      expect(ended.code).toBe(1)
      expect(ended.stderr).toContain(`chmod 600 ${authFile(home)}`)
      expect(ended.stdout).toBe('')
      expectDiscreet(ended)
    }
    const shown = await home.run(['status'])
    expect(shown.code).toBe(1)
    expect(shown.stdout).toContain('PROBLEM logins: ')
    chmodSync(authFile(home), 0o600)
    writeFileSync(authFile(home), 'junk')
    expect((await home.run(['status'])).stdout).toMatch(/damaged; remove it/)
  })
})

describe.concurrent('status', () => {
  const backends = () => ({
    mine: { kind: 'cursor', baseUrl: cursor.url, websiteUrl: cursor.url },
    claude: { kind: 'anthropic', apiKey: 'sk-canary-1' },
    box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' },
  })

  it('tells of every backend, as lines and as JSON', async () => {
    const home = new Home()
    const file = home.write('dragoman.jsonc', { backends: backends() })
    const before = await home.run(['status', '--config', file])
    expect(before.code).toBe(1)
    expect(before.stdout).toMatch(
      /^PROBLEM backend mine: there is no login for \S+; run `dragoman login cursor --base-url/m,
    )
    expect(before.stdout).toMatch(/^ok +backend claude: key from the configuration$/m)
    expect(before.stdout).toMatch(/^ok +backend box: no credential is set$/m)

    const command = begin(home, ['login', 'cursor', '--config', file])
    await fetch(await command.seen('stdout', address))
    expect((await command.ended).code).toBe(0)
    const after = await home.run(['status', '--config', file, '--json'])
    expect(after.code).toBe(0)
    const report = JSON.parse(after.stdout)
    expect(report).toMatchObject({
      ok: true,
      backends: [
        { name: 'mine', kind: 'cursor', origin: cursor.url, source: 'login', email: 'someone@mail.example' },
        { name: 'claude', source: 'config-key' },
        { name: 'box', source: 'none' },
      ],
      store: { path: authFile(home), logins: [{ provider: 'cursor', origin: cursor.url, renewable: true }] },
    })
    expect(Date.parse(report.backends[0].expiresAt)).toBeGreaterThan(Date.now())
    expectDiscreet(before)
    expectDiscreet(after)
  })

  it.each([
    [{ CURSOR_API_KEY: 'canary-key' }, 'environment-key', 0],
    [{ CURSOR_ACCESS_TOKEN: jwt(-hour) }, 'environment-token', 1],
  ])('%# honours the environment', async (env, source, code) => {
    const home = new Home()
    const file = home.write('dragoman.jsonc', { backends: { mine: backends().mine } })
    const shown = await home.run(['status', '--config', file, '--json'], { env })
    expect(shown.code).toBe(code)
    expect(JSON.parse(shown.stdout).backends[0].source).toBe(source)
    expectDiscreet(shown)
  })

  it.each([
    [hour, 0, /^ok +backend qwen: token from the configuration, for \d+ (hour|minutes)/m],
    [-hour, 1, /^PROBLEM backend qwen: its token expired .*; set a new one$/m],
  ])('%# reads when the token of a web chat ends', async (lasting, code, said) => {
    const home = new Home()
    const qwen = { kind: 'qwen-web', token: jwt(lasting) }
    const shown = await home.run(['status', '--config', home.write('dragoman.jsonc', { backends: { qwen } })])
    expect(shown.code).toBe(code)
    expect(shown.stdout).toMatch(said)
    expectDiscreet(shown)
  })

  it('needs no configuration', async () => {
    const shown = await new Home().run(['status'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain('There are no stored logins.')
  })

  it('two accounts: --backend is required', async () => {
    const home = new Home()
    const other = { kind: 'cursor', baseUrl: 'https://other.example' }
    const file = home.write('dragoman.jsonc', { backends: { mine: backends().mine, other } })
    const ended = await home.run(['login', 'cursor', '--config', file])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('choose one with --backend (mine, other)')
  })
})

describe.concurrent('several processes', () => {
  const script = `
    import { createHash } from 'node:crypto'
    import { authRequestOver } from ${JSON.stringify(moduleUrl('credentials/auth-http.js'))}
    import { createCursorCredentials } from ${JSON.stringify(moduleUrl('credentials/cursor.js'))}
    import { createLoginStore } from ${JSON.stringify(moduleUrl('credentials/store.js'))}
    import { createUpstreamClient } from ${JSON.stringify(moduleUrl('upstream/client.js'))}
    const [baseUrl, folder, stale] = process.argv.slice(1)
    const client = createUpstreamClient(baseUrl)
    const credentials = createCursorCredentials({
      backend: 'cursor', baseUrl, request: authRequestOver(client), store: createLoginStore(folder),
    })
    credentials.reject(stale)
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => credentials.accessToken(new AbortController().signal)),
    )
    console.log(...new Set(tokens.map((token) => createHash('sha256').update(token).digest('hex'))))
    await client.close()`

  function moduleUrl(path: string): string {
    return pathToFileURL(join(root, 'build', 'src', path)).href
  }

  it.runIf(isNightly)('renew a login once, and all have the new one', async () => {
    const service = await new FakeCursor().start()
    const home = new Home()
    const folder = home.path('data', 'dragoman')
    const stale = jwt(hour, 99)
    mkdirSync(folder, { recursive: true })
    const login = { accessToken: stale, refreshToken: service.refreshToken }
    writeFileSync(authFile(home), JSON.stringify({ cursor: { [service.url]: login } }), { mode: 0o600 })
    const outputs = await Promise.all(
      Array.from({ length: isNightly ? 6 : 3 }, () => {
        const child = spawn(
          process.execPath,
          ['--input-type=module', '-e', script, service.url, folder, stale],
          { stdio: ['ignore', 'pipe', 'pipe'] },
        )
        atEnd(() => child.kill('SIGKILL'))
        let output = ''
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            output += text
          })
        return new Promise<string>((resolve) => child.once('close', () => resolve(output)))
      }),
    )
    const stored = JSON.parse(readFileSync(authFile(home), 'utf8')).cursor[service.url]
    const expected = createHash('sha256').update(stored.accessToken).digest('hex')
    expect(new Set(outputs)).toEqual(new Set([`${expected}\n`]))
    expect(service.asked).toEqual(['POST /auth/token'])
    expect(stored.refreshToken).toBe(service.refreshToken)
    expect(readdirSync(folder)).toEqual(['auth.json'])
  })
})
