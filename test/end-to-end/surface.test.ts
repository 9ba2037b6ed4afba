// Routes, and the answers on unknown routes.

import { describe, expect, it } from 'vitest'
import { RouteTable } from '../../src/http/route.ts'
import { isGeminiPath } from '../../src/server/gemini-path.ts'
import { routes } from '../../src/server/routes.ts'
import { ask, useBench } from '../harness.ts'
import { connect, expectNothingStray, hostLine, rawRequest } from './wire.ts'

expectNothingStray()
/** Those of other instances do not exist here. */
const clientRoutes = routes.filter((route) => !route.peer)
const bench = useBench({ settings: { ollama: { enabled: false } } })

const request = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(`${bench.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })

interface ModelListing {
  object: string
  data: { id: string }[]
  models?: { slug: string }[]
}

function codeAt(path: string): unknown {
  if (path.startsWith('/v1/messages')) return undefined
  return isGeminiPath(path) ? 405 : 'method_not_allowed'
}

describe('paths', () => {
  it.each([
    ['POST', '/v1beta/models/x:embedContent', /embeddings are not served/],
    ['POST', '/v1beta/models/x:batchEmbedContents', /embeddings are not served/],
    ['POST', '/v1beta/cachedContents', /nothing is stored here/],
    ['GET', '/v1beta/files/abc', /nothing is stored here/],
    ['POST', '/v1beta/interactions', /use generateContent/],
    ['GET', '/v1beta', /base URL/],
  ])("%s %s: 404 that helps, in Google's form", async (method, path, says) => {
    const answer = await request(method, path)
    expect(answer.status).toBe(404)
    const { error } = (await answer.json()) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code: 404, status: 'NOT_FOUND', message: expect.stringMatching(says) })
  })

  it.each([
    ['POST', '/chat/completions', /base URL.*\/v1/],
    ['GET', '/models', /base URL.*\/v1/],
    ['GET', '/v1', /base URL/],
    ['GET', '/v1/', /base URL/],
    ['POST', '/v1/v1/chat/completions', /twice/],
    ['POST', '/v1/completions', /\/v1\/chat\/completions/],
    ['POST', '/v1/embeddings', /embedding/],
    ['POST', '/messages', /\/v1\/messages/],
    ['POST', '/v1/complete', /\/v1\/messages/],
    ['POST', '/responses', /base URL.*\/v1/],
    ['POST', '/v1/v1/responses', /twice/],
    ['GET', '/v1/v1/models', /twice/],
    ['GET', '/v1/v1', /twice/],
    ['DELETE', '/v1/responses/resp_1/x', /GET \/ lists/],
    ['POST', '/v1/conversations', /previous_response_id/],
    ['GET', '/v1/conversations/conv_1/items', /previous_response_id/],
    [
      'POST',
      '/v1/chat/completions/chat/completions',
      /base URL holds a route already; set it to end in \/v1/,
    ],
    ['GET', '/v1/chat/completions/models', /set it to end in \/v1/],
    ['POST', '/v1/responses/responses', /set it to end in \/v1/],
    ['POST', '/v1/chat/completion', /did you mean POST \/v1\/chat\/completions\?/],
    ['POST', '/v1/files', /GET \/ lists/],
    ['GET', '//healthz', /GET \/ lists/],
    ['GET', '/metrics/', /GET \/ lists/],
    ['GET', '/nowhere', /GET \/ lists/],
    ['POST', '/internal/v1/turns', /GET \/ lists/],
    ['GET', '/internal/v1/tool_results', /GET \/ lists/],
    ['GET', '/favicon.ico', /GET \/ lists/],
    ['GET', '/__proto__', /GET \/ lists/],
    ['GET', '/constructor', /GET \/ lists/],
    ['GET', '/..%2f..%2fetc%2fpasswd', /GET \/ lists/],
  ])('%s %s: 404 that helps', async (method, path, says) => {
    const answer = await request(method, path)
    expect(answer.status).toBe(404)
    const { error } = (await answer.json()) as { error: Record<string, string> }
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'not_found', param: null })
    expect(error.message).toMatch(says)
  })

  it.each([
    ['POST', '/api/chat', /"ollama.enabled"/],
    ['GET', '/api/tags', /"ollama.enabled"/],
    ['POST', '/api/embed', /embeddings are not served/],
    ['DELETE', '/api/delete', /models are not stored here/],
    ['GET', '/api/nothing', /GET \/ lists/],
  ])("%s %s: 404 that helps, in Ollama's form", async (method, path, says) => {
    const answer = await request(method, path)
    expect([answer.status, await answer.json()]).toEqual([404, { error: expect.stringMatching(says) }])
  })

  it.each(['/v1/v1/messages', '/v1/v1/messages?beta=true', '/v1/v1/messages/count_tokens'])(
    'POST %s: 400, since Claude Code takes every 404 for a missing model',
    async (path) => {
      const answer = await request('POST', path)
      expect(answer.status).toBe(400)
      const { error } = (await answer.json()) as { error: Record<string, string> }
      expect(error.message).toMatch(/has \/v1 twice; Anthropic clients append/)
    },
  )

  it.each([...new Set(clientRoutes.map((route) => route.path.replace('*', 'x')))])(
    '%s: other methods get 405 that names the right ones',
    async (path) => {
      const right = new RouteTable(clientRoutes).methodsOf(path)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (right.includes(method)) continue
        const answer = await request(method, path)
        expect(answer.status).toBe(405)
        const { error } = (await answer.json()) as { error: Record<string, string> }
        expect(error.code).toBe(codeAt(path))
        for (const other of right) expect(error.message).toContain(other)
      }
    },
  )

  it('405 carries Allow, as HTTP wants', async () => {
    expect((await request('GET', '/v1/chat/completions')).headers.get('allow')).toBe('POST')
  })

  it.each(['//v1/models', '/v1//models', '/v1/models/', '///v1///models//?limit=1'])(
    'GET %s: slashes too many change nothing',
    async (path) => {
      const { status, body } = await rawRequest(bench.url, { path, lines: [hostLine(bench.url)] })
      expect([status, JSON.parse(body).object]).toEqual([200, 'list'])
    },
  )

  it.each(['//v1/chat/completions', '/v1//chat/completions/', '/v1/responses//', '//v1/messages/'])(
    'POST %s: reaches its door',
    async (path) => {
      const answer = await request('POST', path, { 'content-type': 'application/json' }, '{}')
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/is required|model/)])
    },
  )

  it('POST /v1/messages/v1/messages: 400, for Claude Code', async () => {
    const answer = await request('POST', '/v1/messages/v1/messages')
    const { error } = (await answer.json()) as { error: Record<string, string> }
    expect([answer.status, error.message]).toEqual([400, expect.stringContaining('to the address alone')])
  })

  it('a query string changes nothing', async () => {
    expect((await request('GET', '/v1/models?limit=1000&after=x')).status).toBe(200)
    expect((await request('GET', '/healthz?')).status).toBe(200)
  })

  it('the listing has the models in the form of Codex too, for Codex or with its query, and for nobody else', async () => {
    const listing = async (userAgent: string, query = '') =>
      (await (await request('GET', `/v1/models${query}`, { 'user-agent': userAgent })).json()) as ModelListing
    const sdk = 'OpenAI/JS 6.0.0'
    for (const list of [await listing('codex_exec/0.166.0'), await listing(sdk, '?client_version=0.166.0')]) {
      expect(list.object).toBe('list')
      expect(list.data.length).toBeGreaterThan(0)
      expect(list.models?.map(({ slug }) => slug)).toEqual(list.data.map(({ id }) => id))
    }
    expect(await listing(sdk)).not.toHaveProperty('models')
  })

  it('GET / lists the routes', async () => {
    const text = await (await request('GET', '/')).text()
    for (const route of clientRoutes) expect(text).toContain(`${route.method} ${route.path}`)
    expect(text).not.toContain('/internal/')
  })

  it.each(['%', '%zz', '%e2%82', '%c0%af'])('/v1/models/%s: 400', async (id) => {
    const answer = await rawRequest(bench.url, { path: `/v1/models/${id}`, lines: [hostLine(bench.url)] })
    expect(answer.status).toBe(400)
  })

  it.each(['%00', '__proto__', 'constructor', 'a%0d%0ab', '%f0%9f%98%80', 'x'.repeat(10_000)])(
    '/v1/models/%s: 404',
    async (id) => {
      const answer = await request('GET', `/v1/models/${id}`)
      expect(answer.status).toBe(404)
      expect((await answer.text()).length).toBeLessThan(2_000)
    },
  )

  it('one model by its name, with a plain or an encoded slash', async () => {
    for (const id of ['openai/gpt-4o', 'openai%2Fgpt-4o']) {
      const answer = await request('GET', `/v1/models/${id}`)
      expect(await answer.json()).toMatchObject({ id: 'openai/gpt-4o', object: 'model' })
    }
  })
})

describe('content encodings', () => {
  const body = JSON.stringify(ask('openai/gpt-4o'))
  const post = (headers: Record<string, string>) => request('POST', '/v1/chat/completions', headers, body)

  it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, identity', 'x'])(
    'content-encoding %s: 415',
    async (encoding) => {
      const answer = await post({ 'content-type': 'application/json', 'content-encoding': encoding })
      expect(answer.status).toBe(415)
    },
  )

  it.each(['identity', 'Identity'])('content-encoding %s is ignored', async (encoding) => {
    const answer = await post({ 'content-type': 'application/json', 'content-encoding': encoding })
    expect(answer.status).toBe(200)
  })
})

describe('HTTP itself', () => {
  it.each([
    ['a header of 17 KiB', ['X-Long: '.padEnd(17 * 1024, 'x')], 431],
    ['a header line without a colon', ['nonsense'], 400],
    ['a NUL in a header', ['X-Nul: a\0b'], 400],
    ['two lengths', ['Content-Length: 1', 'Content-Length: 2'], 400],
    ['a length and chunks', ['Content-Length: 1', 'Transfer-Encoding: chunked'], 400],
    ['a blank before the colon', ['Content-Type : application/json'], 400],
  ])('%s is refused', async (_name, lines, status) => {
    const answer = await rawRequest(bench.url, { path: '/healthz', lines: [hostLine(bench.url), ...lines] })
    expect(answer.status).toBe(status)
  })

  it('HEAD / has no body, and errors to HEAD have none either', async () => {
    const home = await rawRequest(bench.url, { method: 'HEAD', path: '/', lines: [hostLine(bench.url)] })
    const lost = await rawRequest(bench.url, { method: 'HEAD', path: '/x', lines: [hostLine(bench.url)] })
    expect([home.status, home.body, lost.status, lost.body]).toEqual([200, '', 404, ''])
  })

  it('a client that leaves in the middle of its body does no harm', async () => {
    const lines = [hostLine(bench.url), 'Content-Type: application/json', 'Content-Length: 1000']
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const socket = connect(bench.url)
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(['POST /v1/chat/completions HTTP/1.1', ...lines, '', '{"model":'].join('\r\n'))
      await new Promise((resolve) => setTimeout(resolve, 20))
      socket[leave]()
    }
    expect((await request('GET', '/healthz')).status).toBe(200)
  })

  it('pipelined requests on one connection are answered in order', async () => {
    const one = `GET /healthz HTTP/1.1\r\n${hostLine(bench.url)}\r\n\r\n`
    const socket = connect(bench.url)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write(one + one + one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3)
  })
})
