// A log whose reader never reads: lines are dropped once pipe and buffer are full, and the gateway serves.

import { describe, expect, it } from 'vitest'
import { Home } from './program.ts'

const key = 'a-key-of-this-test'
const auth = { keys: [{ name: 'me', key }] }
const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }

describe.each([1, 2])('with %i worker(s)', (workers) => {
  it('the gateway serves, drops excess lines, and SIGTERM ends it', async () => {
    const running = await new Home().serve({ workers, auth, backends }, [], { log: 'unread' })
    const refused = async () => {
      const response = await fetch(`${running.url}/${'x'.repeat(900)}`)
      return response.text()
    }
    for (let count = 0; count < 15 * workers; count++) await Promise.all(Array.from({ length: 100 }, refused))
    const figures = await fetch(`${running.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    const lost = /^dragoman_log_lines_lost_total (\d+)$/m.exec(await figures.text())?.[1]
    expect(Number(lost)).toBeGreaterThan(0)
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200)
    running.kill('SIGTERM')
    const { code, signal } = await running.ended
    expect({ code, signal }).toEqual({ code: 0, signal: null })
  })
})
