// What a viewer can do with kept turns: search, pin, clear, send again, export. Each within the viewer's scope.

import { describe, expect, it } from 'vitest'
import type { TurnSummary } from '../../src/inspector/api.ts'
import { mostPins } from '../../src/inspector/pins.ts'
import { parseTapes } from '../../src/tapes/read.ts'
import { expectNothingStray } from '../end-to-end/wire.ts'
import { answered, ask, type Bench, called, chat, chatStream, upstreamKey, user } from '../harness.ts'
import { json, login, useInspected } from './inspected.ts'

expectNothingStray()

const keys = [
  { name: 'laptop', key: 'a-key-of-the-laptop-0123456789' },
  { name: 'ci', key: 'a-key-of-the-build-server-0123456789' },
]
const bench = useInspected({ settings: { auth: undefined }, gateway: { keys } })
const [own, others] = keys.map(({ key }) => ({ authorization: `Bearer ${key}` })) as [
  { authorization: string },
  { authorization: string },
]

type Headers = Record<string, string>

async function post(to: Bench, path: string, body: unknown, headers: Headers) {
  const answer = await fetch(`${to.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  return { status: answer.status, body: (await answer.json()) as any }
}

const say = (text: string, headers: Headers = own, more: Record<string, unknown> = {}) =>
  chat(bench.url, ask('openai/gpt-4o', { messages: [user(text)], ...more }), headers)

async function turnTitled(
  title: string,
  headers: Headers = own,
): Promise<{ id: string; conversation: string }> {
  const { body } = await json(bench, '/inspector/turns', headers)
  return body.turns.find((turn: { title: string }) => turn.title === title)
}

describe('search', () => {
  const search = (words: string, headers: Headers = own) =>
    json(bench, `/inspector/search?words=${encodeURIComponent(words)}`, headers)

  it('finds words in what was asked, answered and called', async () => {
    bench.openai.play([{ say: 'The quick ' }, { say: 'brown fox' }, { end: 'stop' }])
    await say('Which animal?')
    const { body } = await search('"quick brown"')
    expect(body.hits).toEqual([
      {
        turn: (await turnTitled('Which animal?')).id,
        startedAt: expect.any(Number),
        found: [{ where: 'Answer', before: 'The ', found: 'quick brown', after: ' fox' }],
      },
    ])
  })

  it('finds no secret, whole or in part', async () => {
    await say(`Is my key ${upstreamKey} in order?`)
    await say('another question')
    for (const guess of [upstreamKey, upstreamKey.slice(0, 20), upstreamKey.slice(-12)])
      expect([guess, (await search(guess)).body.hits]).toEqual([guess, []])
    expect(JSON.stringify((await search('order?')).body)).not.toContain(upstreamKey)
  })

  it.each(['', '   ', 'x'.repeat(501)])('says what is wrong with %j', async (words) => {
    expect(await search(words)).toMatchObject({
      status: 400,
      body: { error: { message: expect.any(String) } },
    })
  })
})

describe('pins', () => {
  it('are kept, up to a number, and can be taken off', async () => {
    for (let nth = 0; nth <= mostPins; nth++) await say(`Pin ${nth}`)
    const pin = async (nth: number, pinned = true) =>
      post(bench, `/inspector/turns/${(await turnTitled(`Pin ${nth}`)).id}/pin`, { pinned }, own)
    for (let nth = 0; nth < mostPins; nth++) expect((await pin(nth)).status).toBe(200)
    const full = await pin(mostPins)
    expect([full.status, full.body.error.message]).toEqual([409, expect.stringContaining('unpin one first')])
    expect(await turnTitled('Pin 0')).toMatchObject({ pinned: true })
    await pin(0, false)
    expect((await pin(mostPins)).status).toBe(200)
    expect(await turnTitled('Pin 0')).not.toHaveProperty('pinned')
    for (let nth = 1; nth <= mostPins; nth++) await pin(nth, false)
    expect((await post(bench, '/inspector/turns/turn_none/pin', { pinned: true }, own)).status).toBe(404)
    expect((await post(bench, '/inspector/turns/turn_none/pin', {}, own)).status).toBe(400)
  })
})

describe('clear', () => {
  it('removes what the viewer sees, and leaves what is pinned, newer, or of another key', async () => {
    await say('Of the other', others)
    await say('To be cleared')
    await say('To be pinned')
    const pinned = await turnTitled('To be pinned')
    await post(bench, `/inspector/turns/${pinned.id}/pin`, { pinned: true }, await login(bench))
    const until = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await say('Newer')
    const { status, body } = await post(bench, '/inspector/clear', { until }, own)
    expect([status, body.cleared > 0]).toEqual([200, true])
    expect(await turnTitled('To be cleared')).toBeUndefined()
    for (const title of ['To be pinned', 'Newer']) expect(await turnTitled(title)).toBeDefined()
    expect(await turnTitled('Of the other', others)).toBeDefined()
    expect((await post(bench, '/inspector/clear', {}, own)).status).toBe(400)
  })
})

describe('resend', () => {
  const resend = (id: string, body: unknown = {}, headers: Headers = own) =>
    post(bench, `/inspector/turns/${id}/resend`, body, headers)

  async function ended(id: string, headers: Headers): Promise<TurnSummary> {
    const summary = async () => (await json(bench, `/inspector/turns/${id}`, headers)).body.summary
    await expect.poll(async () => (await summary()).running).toBe(false)
    return summary()
  }

  it("sends the client's own bytes again, for its key, as a new turn", async () => {
    await say('Send me again', own, { temperature: 1 })
    const { id } = await turnTitled('Send me again')
    const before = bench.openai.requests.at(-1)?.body
    const { status, body } = await resend(id)
    expect(status).toBe(202)
    const path = `/inspector/turns/${body.turn}`
    const summary = await ended(body.turn, own)
    expect(summary).toMatchObject({ resentFrom: id, key: 'laptop', outcome: 'stop', title: 'Send me again' })
    expect(bench.openai.requests.at(-1)?.body).toEqual(before)
    const tape = await (await fetch(`${bench.url}${path}/tape`, { headers: own })).text()
    expect(parseTapes(tape, 'resent')[0]?.frames[0]).toMatchObject({ do: 'begin', resentFrom: id })
  })

  it('takes another model', async () => {
    await say('Another model please')
    const { id } = await turnTitled('Another model please')
    const { body } = await resend(id, { model: 'anthropic/claude-demo' })
    expect(await ended(body.turn, own)).toMatchObject({
      model: 'anthropic/claude-demo',
      backend: 'anthropic',
    })
  })

  it('of a viewer of all turns counts for the key of the turn', async () => {
    await say('Of another key', others)
    const { id } = await turnTitled('Of another key', others)
    const { body } = await resend(id, {}, await login(bench))
    expect((await ended(body.turn, others)).key).toBe('ci')
    expect((await json(bench, `/inspector/turns/${body.turn}`, own)).status).toBe(404)
  })

  it.each([
    [{ model: 5 }, 400],
    [{ model: ' ' }, 400],
    [[], 400],
  ] as const)('%j: %i', async (body, status) => {
    await say('A wrong model')
    expect((await resend((await turnTitled('A wrong model')).id, body)).status).toBe(status)
  })

  it('of an unknown turn says so', async () => {
    expect(await resend('turn_none')).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('not kept') } },
    })
  })

  it('is bounded', async () => {
    await say('Again and again')
    const { id } = await turnTitled('Again and again')
    const statuses = new Set<number>()
    for (let nth = 0; nth < 25; nth++) statuses.add((await resend(id)).status)
    expect([...statuses].sort()).toEqual([202, 429])
  })
})

describe('without permission to resend', () => {
  const off = useInspected({ settings: { inspector: { enabled: true, resend: false } } })

  it('it is refused with the setting that allows it', async () => {
    await chat(off.url, ask('openai/gpt-4o'))
    const headers = await login(off)
    const { body } = await json(off, '/inspector/turns', headers)
    const answer = await post(off, `/inspector/turns/${body.turns[0].id}/resend`, {}, headers)
    expect([answer.status, answer.body.error.message]).toEqual([
      403,
      expect.stringContaining('inspector.resend'),
    ])
    expect(body.may.resend).toContain('inspector.resend')
  })
})

describe('a conversation', () => {
  it('is exported as one file of tapes, in order', async () => {
    const messages = [user('Read whole.txt')]
    const first = await chatStream(bench.url, ask('openai/gpt-4o', { messages }), own)
    const [call] = first.calls
    if (!call) throw new Error('the model did not call')
    messages.push(
      { role: 'assistant', content: null, tool_calls: [called(call.id, call.name, call.arguments)] },
      answered(call.id, 'the whole text'),
    )
    await chatStream(bench.url, ask('openai/gpt-4o', { messages }), own)
    const { conversation } = await turnTitled('Read whole.txt')
    const path = `/inspector/conversations/${conversation}/tape`
    const answer = await fetch(`${bench.url}${path}`, { headers: own })
    expect(answer.headers.get('content-disposition')).toContain('.jsonl')
    const tapes = parseTapes(await answer.text(), 'exported')
    expect(tapes.map(({ frames }) => frames[0]?.do)).toEqual(['begin', 'begin'])
    expect(tapes[0]?.turn).toBe(conversation)
    expect((await json(bench, path, others)).status).toBe(404)
    expect((await json(bench, '/inspector/conversations/turn_none/tape', own)).status).toBe(404)
  })
})
