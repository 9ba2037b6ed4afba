// An uncaught error: it is reported, running turns may finish, and the program exits with 1. The error comes from a module
// that Node loads ahead of the program (NODE_OPTIONS); the program itself has no way to be made to fail.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { isNightly, spread } from '../depth.ts'
import { chatStream, upstreamKey } from '../harness.ts'
import { Home } from './program.ts'

let sim: Sim
beforeAll(async () => {
  sim = await startOpenAISim({ apiKey: upstreamKey })
})
afterAll(() => sim.close())

const faults = {
  'uncaught exception': `setImmediate(() => { throw new Error('it broke with ${upstreamKey}') })`,
  'unhandled rejection': `Promise.reject(Object.assign(Object.create(null), { secret: '${upstreamKey}' }))`,
}

describe.each(spread(Object.entries(faults), 1))('%s', (kind, fault) => {
  const home = new Home()

  it('is logged without secrets; the running turn ends, later ones are refused, the exit code is 1', async () => {
    const preload = home.write('fault.mjs', `process.on('SIGUSR2', () => { ${fault} })`)
    const backends = { openai: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } }
    const running = await home.serve({ auth: 'none', backends }, [], {
      env: { NODE_OPTIONS: `--import=file://${preload}` },
    })
    const asked = sim.requests.length
    sim.play({
      steps: [{ say: 'one ', pieces: 1 }, { wait: 800 }, { say: 'two', pieces: 1 }, { end: 'stop' }],
    })
    const hello = { model: 'openai/gpt-demo', messages: [{ role: 'user', content: 'hello' }] }
    const turn = chatStream(running.url, hello)
    await expect.poll(() => sim.requests.length).toBeGreaterThan(asked)
    running.kill('SIGUSR2')
    await expect.poll(() => running.stderr()).toContain(kind)
    const refused = await fetch(`${running.url}/v1/models`)
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('is stopping')])
    const { text, finishReason, error } = await turn
    expect({ text, finishReason, error }).toEqual({ text: 'one two', finishReason: 'stop', error: undefined })
    const { code, signal, output, stderr } = await running.ended
    expect({ code, signal }).toEqual({ code: 1, signal: null })
    expect(output).not.toContain(upstreamKey)
    expect(
      stderr.split('\n').filter((line) => line.includes(`"level":"error","message":"${kind}"`)),
    ).toHaveLength(1)
  })
})

it.runIf(isNightly)('the exit code is 1, too, when nothing is left that could end', async () => {
  const home = new Home()
  const preload = home.write(
    'fault.mjs',
    `import http from 'node:http'
    http.Server.prototype.close = function () { return this.unref() }
    process.on('SIGUSR2', () => setImmediate(() => { throw new Error('it broke') }))`,
  )
  const backends = { openai: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } }
  const running = await home.serve({ auth: 'none', backends }, [], {
    env: { NODE_OPTIONS: `--import=file://${preload}` },
  })
  running.kill('SIGUSR2')
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([1, expect.stringContaining('it broke')])
})

it.runIf(isNightly)('a program that keeps throwing is ended', async () => {
  const home = new Home()
  const preload = home.write('fault.mjs', `process.on('SIGUSR2', () => setInterval(() => { throw 1 }, 1))`)
  const backends = { openai: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } }
  const running = await home.serve({ auth: 'none', backends }, [], {
    env: { NODE_OPTIONS: `--import=file://${preload}` },
  })
  sim.play({ steps: [{ forever: { everyMs: 20 } }] })
  const hello = { model: 'openai/gpt-demo', messages: [{ role: 'user', content: 'hello' }], stream: true }
  const answer = await fetch(`${running.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(hello),
  })
  expect(answer.status).toBe(200)
  running.kill('SIGUSR2')
  const { code, stderr } = await running.ended
  expect(code).toBe(1)
  expect(stderr.split('\n').filter((line) => line.includes('"level":"error"'))).toHaveLength(11)
  await answer.body?.cancel().catch(() => undefined)
})
