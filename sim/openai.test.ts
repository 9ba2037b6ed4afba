// The OpenAI simulator with the official client: its answers, whole and streamed.

import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOpenAISim } from './openai.ts'
import type { Sim } from './server.ts'

let sim: Sim
let client: OpenAI
beforeAll(async () => {
  sim = await startOpenAISim()
  client = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: 'any', maxRetries: 0 })
})
afterAll(() => sim.close())
beforeEach(() => sim.clear())

const request = { model: 'any-model', messages: [{ role: 'user' as const, content: 'hi' }] }
const STEPS = [
  { think: 'hidden' },
  { say: 'Reading two files.', pieces: 3 },
  { call: { name: 'read', arguments: { path: 'a' }, id: 'call_1' }, pieces: 3 },
  { call: { name: 'now', arguments: {}, id: 'call_2' } },
]

describe('answers', () => {
  it('are the same whole and streamed', async () => {
    sim.play(STEPS, STEPS)
    const whole = await client.chat.completions.create(request)
    const streamed = await client.chat.completions
      .stream({ ...request, stream_options: { include_usage: true } })
      .finalChatCompletion()
    const { content, tool_calls: calls } = whole.choices[0]!.message
    expect(streamed.choices[0]?.message).toMatchObject({ content, tool_calls: calls })
    expect(streamed.usage).toEqual(whole.usage)
    expect(whole.choices[0]?.finish_reason).toBe('tool_calls')
    expect(calls).toEqual([
      { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
      { id: 'call_2', type: 'function', function: { name: 'now', arguments: '{}' } },
    ])
    expect(whole.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0)
    expect(JSON.stringify(whole)).not.toContain('hidden')
  })

  it('have the documented chunks', async () => {
    sim.play([
      { say: 'a b', pieces: 2 },
      { call: { name: 'read', arguments: { p: 1 }, id: 'call_1' }, pieces: 1 },
    ])
    const chunks = []
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    })
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.delta ?? choices)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'a ' },
      { content: 'b' },
      {
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: '' } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"p":1}' } }] },
      {},
      [],
    ])
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason ?? null)).toEqual([
      null,
      null,
      null,
      null,
      null,
      'tool_calls',
      null,
    ])
    expect(chunks.map(({ usage }) => usage != null)).toEqual([false, false, false, false, false, false, true])
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  })

  it('have usage only on request, and one [DONE]', async () => {
    const response = await fetch(`${sim.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...request, stream: true }),
    })
    const body = await response.text()
    expect(body).not.toContain('usage')
    expect(body.match(/data: \[DONE\]\n\n$/g)).toHaveLength(1)
  })

  it.each([
    ['end_turn', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['odd', 'odd'],
  ])('have the scripted finish reason: %s', async (end, reason) => {
    sim.play([{ say: 'x' }, { end, usage: { prompt_tokens: 77 } }])
    const answer = await client.chat.completions.create(request)
    expect([answer.choices[0]?.finish_reason, answer.usage?.prompt_tokens]).toEqual([reason, 77])
  })

  it('keep the order of the script', async () => {
    sim.play([
      { call: { name: 'a', arguments: {} } },
      { say: 'x', pieces: 1 },
      { call: { name: 'b', arguments: {} } },
    ])
    const order: string[] = []
    for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
      const { content, tool_calls: calls } = choices[0]!.delta
      order.push(content ?? calls?.[0]?.function?.name ?? '')
    }
    expect(order.filter(Boolean)).toEqual(['a', 'x', 'b'])
  })

  it('may have several choices', async () => {
    sim.play([{ say: 'x' }], [{ say: 'x' }])
    const whole = await client.chat.completions.create({ ...request, n: 2 })
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1])
    const streamed = await client.chat.completions.stream({ ...request, n: 2 }).finalChatCompletion()
    expect(streamed.choices.map(({ message }) => message.content)).toEqual(['x', 'x'])
  })

  it('contain tool calls of the demo model, and use their results', async () => {
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: 'function',
        function: {
          name: 'read_file',
          parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        },
      },
    ]
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Read a.md and b.md' }]
    const first = await client.chat.completions.create({ model: 'm', messages, tools })
    const { message } = first.choices[0]!
    const calls = message.tool_calls ?? []
    expect(calls).toMatchObject([
      { function: { name: 'read_file', arguments: '{"path":"a.md"}' } },
      { function: { name: 'read_file', arguments: '{"path":"b.md"}' } },
    ])
    messages.push(message)
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: `# ${id}` })
    const last = await client.chat.completions.stream({ model: 'm', messages, tools }).finalContent()
    expect(last).toBe(`a.md begins: # ${calls[0]?.id}\nb.md begins: # ${calls[1]?.id}`)
    const single = await client.chat.completions.create({
      model: 'm',
      messages: messages.slice(0, 1),
      tools,
      parallel_tool_calls: false,
    })
    expect(single.choices[0]?.message.tool_calls).toHaveLength(1)
  })

  it('may be floods', async () => {
    sim.play([{ flood: { deltas: 5000, text: 'x' } }])
    let text = ''
    for await (const { choices } of await client.chat.completions.create({ ...request, stream: true }))
      text += choices[0]?.delta.content ?? ''
    expect(text).toBe('x'.repeat(5000))
  })

  it("report a mismatch with the script in the service's error shape", async () => {
    sim.play({ expect: { model: 'other' }, steps: [] })
    await expect(client.chat.completions.create(request)).rejects.toMatchObject({
      status: 500,
      error: {
        type: 'server_error',
        message: expect.stringContaining('body.model: wanted "other", got "any-model"'),
      },
    })
  })

  it('list models', async () => {
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('gpt-4o')
    expect(await client.models.retrieve('org/name')).toMatchObject({ id: 'org/name', object: 'model' })
    const own = await startOpenAISim({ models: ['m'] })
    const listed = await fetch(`${own.url}/v1/models`)
    expect(await listed.json()).toMatchObject({ object: 'list', data: [{ id: 'm', object: 'model' }] })
    expect((await fetch(`${own.url}/v1/models/x`)).status).toBe(404)
    await own.close()
  })
})
