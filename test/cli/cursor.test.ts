// A Cursor account as its user has it: log in by the browser, look, ask, log out; all against the simulator.

import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { isNightly } from '../depth.ts'
import { chat } from '../harness.ts'
import { atEnd, Home, program } from './program.ts'

async function startUser(options: Parameters<typeof startCursorSim>[0] = {}) {
  const sim = await startCursorSim(options)
  atEnd(() => sim.close())
  const home = new Home()
  const config = {
    auth: 'none',
    backends: { cursor: { kind: 'cursor', baseUrl: sim.url, websiteUrl: sim.url } },
    models: { best: 'cursor/composer-2' },
  }
  const file = home.write('work/dragoman.jsonc', config)
  return { sim, home, config, file, loginFile: home.path('data', 'dragoman', 'auth.json') }
}

/** Runs the login and presses the button of the page that it names. */
async function logIn(home: Home): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [program, 'login', 'cursor', '--no-browser'], {
    cwd: home.path('work'),
    env: { PATH: process.env.PATH ?? '', ...home.env },
  })
  atEnd(() => child.kill('SIGKILL'))
  let output = ''
  let pressed: Promise<unknown> | undefined
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /http:\S+loginDeepControl\S+/.exec(output)?.[0]
      if (url !== undefined) pressed ??= pressTheButton(url)
    })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  await pressed
  return { code, output }
}

async function pressTheButton(url: string): Promise<void> {
  const page = await (await fetch(url)).text()
  expect(page).toContain('<form method="post">')
  const approved = await fetch(url, { method: 'POST' })
  expect(approved.ok).toBe(true)
}

const question = {
  model: 'best',
  messages: [{ role: 'user', content: 'Read README.md' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'read_file',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    },
  ],
}

describe('a Cursor account', () => {
  it('is logged in, looked at, used and logged out', async () => {
    const { sim, home, config, file, loginFile } = await startUser()
    const before = await home.run(['status', '--config', file])
    expect(before.code).toBe(1)
    expect(before.output).toContain('dragoman login cursor')

    const login = await logIn(home)
    expect(login.code).toBe(0)
    expect(statSync(loginFile).mode & 0o777).toBe(0o600)

    const status = await home.run(['status', '--config', file, '--json'])
    expect(status.code).toBe(0)
    const doctor = await home.run(['doctor', '--config', file])
    expect(doctor.stdout).toContain('runs go by HTTP/2 (Run): the default')
    expect(doctor.stdout).toContain(`agent host ${new URL(sim.url).origin}`)
    const models = await home.run(['models', '--config', file])
    expect(models.stdout).toContain('cursor/composer-2')

    const gateway = await home.serve(config)
    const answer = await chat(gateway.url, question)
    expect(answer.json.choices[0].message.tool_calls[0].function).toEqual({
      name: 'read_file',
      arguments: '{"path":"README.md"}',
    })
    // Logged out while the gateway runs: the next request says what to do.
    const logout = await home.run(['logout'])
    expect(logout.code).toBe(0)
    expect(existsSync(loginFile) && statSync(loginFile).size > 100).toBe(false)
    const after = await chat(gateway.url, question)
    expect(after.status).toBe(502)
    expect(after.json.error.message).toContain('dragoman login cursor')
    const ended = await gateway.stop()

    const token = /Bearer (eyJ\S+)/.exec(
      sim.requests.map(({ headers }) => headers.authorization).join('\n'),
    )?.[1]
    expect(token).toBeDefined()
    const told = [before, login, status, doctor, models, logout, ended].map(({ output }) => output).join('\n')
    expect(told).not.toContain(token)
    expect(sim.violations).toEqual([])
  })

  it.runIf(isNightly)('can be logged in beside a backend whose variable is not set', async () => {
    const { home, config } = await startUser()
    const claude = { kind: 'anthropic', apiKey: '{env:ANTHROPIC_API_KEY}' }
    const file = home.write('work/dragoman.jsonc', { ...config, backends: { ...config.backends, claude } })
    expect((await logIn(home)).code).toBe(0)
    const status = await home.run(['status', '--config', file])
    expect(status.code).toBe(1)
    expect(status.stdout).toContain('the variable ANTHROPIC_API_KEY is not set')
    expect(status.stdout).toContain('stored login')
    expect((await home.run(['serve', '--config', file, '--port', '0'])).code).toBe(2)
  })

  it('by CURSOR_API_KEY needs no login', async () => {
    const { home, config } = await startUser({ apiKey: 'crsr_environment_canary' })
    const gateway = await home.serve(config, [], { env: { CURSOR_API_KEY: 'crsr_environment_canary' } })
    expect((await chat(gateway.url, question)).status).toBe(200)
    const { output } = await gateway.stop()
    expect(output).not.toContain('crsr_environment_canary')
  })

  it('whose key is refused is an error that names the source of the key', async () => {
    const { home, file } = await startUser({ apiKey: 'crsr_other_key' })
    const doctor = await home.run(['doctor', '--config', file], {
      env: { CURSOR_API_KEY: 'crsr_refused_canary' },
    })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain('CURSOR_API_KEY')
    expect(doctor.output).not.toContain('crsr_refused_canary')
  })
})

describe('dragoman sim cursor', () => {
  it.runIf(isNightly)('takes both transports on one port, and says by --http2 which it wants', async () => {
    const home = new Home()
    for (const [flags, transport] of [
      [[], 'HTTP/2'],
      [['--http2', 'off'], 'HTTP/1.1'],
      [['--http2', 'forced'], 'HTTP/2'],
    ] as const) {
      const sim = await home.start(['sim', 'cursor', '--port', '0', ...flags])
      const backends = { cursor: { kind: 'cursor', baseUrl: sim.url, apiKey: 'crsr_any' } }
      const file = home.write('sim.jsonc', { auth: 'none', backends })
      const doctor = await home.run(['doctor', '--config', file])
      expect(doctor.stdout).toContain(`runs go by ${transport}`)
      const gateway = await home.serve({ auth: 'none', backends })
      const answer = await chat(gateway.url, { ...question, model: 'cursor/composer-2' })
      expect(answer.json.choices[0].finish_reason).toBe('tool_calls')
      await gateway.stop()
      await sim.stop()
    }
    expect((await home.run(['sim', 'cursor', '--http2', 'perhaps'])).code).toBe(2)
    expect((await home.run(['sim', 'openai', '--http2', 'off'])).code).toBe(2)
  })
})
