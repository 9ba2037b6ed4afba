// Hostile errors of a service that speaks the client's dialect: they are forwarded, so their content must be harmless.

import { describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { mark } from '../../src/base/secrets/taken-out.ts'
import { type Body, startGateway, upstreamKey, useBench } from '../harness.ts'

const bench = useBench({ clouds: true })
const escaped = [...upstreamKey]
  .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('')

const openaiError = (error: Body, more: Body = {}) => ({
  error: { type: 'invalid_request_error', ...error },
  ...more,
})
const messages = {
  path: () => '/v1/messages',
  body: { max_tokens: 2048, messages: [{ role: 'user', content: 'hello' }] },
  wrap: (error: Body, more: Body = {}) => ({
    type: 'error',
    error: { type: 'invalid_request_error', ...error },
    ...more,
  }),
}

const doors = [
  { ...messages, name: 'messages', backend: 'anthropic', model: 'anthropic/claude-haiku-4-5' },
  // Errors of the model itself: those of the cloud are translated.
  { ...messages, name: 'messages from Bedrock', backend: 'bedrock', model: 'bedrock/claude-demo' },
  { ...messages, name: 'messages from Vertex', backend: 'vertex', model: 'vertex/claude-demo' },
  {
    name: 'chat',
    path: () => '/v1/chat/completions',
    backend: 'openai',
    model: 'openai/gpt-demo',
    body: { messages: [{ role: 'user', content: 'hello' }] },
    wrap: openaiError,
  },
  {
    name: 'responses',
    path: () => '/v1/responses',
    backend: 'openai',
    model: 'openai/gpt-demo',
    body: { input: 'hello' },
    wrap: openaiError,
  },
  {
    name: 'gemini',
    path: (stream: boolean) =>
      `/v1beta/models/gemini/gemini-3.8-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    backend: 'gemini',
    model: 'gemini/gemini-3.8-flash',
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    wrap: (error: Body, more: Body = {}) => ({
      error: { code: 400, status: 'INVALID_ARGUMENT', ...error },
      ...more,
    }),
  },
] as const

describe.each(doors)('$name', ({ path, backend, model, body, wrap }) => {
  const post = (stream: boolean) =>
    fetch(bench.url + path(stream), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(backend === 'gemini' ? body : { model, stream, ...body }),
    })

  async function refused(sent: unknown, headers: Record<string, string> = {}, status = 400) {
    bench[backend].play([{ status, body: sent, headers }])
    const answer = await post(false)
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) }
  }

  it("holds the gateway's key, in values, names and lists, plain and escaped", async () => {
    const error = {
      message: `key ${upstreamKey}`,
      code: upstreamKey,
      [upstreamKey]: { at: [[`<${upstreamKey}>`]] },
    }
    const { text, json } = await refused(wrap(error, { debug: { headers: { 'x-api-key': upstreamKey } } }))
    expect(text).not.toContain(upstreamKey)
    expect(json.error).toMatchObject({ message: `key ${mark}`, code: mark, [mark]: { at: [[`<${mark}>`]] } })
    expect(json.debug).toEqual({ headers: { 'x-api-key': mark } })
    const spelt = JSON.stringify(wrap({ message: 'KEY' })).replace('KEY', escaped)
    expect((await refused(spelt)).json.error.message).toBe(mark)
    expect(bench.logs.join('')).not.toContain(upstreamKey)
  })

  it('holds the key in a stream', async () => {
    const frame = wrap({ message: upstreamKey, details: { key: upstreamKey } })
    bench[backend].play([{ say: 'one two' }, { frame, event: 'error' }])
    const answer = await post(true)
    const text = await answer.text()
    expect(text).toContain(mark)
    expect(text).not.toContain(upstreamKey)
  })

  it('is huge: translated, and short', async () => {
    const { status, text } = await refused(wrap({ message: 'x'.repeat(50_000), more: 'y'.repeat(1_000_000) }))
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(10_000)
  })

  it('is deep: translated', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const sent = JSON.stringify(wrap({ message: 'deep', at: 'HERE' })).replace('"HERE"', deep)
    const { status, json } = await refused(sent)
    expect([status, json.error.message]).toEqual([400, `${backend}: deep`])
    expect(json.error.at).toBeUndefined()
  })

  it('holds markup and line breaks: JSON that stays one line, and is not a page', async () => {
    const message = '<script>alert(1)</script>\r\n\r\ndata: {"type":"message_stop"}\n\u2028\0'
    const { headers, text, json } = await refused(wrap({ message }))
    expect(json.error.message).toBe(message)
    expect(text).not.toMatch(/[\r\n\0]/)
    expect(headers.get('content-type')).toBe('application/json')
  })

  it('has names of prototypes', async () => {
    const sent = JSON.stringify(wrap({ message: 'x' })).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":2,',
    )
    expect((await refused(sent)).text).toContain('"__proto__":{"polluted":1}')
    expect(({} as Body).polluted).toBeUndefined()
  })

  it.each([{ toString: 1, valueOf: 2 }, [{ toString: 1 }], 7, null, '__proto__'])(
    'has %j in place of a text anywhere',
    async (odd) => {
      for (const name of ['type', 'code', 'status', 'param', 'reason', 'domain', 'message']) {
        const sent = await refused(wrap({ message: 'x', [name]: odd }))
        expect([name, sent.status]).toEqual([name, 400])
      }
      for (const name of ['@type', 'retryDelay', 'quotaId', 'reason']) {
        const type = 'type.googleapis.com/google.rpc.'
        const details = ['RetryInfo', 'QuotaFailure', 'ErrorInfo'].map((kind) => ({
          ...{ '@type': type + kind, violations: [{ [name]: odd }, odd], links: odd },
          [name]: odd,
        }))
        const sent = await refused(wrap({ message: 'x', details: [...details, odd] }))
        expect([name, sent.status]).toEqual([name, 400])
      }
    },
  )

  it.each([
    ['retry-after', '-5', '0'],
    ['retry-after', 'soon', null],
    ['retry-after', '9'.repeat(40), '31536000'],
    ['retry-after-ms', '1e400', null],
    ['retry-after-ms', '99999999999999999999', '31536000000'],
    ['x-should-retry', 'perhaps', null],
    ['x-should-retry', 'true, false', null],
    ['set-cookie', 'a=b', null],
    ['location', 'https://elsewhere.example', null],
    ['access-control-allow-origin', '*', null],
    ['www-authenticate', 'Basic realm="your password"', null],
    ['x-dragoman-turn', 'turn_mine', /^turn_(?!mine)/],
  ])('sends %s: %s', async (name, value, shown) => {
    const { headers } = await refused(wrap({ message: 'x' }), { [name]: value }, 409)
    if (shown instanceof RegExp) expect(headers.get(name)).toMatch(shown)
    else expect(headers.get(name)).toBe(shown)
  })

  it.each([301, 302, 307])('redirects with %i: not followed, not passed on', async (status) => {
    const sent = await refused(wrap({ message: 'x' }), { location: 'http://169.254.169.254/' }, status)
    expect([sent.status, sent.headers.get('location')]).toEqual([502, null])
  })
})

it('a listing with the key in it', async () => {
  const sim = await startAnthropicSim({ models: ['claude-x', `claude-${upstreamKey}`] })
  const backends = { claude: { kind: 'anthropic', baseUrl: sim.url, apiKey: upstreamKey } }
  const { gateway, url } = await startGateway({ backends })
  for (const headers of [{}, { 'anthropic-version': '2023-06-01' }]) {
    const text = await (await fetch(`${url}/v1/models`, { headers })).text()
    expect(text).toContain('claude/claude-x')
    expect(text).not.toContain(upstreamKey)
  }
  await gateway.close()
  await sim.close()
})
