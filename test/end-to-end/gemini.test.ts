// The Gemini API on the wire: routes, listing, counting, forms of streams, errors, signatures that outlive the gateway.

import { afterAll, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { readGeminiStream } from '../gemini-stream.ts'
import { type Body, noRetries, startGateway, useBench } from '../harness.ts'

const bench = useBench({
  settings: { models: { fast: ['openai/gpt-demo'] } },
  gateway: { retryPolicy: noRetries, keepAliveMs: 30 },
})
const tools = [
  { functionDeclarations: [{ name: 'read', parametersJsonSchema: { type: 'object', properties: {} } }] },
]
const hello = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }

interface Asked {
  verb?: string
  version?: string
  query?: string
  body?: Body
  headers?: Record<string, string>
  url?: string
}

const ask = (
  model: string,
  { verb = 'generateContent', version = 'v1beta', query = '', ...more }: Asked = {},
) =>
  fetch(`${more.url ?? bench.url}/${version}/models/${model}:${verb}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify(more.body ?? hello),
  })
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
const json = async (answer: Response): Promise<any> => answer.json()
const stream = async (model: string, more: Asked = {}) =>
  readGeminiStream(await ask(model, { verb: 'streamGenerateContent', query: '?alt=sse', ...more }))
const textOf = ({ candidates }: Body & { candidates: { content: { parts: { text: string }[] } }[] }) =>
  candidates[0]?.content.parts.map(({ text }) => text).join('')

describe('paths', () => {
  it.each(['openai/gpt-demo', 'models/openai/gpt-demo', 'fast', 'openai%2Fgpt-demo'])(
    'the model %s',
    async (model) => {
      for (const version of ['v1beta', 'v1']) {
        bench.openai.play([{ say: 'hi' }])
        const answer = await json(await ask(model, { version }))
        expect(textOf(answer)).toBe('hi')
        expect(answer.modelVersion).toBe(decodeURIComponent(model).replace(/^models\//, ''))
      }
    },
  )

  it('a verb takes POST alone, and is no part of a model name', async () => {
    for (const verb of ['generateContent', 'streamGenerateContent', 'countTokens']) {
      const answer = await fetch(`${bench.url}/v1beta/models/openai/gpt-demo:${verb}`)
      expect([answer.status, (await json(answer)).error.status]).toEqual([405, 'INVALID_ARGUMENT'])
    }
  })

  it('the AI SDK leaves the word models out where the model has a slash', async () => {
    bench.openai.play([{ say: 'hi' }])
    const answer = await fetch(`${bench.url}/v1beta/openai/gpt-demo:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hello),
    })
    expect(textOf(await json(answer))).toBe('hi')
  })

  it('a stream without alt=sse is one JSON array, and an error in it is its last element', async () => {
    const asked = { verb: 'streamGenerateContent' }
    bench.openai.play([{ say: 'hi there', pieces: 3 }])
    const answer = await ask('openai/gpt-demo', asked)
    expect(answer.headers.get('content-type')).toBe('application/json')
    const whole = await readGeminiStream(answer)
    expect([whole.text, whole.problems, whole.chunks.length]).toEqual(['hi there', [], 4])
    bench.openai.play([{ say: 'half' }, { fault: 'fin' }])
    const broken = await readGeminiStream(await ask('openai/gpt-demo', asked))
    expect([broken.text, broken.problems]).toEqual(['half', []])
    expect(broken.error.code).toBeGreaterThanOrEqual(500)
  })

  it('the listing, in pages', async () => {
    const list = async (query: string) => json(await fetch(`${bench.url}/v1beta/models${query}`))
    const { models } = await list('')
    expect(models).toContainEqual(
      expect.objectContaining({
        name: 'models/fast',
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      }),
    )
    const names: string[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page = await list(`?pageSize=2&pageToken=${token}`)
      for (const { name } of page.models) names.push(name)
      token = page.nextPageToken
    }
    expect(names).toEqual(models.map(({ name }: { name: string }) => name))
    expect((await list('?pageToken=x')).error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    const one = await json(await fetch(`${bench.url}/v1beta/models/openai/gpt-demo`))
    expect(one).toMatchObject({ name: 'models/openai/gpt-demo', displayName: expect.any(String) })
  })

  it("version 1 lists in Google's form for Google's clients alone", async () => {
    const list = async (headers: Record<string, string>) =>
      json(await fetch(`${bench.url}/v1/models`, { headers }))
    expect(await list({ 'x-goog-api-client': 'google-genai-sdk/1.30.0' })).toHaveProperty('models')
    expect(await list({})).toHaveProperty('data')
  })

  it('countTokens, of contents and of a whole request', async () => {
    const count = async (body: Body) =>
      json(await ask('anthropic/claude-demo', { verb: 'countTokens', body }))
    const { totalTokens } = await count(hello)
    expect(totalTokens).toBeGreaterThan(0)
    const more = await count({ generateContentRequest: { model: 'models/x', tools, ...hello } })
    expect(more.totalTokens).toBeGreaterThan(totalTokens)
  })
})

describe('errors', () => {
  it.each([
    ['nowhere', hello, { code: 404, status: 'NOT_FOUND' }],
    ['openai/gpt-demo', {}, { code: 400, status: 'INVALID_ARGUMENT' }],
    ['%zz', hello, { code: 400, status: 'INVALID_ARGUMENT' }],
  ])('%s with %j', async (model, body, error) => {
    const answer = await ask(model, { body })
    expect(answer.status).toBe(error.code)
    expect((await json(answer)).error).toMatchObject(error)
  })

  it('the time to wait is where these clients look for it', async () => {
    bench.openai.play([
      { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '27' } },
    ])
    const { error } = await json(await ask('openai/gpt-demo'))
    expect(error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' })
    expect(error.details).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '27s',
    })
  })

  it('a late error comes as a frame, and bare behind it', async () => {
    bench.openai.play([{ say: 'half' }, { wait: 20 }, { fault: 'reset' }])
    const { raw, problems, finishReason, error } = await stream('openai/gpt-demo')
    // A keep-alive may come between the two.
    const [frame, bare] = raw.split(/\n{2,}/).slice(-2)
    expect([frame, bare]).toEqual([`data: ${JSON.stringify({ error })}`, JSON.stringify({ error })])
    expect([problems, finishReason]).toEqual([[], undefined])
  })

  it('an error behind keep-alives is late, too; blank lines are all that came before', async () => {
    bench.openai.play([{ wait: 150 }, { fault: 'reset' }])
    const { raw, problems, error } = await stream('openai/gpt-demo')
    expect(raw).toMatch(/^\n+data: \{"error"/)
    expect(problems).toEqual([])
    expect(error.code).toBeGreaterThanOrEqual(500)
  })

  it('Gemini CLI, which repeats every 5xx, gets one that no retry can mend as 400', async () => {
    const headers = { 'user-agent': 'GeminiCLI-tui/0.61.0/m (linux; x64; terminal)' }
    bench.openai.play([{ status: 401, body: { error: { message: 'bad key' } } }])
    const answer = await ask('openai/gpt-demo', { headers })
    expect([answer.status, (await json(answer)).error.code]).toEqual([400, 400])
    bench.openai.play([{ status: 503, body: { error: { message: 'busy' } } }])
    expect((await ask('openai/gpt-demo', { headers })).status).toBe(503)
  })

  it("the service's own tools are refused where the request is about them", async () => {
    const answer = await ask('openai/gpt-demo', { body: { ...hello, tools: [{ googleSearch: {} }] } })
    expect([answer.status, (await json(answer)).error.message]).toEqual([
      400,
      expect.stringContaining('googleSearch'),
    ])
  })
})

describe('the models that Gemini CLI asks by name', () => {
  const headers = { 'x-dragoman-helper-model': 'openai/gpt-demo' }

  it('are answered by the one in the header, with a note', async () => {
    bench.openai.play([{ say: 'summed up' }])
    const answer = await ask('gemini-3.5-flash-lite', { headers })
    expect(answer.headers.get('x-dragoman-notes')).toContain('there is no model "gemini-3.5-flash-lite" here')
    const { modelVersion, ...rest } = await json(answer)
    expect([modelVersion, textOf(rest)]).toEqual(['gemini-3.5-flash-lite', 'summed up'])
    const counted = await json(await ask('gemini-2.5-pro', { headers, verb: 'countTokens' }))
    expect(counted.totalTokens).toBeGreaterThan(0)
  })

  it('are not found without it; and other names stay what they are', async () => {
    expect((await ask('gemini-3.5-flash-lite')).status).toBe(404)
    expect((await ask('claude-opsu', { headers })).status).toBe(404)
    expect((await ask('nobackend/gemini-x', { headers })).status).toBe(404)
  })
})

describe('reasoning that must come back', () => {
  const started: { close(): Promise<unknown> }[] = []
  afterAll(() => Promise.all(started.map((each) => each.close())))

  it('is in the signature: another gateway continues the conversation with it', async () => {
    const sim = await startAnthropicSim()
    started.push(sim)
    const fresh = async () => {
      const { gateway, url } = await startGateway({
        backends: { claude: { kind: 'anthropic', baseUrl: sim.url, apiKey: 'k' } },
      })
      started.push(gateway)
      return url
    }
    const generationConfig = { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } }
    const body = { ...hello, tools, generationConfig }
    sim.play([{ think: 'let me see' }, { say: 'Reading.' }, { call: { name: 'read', arguments: {} } }])
    const first = await stream('claude/claude-opus-4-5', { url: await fresh(), body })
    expect([first.thoughts, first.text, first.problems]).toEqual(['let me see', 'Reading.', []])
    const [{ id } = { id: '' }] = first.calls
    const parts = first.chunks.flatMap((chunk) => chunk.candidates[0].content.parts)
    const history = [
      ...hello.contents,
      // Clients leave thoughts out.
      { role: 'model', parts: parts.filter(({ thought }) => !thought) },
      { role: 'user', parts: [{ functionResponse: { id, name: 'read', response: { output: 'A' } } }] },
    ]
    sim.play([{ say: 'done' }])
    const second = await stream('claude/claude-opus-4-5', {
      url: await fresh(),
      body: { ...body, contents: history },
    })
    expect([second.text, second.problems]).toEqual(['done', []])
    const sent = sim.requests.at(-1)?.body as {
      messages: { content: { type: string; thinking?: string }[] }[]
    }
    expect(sent.messages[1]?.content.map(({ type, thinking }) => thinking ?? type)).toEqual([
      'let me see',
      'text',
      'tool_use',
    ])
  })
})
