// What the backend asks beside turns: models in pages, counts; and which addresses it writes.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedUpstream, startScriptedUpstream } from '../../../test/scripted-upstream.ts'
import type { Backend, TurnContext } from '../../core/backend.ts'
import { Notes } from '../../core/notes.ts'
import type { TurnRequest } from '../../core/request.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createGeminiBackend } from './backend.ts'

let upstream: ScriptedUpstream
let backend: Backend
beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const client = createUpstreamClient(upstream.url)
  const times = { progressMs: 20_000, firstByteMs: 20_000 }
  backend = createGeminiBackend({
    name: 'google',
    client,
    apiKey: 'k',
    headers: {},
    isShared: true,
    ...times,
  })
})
afterAll(async () => {
  await backend.close()
  upstream.close()
})
beforeEach(() => {
  upstream.asked.length = 0
})

const { signal } = new AbortController()
const context = (key = 'alice'): TurnContext => ({
  ...{
    turnId: 'turn_1',
    caller: { key },
    signal,
    notes: new Notes(),
    wholeArguments: true,
    mayOpenLane: true,
  },
})
const request = (more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: 'gemini-3.8-flash',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  stream: false,
  origin: { dialect: 'none', body: {}, faithful: false },
  ...more,
})
const entry = (name: string, ...methods: string[]) => ({
  ...{ name, displayName: 'A model', inputTokenLimit: 1000, outputTokenLimit: 100 },
  ...{ supportedGenerationMethods: methods, thinking: true, future: 1 },
})

async function eventsOf(asked: TurnRequest, key?: string) {
  const events = []
  for await (const batch of backend.run(asked, context(key))) events.push(...batch)
  return events
}

describe('models', () => {
  it('come from all pages, without those that cannot answer', async () => {
    const pages: Record<string, object> = {
      '': {
        models: [entry('models/a', 'generateContent'), entry('models/e', 'embedContent')],
        nextPageToken: 'x&y',
      },
      'x&y': { models: [entry('models/b', 'generateContent')] },
    }
    upstream.respond = ({ path }) => {
      const token = new URLSearchParams(path.split('?')[1]).get('pageToken') ?? ''
      return { body: JSON.stringify(pages[token]) }
    }
    const models = await backend.models(signal)
    delete upstream.respond
    expect(models.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(models[0]).toMatchObject({
      ...{ displayName: 'A model', contextTokens: 1000, outputTokens: 100, reasoning: true },
      listed: { form: 'gemini', entry: { future: 1 } },
    })
    expect(upstream.asked.every(({ headers }) => headers['x-goog-api-key'] === 'k')).toBe(true)
  })

  it('of a server whose pages never end are bounded', async () => {
    upstream.answer = { body: '{"models":[],"nextPageToken":"on"}' }
    expect(await backend.models(signal)).toEqual([])
    expect(upstream.asked).toHaveLength(20)
  })

  it('that cannot be read are an error', async () => {
    upstream.answer = { body: '{"models":{}}' }
    await expect(backend.models(signal)).rejects.toThrow(/list of models that cannot be read/)
  })
})

it('a count is of the whole request', async () => {
  upstream.answer = { body: '{"totalTokens":7}' }
  const tools = [{ name: 'read', schema: { type: 'object', properties: {} } }]
  expect(await backend.countTokens?.(request({ tools }), context())).toBe(7)
  const [{ path = '', body = '' } = {}] = upstream.asked
  expect(path).toBe('/v1beta/models/gemini-3.8-flash:countTokens')
  expect(JSON.parse(body).generateContentRequest).toMatchObject({
    model: 'models/gemini-3.8-flash',
    contents: [{ role: 'user' }],
    tools: [{ functionDeclarations: [{ name: 'read' }] }],
  })
})

describe('the address', () => {
  const answer = '{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}'

  it.each([
    ['tunedModels/mine', '/v1beta/tunedModels/mine:generateContent'],
    ['a b?c#d', '/v1beta/models/a%20b%3Fc%23d:generateContent'],
  ])('of %s is %s', async (model, path) => {
    upstream.answer = { body: answer }
    await eventsOf(request({ model }))
    expect(upstream.asked[0]?.path).toBe(path)
  })

  it.each(['../../x', 'a/./b', 'models//x'])('of %s is none', async (model) => {
    await expect(eventsOf(request({ model }))).rejects.toThrow(/There is no model/)
    expect(upstream.asked).toEqual([])
  })
})

describe('what Google stores for one key is not found by another', () => {
  const own = (body: object) =>
    request({
      origin: {
        dialect: 'gemini',
        body: { contents: [{ parts: [{ text: 'hi' }] }], ...body },
        faithful: true,
      },
    })
  const file = 'https://generativelanguage.googleapis.com/v1beta/files/abc'

  it.each([
    { cachedContent: 'cachedContents/abc' },
    { cached_content: 'cachedContents/abc' },
    { contents: [{ parts: [{ fileData: { fileUri: file } }] }] },
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/abc'] } }] },
  ])('%j', async (body) => {
    await expect(eventsOf(own(body))).rejects.toMatchObject({ code: 'not-found' })
    expect(upstream.asked).toEqual([])
  })

  it('a continuation passes for the key that received it', async () => {
    const cut =
      '{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"CONTINUATION","continuationToken":"t1"}]}'
    upstream.answer = { body: cut }
    expect((await eventsOf(own({}))).at(-1)).toMatchObject({ type: 'turn-end', reason: 'length' })
    await expect(eventsOf(own({ continuationToken: 't1' }), 'bob')).rejects.toMatchObject({
      code: 'not-found',
    })
    expect((await eventsOf(own({ continuationToken: 't1' }))).at(-1)?.type).toBe('turn-end')
  })
})
