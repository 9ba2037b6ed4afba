// Simulators listen on loopback: a page that leads its own name here gets nothing.

import http from 'node:http'
import http2 from 'node:http2'
import { afterAll, describe, expect, it } from 'vitest'
import { startAnthropicSim } from './anthropic.ts'
import { startCursorSim } from './cursor.ts'
import { startOpenAISim } from './openai.ts'

const sims = await Promise.all([startAnthropicSim(), startOpenAISim(), startCursorSim()])
afterAll(() => Promise.all(sims.map((sim) => sim.close())))

const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = http.request(`${url}/v1/models`, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject).end()
  })

describe.each(sims.map((sim) => [sim.url] as const))('%s', (url) => {
  it.each(['evil.example', 'evil.example:80', '127.0.0.1.nip.io', 'localhost.evil.example', '0.0.0.0'])(
    'Host %s: 421',
    async (host) => {
      expect(await statusFor(url, host)).toBe(421)
    },
  )

  it.each(['localhost', '127.0.0.1:1', '[::1]:8080'])('Host %s is served', async (host) => {
    expect(await statusFor(url, host)).not.toBe(421)
  })
})

it('over HTTP/2 it is the authority', async () => {
  const session = http2.connect(String(sims[2]?.url))
  const status = (authority: string) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/x', ':authority': authority })
      stream.on('response', (headers) => resolve(headers[':status']))
      stream.on('error', reject)
      stream.resume()
    })
  expect(await status('evil.example')).toBe(421)
  expect(await status('localhost')).not.toBe(421)
  session.close()
})
