// Reloads with several workers: all of them change, or none does.

import { expect, it } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { atEnd, get, Home } from '../cli/program.ts'
import { answerOf, askCursor, cursorKey, followUp } from '../cursor-bench.ts'
import { until } from '../end-to-end/wire.ts'
import type { Body } from '../harness.ts'

const keys = (...names: string[]) => ({
  keys: names.map((name) => ({ name, key: `${name}-key-0123456789` })),
})

it('all take over, or none does; one that is started anew has what is in force; parked runs go on anywhere', async () => {
  const [cursor, openai] = [
    await startCursorSim({ apiKey: cursorKey }),
    await startOpenAISim({ lenient: true }),
  ]
  atEnd(async () => {
    await Promise.all([cursor.close(), openai.close()])
  })
  const home = new Home()
  const box = { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: 'x' }
  const account = { kind: 'cursor', baseUrl: cursor.url, apiKey: cursorKey, transport: 'http2' }
  const write = (auth: Body, backends: Body) =>
    home.write('dragoman.jsonc', { auth, backends, reload: 'signal', log: { level: 'info' } })
  const file = write(keys('laptop'), { box, cursor: account })
  const running = await home.start(['serve', '--config', file, '--port', '0', '--workers', '2'])
  const reload = () => home.run(['reload'])
  /** Of fresh connections, which reach both workers in turn. */
  const statuses = async (name: string) => {
    const ask = () =>
      fetch(`${running.url}/readyz`, {
        headers: { authorization: `Bearer ${name}-key-0123456789`, connection: 'close' },
      })
    return new Set(
      (await Promise.all([ask(), ask(), ask(), ask(), ask(), ask()])).map(({ status }) => status),
    )
  }
  const lines = () =>
    running
      .stderr()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Body)
  const count = (message: string) => lines().filter((line) => line.message === message).length

  write(keys('laptop', 'phone'), { box, cursor: account })
  expect(await reload()).toMatchObject({ code: 0, stdout: expect.stringContaining(': auth.keys\n') })
  expect([await statuses('laptop'), await statuses('phone')]).toEqual([new Set([200]), new Set([200])])

  // Only the workers find out.
  write(keys('tablet'), { box: { ...box, connect: { ca: home.folder } }, cursor: account })
  expect(await reload()).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder') })
  expect([await statuses('laptop'), await statuses('tablet')]).toEqual([new Set([200]), new Set([401])])

  const headers = { authorization: 'Bearer laptop-key-0123456789', connection: 'close' }
  const ask = (body: Body) => answerOf(running.url, body, 'streamed', headers)
  const body = askCursor('Read README.md')
  const parked = await Promise.all([ask(body), ask(body), ask(body), ask(body)])
  // Its account is gone, the runs are not.
  write(keys('laptop'), { box })
  expect(await reload()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(': auth.keys, backends.cursor\n'),
  })
  for (const [at, first] of parked.entries())
    expect(await ask(followUp(body, first, [`word-${at}`]))).toMatchObject({
      session: 'live',
      finish: 'stop',
    })
  expect(await ask(body)).toMatchObject({ status: 404 })
  expect(await statuses('phone')).toEqual(new Set([401]))

  const { pids } = lines().find(({ message }) => message === 'workers are ready') as { pids: number[] }
  const [first = Number.NaN, second = Number.NaN] = pids
  // A signal to the whole group.
  for (const pid of [first, second, running.pid]) process.kill(pid, 'SIGHUP')
  process.kill(first, 'SIGKILL')
  await until(() => count('a worker was restarted') === 1)
  expect([await statuses('laptop'), await statuses('phone')]).toEqual([new Set([200]), new Set([401])])
  expect(count('a worker has ended and will be restarted')).toBe(1)
  const figures = await (await get(`${running.url}/metrics`, 'laptop-key-0123456789')).text()
  expect(figures).toContain('\ndragoman_config_reloads_total{outcome="taken"} 2\n')
  expect(figures).toContain('\ndragoman_config_reloads_total{outcome="refused"} 1\n')
  expect(cursor.violations).toEqual([])
  expect((await running.stop()).code).toBe(0)
})
