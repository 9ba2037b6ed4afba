// Losing the log costs the log: a reader that goes away, a device without space. A reader that never reads: lost-log.nightly.test.ts.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { isNightly, spread } from '../depth.ts'
import { chatStream, upstreamKey } from '../harness.ts'
import { Home, type Running } from './program.ts'

let sim: Sim
beforeAll(async () => {
  sim = await startOpenAISim({ apiKey: upstreamKey })
})
afterAll(() => sim.close())

const key = 'a-key-of-this-test'
const home = new Home()
const serve = (workers: number, settings: Parameters<Home['serve']>[2] = {}) =>
  home.serve(
    {
      workers,
      auth: { keys: [{ name: 'me', key }] },
      backends: { openai: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } },
    },
    [],
    { ownProcess: true, ...settings },
  )

const withoutKey = async ({ url }: Running) => {
  const response = await fetch(`${url}/v1/models`)
  await response.text()
  return response.status
}
const lostLines = async ({ url }: Running) => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  return Number(/^dragoman_log_lines_lost_total (\d+)$/m.exec(await response.text())?.[1])
}
/** Ticks of 10 ms. */
const cpuOf = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

describe.each(spread([1, 2], 1))('with %i worker(s)', (workers) => {
  it.runIf(isNightly)(
    'whose reader has gone: it serves, running streams end whole, lost lines are counted, SIGTERM ends it',
    async () => {
      const running = await serve(workers)
      const asked = sim.requests.length
      sim.play({
        steps: [{ say: 'one ', pieces: 1 }, { wait: 700 }, { say: 'two', pieces: 1 }, { end: 'stop' }],
      })
      const hello = { model: 'openai/gpt-demo', messages: [{ role: 'user', content: 'hello' }] }
      const streamed = chatStream(running.url, hello, { authorization: `Bearer ${key}` })
      await expect.poll(() => sim.requests.length).toBeGreaterThan(asked)
      running.closeLog()
      for (let count = 0; count < 4; count++) expect(await withoutKey(running)).toBe(401)
      const before = cpuOf(running.pid)
      const { text, finishReason, error } = await streamed
      expect({ text, finishReason, error }).toEqual({
        text: 'one two',
        finishReason: 'stop',
        error: undefined,
      })
      // A loop of errors takes all of the time.
      expect(cpuOf(running.pid) - before).toBeLessThan(40)
      await expect.poll(() => lostLines(running)).toBeGreaterThan(0)
      expect(await withoutKey(running)).toBe(401)
      running.kill('SIGTERM')
      const { code, signal } = await running.ended
      expect({ code, signal }).toEqual({ code: 0, signal: null })
    },
  )

  it('on a device without space: the gateway serves, counts lost lines, and SIGTERM ends it', async () => {
    const running = await serve(workers, { log: { file: '/dev/full' } })
    expect(await withoutKey(running)).toBe(401)
    expect(await withoutKey(running)).toBe(401)
    await expect.poll(() => lostLines(running)).toBeGreaterThan(0)
    running.kill('SIGTERM')
    const { code, signal } = await running.ended
    expect({ code, signal }).toEqual({ code: 0, signal: null })
  })
})
