// The cases of the public compliance list of Open Responses (2026-04-24), as requests and checks of our own.

import { describe, expect, it } from 'vitest'
import { useBench } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { eventProblems, responseProblems } from './required.ts'
import {
  schemaProblemsOfCompaction,
  schemaProblemsOfEvent,
  schemaProblemsOfResponse,
  schemaProblemsOfSocketError,
} from './schema.ts'
import { SocketClient, type SocketTurn } from './socket-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
type Json = any

const bench = useBench({ openai: { lenient: true } })
const model = 'openai/gpt-demo'
const user = (content: unknown) => ({ type: 'message', role: 'user', content })
const assistant = (content: unknown, more = {}) => ({ type: 'message', role: 'assistant', content, ...more })
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const post = (path: string, body: object) =>
  fetch(`${bench.url}/v1/responses${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function whole(input: unknown, more = {}): Promise<Json> {
  const answer = await post('', { model, input, ...more })
  expect(answer.status).toBe(200)
  const response = (await answer.json()) as Json
  expect([...responseProblems(response), ...schemaProblemsOfResponse(response)]).toEqual([])
  expect(response.output.length).toBeGreaterThan(0)
  return response
}

const problemsOf = ({ events }: SocketTurn) =>
  events.flatMap((event) =>
    event.type === 'error'
      ? schemaProblemsOfSocketError(event)
      : [...eventProblems(event), ...schemaProblemsOfEvent(event)],
  )

function expectCompleted(turn: SocketTurn): void {
  expect(problemsOf(turn)).toEqual([])
  expect(turn.response.status).toBe('completed')
}

const say = (...texts: string[]) => bench.openai.play(...texts.map((text) => [{ say: text, pieces: 2 }]))
const lastInput = () => JSON.stringify(bench.openai.requests.at(-1)?.body)
const tool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather at a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
}

describe('Open Responses over HTTP', () => {
  it('basic text', async () => {
    say('Hello to you')
    expect((await whole([user('Say hello.')])).status).toBe('completed')
  })

  it('phases of assistant messages, accepted', async () => {
    say('four')
    const input = [
      assistant('I look it up.', { phase: 'commentary' }),
      assistant('It is four.', { phase: 'final_answer' }),
      user('Only the number.'),
    ]
    expect((await whole(input)).status).toBe('completed')
  })

  it('phases of assistant messages, kept as they came', async () => {
    say('four')
    const { id } = await whole([assistant('It is four.', { phase: 'final_answer' }), user('Again.')])
    const listed = (await (
      await fetch(`${bench.url}/v1/responses/${id}/input_items?order=asc`)
    ).json()) as Json
    expect(listed.data[0]).toMatchObject({ role: 'assistant', phase: 'final_answer' })
  })

  it('a stream', async () => {
    say('1 2 3 4 5')
    const stream = await readResponsesStream(await post('', { model, input: [user('Count.')], stream: true }))
    expect(stream.problems).toEqual([])
    expect(
      stream.events.flatMap((event) => [...eventProblems(event), ...schemaProblemsOfEvent(event)]),
    ).toEqual([])
    expect(stream.response.status).toBe('completed')
  })

  it('a system prompt', async () => {
    say('Ahoy')
    await whole([{ type: 'message', role: 'system', content: 'Speak like a pirate.' }, user('Hello.')])
    expect(lastInput()).toContain('Speak like a pirate.')
  })

  it('a tool call', async () => {
    bench.openai.play([{ call: { name: 'get_weather', arguments: { location: 'Oslo' } } }])
    const { output } = await whole([user('The weather in Oslo?')], { tools: [tool] })
    expect(output.map(({ type }: Json) => type)).toContain('function_call')
  })

  it('an image', async () => {
    say('A dot')
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: pixel },
    ]
    expect((await whole([user(content)])).status).toBe('completed')
    expect(lastInput()).toContain(pixel)
  })

  it('several turns', async () => {
    say('Alice')
    await whole([user('I am Alice.'), assistant('Hello Alice!'), user('Who am I?')])
    expect(lastInput()).toContain('I am Alice.')
  })

  it('a compaction', async () => {
    say('Launch on Tuesday.')
    const input = [user('We launch on Tuesday.'), assistant('Understood.')]
    const answer = await post('/compact', { model, prompt_cache_key: 'a-key', input })
    const compaction = (await answer.json()) as Json
    expect([answer.status, compaction.object]).toEqual([200, 'response.compaction'])
    expect(schemaProblemsOfCompaction(compaction)).toEqual([])
    expect(compaction.output.map(({ type }: Json) => type)).toContain('compaction')
  })

  it('a compaction without a model is refused', async () => {
    expect((await post('/compact', { input: [user('Sum up.')] })).status).toBe(400)
  })
})

describe('Open Responses over WebSocket', () => {
  it('a response', async () => {
    say('1 2 3')
    const client = await SocketClient.open(bench.url)
    expectCompleted(await client.create({ model, input: [user('Count.')] }))
    await client.close()
  })

  it('responses one after the other', async () => {
    say('first', 'second')
    const client = await SocketClient.open(bench.url)
    for (const word of ['first', 'second']) {
      const turn = await client.create({ model, store: false, input: `Say ${word}` })
      expectCompleted(turn)
      expect(turn.response.output[0].content[0].text).toBe(word)
    }
    await client.close()
  })

  it('a continuation of a response that is not stored', async () => {
    say('OK', 'cobalt')
    const client = await SocketClient.open(bench.url)
    const first = await client.create({ model, store: false, input: 'The word is cobalt.' })
    expectCompleted(first)
    const next = { model, store: false, previous_response_id: first.response.id, input: 'The word?' }
    expectCompleted(await client.create(next))
    expect(lastInput()).toContain('The word is cobalt.')
    await client.close()
  })

  it('after a reconnection it is not found, and a new beginning works', async () => {
    say('OK', 'recovered')
    const one = await SocketClient.open(bench.url)
    const { response } = await one.create({ model, store: false, input: 'The word is copper.' })
    await one.close()
    const other = await SocketClient.open(bench.url)
    const lost = await other.create({ model, store: false, previous_response_id: response.id, input: 'more' })
    expect(problemsOf(lost)).toEqual([])
    expect(lost.error.code).toBe('previous_response_not_found')
    expectCompleted(await other.create({ model, store: false, input: [user('Again.')] }))
    await other.close()
  })

  it('an unknown response', async () => {
    const client = await SocketClient.open(bench.url)
    const turn = await client.create({ model, store: false, previous_response_id: 'resp_none', input: 'x' })
    expect(problemsOf(turn)).toEqual([])
    expect(turn.events).toMatchObject([{ status: 400, error: { code: 'previous_response_not_found' } }])
    await client.close()
  })

  it('a continuation that fails is forgotten', async () => {
    say('OK')
    const client = await SocketClient.open(bench.url)
    const { response } = await client.create({ model, store: false, input: 'The word is ember.' })
    const next = { model, store: false, previous_response_id: response.id }
    const orphan = { type: 'function_call_output', call_id: 'call_missing', output: 'none' }
    const failed = await client.create({ ...next, input: [orphan] })
    expect(failed.error.message).toContain(
      'No tool call found for function call output with call_id call_missing.',
    )
    expect((await client.create({ ...next, input: 'Go on' })).error.code).toBe('previous_response_not_found')
    await client.close()
  })

  it('a compaction as the beginning of another conversation', async () => {
    say('The word is slate.', 'compacted')
    const input = [
      user([{ type: 'input_text', text: 'The word is slate.' }]),
      assistant([{ type: 'output_text', text: 'OK.' }]),
    ]
    const { output } = (await (await post('/compact', { model, input })).json()) as Json
    const client = await SocketClient.open(bench.url)
    expectCompleted(
      await client.create({ model, store: false, tools: [], input: [...output, user('Go on.')] }),
    )
    expect(lastInput()).toContain('The word is slate.')
    await client.close()
  })
})
