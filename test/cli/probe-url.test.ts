// `probe MODEL --url URL`: the tasks through a gateway that runs already.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import { atTestEnd } from '../at-end.ts'
import { isNightly } from '../depth.ts'
import { upstreamKey } from '../harness.ts'
import { neverCalls, perfect, startPersona } from '../probe/personas.ts'
import { deadPort, Home } from './program.ts'

const probe = ['probe', 'box/gpt-demo', '--only', 'single', '--yes', '--url']

const backendsAt = (url: string) => ({
  backends: { box: { kind: 'openai', baseUrl: `${url}/v1`, apiKey: upstreamKey } },
})

async function served(url: string) {
  const home = new Home()
  const gateway = await home.serve(backendsAt(url))
  const key = readFileSync(home.keyFile, 'utf8').trim()
  return { home, url: gateway.url, key }
}

it('the demo: no key, no configuration', async () => {
  const home = new Home()
  const { url } = await home.start(['demo', '--port', '0'])
  const names = [
    'demo-openai/gpt-demo',
    'demo-responses/gpt-demo',
    'demo-text/text-demo',
    'demo-anthropic/claude-demo',
  ]
  for (const model of names) {
    const { code, stdout } = await home.run([
      'probe',
      model,
      '--only',
      'single.convert',
      '--yes',
      '--url',
      `${url}/v1/`,
    ])
    expect({ model, code, stdout }).toEqual({
      model,
      code: 0,
      stdout: expect.stringContaining('score      100 of 100 (1 of 1 passed, weighted)'),
    })
  }
})

describe('a gateway with a key', () => {
  it('gets this machine’s key, at every door', async () => {
    const { home, url } = await served((await startPersona(perfect)).url)
    for (const door of ['chat', 'messages', 'responses']) {
      const { code, stdout, stderr } = await home.run([...probe, url, '--door', door])
      expect({ door, code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('score      100 of 100'),
      })
      expect(stderr).toContain(`probe of box/gpt-demo through the ${door} door of ${url}`)
    }
    expect(readdirSync(home.path('work'))).toEqual([])
  })

  it('gets the key of a file or of the variable', async () => {
    const { url, key } = await served((await startPersona(perfect)).url)
    const other = new Home()
    const file = other.write('key', `${key}\n`)
    const byFile = await other.run([...probe, url, '--key-file', file])
    const byVariable = await other.run([...probe, url], { env: { DRAGOMAN_KEY: key } })
    expect([byFile.code, byVariable.code]).toEqual([0, 0])
    expect(byFile.output + byVariable.output).not.toContain(key)
    // It creates no key of its own.
    expect(readdirSync(other.folder).sort()).toEqual(['key', 'work'])
  })

  it.runIf(isNightly)('that does not take the key says so, and nothing is judged', async () => {
    const { url } = await served((await startPersona(perfect)).url)
    const other = new Home()
    const file = other.write('key', 'dgm_not-the-right-key-at-all')
    for (const [args, env] of [
      [['--key-file', file], {}],
      [[], { DRAGOMAN_KEY: 'dgm_not-the-right-key-at-all' }],
    ] as const) {
      const { code, stdout, stderr } = await other.run([...probe, url, ...args], { env })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('does not take the key')
      expect(stderr).not.toContain('not-the-right-key')
    }
  })
})

describe('what fails', () => {
  it.runIf(isNightly)('has the turn in place of a tape', async () => {
    const { home, url } = await served((await startPersona(neverCalls)).url)
    const { code, stdout } = await home.run([...probe, url, '--json', 'a.json', '--html', 'a.html'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}turn {6}turn_\w+$/m)
    expect(stdout).not.toContain('tape show')
    const report = JSON.parse(readFileSync(home.path('work', 'a.json'), 'utf8'))
    expect(report.failures[0]).toMatchObject({
      blame: 'model',
      tapes: [],
      turns: [expect.stringMatching(/^turn_/)],
    })
    expect(readdirSync(home.path('work')).sort()).toEqual(['a.html', 'a.json'])
  })

  it('at the service is blamed on the service', async () => {
    const sim = await startOpenAISim({ apiKey: 'another key' })
    atTestEnd(() => sim.close())
    const { home, url } = await served(sim.url)
    const { code, stderr } = await home.run([...probe, url])
    expect(code).toBe(2)
    expect(stderr).toContain('The probe could not run.')
  })

  it.runIf(isNightly)('before anything is sent', async () => {
    const home = new Home()
    const { url } = await home.start(['demo', '--port', '0'])
    const model = 'demo-openai/gpt-demo'
    const silent = await home.run(['probe', model, '--url', url])
    expect({ code: silent.code, stderr: silent.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Nothing was sent: there is no terminal to ask on.'),
    })
    const nowhere = await home.run([...probe, `http://127.0.0.1:${await deadPort()}`])
    expect({ code: nowhere.code, stderr: nowhere.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('No gateway answers at'),
    })
    const unknown = await home.run(['probe', 'demo-openai', '--yes', '--url', url])
    expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('The model "demo-openai" does not exist here.'),
    })
    for (const [args, says] of [
      [['--tapes', 'x', '--url', url], 'start it with --record'],
      [['--key-file', 'x'], '--key-file belongs to --url'],
    ] as const) {
      const refused = await home.run(['probe', model, ...args])
      expect({ code: refused.code, stderr: refused.stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(says),
      })
    }
  })
})
