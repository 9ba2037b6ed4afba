// Spans of turns: one for the turn, one for each upstream attempt.

import { describe, expect, it } from 'vitest'
import { ask, chat, chatStream, post, quickRetries, user } from '../harness.ts'
import { attemptsOf, kinds, startTraced, turnOf, useTraced } from './traced.ts'

const parentTrace = '0af7651916cd43dd8448eb211c80319c'
const parentSpan = 'b7ad6b7169203331'

const usage = { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 }

describe('a plain turn', () => {
  const traced = useTraced()

  it.each([true, false])('streamed: %s', async (stream) => {
    traced.openai.play([{ say: 'hi' }, { end: 'stop', usage }])
    const body = ask('openai/gpt-demo', { temperature: 1, max_completion_tokens: 99 })
    const { headers } = stream ? await chatStream(traced.url, body) : await chat(traced.url, body)
    const spans = await traced.collector.until(2)
    expect(spans).toHaveLength(2)
    const turn = turnOf(spans)
    const [attempt] = attemptsOf(spans)
    const { port } = new URL(traced.openai.url)
    const streamed = stream ? { 'gen_ai.request.stream': true } : {}
    expect(turn).toMatchObject({ name: 'chat openai/gpt-demo', kind: kinds.server, status: {} })
    expect(turn?.parentSpanId).toBeUndefined()
    expect(turn?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'openai/gpt-demo',
      'gen_ai.response.model': 'gpt-demo',
      'gen_ai.request.max_tokens': 99,
      'gen_ai.request.temperature': { double: 1 },
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 0,
      'dragoman.turn.id': headers.get('x-dragoman-turn'),
      'dragoman.key': 'anonymous',
      'dragoman.door': 'openai-chat',
      'dragoman.backend': 'openai',
      'dragoman.outcome': 'stop',
      'dragoman.attempts': 1,
      'dragoman.tool_calls': 0,
      ...streamed,
    })
    expect(turn?.events.map(({ name }) => name)).toEqual(['dragoman.first_output'])
    const { 'gen_ai.response.time_to_first_chunk': firstChunk, ...rest } = attempt?.attributes ?? {}
    expect(typeof firstChunk).toBe(stream ? 'object' : 'undefined')
    expect(rest).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-demo',
      'gen_ai.response.model': 'gpt-demo',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 0,
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'dragoman.backend': 'openai',
      'dragoman.attempt': 1,
      ...streamed,
    })
    expect(attempt).toMatchObject({ traceId: turn?.traceId, parentSpanId: turn?.spanId, flags: 0x101 })
    expect(turn && attempt && turn.startNanos <= attempt.startNanos).toBe(true)
    expect(turn && attempt && attempt.endNanos <= turn.endNanos).toBe(true)
    expect(turn?.resource).toMatchObject({ 'service.name': 'dragoman', 'telemetry.sdk.language': 'nodejs' })
  })

  it('each turn is a trace of its own', async () => {
    await Promise.all([1, 2, 3].map(() => chat(traced.url, ask('anthropic/claude-demo'))))
    const spans = await traced.collector.until(6)
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3)
  })

  it('notes are events', async () => {
    await chat(traced.url, ask('anthropic/claude-demo', { seed: 7 }))
    const turn = turnOf(await traced.collector.until(2))
    const note = turn?.events.find(({ name }) => name === 'dragoman.note')
    expect(note?.attributes['dragoman.note']).toContain('seed')
  })

  it('a tool turn says how many calls there were', async () => {
    traced.openai.play([{ call: { name: 'read', arguments: { path: 'a' } } }, { end: 'tool_calls', usage }])
    await chat(traced.url, ask('openai/gpt-demo'))
    const spans = await traced.collector.until(2)
    expect(turnOf(spans)?.attributes).toMatchObject({
      'gen_ai.response.finish_reasons': ['tool_call'],
      'dragoman.tool_calls': 1,
      'dragoman.outcome': 'tool-calls',
    })
  })
})

describe('a parent', () => {
  const traced = useTraced({ settings: {} })
  const from = (flags: string) => ({
    traceparent: `00-${parentTrace}-${parentSpan}-${flags}`,
    tracestate: 'vendor=x',
  })

  it('of the client is the parent of the turn', async () => {
    await chat(traced.url, ask('openai/gpt-demo'), from('01'))
    const spans = await traced.collector.until(2)
    expect(turnOf(spans)).toMatchObject({
      traceId: parentTrace,
      parentSpanId: parentSpan,
      traceState: 'vendor=x',
      flags: 0x301,
    })
    expect(attemptsOf(spans)[0]?.traceId).toBe(parentTrace)
  })

  it('that is not sampled is not told of', async () => {
    await chat(traced.url, ask('openai/gpt-demo'), from('00'))
    await chat(traced.url, ask('openai/gpt-demo'))
    const spans = await traced.collector.until(2)
    expect(spans.map(({ traceId }) => traceId)).not.toContain(parentTrace)
  })

  it('is not told to upstreams', async () => {
    await chat(traced.url, ask('openai/gpt-demo'), from('01'))
    await chat(traced.url, ask('anthropic/claude-demo'), from('01'))
    for (const { requests } of [traced.openai, traced.anthropic])
      for (const { headers } of requests) expect(Object.keys(headers)).not.toContain('traceparent')
  })
})

describe('propagate', () => {
  const traced = useTraced({ telemetry: { propagate: true } })
  const header = (sim: 'openai' | 'anthropic' | 'text', name: string) =>
    traced[sim].requests.find(({ method }) => method === 'POST')?.headers[name]

  it.each([
    ['openai', 'openai/gpt-demo'],
    ['anthropic', 'anthropic/claude-demo'],
    ['text', 'text/plain-demo'],
  ] as const)('%s learns of the attempt', async (sim, model) => {
    await chat(traced.url, ask(model), {
      traceparent: `00-${parentTrace}-${parentSpan}-01`,
      tracestate: 'vendor=x',
    })
    const [attempt] = attemptsOf(await traced.collector.until(2))
    expect(header(sim, 'traceparent')).toBe(`00-${parentTrace}-${attempt?.spanId}-01`)
    expect(header(sim, 'tracestate')).toBe('vendor=x')
  })

  it('what is not sampled is passed on as such', async () => {
    await chat(traced.url, ask('openai/gpt-demo'), { traceparent: `00-${parentTrace}-${parentSpan}-00` })
    expect(header('openai', 'traceparent')).toBe(`00-${parentTrace}-${parentSpan}-00`)
  })
})

describe('what goes wrong', () => {
  const traced = useTraced({
    gateway: { retryPolicy: quickRetries },
    settings: {
      models: { either: ['openai/gpt-demo', 'anthropic/claude-demo'] },
    },
  })

  it.each([true, false])('a retry is a sibling; streamed: %s', async (stream) => {
    traced.openai.play([{ status: 503, body: 'busy' }])
    expect((await post(traced.url, ask('openai/gpt-demo', { stream }))).status).toBe(200)
    const spans = await traced.collector.until(3)
    const turn = turnOf(spans)
    const [first, second] = attemptsOf(spans)
    expect(first).toMatchObject({
      parentSpanId: turn?.spanId,
      status: { code: 2 },
      attributes: {
        'error.type': 'upstream-unavailable',
        'http.response.status_code': 503,
        'dragoman.next': 'retry',
        'dragoman.attempt': 1,
      },
    })
    expect(second).toMatchObject({
      parentSpanId: turn?.spanId,
      status: {},
      attributes: { 'dragoman.attempt': 2 },
    })
    expect(turn).toMatchObject({
      status: {},
      attributes: { 'dragoman.attempts': 2, 'dragoman.outcome': 'stop' },
    })
  })

  it('a fallback is one of another backend', async () => {
    traced.openai.play([{ status: 401, body: {} }])
    await chat(traced.url, ask('either'))
    const spans = await traced.collector.until(3)
    expect(attemptsOf(spans).map(({ attributes }) => attributes['gen_ai.provider.name'])).toEqual([
      'openai',
      'anthropic',
    ])
    expect(attemptsOf(spans)[0]?.attributes['dragoman.next']).toBe('fallback')
    expect(turnOf(spans)).toMatchObject({
      name: 'chat either',
      status: {},
      attributes: {
        'gen_ai.request.model': 'either',
        'gen_ai.provider.name': 'anthropic',
        'dragoman.backend': 'anthropic',
      },
    })
  })

  it('an error is one of the turn, too', async () => {
    traced.openai.play([{ status: 400, body: { error: { message: 'the words of the request' } } }])
    expect((await chat(traced.url, ask('openai/gpt-demo'))).status).toBe(400)
    const spans = await traced.collector.until(2)
    for (const span of spans) {
      expect(span.status).toEqual({ code: 2 })
      expect(span.attributes['error.type']).toBe('invalid-request')
    }
    expect(turnOf(spans)?.attributes['gen_ai.response.finish_reasons']).toBeUndefined()
    expect(traced.collector.requests.map(({ body }) => body).join()).not.toContain('the words of the request')
  })

  it('also for a failure after the first words', async () => {
    traced.openai.play([{ say: 'x' }, { wait: 5 }, { fault: 'reset' }])
    await chatStream(traced.url, ask('openai/gpt-demo'))
    const spans = await traced.collector.until(2)
    for (const span of spans) expect(span.attributes['error.type']).toBe('upstream-unavailable')
  })

  it('a model that does not exist has no attempt', async () => {
    expect((await chat(traced.url, ask('nowhere'))).status).toBe(404)
    const spans = await traced.collector.until(1)
    expect(spans).toHaveLength(1)
    expect(turnOf(spans)?.attributes).toMatchObject({
      'error.type': 'not-found',
      'gen_ai.provider.name': 'dragoman',
      'dragoman.attempts': 0,
    })
  })

  it('a client that has gone is no error', async () => {
    traced.openai.play([{ say: 'x' }, { wait: 5_000 }, { end: 'stop' }])
    const aborting = new AbortController()
    const response = await fetch(`${traced.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ask('openai/gpt-demo', { stream: true })),
      signal: aborting.signal,
    })
    await response.body?.getReader().read()
    aborting.abort()
    const spans = await traced.collector.until(2)
    expect(turnOf(spans)).toMatchObject({ status: {}, attributes: { 'dragoman.outcome': 'canceled' } })
    expect(attemptsOf(spans)[0]?.status).toEqual({})
  })
})

describe('switches', () => {
  const variables = (name: string, arg: string) => ({
    OTEL_TRACES_SAMPLER: name,
    OTEL_TRACES_SAMPLER_ARG: arg,
  })

  it.each([
    { variables: variables('always_off', ''), sent: 0 },
    { variables: variables('traceidratio', '0'), sent: 0 },
    { variables: variables('traceidratio', '1'), sent: 4 },
    { variables: { OTEL_SDK_DISABLED: 'TRUE' }, sent: 0 },
    { telemetry: { traces: false }, variables: {}, sent: 0 },
  ])('$variables $telemetry: $sent spans', async ({ sent, ...options }) => {
    const traced = await startTraced(options)
    await chat(traced.url, ask('openai/gpt-demo'))
    await chat(traced.url, ask('openai/gpt-demo'), { traceparent: `00-${parentTrace}-${parentSpan}-01` })
    await traced.close()
    expect(traced.collector.spans).toHaveLength(sent)
    expect(traced.collector.problems).toEqual([])
  })

  it('what the gateway holds when it stops is sent', async () => {
    const traced = await startTraced({ pace: { gatherMs: 3_600_000 } })
    for (let at = 0; at < 5; at++) await chat(traced.url, { model: 'openai/gpt-demo', messages: [user('x')] })
    expect(traced.collector.spans).toHaveLength(0)
    await traced.close()
    expect(traced.collector.spans).toHaveLength(10)
  })
})
