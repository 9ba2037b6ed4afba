// What can be asked of a stored response, and of a request before it is sent.

import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useBench } from '../harness.ts'
import { itemProblems } from './required.ts'

const [one, two] = ['key-of-one-0123456789', 'key-of-two-0123456789'] as const
const bench = useBench({
  gateway: {
    keys: [
      { name: 'one', key: one },
      { name: 'two', key: two },
    ],
  },
})
const model = 'anthropic/claude-demo'
const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${bench.url}/v1`, apiKey, maxRetries: 0 })

async function conversation() {
  const client = clientOf(one)
  bench.anthropic.play([{ say: 'first answer' }], [{ say: 'second answer' }])
  const first = await client.responses.create({
    model,
    input: [
      { role: 'developer', content: 'be brief' },
      { type: 'message', role: 'assistant', content: 'I look', phase: 'commentary' },
      { role: 'user', content: 'hello' },
    ],
  })
  const second = await client.responses.create({ model, input: 'and then?', previous_response_id: first.id })
  return { client, first, second }
}

describe('GET /v1/responses/ID/input_items', () => {
  it('lists the whole input in either order, page by page', async () => {
    const { client, first, second } = await conversation()
    const texts = []
    for await (const item of client.responses.inputItems.list(second.id, { order: 'asc', limit: 2 })) {
      expect(itemProblems(item)).toEqual([])
      if (item.type === 'message')
        texts.push(item.content.map((part) => ('text' in part ? part.text : '')).join(''))
    }
    expect(texts).toEqual(['be brief', 'I look', 'hello', 'first answer', 'and then?'])
    const { data } = await client.responses.inputItems.list(first.id)
    expect(data).toMatchObject([
      { role: 'user', status: 'completed' },
      { role: 'assistant', phase: 'commentary' },
      { role: 'developer' },
    ])
  })

  it('is for its caller alone, and refuses what it does not know', async () => {
    const { client, second } = await conversation()
    await expect(clientOf(two).responses.inputItems.list(second.id)).rejects.toMatchObject({ status: 404 })
    await expect(client.responses.inputItems.list('resp_none')).rejects.toMatchObject({ status: 404 })
    for (const query of [{ limit: 0 }, { limit: 1_000 }, { after: 'msg_none' }])
      await expect(client.responses.inputItems.list(second.id, query)).rejects.toMatchObject({ status: 400 })
  })
})

describe('POST /v1/responses/ID/cancel', () => {
  it("says in OpenAI's words that nothing runs", async () => {
    const { client, second } = await conversation()
    await expect(client.responses.cancel(second.id)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Cannot cancel a synchronous response.'),
    })
    await expect(clientOf(two).responses.cancel(second.id)).rejects.toMatchObject({ status: 404 })
  })
})

describe('POST /v1/responses/input_tokens', () => {
  it('counts by the service, or by an estimate, with the conversation before', async () => {
    const { client, second } = await conversation()
    const { object, input_tokens: all } = await client.responses.inputTokens.count({
      model,
      input: 'more',
      previous_response_id: second.id,
    })
    expect(object).toBe('response.input_tokens')
    const estimate = await client.responses.inputTokens.count({
      model: 'openai/gpt-demo',
      input: 'x'.repeat(4_000),
    })
    expect(estimate.input_tokens).toBeGreaterThan(500)
    expect(all).toBeGreaterThan(0)
    const bare = await client.responses.inputTokens.count({ model, previous_response_id: second.id })
    expect(bare.input_tokens).toBeGreaterThan(0)
    await expect(client.responses.inputTokens.count({ input: 'no model' })).rejects.toMatchObject({
      status: 400,
    })
  })
})
