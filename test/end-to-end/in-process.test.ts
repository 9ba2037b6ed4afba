// Every request gets an answer: `gateway.fetch` settles like any fetch, and no upstream makes the gateway throw.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, type Bench, startBench } from '../harness.ts'
import { startUpstream, watchProcess, within } from './wire.ts'

const origin = 'https://page.example'
let bench: Bench
const watch = watchProcess()

beforeAll(async () => {
  bench = await startBench({ settings: { allow: { origins: [origin] } } })
})
afterAll(async () => {
  await bench.close()
  watch.stop()
})

async function settle(path: string, init: RequestInit = {}, at = bench): Promise<Response> {
  const answer = await within(1_000, at.gateway.fetch(new Request(`http://gateway${path}`, init)))
  if (answer === 'late') throw new Error('the call never settled')
  return answer
}

const json = { 'content-type': 'application/json' }
const chat = (body: unknown) => ({ method: 'POST', headers: json, body: JSON.stringify(body) })

describe('settles', () => {
  it.each([
    ['/healthz', {}, 200],
    ['/', { method: 'HEAD' }, 200],
    ['/nowhere', {}, 404],
    ['/v1/models', {}, 200],
    ['/v1/chat/completions', chat(ask('openai/gpt-demo')), 200],
    ['/v1/chat/completions', chat(ask('openai/gpt-demo', { stream: true })), 200],
    ['/v1/chat/completions', chat({}), 400],
    ['/v1/chat/completions', { method: 'POST', headers: json }, 400],
    ['/v1/chat/completions', { method: 'POST', headers: json, body: 'x'.repeat(34_000_000) }, 413],
  ] satisfies [string, RequestInit, number][])('%s (%#)', async (path, init, status) => {
    const answer = await settle(path, init)
    expect(answer.status).toBe(status)
    await answer.text()
  })

  it('OPTIONS from a configured page', async () => {
    expect((await settle('/v1/models', { method: 'OPTIONS', headers: { origin } })).status).toBe(204)
  })

  it('an upstream status that HTTP does not know', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(700)
      response.end('{}')
    })
    const other = await startBench({
      settings: {
        backends: {
          anthropic: { kind: 'anthropic', baseUrl: upstream.url, apiKey: 'sk-x' },
          openai: { kind: 'openai', baseUrl: upstream.url },
        },
      },
    })
    for (const model of ['openai/x', 'anthropic/x']) {
      const answer = await settle('/v1/chat/completions', chat(ask(model)), other)
      expect(answer.status).toBeGreaterThanOrEqual(500)
      expect(answer.status).toBeLessThan(600)
    }
    await Promise.all([other.close(), upstream.close()])
  })

  it.each([99_999, 1_000, 600, 999, 500.5, '599x', 1e300, -1])(
    'an error whose code is %s, in an answer or a stream',
    async (code) => {
      const error = { message: 'odd', code }
      for (const stream of [true, false]) {
        bench.openai.play(stream ? [{ frame: { error } }] : [{ status: 200, headers: json, body: { error } }])
        const init = chat(ask('openai/gpt-demo', { stream }))
        const answer = await within(1_000, fetch(`${bench.url}/v1/chat/completions`, init))
        expect(answer).not.toBe('late')
        const { status } = answer as Response
        expect(status >= 400 && status < 600).toBe(true)
        expect(await (answer as Response).json()).toMatchObject({
          error: { message: expect.stringMatching(/odd/) },
        })
      }
    },
  )

  it('and throws nothing into the void', () => {
    expect(watch.stray).toEqual([])
  })
})

describe('sessions', () => {
  const asked = { role: 'user', content: 'Call look with {"path":"a"}' }
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  // The second is of OpenCode before it had the first.
  it.each(['x-session-id', 'x-session-affinity'])(
    '%s: what one session has open is not for another',
    async (name) => {
      const turn = async (session: string, messages: unknown[]) => {
        const { headers, ...init } = chat({ model: 'cursor/composer-2', messages, tools })
        return settle('/v1/chat/completions', { ...init, headers: { ...headers, [name]: session } })
      }
      const { choices } = (await (await turn('one', [asked])).json()) as {
        choices: { message: { tool_calls: { id: string }[] } }[]
      }
      const message = choices[0]?.message
      const result = { role: 'tool', tool_call_id: message?.tool_calls[0]?.id, content: 'seen' }
      const history = [asked, message, result]
      expect((await turn('other', history)).headers.get('x-dragoman-session')).toBe('fresh')
      expect((await turn('one', history)).headers.get('x-dragoman-session')).toBe('live')
    },
  )

  it('a stored response is found by its own session only', async () => {
    const body = JSON.stringify({ model: 'openai/gpt-demo', input: 'hello' })
    const headers = (session: string) => ({ ...json, 'x-session-id': session })
    const made = await settle('/v1/responses', { method: 'POST', headers: headers('one'), body })
    const { id } = (await made.json()) as { id: string }
    const read = async (session: string) =>
      (await settle(`/v1/responses/${id}`, { headers: headers(session) })).status
    expect([await read('two'), await read('one')]).toEqual([404, 200])
  })
})
