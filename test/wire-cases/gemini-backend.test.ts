// Gemini's own API as a service, at every door: signatures of calls that clients do not carry, ends that are no answers, delays, ids.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startGeminiSim } from '../../sim/gemini.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { spread } from '../depth.ts'
import { ask, type DoorName, doorNames, type Turn } from '../faults/doors.ts'
import { startGateway } from '../harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into
type Json = any

const apiKey = 'AIza-upstream-canary-31415926'
const filler = 'skip_thought_signature_validator'
let sim: Sim
let older: Sim
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  sim = await startGeminiSim({ apiKey, contextTokens: 2_000 })
  older = await startGeminiSim({ hasCallIds: false })
  gateway = await startGateway({
    backends: {
      google: { kind: 'gemini', baseUrl: sim.url, apiKey },
      older: { kind: 'gemini', baseUrl: older.url, apiKey },
      wrong: { kind: 'gemini', baseUrl: sim.url, apiKey: 'AIza-wrong' },
    },
  })
})
afterAll(async () => {
  await gateway.gateway.close()
  await Promise.all([sim.close(), older.close()])
})
afterEach(() => {
  sim.clear()
  older.clear()
})

const model = 'google/gemini-3.8-flash'
const hello: Turn[] = [{ user: 'hello' }]
const answerOf = (door: DoorName, { turns = hello, stream = true, name = model } = {}) =>
  ask(gateway.url, door, { model: name, turns, stream })
const bodyOf = (of: Sim): Json => of.requests.at(-1)?.body
const signaturesOf = (of: Sim, content = 1): unknown[] =>
  bodyOf(of).contents[content].parts.map((part: Json) => part.thoughtSignature)

const twoCalls: Step[] = [
  { think: 'both' },
  { call: { name: 'read', arguments: { path: 'a' }, id: 'fc_a' } },
  { call: { name: 'read', arguments: { path: 'b' }, id: 'fc_b' } },
]
const resultsOf = (calls: readonly { id: string }[]): Turn => ({
  results: calls.map(({ id }, at) => ({ id, content: `result ${at}` })),
})

describe.each(spread(doorNames, 4))('T59, T107: by %s', (door) => {
  it.each([true, false])(
    'a tool loop keeps the signature of its first call (streamed: %s)',
    async (stream) => {
      sim.play(twoCalls, [{ say: 'done' }])
      const { calls, problems, complete } = await answerOf(door, { stream })
      expect([calls.map(({ input }) => JSON.parse(input)), problems, complete]).toEqual([
        [{ path: 'a' }, { path: 'b' }],
        [],
        true,
      ])
      const turns: Turn[] = [...hello, { text: '', calls }, resultsOf(calls)]
      expect(await answerOf(door, { turns, stream })).toMatchObject({ text: 'done', complete: true })
      const [first, second] = signaturesOf(sim)
      expect(second).toBeUndefined()
      expect(first).not.toBe(filler)
      expect(String(first).length).toBeGreaterThan(40)
      expect(bodyOf(sim).contents[2].parts.map((part: Json) => part.functionResponse.response)).toEqual([
        { output: 'result 0' },
        { output: 'result 1' },
      ])
    },
  )

  it('another model gets the filler, and a note says so', async () => {
    sim.play(twoCalls, [{ say: 'done' }])
    const { calls } = await answerOf(door)
    const turns: Turn[] = [...hello, { text: '', calls }, resultsOf(calls)]
    const answer = await answerOf(door, { turns, name: 'google/gemini-3.1-pro-preview' })
    expect(answer).toMatchObject({ text: 'done', complete: true })
    expect(signaturesOf(sim)).toEqual([filler, undefined])
    expect(decodeURIComponent(String(answer.headers['x-dragoman-notes']))).toMatch(/thought signature/)
  })

  it('a server without ids of calls is answered in order', async () => {
    older.play(twoCalls, [{ say: 'done' }])
    const name = 'older/gemini-2.5-flash'
    const { calls } = await answerOf(door, { name })
    // A client of the same dialect gets what the server sent.
    const isOwn = door === 'gemini'
    expect(new Set(calls.map(({ id }) => id)).size).toBe(isOwn ? 1 : 2)
    const turns: Turn[] = [...hello, { text: '', calls }, resultsOf(isOwn ? calls : calls.toReversed())]
    expect(await answerOf(door, { turns, name })).toMatchObject({ text: 'done', complete: true })
    expect(JSON.stringify(bodyOf(older))).not.toContain('"id"')
  })

  it.each([
    ['MALFORMED_FUNCTION_CALL', 502],
    ['UNEXPECTED_TOOL_CALL', 502],
    ['OTHER', 502],
  ])('%s is an error', async (finishReason, status) => {
    sim.play([{ frame: { candidates: [{ finishReason, finishMessage: 'call:read{' }] } }])
    const { error, complete, ...answer } = await answerOf(door)
    expect([answer.status, complete]).toEqual([status, false])
    expect(error?.message).toContain(finishReason)
  })

  it('a malformed call after some text is an error, too', async () => {
    const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }
    sim.play([{ say: 'half an' }, { wait: 20 }, { frame: malformed }])
    expect(await answerOf(door)).toMatchObject({ text: 'half an', complete: false })
  })

  it('text that the filter cut off ends as such', async () => {
    sim.play([{ say: 'half an' }, { end: 'RECITATION' }])
    expect(await answerOf(door)).toMatchObject({ text: 'half an', status: 200 })
  })

  it('a stream without a finish reason is an error after its text', async () => {
    sim.play([{ say: 'half an' }, { wait: 20 }, { fault: 'fin' }])
    expect(await answerOf(door)).toMatchObject({ text: 'half an', complete: false })
  })

  it('a rate limit comes with the delay of its details', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '27s' }]
    const error = { code: 429, message: 'You exceeded your quota.', status: 'RESOURCE_EXHAUSTED', details }
    sim.play([{ status: 429, body: { error } }])
    const answer = await answerOf(door)
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '27'])
    expect(answer.error?.message).toContain('You exceeded your quota.')
  })

  it('a wrong key of the gateway is not the fault of its client', async () => {
    const answer = await answerOf(door, { name: 'wrong/gemini-3.8-flash' })
    expect(answer.status).toBe(502)
    expect(answer.error?.message).toMatch(/correct its "apiKey"/)
    expect(JSON.stringify(answer)).not.toContain('AIza')
  })

  it('a conversation that is too long is said to be', async () => {
    const answer = await answerOf(door, { turns: [{ user: 'x'.repeat(10_000) }] })
    expect(answer.status).toBe(400)
    expect(answer.error?.message).toMatch(/exceeds the maximum number of tokens|too long/)
  })
})

it.each(doorNames.filter((door) => door !== 'gemini'))('a blocked prompt is an error at %s', async (door) => {
  sim.play([{ frame: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } } }])
  const answer = await answerOf(door)
  expect(answer.status).toBe(400)
  expect(answer.error?.message).toMatch(/blocked the prompt \(PROHIBITED_CONTENT\)/)
})

it('the key is in a header alone', async () => {
  await answerOf('chat')
  const [request] = sim.requests
  expect(request?.headers['x-goog-api-key']).toBe(apiKey)
  expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']])
})

it('a signature that the service refuses is replaced by the filler, once', async () => {
  sim.play(twoCalls)
  const { calls } = await answerOf('chat')
  sim.play([
    {
      status: 400,
      body: { error: { code: 400, message: 'Corrupted thought signature.', status: 'INVALID_ARGUMENT' } },
    },
  ])
  sim.play([{ say: 'done' }])
  const turns: Turn[] = [...hello, { text: '', calls }, resultsOf(calls)]
  expect(await answerOf('chat', { turns })).toMatchObject({ text: 'done' })
  expect(signaturesOf(sim)).toEqual([filler, undefined])
})

it('names that the service does not take are adapted, and come back', async () => {
  const name = 'mcp/1 read'
  sim.play({ steps: [{ say: 'ok' }] })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } }],
    }),
  })
  expect(answer.status).toBe(200)
  expect(bodyOf(sim).tools[0].functionDeclarations[0].name).toMatch(/^[A-Za-z_][\w.:-]*$/)
})

describe('a gateway that was restarted has the signature from clients that carry it', () => {
  const post = async (url: string, path: string, body: object): Promise<Json> => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, ...body }),
    })
    return answer.json()
  }
  const schema = { type: 'object', properties: { path: { type: 'string' } } }
  const asks: Record<string, (url: string, restarted: string) => Promise<Json>> = {
    async messages(url, restarted) {
      const tools = [{ name: 'read', input_schema: schema }]
      const question = { role: 'user', content: 'go' }
      const { content } = await post(url, '/v1/messages', { max_tokens: 900, tools, messages: [question] })
      const results = content.flatMap(({ type, id }: Json) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'x' }] : [],
      )
      const answered = [question, { role: 'assistant', content }, { role: 'user', content: results }]
      return post(restarted, '/v1/messages', { max_tokens: 900, tools, messages: answered })
    },
    async responses(url, restarted) {
      const asked = {
        ...{ store: false, include: ['reasoning.encrypted_content'] },
        tools: [{ type: 'function', name: 'read', parameters: schema }],
      }
      const question = { role: 'user', content: 'go' }
      const { output } = await post(url, '/v1/responses', { ...asked, input: [question] })
      const results = output.flatMap(({ type, call_id }: Json) =>
        type === 'function_call' ? [{ type: 'function_call_output', call_id, output: 'x' }] : [],
      )
      return post(restarted, '/v1/responses', { ...asked, input: [question, ...output, ...results] })
    },
  }

  it.each(Object.entries(asks))('%s', async (_, ask) => {
    const backends = { google: { kind: 'gemini', baseUrl: sim.url, apiKey } }
    const restarted = await startGateway({ backends })
    sim.play(twoCalls, [{ say: 'done' }])
    expect(JSON.stringify(await ask(gateway.url, restarted.url))).toContain('done')
    await restarted.gateway.close()
    const [first, second] = signaturesOf(sim)
    expect([first === filler, String(first).length > 40, second]).toEqual([false, true, undefined])
  })
})
