// `probe` as people run it: on configurations that work and that do not, to the files that it leaves or does not leave.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Sim } from '../../sim/server.ts'
import { isNightly } from '../depth.ts'
import { upstreamKey } from '../harness.ts'
import { neverCalls, type Persona, perfect, startPersona } from '../probe/personas.ts'
import { Home, program } from './program.ts'

/** A home with a configuration for that model, and what is in its working folder. */
function homeFor(sim: Pick<Sim, 'url'>, more: Record<string, unknown> = {}) {
  const home = new Home()
  const box = { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey, ...more }
  const config = home.write('config.jsonc', { backends: { box } })
  const left = () => readdirSync(home.path('work'))
  return { home, left, run: (...args: string[]) => home.run(['probe', ...args, '--config', config]), config }
}

describe('a model that makes no mistake', () => {
  it('gets 100, in every form, and writes no other files', async () => {
    const { home, left, run } = homeFor(await startPersona(perfect))
    const { code, stdout, stderr } = await run(
      'box/gpt-demo',
      '--only',
      'single,types',
      '--json',
      'a.json',
      '--html',
      'a.html',
    )
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('score      100 of 100 (7 of 7 passed, weighted)'),
    })
    expect(stderr).toContain('tasks      7, in about 14 requests')
    expect(stderr).toMatch(/^ok {4}7\/7 {2}types\.nested +2 requests, \d/m)
    expect(left().sort()).toEqual(['a.html', 'a.json'])
    expect(JSON.parse(readFileSync(home.path('work', 'a.json'), 'utf8'))).toMatchObject({
      probe: 1,
      model: 'box/gpt-demo',
      door: 'chat',
      score: 100,
      failures: [],
    })
    expect(readFileSync(home.path('work', 'a.html'), 'utf8')).toContain('box/gpt-demo')
  })
})

describe('a budget that does not reach', () => {
  it('gives a partial card: enough to look at, not enough for --min', async () => {
    const { left, run } = homeFor(await startPersona(perfect))
    const { code, stdout } = await run('box/gpt-demo', '--budget', '2000')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^PARTIAL: \d+ of 47 were run; the budget of 2000 tokens does not cover the next/m)
    expect(stdout).toContain('score      100 of 100, of what was run')
    expect((await run('box/gpt-demo', '--budget', '2000', '--min', '50')).code).toBe(1)
    expect(left()).toEqual([])
  })
})

describe('a model that fails', () => {
  it('leaves its tapes, without a secret in them, and the line that shows them', async () => {
    const { home, left, run } = homeFor(await startPersona(neverCalls))
    const { code, stdout } = await run('box/gpt-demo', '--only', 'single.weather,no-call', '--min', '80.1')
    expect(code).toBe(1)
    const [, path = ''] = /tape {6}dragoman tape show (\S+)/.exec(stdout) ?? []
    expect(path).toMatch(/^probe-box-gpt-demo-[\dT-]+\/single\.weather\/\d{8}T\d{9}Z-turn_\w+\.jsonl$/)
    expect(left()).toEqual([path.split('/')[0]])
    const file = home.path('work', path)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    const [head, ...frames] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(head).toMatchObject({ tape: 1, origin: 'recorded' })
    expect(frames.map(({ side, do: what }) => `${side} ${what}`)).toContain('upstream response')
    expect(text).not.toContain(upstreamKey)
  })

  it('without tools gets a hint, and stops after three tasks', async () => {
    const { run } = homeFor(await startPersona(neverCalls))
    const { code, stdout } = await run('box/gpt-demo', '--tapes', 'tapes')
    expect(code).toBe(0)
    expect(stdout).toContain('PARTIAL: 3 of 47 were run; this model does not call tools')
    expect(stdout).toContain('Try "tools": "text" for this backend ("box")')
    expect(stdout).toContain('dragoman tape show tapes/single.weather/')
  })
})

describe('what cannot run says why, with exit code 2, and leaves nothing', () => {
  const nothing = { url: 'http://127.0.0.1:9' }

  it.each([
    {
      name: 'an unknown model',
      args: ['box/'],
      says: /^dragoman: Whether the model "box\/" exists is not known\. box could not be asked for its models: /,
    },
    {
      name: 'a backend that is down',
      args: ['box/m'],
      says: /The probe could not run\. box: .*ECONNREFUSED/,
    },
    { name: 'an unknown task', args: ['box/m', '--only', 'singel'], says: /Did you mean single/ },
    { name: 'half a price', args: ['box/m', '--price-in', '3'], says: /must be used together/ },
    {
      name: 'a report without a folder',
      args: ['box/m', '--json', 'no/where.json'],
      says: /no\/where\.json cannot be written/,
    },
    { name: 'a report that is a folder', args: ['box/m', '--html', '.'], says: /\. is no file/ },
    { name: 'a report that is no file', args: ['box/m', '--json', '-'], says: /Name a file/ },
    { name: 'a number that is none', args: ['box/m', '--repeat', '0'], says: /whole number from 1 to 100/ },
    { name: 'an unknown door', args: ['box/m', '--door', 'soap'], says: /chat, messages, responses/ },
  ])('$name', async ({ args, says }) => {
    const { left, run } = homeFor(nothing)
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(says)
    expect(left()).toEqual([])
  })

  it('a near name', async () => {
    const { run } = homeFor(await startPersona(perfect))
    const { code, stderr } = await run('gtp-demo')
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean box/gpt-demo')
  })

  it('a wrong key', async () => {
    const { left, run } = homeFor(await startPersona(perfect), { apiKey: 'sk-wrong-key-27182818' })
    const { code, stderr } = await run('box/gpt-demo', '--json', 'a.json')
    expect(code).toBe(2)
    expect(stderr).toContain('the credential that the gateway has for backend "box" was refused')
    expect(stderr).not.toContain('sk-wrong-key-27182818')
    expect(left()).toEqual([])
  })

  it('no configuration', async () => {
    const { code, stderr } = await new Home().run(['probe', 'box/m'])
    expect(code).toBe(2)
    expect(stderr).toContain('no file found')
  })

  it('no consent: a service elsewhere is not called without one', async () => {
    const { run } = homeFor({ url: 'http://models.invalid' })
    const { code, stderr } = await run('box/m', '--price-in', '3', '--price-out', '15')
    expect(code).toBe(2)
    expect(stderr).toMatch(/cost {7}about 0\.\d+, in the currency of the prices/)
    expect(stderr).toContain('Nothing was sent: there is no terminal to ask on. Confirm with --yes.')
  })
})

it.runIf(isNightly)('Ctrl-C: a partial card, and the exit code of shells', async () => {
  let onHang: () => void = () => undefined
  const hanging = new Promise<void>((resolve) => {
    onHang = resolve
  })
  const hangs: Persona = (situation) => {
    if (situation.task.id !== 'single.convert') return perfect(situation)
    onHang()
    return [{ wait: 60_000 }]
  }
  const { home, config, left } = homeFor(await startPersona(hangs))
  const child = spawn(
    process.execPath,
    [program, 'probe', 'box/gpt-demo', '--config', config, '--json', 'a.json'],
    {
      cwd: home.path('work'),
      env: { PATH: process.env.PATH ?? '', TMPDIR: home.path('work'), ...home.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await hanging
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(stdout).toContain('PARTIAL: 2 of 47 were run; it was interrupted')
  expect(JSON.parse(readFileSync(home.path('work', 'a.json'), 'utf8'))).toMatchObject({
    state: 'partial',
    total: 2,
  })
  // Not even the place where tapes are recorded to.
  expect(left()).toEqual(['a.json'])
})
