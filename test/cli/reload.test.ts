// `serve` takes over a changed file: on SIGHUP, by `dragoman reload`, and when the file changes. A wrong one changes nothing.

import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import { isNightly } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import type { Body } from '../harness.ts'
import { atEnd, get, Home, program, type Running, stackTrace } from './program.ts'

let upstream = ''
beforeAll(async () => {
  const sim = await startOpenAISim({ lenient: true })
  upstream = `${sim.url}/v1`
  atEnd(() => sim.close())
})

const keys = (...names: string[]) => ({
  keys: names.map((name) => ({ name, key: `${name}-key-0123456789` })),
})
const configOf = (more: Body = {}): Body => ({
  auth: keys('laptop'),
  backends: { box: { kind: 'openai', baseUrl: upstream, apiKey: 'upstream-0123' } },
  ...more,
})

interface Served {
  home: Home
  running: Running
  file: string
  write(config: unknown): void
}

async function serve(config: Body = configOf({ reload: 'signal' }), args: string[] = []): Promise<Served> {
  const home = new Home()
  const file = home.write('dragoman.jsonc', config)
  const running = await home.start(['serve', '--config', file, '--port', '0', ...args])
  return { home, running, file, write: (next) => void home.write('dragoman.jsonc', next) }
}

type Line = Record<string, unknown> & { message: string }
const linesOf = ({ running }: Served, message: RegExp): Line[] =>
  running
    .stderr()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => message.test(line.message))
/** Lines of the log come after what they tell of. */
async function logged(served: Served, message: RegExp, count: number): Promise<Line[]> {
  await until(() => linesOf(served, message).length >= count)
  return linesOf(served, message)
}
const taken = /^the configuration was taken over$/
const refused = /^the configuration was refused/

const statusOf = async ({ running }: Served, name: string) =>
  (await get(`${running.url}/readyz`, `${name}-key-0123456789`)).status
const reload = (served: Served, args: string[] = []) => served.home.run(['reload', ...args])

describe('dragoman reload', () => {
  let served: Served
  beforeAll(async () => {
    served = await serve()
  })

  it('says what was taken over, and that nothing has changed', async () => {
    served.write(
      configOf({ reload: 'signal', auth: keys('laptop', 'phone'), models: { fast: 'box/gpt-4o' } }),
    )
    const { code, stdout } = await reload(served)
    expect([code, stdout]).toEqual([0, expect.stringContaining(': auth.keys, models.fast\n')])
    expect(await statusOf(served, 'phone')).toBe(200)
    expect(await logged(served, taken, 1)).toMatchObject([{ by: 'command', file: served.file }])
    expect(await reload(served)).toMatchObject({ code: 0, stdout: `${served.file} has not changed.\n` })
    expect(linesOf(served, taken)).toHaveLength(1)
  })

  const wrong: readonly (readonly [what: string, content: () => unknown, says: string])[] = [
    ['wrong JSON', () => '{ "backends": { ', 'line 1: '],
    ['an empty file', () => '', 'line 1: '],
    ['an unknown key', () => configOf({ bakends: {} }), 'bakends: unknown key; did you mean "backends"?'],
    ['an alias that leads nowhere', () => configOf({ models: { fast: 'nowhere/x' } }), 'models.fast: '],
    [
      'a variable that is not set',
      () => configOf({ auth: { keys: [{ name: 'x', key: '{env:NOT_SET}' }] } }),
      'NOT_SET',
    ],
    ['local tools', () => configOf({ exec: { enabled: true } }), 'exec.enabled: a change needs a restart'],
    [
      'no authentication',
      () => configOf({ auth: 'none' }),
      'auth: a change from or to "none" needs a restart',
    ],
    [
      'another door',
      () => configOf({ ollama: { enabled: true } }),
      'ollama.enabled: a change needs a restart',
    ],
    ['several workers', () => configOf({ workers: 2 }), 'workers: a change needs a restart'],
  ]

  it.each(wrong)('refuses %s with the reason, and the last good one stays', async (_what, content, says) => {
    const phone = configOf({ reload: 'signal', auth: keys('laptop', 'phone') })
    served.write(phone)
    await reload(served)
    served.write(content())
    const { code, stdout, stderr } = await reload(served)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('was refused; the last good configuration stays in force:\n  - ')
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(stackTrace)
    const problem = { level: 'error', problems: expect.arrayContaining([expect.stringContaining(says)]) }
    await expect.poll(() => linesOf(served, refused).at(-1)).toMatchObject(problem)
    expect([await statusOf(served, 'laptop'), await statusOf(served, 'phone')]).toEqual([200, 200])
    const figures = await (await get(`${served.running.url}/metrics`, 'laptop-key-0123456789')).text()
    expect(figures).toContain('\ndragoman_config_refused 1\n')
  })

  it('needs the token of the user: keys, pages and guesses are refused', async () => {
    const { url } = served.running
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${url}/control/reload`, { method: 'POST', headers })).status
    const folder = served.home.path('state', 'dragoman', 'running')
    const [name = ''] = readdirSync(folder)
    const { token } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as { token: string }
    expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const key = { authorization: 'Bearer laptop-key-0123456789' }
    expect(await post({})).toBe(401)
    expect(await post(key)).toBe(401)
    expect(await post({ 'x-dragoman-control': `${token}x` })).toBe(401)
    expect(await post({ 'x-dragoman-control': token, origin: url })).toBe(403)
    expect(await post({ 'x-dragoman-control': token })).toBe(200)
    expect(served.running.stderr()).not.toContain(token)
  })

  it('without a gateway, or with several, says so', async () => {
    const alone = new Home()
    const none = await alone.run(['reload'])
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('dragoman serve')])
    expect(await reload(served, ['--port', '1'])).toMatchObject({ code: 1 })
    expect(await reload(served, ['--config', served.file])).not.toMatchObject({ code: 1 })
  })
})

it('flags stay in force over the file, and the file of the start is read again, no other', async () => {
  const served = await serve(configOf({ reload: 'signal', log: { level: 'warn' } }), ['--log-level', 'info'])
  mkdirSync(served.home.path('config', 'dragoman'), { recursive: true })
  writeFileSync(
    served.home.path('work', 'dragoman.jsonc'),
    JSON.stringify(configOf({ auth: keys('intruder') })),
  )
  served.write(
    configOf({ reload: 'signal', listen: { port: 1 }, log: { level: 'silent' }, auth: keys('phone') }),
  )
  expect((await reload(served)).stdout).toContain(': auth.keys\n')
  expect([await statusOf(served, 'phone'), await statusOf(served, 'intruder')]).toEqual([200, 401])
  expect(await logged(served, taken, 1)).toHaveLength(1)
})

it('the generated key is read again', async () => {
  const served = await serve(configOf({ auth: undefined, reload: 'signal' }))
  const old = readFileSync(served.home.keyFile, 'utf8').trim()
  writeFileSync(served.home.keyFile, 'another-key-0123456789\n')
  expect((await reload(served)).stdout).toContain(': auth\n')
  expect((await get(`${served.running.url}/readyz`, old)).status).toBe(401)
  expect((await get(`${served.running.url}/readyz`, 'another-key-0123456789')).status).toBe(200)
})

it('SIGHUP takes over, refuses, and never ends the process; the end removes the control file', async () => {
  const served = await serve()
  served.write(configOf({ reload: 'signal', auth: keys('phone') }))
  served.running.kill('SIGHUP')
  expect(await logged(served, taken, 1)).toMatchObject([{ by: 'SIGHUP', changed: ['auth.keys'] }])
  served.write('{')
  served.running.kill('SIGHUP')
  await until(() => linesOf(served, refused).length === 1)
  expect(await statusOf(served, 'phone')).toBe(200)
  const folder = served.home.path('state', 'dragoman', 'running')
  expect(readdirSync(folder)).toHaveLength(1)
  expect((await served.running.stop()).code).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

/** Of util-linux: it gives a command a terminal. */
const terminal = '/usr/bin/script'

it.runIf(isNightly && process.platform === 'linux' && existsSync(terminal))(
  'with a terminal SIGHUP reloads, and when the terminal is closed the gateway stops',
  async () => {
    const home = new Home()
    const file = home.write('dragoman.jsonc', configOf({ reload: 'signal' }))
    const command = `exec '${process.execPath}' '${program}' serve --config '${file}' --port 0`
    const env = { PATH: process.env.PATH ?? '', SHELL: '/bin/sh', ...home.env }
    const child = spawn(terminal, ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    atEnd(() => child.kill('SIGKILL'))
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
    const folder = home.path('state', 'dragoman', 'running')
    await until(() => shown.includes('listening on'))
    const { pid } = JSON.parse(readFileSync(`${folder}/${readdirSync(folder)[0]}`, 'utf8')) as { pid: number }
    home.write('dragoman.jsonc', configOf({ reload: 'signal', auth: keys('phone') }))
    process.kill(pid, 'SIGHUP')
    await until(() => shown.includes('was taken over'))
    child.kill('SIGKILL')
    await until(() => !isRunning(pid))
    // It had the time to tidy up.
    expect(readdirSync(folder)).toEqual([])
  },
)

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

describe('a changed file', () => {
  it.runIf(isNightly)('is taken over, however it was replaced; secrets in files, too', async () => {
    const home = new Home()
    home.write('secret.txt', 'first-0123456789')
    const config = (more: Body = {}) =>
      configOf({ auth: { keys: [{ name: 'own', key: '{file:secret.txt}' }] }, ...more })
    const file = home.write('dragoman.jsonc', config())
    const served = {
      home,
      file,
      running: await home.start(['serve', '--config', file, '--port', '0']),
      write: () => undefined,
    }
    const count = (number: number) => until(() => linesOf(served, taken).length === number)
    // In place, in two parts: the first is no configuration.
    const text = JSON.stringify(config({ models: { one: 'box/gpt-4o' } }))
    writeFileSync(file, text.slice(0, 40))
    writeFileSync(file, text)
    await count(1)
    // As editors do: another file takes the name.
    writeFileSync(`${file}.new`, JSON.stringify(config({ models: { two: 'box/gpt-4o' } })))
    renameSync(`${file}.new`, file)
    await count(2)
    home.write('secret.txt', 'second-0123456789')
    await count(3)
    expect(linesOf(served, taken).map(({ changed, by }) => [changed, by])).toEqual([
      [['models.one'], 'changed file'],
      [['models.one', 'models.two'], 'changed file'],
      [['auth.keys'], 'changed file'],
    ])
    expect((await get(`${served.running.url}/readyz`, 'second-0123456789')).status).toBe(200)
    expect(served.running.stderr()).not.toMatch(/first-0123|second-0123/)
    expect(linesOf(served, refused)).toEqual([])
  })

  it.runIf(isNightly)('as Kubernetes mounts it is taken over when the link is swapped', async () => {
    const home = new Home()
    const version = (name: string, config: Body) => {
      home.write(`mount/..${name}/dragoman.jsonc`, config)
      rmSync(home.path('mount', '..next'), { force: true })
      symlinkSync(`..${name}`, home.path('mount', '..next'))
      renameSync(home.path('mount', '..next'), home.path('mount', '..data'))
    }
    version('one', configOf())
    const file = home.path('mount', 'dragoman.jsonc')
    symlinkSync('..data/dragoman.jsonc', file)
    const served = {
      home,
      file,
      running: await home.start(['serve', '--config', file, '--port', '0']),
      write: () => undefined,
    }
    version('two', configOf({ auth: keys('phone') }))
    await until(() => linesOf(served, taken).length === 1)
    expect(await statusOf(served, 'phone')).toBe(200)
    rmSync(home.path('mount', '..data'))
    await until(() => linesOf(served, refused).length === 1)
    expect(await statusOf(served, 'phone')).toBe(200)
  })

  it.runIf(isNightly)('is left alone with --no-watch, and with "reload": "signal"', async () => {
    const all = await Promise.all([
      serve(configOf(), ['--no-watch']),
      serve(configOf({ reload: 'signal' })),
      serve(configOf()),
    ])
    for (const one of all) one.write(configOf({ auth: keys('phone') }))
    await until(() => linesOf(all[2] as Served, taken).length === 1)
    expect(all.map((one) => linesOf(one, taken).length)).toEqual([0, 0, 1])
    expect(existsSync((all[0] as Served).file)).toBe(true)
  })
})
