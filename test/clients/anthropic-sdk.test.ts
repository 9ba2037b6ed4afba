// The official @anthropic-ai/sdk as a witness: its own parsers decide whether our answers are right. What every
// door must do: messages-door.test.ts.

import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useBench } from '../harness.ts'

const clientOf = (url: string) => new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 })

describe('@anthropic-ai/sdk beside the contract', () => {
  const bench = useBench()
  const hello = { role: 'user' as const, content: 'hello' }
  const params = { model: 'anthropic/claude-demo', max_tokens: 4_000, messages: [hello] }

  it.each([
    [{ messages: [] }, 400, 'invalid_request_error', 'messages'],
    [{ model: 'nowhere' }, 404, 'not_found_error', 'nowhere'],
    [{ tool_choice: { type: 'any' as const } }, 400, 'invalid_request_error', 'tool_choice'],
  ])('errors have their type, status and request id: %j', async (wrong, status, type, says) => {
    const failed = await clientOf(bench.url)
      .messages.create({ ...params, ...wrong })
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(Anthropic.APIError)
    const { requestID, error, message } = failed as InstanceType<typeof Anthropic.APIError>
    expect(failed).toMatchObject({ status, type, requestID: expect.stringMatching(/^turn_/) })
    expect(error).toMatchObject({ request_id: requestID })
    expect(message).toContain(says)
  })

  it('an error in mid-stream has its type', async () => {
    bench.anthropic.play([
      { say: 'half' },
      { frame: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } } },
    ])
    const failed = await clientOf(bench.url)
      .messages.stream(params)
      .finalMessage()
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ type: 'overloaded_error', apiMessage: expect.stringContaining('busy') })
  })

  it('a conversation that is too long has the right error, whatever the upstream calls it', async () => {
    const body = {
      error: {
        message: "This model's maximum context length is 10 tokens",
        type: 'x',
        code: 'context_length_exceeded',
      },
    }
    bench.openai.play([{ status: 400, body }])
    const failed = await clientOf(bench.url)
      .messages.create({ ...params, model: 'openai/gpt-4o' })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ status: 400, apiMessage: expect.stringMatching(/^prompt is too long: /) })
  })

  it('countTokens: by the service, by the tokenizer of its models, else an estimate with a note', async () => {
    const client = clientOf(bench.url)
    const { model: _, max_tokens: __, ...prompt } = params
    const counted = await client.messages
      .countTokens({ ...prompt, model: 'anthropic/claude-demo' })
      .withResponse()
    expect(counted.response.headers.get('x-dragoman-notes')).toBeNull()
    expect(bench.anthropic.requests.map(({ path }) => path)).toEqual(['/v1/messages/count_tokens'])
    const read = await client.messages.countTokens({ ...prompt, model: 'openai/gpt-4o' }).withResponse()
    expect(read.response.headers.get('x-dragoman-notes')).toBeNull()
    const guessed = await client.messages.countTokens({ ...prompt, model: 'openai/qwen3' }).withResponse()
    expect(guessed.response.headers.get('x-dragoman-notes')).toContain('estimate')
    for (const { data } of [counted, read, guessed]) expect(data.input_tokens).toBeGreaterThan(0)
  })

  it('models.list and models.retrieve', async () => {
    const client = clientOf(bench.url)
    const listed = (await client.models.list()).data.map(({ id }) => id)
    expect(listed).toContain('anthropic/claude-demo')
    expect((await client.models.retrieve('anthropic/claude-demo')).type).toBe('model')
  })

  it('thinking is sent back unchanged in a tool loop, requested or not', async () => {
    const tools = [
      { name: 'read', input_schema: { type: 'object' as const, properties: { path: { type: 'string' } } } },
    ]
    const thinking = { type: 'enabled' as const, budget_tokens: 2_000 }
    const cases = [
      { ...params, tools, thinking },
      { ...params, tools, model: 'anthropic/claude-opus-5' },
    ]
    for (const asked of cases) {
      bench.anthropic.clear()
      bench.anthropic.play([
        { think: 'hm' },
        { redacted: 'c2VhbGVk' },
        { call: { name: 'read', arguments: { path: 'a' } } },
      ])
      const first = await clientOf(bench.url).messages.stream(asked).finalMessage()
      expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'tool_use'])
      const [callId = ''] = first.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
      const messages = [
        hello,
        { role: 'assistant' as const, content: first.content },
        {
          role: 'user' as const,
          content: [{ type: 'tool_result' as const, tool_use_id: callId, content: 'x' }],
        },
      ]
      await clientOf(bench.url)
        .messages.stream({ ...asked, messages })
        .finalMessage()
      const sent = bench.anthropic.requests.at(-1)?.body as { messages: { content: unknown }[] }
      expect(sent.messages[1]?.content).toEqual(first.content)
    }
  })

  it("a service's own ids are sent back unchanged", async () => {
    const tools = [{ name: 'read', input_schema: { type: 'object' as const, properties: {} } }]
    const asked = { ...params, model: 'openai/gpt-demo', tools }
    bench.openai.play([{ call: { name: 'read', arguments: {}, id: 'functions.read:0' } }])
    const { content } = await clientOf(bench.url).messages.create(asked)
    const [callId = ''] = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    expect(callId).toMatch(/^[a-zA-Z0-9_-]+$/)
    const results = [{ type: 'tool_result' as const, tool_use_id: callId, content: 'x' }]
    const messages = [
      hello,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: results },
    ]
    await clientOf(bench.url).messages.create({ ...asked, messages })
    const sent = JSON.stringify(bench.openai.requests.at(-1)?.body)
    expect(sent.split('"functions.read:0"')).toHaveLength(3)
  })

  it('a stop sequence is named', async () => {
    bench.anthropic.play([{ say: 'one' }, { end: 'stop_sequence' }])
    const answer = await clientOf(bench.url).messages.create({ ...params, stop_sequences: ['END'] })
    expect(answer).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
  })
})

describe('@anthropic-ai/sdk through long silences', () => {
  const bench = useBench({ gateway: { keepAliveMs: 20 } })
  const params = {
    model: 'anthropic/claude-demo',
    max_tokens: 4_000,
    messages: [{ role: 'user' as const, content: 'hello' }],
  }

  it('pings are read over, before the answer and in it', async () => {
    bench.anthropic.play([{ wait: 100 }, { say: 'so' }, { wait: 100 }, { say: 'it is' }])
    const { content } = await clientOf(bench.url).messages.stream(params).finalMessage()
    expect(content).toMatchObject([{ text: 'so' }, { text: 'it is' }])
  })

  it('an error after them is in-band', async () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    bench.anthropic.play([{ wait: 1_000 }, { status: 529, body }])
    const failed = await clientOf(bench.url)
      .messages.stream(params)
      .finalMessage()
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ status: undefined, type: 'overloaded_error' })
  })
})
