// T80 to T82: what Codex asks of a Responses service beyond the API reference.

import { describe, expect, it } from 'vitest'
import { type Body, noBreaker, quickRetries, useBench } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'

const bench = useBench({ gateway: { retryPolicy: quickRetries, breaker: noBreaker } })

/** The OpenAI simulator speaks Chat here: Responses to Responses is forwarded (T73). */
const backends = [
  { name: 'anthropic', model: 'anthropic/claude-demo' },
  { name: 'openai', model: 'openai/gpt-demo' },
  { name: 'text', model: 'text/text-demo' },
] as const

const ask = (body: Body) =>
  fetch(`${bench.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'codex_exec/0.166.0' },
    body: JSON.stringify({ store: false, ...body }),
  })

const stream = async (body: Body) => readResponsesStream(await ask({ stream: true, ...body }))

const search = {
  type: 'tool_search',
  execution: 'client',
  description: 'Finds tools of MCP servers.',
  parameters: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'number' } } },
}
const found = {
  type: 'namespace',
  name: 'mcp__docs',
  description: 'Documents',
  tools: [
    {
      type: 'function',
      name: 'lookup',
      description: 'Looks a word up.\nAt length.',
      strict: false,
      defer_loading: true,
      parameters: { type: 'object', properties: { word: { type: 'string' } } },
    },
  ],
}
const prompt = { role: 'user', content: 'What is a dragoman?' }
const searched = [
  prompt,
  {
    ...{ type: 'tool_search_call', id: 'tsc_1', call_id: 'c1', execution: 'client', status: 'completed' },
    arguments: { query: 'words' },
  },
  {
    ...{ type: 'tool_search_output', id: 'tso_1', call_id: 'c1', execution: 'client', status: 'completed' },
    tools: [found],
  },
]

describe.each(backends)('T80: the search for tools that the client runs, on $name', ({ name, model }) => {
  const play = (call: { name: string; arguments: Record<string, unknown> }) => {
    bench[name].play([{ call }])
  }

  it.each([true, false])(
    'is a function for the model and a search for the client, streamed: %s',
    async (streams) => {
      play({ name: 'tool_search', arguments: { query: 'words', limit: 3 } })
      const body = { model, input: [prompt], tools: [search] }
      const wanted = [
        {
          type: 'tool_search_call',
          id: expect.stringMatching(/^tsc_/),
          call_id: expect.any(String),
          execution: 'client',
          status: 'completed',
          arguments: { query: 'words', limit: 3 },
        },
      ]
      if (streams) {
        const answer = await stream(body)
        expect(answer.problems).toEqual([])
        expect(answer.items).toEqual(wanted)
        expect(answer.response.output).toEqual(wanted)
      } else expect(((await (await ask(body)).json()) as Body).output).toEqual(wanted)
    },
  )

  it('offers what was found, although `tools` does not list it, and answers in its namespace', async () => {
    play({ name: 'mcp__docs__lookup', arguments: { word: 'dragoman' } })
    const answer = await stream({ model, input: searched, tools: [search] })
    expect(answer.problems).toEqual([])
    expect(answer.calls).toMatchObject([
      { name: 'lookup', namespace: 'mcp__docs', input: '{"word":"dragoman"}' },
    ])
    const sent = JSON.stringify(bench[name].requests.at(-1)?.body)
    expect(sent).toContain('mcp__docs__lookup')
    expect(sent).toContain('- mcp__docs__lookup: Looks a word up.')
  })
})

const exec = { type: 'custom', name: 'exec', description: 'Runs JavaScript.' }
const codeMode = {
  type: 'additional_tools',
  role: 'developer',
  tools: [{ type: 'namespace', name: 'functions', tools: [exec] }],
}

describe.each(backends)('T81: code mode on $name', ({ name, model }) => {
  it('a program of the model comes back as a custom call', async () => {
    bench[name].play([{ call: { name: 'exec', arguments: { input: 'text("hi")' } } }])
    const answer = await stream({ model, input: [codeMode, prompt] })
    expect(answer.problems).toEqual([])
    expect(answer.calls).toMatchObject([
      { name: 'exec', namespace: 'functions', input: 'text("hi")', custom: true },
    ])
  })

  it('all outputs of one call reach the model, each once', async () => {
    const output = (text: string, more: Body = {}) => ({
      type: 'custom_tool_call_output',
      call_id: 'c1',
      output: [{ type: 'input_text', text }],
      ...more,
    })
    bench[name].play([{ say: 'done' }])
    const { text } = await stream({
      model,
      input: [
        ...[codeMode, prompt],
        { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'exec', input: 'notify("half")' },
        output('half-way there', { name: 'exec' }),
        output('Script completed'),
        output('Script completed'),
        { role: 'user', content: 'go on' },
      ],
    })
    expect(text).toBe('done')
    const sent = JSON.stringify(bench[name].requests.at(-1)?.body)
    expect(sent.split('half-way there')).toHaveLength(2)
    expect(sent.split('Script completed')).toHaveLength(2)
  })
})

const refused = (status: number, message: string, headers: Record<string, string> = {}) => ({
  ...{ status, headers },
  body: { type: 'error', error: { type: status < 429 ? 'invalid_request_error' : 'api_error', message } },
})
const times = <T>(count: number, step: T) => Array.from({ length: count }, () => [step])

describe('T82: a failure', () => {
  const [{ model }] = backends
  const body = { model, input: [prompt] }

  it.each([400, 401, 403, 404, 413, 422])(
    'of the service by %i that no retry can mend is a 400',
    async (status) => {
      bench.anthropic.play([refused(status, 'no')])
      expect((await ask({ stream: true, ...body })).status).toBe(400)
    },
  )

  it('of an unknown model is a 400, with words', async () => {
    const answer = await ask({ stream: true, ...body, model: 'nowhere/x' })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('nowhere')
  })

  it.each([500, 503, 529])('of the service by %i is in the stream, with a time to wait', async (status) => {
    bench.anthropic.play(...times(3, refused(status, 'I am down')))
    const answer = await stream(body)
    expect([answer.status, answer.problems]).toEqual([200, []])
    expect(answer.events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
    expect(answer.response.error.code).toBe('rate_limit_exceeded')
    expect(answer.response.error.message).toMatch(/I am down.* Please try again in 3s\.$/)
  })

  it('has the time that the service states', async () => {
    bench.anthropic.play([refused(429, 'Slow down', { 'retry-after': '40' })])
    const { response } = await stream(body)
    expect(response.error.message).toMatch(/Slow down.* Please try again in 40s\.$/)
  })

  it('is a status for other clients', async () => {
    bench.anthropic.play(...times(3, refused(503, 'I am down')))
    const answer = await fetch(`${bench.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'OpenAI/JS 7.0.0' },
      body: JSON.stringify({ stream: true, ...body }),
    })
    expect(answer.status).toBeGreaterThanOrEqual(500)
  })
})

describe('T82: a refusal of the model', () => {
  const frames = [
    { delta: { role: 'assistant', refusal: 'I will not' }, index: 0, finish_reason: null },
    { delta: {}, index: 0, finish_reason: 'stop' },
  ].map((choice) => ({
    frame: { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] },
  }))

  it('is text for Codex, which shows no refusal', async () => {
    bench.openai.play([...frames, { raw: 'data: [DONE]\n\n' }])
    const { items, text } = await stream({ model: 'openai/gpt-demo', input: [prompt] })
    expect(text).toBe('I will not')
    expect(items[0].content).toMatchObject([{ type: 'output_text', text: 'I will not' }])
  })
})
