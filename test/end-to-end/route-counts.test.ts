// Near the limit of a row the request is counted by the model that the limit is about: by its service, or by the tokenizer of
// OpenAI's models. Without a count the estimate decides, and the note says so.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { atTestEnd } from '../at-end.ts'
import { type Body, chat, startGateway, upstreamKey, useBench, user } from '../harness.ts'

const bench = useBench({ openai: { lenient: true } })

const row = (inputTokens: string, use: string) => ({ when: { inputTokens }, use })
const texts = {
  /** By four characters each 1,640 tokens; by the tokenizer 3,280. */
  letters: 'a b c d '.repeat(820),
  /** The other way round: 2,310 and 880. */
  words: ' internationalization'.repeat(440),
  'very many letters': 'a b c d '.repeat(2_000),
  greeting: 'hello',
  /** 2,050. */
  noise: 'x'.repeat(8_200),
}
const { letters, noise } = texts

/** A service that counts as it is told to. */
const counts: { kind: 'count' | 'refuse' | 'hang'; tokens: number; asked: string[] } = {
  ...{ kind: 'count', tokens: 0, asked: [] },
}
let url = ''

beforeAll(async () => {
  const service = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const { pathname } = new URL(request.url ?? '', 'http://box')
    counts.asked.push(pathname)
    if (counts.kind === 'hang') return
    response.writeHead(counts.kind === 'refuse' ? 500 : 200, { 'content-type': 'application/json' })
    expect(JSON.parse(Buffer.concat(chunks).toString())).not.toEqual({})
    response.end(JSON.stringify({ input_tokens: counts.tokens, totalTokens: counts.tokens }))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const openai = { kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey }
  const started = await startGateway({
    backends: {
      openai,
      claude: { kind: 'anthropic', baseUrl, apiKey: upstreamKey },
      google: { kind: 'gemini', baseUrl, apiKey: upstreamKey },
    },
    models: {
      gpt: [row('>2000', 'openai/long'), 'openai/gpt-5'],
      older: [row('<2000', 'openai/gpt-4'), 'openai/long'],
      unknown: [row('>2000', 'openai/long'), 'openai/qwen3-coder'],
      claude: [row('>2000', 'openai/long'), 'claude/claude-sonnet-5', 'openai/rest'],
      google: [row('>2000', 'openai/long'), 'google/gemini-3.8-flash', 'openai/rest'],
    },
  })
  url = started.url
  // A count of a turn waits 2 s at most, and the tokenizers must be loaded first.
  for (const model of ['openai/gpt-5', 'openai/gpt-4'])
    await fetch(`${url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [user(letters)] }),
    })
  return async () => {
    await started.gateway.close()
    service.closeAllConnections()
    service.close()
  }
})

afterEach(() => {
  counts.asked.length = 0
})

async function ask(model: string, text: string, more: Body = {}) {
  const { headers } = await chat(url, { model, messages: [user(text)], ...more })
  return headers.get('x-dragoman-notes') ?? ''
}
const asked = () => bench.openai.requests.map(({ body }) => (body as Body).model)

describe("OpenAI's models: by their tokenizer", () => {
  it.each([
    ['gpt', 'letters', 'long', /gpt: inputTokens >2000, so openai\/long was asked \(32\d\d tokens, counted by openai\/gpt-5\)/],
    ['gpt', 'words', 'gpt-5', /gpt: no condition holds, so openai\/gpt-5 was asked \(8\d\d tokens, counted by openai\/gpt-5\)/],
    ['older', 'letters', 'long', /no condition holds, so openai\/long was asked \(32\d\d tokens, counted by openai\/gpt-4\)/],
    // Far from the limit nothing is counted.
    ['gpt', 'very many letters', 'long', /gpt: inputTokens >2000, so openai\/long was asked$/],
    ['gpt', 'greeting', 'gpt-5', /^$/],
    // No tokenizer is public: the estimate decides.
    ['unknown', 'letters', 'qwen3-coder', /^$/],
    ['unknown', 'noise', 'long', /\(about 2\d\d\d tokens, an estimate within 10 % of >2000\)/],
  ] as const)('%s with %s asks %s', async (model, text, expected, notes) => {
    expect(await ask(model, texts[text])).toMatch(notes)
    expect(asked()).toEqual([expected])
  }) // biome-ignore format: a list to be read as one

  it('an image makes it an estimate', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const content = [{ type: 'text', text: 'x'.repeat(1_400) }, image]
    await chat(url, { model: 'gpt', messages: [user(content)] })
    expect(asked()).toEqual(['gpt-5'])
  })
})

describe.each([
  ['claude', 'claude/claude-sonnet-5', '/v1/messages/count_tokens'],
  ['google', 'google/gemini-3.8-flash', '/v1beta/models/gemini-3.8-flash:countTokens'],
])('%s: by its service', (model, name, path) => {
  it('where the estimate is near the limit', async () => {
    Object.assign(counts, { kind: 'count', tokens: 2_001 })
    expect(await ask(model, letters)).toContain(
      `${model}: inputTokens >2000, so openai/long was asked (2001 tokens, counted by ${name})`,
    )
    expect(counts.asked).toEqual([path])
    expect(asked()).toEqual(['long'])
  })

  it('and nowhere else', async () => {
    await ask(model, letters.repeat(3))
    expect(counts.asked).toEqual([])
  })

  it('not in an open tool loop, which stays with its model anyway', async () => {
    Object.assign(counts, { kind: 'refuse' })
    const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }
    await chat(url, {
      model,
      messages: [
        user('go'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: letters },
      ],
    })
    expect(counts.asked).not.toContain(path)
  })

  it.each([
    ['refuse', 'upstream-unavailable'],
    ['hang', 'within 2 s'],
  ] as const)('which may %s: the estimate decides, with a note', async (kind, why) => {
    Object.assign(counts, { kind })
    atTestEnd(() => Object.assign(counts, { kind: 'count' }))
    const notes = ask(model, noise)
    expect(await notes).toMatch(
      new RegExp(`${name} did not count the tokens .*${why}.*, so an estimate decided`),
    )
    expect(await notes).toContain('an estimate within 10 % of >2000')
    expect(asked()).toEqual(['long'])
  })
})
