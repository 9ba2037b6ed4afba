// Ollama's API by its official package and by hand: the lists, prompts, models that are only loaded, errors, the second port.

import net from 'node:net'
import { Ollama } from 'ollama/browser'
import { describe, expect, it } from 'vitest'
import { startGateway, useBench } from '../harness.ts'
import { readOllamaStream } from '../ollama-stream.ts'
import { freePort } from './wire.ts'

const bench = useBench({
  settings: { models: { best: 'openai/gpt-4o' } },
  gateway: { keepAliveMs: 20 },
})
const client = () => new Ollama({ host: bench.url })
const model = 'openai/gpt-4o'

const post = (path: string, body: unknown) =>
  fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const chat = (more: object = {}) =>
  post('/api/chat', { model, messages: [{ role: 'user', content: 'go' }], ...more })

describe('the lists', () => {
  it('have every model, without a member that is missing or null', async () => {
    const { models } = await client().list()
    expect(models.map(({ name }) => name)).toContain('best')
    for (const listed of models) {
      expect(listed.model).toBe(listed.name)
      expect(listed.digest).toMatch(/^[0-9a-f]{64}$/)
      expect(JSON.stringify(listed)).not.toContain('null')
    }
    expect((await client().ps()).models.map(({ name }) => name)).toEqual(models.map(({ name }) => name))
  })

  it('show a model with its window, as VS Code and Zed read it', async () => {
    for (const name of ['best', 'best:latest', model]) {
      const shown = (await client().show({ model: name })) as unknown as {
        parameters: string
        model_info: Record<string, unknown>
        capabilities: string[]
      }
      const window = shown.model_info[`${String(shown.model_info['general.architecture'])}.context_length`]
      expect(window).toBeGreaterThan(4_096)
      expect(shown.parameters).toBe(`num_ctx ${String(window)}`)
      expect(shown.capabilities).toEqual(expect.arrayContaining(['completion', 'tools']))
    }
    expect((await post('/api/show', { name: 'best' })).status).toBe(200)
  })

  it.each(['/api/version', '/api/tags', '/api/ps'])('HEAD %s has no body', async (path) => {
    const answer = await fetch(`${bench.url}${path}`, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  it('say a version that clients take', async () => {
    expect((await client().version()).version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it.each([
    ['/api/show', { model: 'no/where' }],
    ['/api/pull', { name: 'no/where' }],
    ['/api/chat', { model: 'no/where', messages: [] }],
    ['/api/chat', { model: 'no/where', messages: [{ role: 'user', content: 'x' }] }],
  ])('%s %j: 404 with a text', async (path, body) => {
    const answer = await post(path, body)
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: expect.stringMatching(/^model not found: .*no\/where/) },
    ])
  })
})

describe('models', () => {
  it('are there already when they are pulled', async () => {
    expect(await client().pull({ model: 'best' })).toEqual({ status: 'success' })
    for await (const step of await client().pull({ model: 'best:latest', stream: true }))
      expect(step.status).toBe('success')
  })

  it.each([
    ['/api/chat', { messages: [] }, 'load'],
    ['/api/chat', { messages: [], keep_alive: 0 }, 'unload'],
    ['/api/generate', { prompt: '' }, 'load'],
  ])('%s %j: %s, and no service is asked', async (path, body, reason) => {
    const before = bench.openai.requests.length
    const answer = await post(path, { model, ...body })
    expect(await answer.json()).toMatchObject({ model, done: true, done_reason: reason })
    expect(bench.openai.requests.length).toBe(before)
  })
})

describe('turns', () => {
  it('a prompt, streamed and whole', async () => {
    bench.openai.play([{ say: 'one' }], [{ say: 'two', pieces: 2 }])
    const whole = await client().generate({ model, prompt: 'p', system: 's' })
    expect([whole.response, whole.done_reason, whole.context]).toEqual(['one', 'stop', []])
    let text = ''
    for await (const { response } of await client().generate({ model, prompt: 'p', stream: true }))
      text += response
    expect(text).toBe('two')
  })

  it('a name with the tag that Ollama adds', async () => {
    bench.openai.play([{ say: 'yes' }])
    const answer = await chat({ model: 'best:latest' })
    const { text, last } = await readOllamaStream(answer)
    expect([text, last.model]).toEqual(['yes', 'best:latest'])
  })

  it('options, a schema and pictures reach the service', async () => {
    bench.openai.play([{ say: '{}' }])
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const images = ['iVBORw0KGgo=']
    await chat({
      stream: false,
      format: schema,
      options: { temperature: 0.5, num_predict: 9, num_ctx: 4_096, mirostat: 2 },
      messages: [{ role: 'user', content: 'see', images }],
    }).then(async (answer) => {
      expect(answer.headers.get('x-dragoman-notes')).toContain('mirostat')
      expect(answer.headers.get('x-dragoman-notes')).not.toContain('num_ctx')
    })
    const sent = JSON.stringify(bench.openai.requests.at(-1)?.body)
    expect(sent).toContain('data:image/png;base64,iVBORw0KGgo=')
    expect(sent).toContain('"temperature":0.5')
    expect(sent).toMatch(/"max_(?:completion_)?tokens":9/)
    expect(sent).toContain('json_schema')
  })

  it('a break in mid-stream is a last line with a text', async () => {
    bench.openai.play([{ say: 'half' }, { wait: 20 }, { fault: 'reset' }])
    const { text, error, doneReason, problems } = await readOllamaStream(await chat())
    expect([text, doneReason, problems]).toEqual(['half', undefined, []])
    expect(error).not.toBe('')
  })

  it('a stream without a word for long is kept open by lines that say nothing', async () => {
    bench.openai.play([{ wait: 120 }, { say: 'late' }])
    const { text, lines, problems } = await readOllamaStream(await chat())
    expect([text, problems]).toEqual(['late', []])
    expect(lines).toBeGreaterThanOrEqual(3)
  })
})

describe('the second port', () => {
  const settings = { backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } } }

  it('has all routes, and closes with the gateway', async () => {
    const port = await freePort()
    const { gateway, url } = await startGateway({ ...settings, ollama: { enabled: true, port } })
    expect(gateway.ollamaUrl).toBe(`http://127.0.0.1:${port}`)
    for (const from of [url, `http://127.0.0.1:${port}`])
      for (const path of ['/api/version', '/v1/models', '/healthz'])
        expect((await fetch(`${from}${path}`)).status).toBe(200)
    const misdirected = await fetch(`http://127.0.0.1:${port}/api/tags`, { headers: { origin: 'http://x' } })
    expect(misdirected.status).toBe(403)
    await gateway.close()
    const next = net.createServer()
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject)
      next.listen(port, '127.0.0.1', resolve)
    })
    await new Promise((resolve) => next.close(resolve))
  })

  it('that is taken is a failure of the start, and the first one is closed again', async () => {
    const { gateway, url } = await startGateway({ ...settings, ollama: { enabled: true } })
    const taken = Number(new URL(url).port)
    await expect(startGateway({ ...settings, ollama: { enabled: true, port: taken } })).rejects.toMatchObject(
      {
        ...{ code: 'EADDRINUSE', port: taken },
      },
    )
    await gateway.close()
  })

  it('says nothing without the door', async () => {
    await expect(startGateway({ ...settings, ollama: { port: 1 } })).rejects.toThrow('ollama.port')
  })
})
