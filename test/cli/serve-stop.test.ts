// `dragoman serve`: how it stops, and its local tools.

import { beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { isNightly, scaled } from '../depth.ts'
import { chatStream, user } from '../harness.ts'
import { atEnd, get, Home, stackTrace } from './program.ts'

const upstreamKey = 'sk-upstream-canary-31415926'
const longKey = 'k'.repeat(32)

let sim: Sim

beforeAll(async () => {
  sim = await startOpenAISim({ apiKey: upstreamKey, models: ['m1'] })
  atEnd(() => sim.close())
})

const settings = (more: Record<string, unknown> = {}) => ({
  backends: { box: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } },
  ...more,
})

const hello = { model: 'box/m1', messages: [user('hello')] }

describe('stopping', () => {
  const home = new Home()

  it('a running stream is finished, then it exits with 0', async () => {
    sim.play({ steps: [{ say: 'one ' }, { wait: 600 }, { say: 'two' }, { end: 'stop' }] })
    const running = await home.serve(settings({ auth: 'none' }), [], { ownProcess: true })
    const stream = chatStream(running.url, hello)
    await expect.poll(() => sim.requests.at(-1)?.path).toBe('/v1/chat/completions')
    await new Promise((resolve) => setTimeout(resolve, 200))
    running.kill('SIGTERM')
    await expect
      .poll(() =>
        get(`${running.url}/healthz`).then(
          () => 'served',
          () => 'refused',
        ),
      )
      .toBe('refused')
    const { text, problems, finishReason } = await stream
    expect({ text, problems, finishReason }).toEqual({ text: 'one two', problems: [], finishReason: 'stop' })
    expect(await running.ended).toMatchObject({ code: 0, signal: null })
  })

  it('stops at once when nothing runs, on SIGINT too', async () => {
    const running = await home.serve(settings({ auth: 'none' }), [], { ownProcess: true })
    await get(`${running.url}/healthz`)
    const began = Date.now()
    running.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 0, signal: null })
    // Far below the 30 s that a drain may take.
    expect(Date.now() - began).toBeLessThan(15_000)
  })

  // Signals must be listened for before the line is printed.
  it.runIf(isNightly)('handles a signal right after the ready line', async () => {
    const started = Array.from({ length: scaled(3, 1) }, () =>
      home.serve(settings({ auth: 'none' }), [], { ownProcess: true }).then((running) => {
        running.kill('SIGTERM')
        return running.ended
      }),
    )
    for (const { code, signal } of await Promise.all(started))
      expect({ code, signal }).toEqual({ code: 0, signal: null })
  })

  it('a second signal exits at once', async () => {
    sim.play({ steps: [{ forever: { everyMs: 20 } }] })
    const running = await home.serve(settings({ auth: 'none' }), [], { ownProcess: true })
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    const reader = response.body!.getReader()
    const read = (async () => {
      while (!(await reader.read()).done);
    })()
    read.catch(() => undefined)
    running.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const began = Date.now()
    running.kill('SIGTERM')
    const { code } = await running.ended
    expect(Date.now() - began).toBeLessThan(15_000)
    expect(code).not.toBe(0)
    await expect(read).rejects.toThrow()
  })
})

describe('local tools', () => {
  const home = new Home()
  const serve = (more: Record<string, unknown>, flags: string[] = []) =>
    home.run(['serve', '--port', '0', '--config', home.write('local.jsonc', settings(more)), ...flags])

  it.each([
    ['a root that is not there', { exec: { enabled: true, root: 'nowhere' } }, [], 'exec.root: '],
    ['the whole machine as root', { exec: { enabled: true, root: '/' } }, [], 'exec.root: '],
    [
      'an address of the network, by a flag',
      { exec: { enabled: true }, auth: { keys: [{ name: 'a', key: longKey }] } },
      ['--host', '0.0.0.0'],
      'exec.enabled: ',
    ],
  ])('%s: exit code 2 and the remedy', async (_case, more, flags, expected) => {
    const { code, stdout, stderr } = await serve(more, flags)
    expect(stderr).toContain(expected)
    expect(stderr).not.toMatch(stackTrace)
    expect([code, stdout]).toEqual([2, ''])
  })
})
