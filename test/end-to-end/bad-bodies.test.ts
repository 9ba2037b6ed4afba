// Unreadable bodies: not JSON, too large, too deep, not UTF-8.

import { describe, expect, it } from 'vitest'
import { isNightly, scaled } from '../depth.ts'
import { answered, ask, type Body, called, post, readTool, startBench, useBench, user } from '../harness.ts'
import { refusalOf } from './refusal.ts'
import { chatLines, exchangeBytes, expectNothingStray, hostLine, rawRequest, startUpstream } from './wire.ts'

const canary = 'prompt-canary-1618033988'
expectNothingStray()
const bench = useBench({ openai: { lenient: true } })

const refusal = (body: unknown, headers?: Record<string, string>) => refusalOf(bench.url, body, headers)

const model = 'openai/gpt-4o'
const said = (...messages: unknown[]): Body => ({ model, messages })

describe('not JSON', () => {
  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t '],
    ['half an object', '{"model":'],
    ['single quotes', "{'model':'x'}"],
    ['a trailing comma', '{"model":"x",}'],
    ['two objects', '{}{}'],
    ['NaN', '{"temperature":NaN}'],
    ['a control character in a string', '{"model":"a\u0001b"}'],
    ['a NUL', '\0'],
    ['a form', `model=${canary}&messages=x`],
    ['HTML', `<html>${canary}</html>`],
  ])('%s: 400, and the body is not repeated', async (_name, body) => {
    const { status, error, text } = await refusal(body)
    expect(status).toBe(400)
    expect(error.type).toBe('invalid_request_error')
    expect(error.message).toMatch(/JSON/)
    expect(text).not.toContain(canary)
    expect(bench.logs.join('')).not.toContain(canary)
  })

  it.each([['null'], ['[]'], ['"text"'], ['5'], ['true']])('%s is not an object: 400', async (body) => {
    const { status, error } = await refusal(body)
    expect(status).toBe(400)
    expect(error.message).toContain('object')
  })

  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a character', [0xe2, 0x82]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xfc]],
  ])('invalid UTF-8 (%s): 400', async (_name, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"model":"'),
      Buffer.from(bytes),
      Buffer.from('","messages":[]}'),
    ])
    const lines = [hostLine(bench.url), 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const answer = await rawRequest(bench.url, { method: 'POST', path: '/v1/chat/completions', lines, body })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).error.message).toContain('UTF-8')
  })

  it('UTF-16: 400', async () => {
    const body = Buffer.from(`\ufeff${JSON.stringify(ask(model))}`, 'utf16le')
    const lines = [hostLine(bench.url), 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const answer = await rawRequest(bench.url, { method: 'POST', path: '/v1/chat/completions', lines, body })
    expect(answer.status).toBe(400)
  })

  it('a byte order mark is accepted', async () => {
    expect((await post(bench.url, `\ufeff${JSON.stringify(ask(model))}`)).status).toBe(200)
  })
})

const MB = 1024 * 1024

/** A gateway before an upstream that takes anything. */
async function counting() {
  let seen = 0
  const upstream = await startUpstream((request, response) => {
    request.on('data', (chunk: Buffer) => (seen += chunk.length))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"choices":[{"index":0,"message":{"content":"seen"},"finish_reason":"stop"}]}')
    })
  })
  const other = await startBench({
    settings: { backends: { openai: { kind: 'openai', baseUrl: upstream.url } } },
  })
  const close = () => Promise.all([other.close(), upstream.close()])
  return { other, seen: () => seen, close }
}

describe('sizes', () => {
  /** A request with one picture in it, of this size in all. */
  const filled = (bytes: number) => {
    const around = (data: string) =>
      JSON.stringify(said(user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }])))
    return around('A'.repeat(bytes - around('').length))
  }

  it.runIf(isNightly)('31 MB are accepted', async () => {
    const { other, seen, close } = await counting()
    const answer = await post(other.url, filled(31 * MB))
    expect(answer.status).toBe(200)
    expect(seen()).toBeGreaterThan(30 * MB)
    await close()
  })

  it.runIf(isNightly)('33 MB: 413, and the client sees it', async () => {
    const body = filled(33 * MB)
    for (let time = 0; time < scaled(5, 1); time++) {
      const { status, error } = await refusal(body)
      expect(status).toBe(413)
      expect(error.code).toBe('request_too_large')
      expect(error.message).toContain('limits.bodyBytes')
    }
  })

  it.runIf(isNightly)('a client that only reads when it has sent everything sees 413 too', async () => {
    const body = filled(33 * MB)
    const head = ['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', ''].join('\r\n')
    const answer = await exchangeBytes(bench.url, [Buffer.from(head), Buffer.from(body)])
    expect(answer).toMatchObject({ status: 413 })
  })

  it('33 MB in chunks without a stated length: 413, and the client sees it', async () => {
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      hostLine(bench.url),
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      '',
    ]
    const piece = Buffer.from(`${(MB).toString(16)}\r\n${'x'.repeat(MB)}\r\n`)
    const parts = [
      Buffer.from(head.join('\r\n')),
      ...Array.from({ length: 33 }, () => piece),
      Buffer.from('0\r\n\r\n'),
    ]
    const answer = await exchangeBytes(bench.url, parts)
    expect(answer).toMatchObject({ status: 413 })
  })

  it('after all that the gateway still answers', async () => {
    expect((await post(bench.url, ask(model))).status).toBe(200)
  })
})

describe('values', () => {
  const emptyOnes = (count: number) =>
    `{"model":"${model}","messages":[{"role":"user","content":"x"}],"metadata":[${Array(count).fill('{}').join(',')}]}`

  it('too many, in however few bytes: 413 in the words of each dialect', async () => {
    const body = emptyOnes(100_000)
    const answers = await Promise.all(
      [
        '/v1/chat/completions',
        '/v1/responses',
        '/v1/messages',
        '/v1/messages/count_tokens',
        '/v1/tool_results',
      ].map(async (path) => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(bench.url + path, { method: 'POST', headers, body })
        const { error } = (await response.json()) as { error: { message: string; type: string } }
        expect(error.message).toContain('limits.bodyValues')
        return [response.status, error.type]
      }),
    )
    expect(answers).toEqual([
      [413, 'invalid_request_error'],
      [413, 'invalid_request_error'],
      [413, 'request_too_large'],
      [413, 'request_too_large'],
      [413, 'invalid_request_error'],
    ])
  })

  it('the same in the process itself, although the body has no end', async () => {
    let given = 0
    const body = new ReadableStream({
      pull(controller) {
        given++
        controller.enqueue(new TextEncoder().encode(given === 1 ? '[' : '{},'.repeat(10_000)))
      },
    })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://gateway/v1/chat/completions', {
      ...{ method: 'POST', headers, body, duplex: 'half' },
    } as RequestInit)
    expect((await bench.gateway.fetch(request)).status).toBe(413)
    expect(given).toBeLessThan(30)
  })

  it('the size of one in the process itself is looked at while it comes', async () => {
    let given = 0
    const body = new ReadableStream({
      pull(controller) {
        given++
        controller.enqueue(new Uint8Array(MB).fill(0x20))
      },
    })
    const request = new Request('http://gateway/v1/chat/completions', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' },
    } as RequestInit)
    expect((await bench.gateway.fetch(request)).status).toBe(413)
    expect(given).toBeLessThan(40)
  })

  it('2,000 messages with calls and results, and 500 tools of 30 parameters, are accepted', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `parameter_${at}`,
        { type: 'string', description: `what it is for ${at}`, enum: ['one', 'two'] },
      ]),
    )
    const tools = Array.from({ length: 500 }, (_, at) => ({
      type: 'function',
      function: { name: `tool_${at}`, description: 'x', parameters: { type: 'object', properties } },
    }))
    const messages = Array.from({ length: 1_000 }, (_, at) => [
      {
        role: 'assistant',
        content: 'x',
        tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'tool_1', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: `c${at}`, content: 'result' },
    ]).flat()
    const { other, close } = await counting()
    const answer = await post(other.url, { model, tools, messages: [user('go on'), ...messages, user('x')] })
    expect(answer.status).toBe(200)
    await close()
  })
})

describe('depth', () => {
  /** `levels` objects inside one another. */
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
  const body = (inner: string) =>
    `{"model":"${model}","messages":[{"role":"user","content":"x"}],"metadata":${inner}}`

  it('64 levels are accepted, 65 are refused', async () => {
    expect((await post(bench.url, body(nested(63)))).status).toBe(200)
    const { status, error } = await refusal(body(nested(64)))
    expect(status).toBe(400)
    expect(error.message).toContain('64')
  })

  it.each([
    ['objects', nested(100_000)],
    ['arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('100,000 levels of %s: 400', async (_name, inner) => {
    expect((await refusal(body(inner))).status).toBe(400)
  })

  it.each(['openai/gpt-4o', 'anthropic/claude-opus-5'])(
    "%s: 100,000 levels hidden in tool arguments are the request's fault, not ours",
    async (name) => {
      const call = called('call_1', 'read', nested(100_000))
      const messages = [user('x'), { role: 'assistant', tool_calls: [call] }, answered('call_1', 'done')]
      const answer = await post(bench.url, { model: name, messages, tools: [readTool] })
      expect(answer.status).toBeLessThan(500)
    },
  )

  it.each(['openai/gpt-4o', 'anthropic/claude-opus-5'])(
    '%s: 100,000 levels in what the upstream calls a tool with are no failure of ours',
    async (name) => {
      const backend = name.startsWith('openai') ? bench.openai : bench.anthropic
      for (const stream of [true, false]) {
        backend.play([{ call: { name: 'read', arguments: nested(100_000) } }])
        const answer = await post(bench.url, ask(name, { stream }))
        expect(await answer.text()).not.toContain('internal_error')
        backend.clear()
      }
    },
  )
})

describe('many small things', () => {
  const many = Array.from({ length: 300_000 }, () => ({ type: 'text', text: 'x' }))

  it.each(['openai/gpt-4o', 'anthropic/claude-sonnet-4-5'])(
    '%s: a message of very many parts is no failure of ours',
    async (name) => {
      const answer = await post(bench.url, { model: name, messages: [user('go'), user(many)] })
      expect(answer.status).toBeLessThan(500)
      await answer.text()
    },
  )
})
