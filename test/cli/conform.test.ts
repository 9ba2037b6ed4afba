// `dragoman conform` as a command: its output, its files, and its message for every wrong URL.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayKey, type Judged, startJudged } from '../conform/judge.ts'
import { isNightly, spread } from '../depth.ts'
import { type Bench, startBench, startGateway } from '../harness.ts'
import { selfSigned } from './certificate.ts'
import { deadPort, Home, listen, program, stackTrace } from './program.ts'

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

async function serve(handler: Handler, secure = false): Promise<string> {
  const server = secure ? https.createServer(selfSigned(), handler) : http.createServer(handler)
  return `http${secure ? 's' : ''}://127.0.0.1:${await listen(server)}`
}

const answers =
  (status: number, type: string, text: string, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }

const json = (status: number, body: unknown) => answers(status, 'application/json', JSON.stringify(body))
const error = (message: string, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
})

describe('a gateway that cannot be judged is an error, and nothing is written', () => {
  const rows: [string, () => Promise<string> | string, RegExp, string[]?][] = [
    ['no URL', () => 'gateway', /is not an http:\/\/ or https:\/\/ URL/],
    ['another protocol', () => 'ftp://127.0.0.1/v1', /is not an http/],
    ['a key in the URL', () => 'http://user:secret@127.0.0.1/v1', /pass it with --key/],
    ['nobody listens', () => 'http://127.0.0.1:9/v1', /nothing listens there/],
    ['no such host', () => 'http://conform.invalid/v1', /there is no such host/],
    ['a web page', () => serve(answers(200, 'text/html', '<!doctype html><p>Hi')), /answers with a web page/],
    [
      'a redirect',
      () => serve(answers(301, 'text/plain', '', { location: 'https://other.example/v1' })),
      /redirects to https:\/\/other\.example\/v1/,
    ],
    ['a self-signed certificate', () => serve(json(200, {}), true), /certificate is self-signed/],
    [
      'TLS where there is none',
      async () => (await serve(json(200, {}))).replace('http:', 'https:'),
      /does not speak TLS/,
    ],
    [
      'a wrong key',
      () => serve(json(401, error('Who are you?'))),
      /refuses the key \(HTTP 401: Who are you\?\)/,
    ],
    [
      'no gateway',
      () => serve(json(404, error('no such route'))),
      /No gateway answers there/,
      ['--model', 'm'],
    ],
    [
      'an unknown model',
      () => serve(json(404, error('The model "m" does not exist.', 'model_not_found'))),
      /does not know the model "m"/,
      ['--model', 'm'],
    ],
    [
      'no model',
      () => serve(json(200, { object: 'list', data: [{ id: 'a' }, { id: 'b' }] })),
      /Name one with --model\. It lists: a, b/,
    ],
    [
      'a door that there is not',
      () => 'http://127.0.0.1:9',
      /There is no door "mail"/,
      ['--doors', 'chat,mail'],
    ],
    ['an unknown case', () => 'http://127.0.0.1:9', /There is no case "T99"/, ['--only', 'T99']],
    ['an invalid header', () => 'http://127.0.0.1:9', /is not a header/, ['--header', 'x']],
    [
      'a report that leads nowhere',
      () => 'http://127.0.0.1:9',
      /there is no folder/,
      ['--html', 'gone/r.html'],
    ],
  ]

  it.concurrent.each(rows)('%s', async (_name, url, expected, more = []) => {
    const home = new Home()
    const file = home.path('report.json')
    const { code, stdout, stderr } = await home.run(['conform', await url(), '--json', file, ...more])
    expect(stderr).toMatch(expected)
    expect(stderr).not.toMatch(stackTrace)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(existsSync(file)).toBe(false)
  })

  it('a model that is not on this machine is not asked without a yes', async () => {
    const home = new Home()
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      json(200, { object: 'list', data: [{ id: 'm' }] })(request, response)
    })
    // Every name other than these of loopback is another machine.
    const { code, stderr } = await home.run(['conform', url.replace('127.0.0.1', '0.0.0.0')])
    expect(stderr).toMatch(/checks on m: at most \d+ requests that reach the model, about \d+ tokens/)
    expect(stderr).toContain('Confirm with --yes')
    expect({ code, asked }).toEqual({ code: 2, asked: ['GET /v1/models'] })
  })
})

describe('the demo', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await startBench({ openai: { lenient: true }, text: { lenient: true } })
  })
  afterAll(() => bench.close())

  it.each(spread(['openai/gpt-demo', 'anthropic/claude-demo', 'text/qwen-demo', 'cursor/composer-2'], 1))(
    '%s: all pass, without a scripted upstream',
    async (model) => {
      const home = new Home()
      const { code, stdout } = await home.run(['conform', bench.url, '--model', model])
      expect(stdout).toMatch(/All \d+ checks passed\./)
      expect(code).toBe(0)
    },
    60_000,
  )
})

it('a model without tools: reported once, and its cases are not judged', async () => {
  const home = new Home()
  const url = await serve((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      if (!request.url?.endsWith('/chat/completions'))
        return json(404, error('no such route'))(request, response)
      if (text.includes('"tools"')) return json(400, error('m does not support tools'))(request, response)
      json(200, {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      })(request, response)
    })
  })
  const { stdout } = await home.run(['conform', url, '--model', 'm', '--only', 'C1,C2,C7,F9'])
  expect(stdout).toMatch(/skip: this model accepts no tools: .*does not support tools/)
  expect(stdout).toMatch(/not offered: messages: HTTP 404: no such route/)
})

describe('a report', () => {
  let judged: Judged
  beforeAll(async () => {
    judged = await startJudged('openai')
  })
  afterAll(() => judged.close())

  it('as text, as JSON and as a page', async () => {
    const home = new Home()
    const args = ['conform', judged.upstream.url, '--model', 'conform', '--only', 'R3,F1,F8']
    const files = ['--json', home.path('r.json'), '--html', home.path('r.html')]
    const { code, stdout } = await home.run([...args, ...files])
    expect(code).toBe(0)
    expect(stdout).toContain('checks passed')
    const report = JSON.parse(readFileSync(home.path('r.json'), 'utf8'))
    expect(report).toMatchObject({ partial: false, upstream: null, counts: { fail: 0 } })
    expect(readFileSync(home.path('r.html'), 'utf8')).toMatch(/^<!doctype html>.*All \d+ checks passed/s)
    expect(readdirSync(home.folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
    const onStdout = await home.run([...args, '--json'])
    expect(JSON.parse(onStdout.stdout).counts).toEqual(report.counts)
  })

  it('a failure exits with 1, and can be seen again by curl', async () => {
    const home = new Home()
    const url = await serve(json(200, { id: '<b>x', choices: [] }))
    const file = home.path('r.html')
    const other = 'other-canary-16180339'
    const args = [
      'conform',
      url,
      '--model',
      'm',
      '--doors',
      'chat',
      '--only',
      'F3',
      '--key',
      gatewayKey,
      '--header',
      `x-other-token: ${other}`,
      '--html',
      file,
    ]
    const { code, stdout } = await home.run(args)
    expect(code).toBe(1)
    expect(stdout).toContain('FAIL F3 chat/whole: every required field of the protocol')
    expect(stdout).toMatch(/again: {4}curl -N -X POST 'http:.*"authorization: Bearer \$KEY"/)
    expect(stdout).toContain('2 of 2 checks failed; known clients notice 2 of them.')
    const page = readFileSync(file, 'utf8')
    expect(page).not.toContain('<b>x')
    for (const secret of [gatewayKey, other]) expect(stdout + page).not.toContain(secret)
  })

  it('by a scripted upstream that the gateway was pointed at', async () => {
    const home = new Home()
    const port = await deadPort()
    const box = { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'x' }
    const { gateway, url } = await startGateway({ backends: { box } })
    const where = ['--upstream', 'openai', '--upstream-port', String(port), '--model']
    for (const model of ['box/conform-{case}', 'box/fixed']) {
      const { code, stdout } = await home.run(['conform', url, ...where, model, '--only', 'T7,T13,U1'])
      expect(stdout).toMatch(/All 16 checks passed/)
      expect(code).toBe(0)
    }
    await gateway.close()
  })

  it.runIf(isNightly)('the scripted upstream is announced, and not reached', async () => {
    const home = new Home()
    const gateway = await startJudged('openai')
    const args = [
      'conform',
      gateway.base,
      '--key',
      gatewayKey,
      '--upstream',
      'openai',
      '--model',
      'up/conform-{case}',
      '--wait',
      '1',
    ]
    const { code, stderr } = await home.run(args)
    await gateway.close()
    // The gateway is pointed at another upstream: ours was never asked.
    expect(stderr).toContain('Point the gateway at it:')
    expect(stderr).toMatch(
      /No request reached the scripted upstream at http:\/\/127\.0\.0\.1:\d+\/v1 within 1 s/,
    )
    expect(code).toBe(2)
  })

  it('of an interrupted run is marked as partial, and has the judged cases', async () => {
    const home = new Home()
    let hangs: () => void = () => undefined
    const hanging = new Promise<void>((resolve) => {
      hangs = resolve
    })
    // Doors are looked for by /v1/responses last; what comes then is never answered.
    let known = false
    const url = await serve((request, response) => {
      request.resume()
      if (known && request.url?.endsWith('/messages')) return hangs()
      known ||= request.url?.endsWith('/responses') === true
      json(200, { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [] })(
        request,
        response,
      )
    })
    const file = home.path('r.json')
    const args = [program, 'conform', url, '--model', 'm', '--only', 'F1', '--json', file]
    const child = spawn(process.execPath, args, { env: home.env, stdio: 'ignore' })
    await hanging
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(2)
    const report = JSON.parse(readFileSync(file, 'utf8'))
    expect(report).toMatchObject({ partial: true, planned: 8 })
    expect(report.results.map(({ door }: { door: string }) => door)).toEqual(['chat', 'chat'])
  })
})

it('--list names every case', async () => {
  const { code, stdout } = await new Home().run(['conform', '--list'])
  expect(code).toBe(0)
  expect(stdout.split('\n').length).toBeGreaterThan(100)
  expect(stdout).toMatch(/^T7 {4}scripted {2}a call without arguments gets \{\}$/m)
})
