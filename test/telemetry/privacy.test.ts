// What is not in spans: conversations, unless they are wanted, and secrets, ever.

import { describe, expect, it } from 'vitest'
import { ask, called, chat, chatStream, upstreamKey, user } from '../harness.ts'
import { turnOf, useTraced } from './traced.ts'

const said = 'what-the-user-said'
const result = 'what-the-tool-gave'
const answer = 'what-the-model-answered'
const instruction = 'what-the-system-prompt-says'
const description = 'what-the-tool-is-for'
const argument = 'what-the-model-wants-read'

const collectorKey = 'collector-key-0123456789abcdef'

const conversation = (model: string) =>
  ask(model, {
    messages: [
      { role: 'system', content: instruction },
      user(`${said} ${upstreamKey}`),
      { role: 'assistant', content: null, tool_calls: [called('call_1', 'read', { path: argument })] },
      { role: 'tool', tool_call_id: 'call_1', content: `${result} ${upstreamKey}` },
    ],
    tools: [{ type: 'function', function: { name: 'read', description, parameters: { type: 'object' } } }],
  })

const steps = [
  { say: `${answer} ${upstreamKey}` },
  { call: { name: 'read', arguments: { path: argument } } },
  { end: 'tool_calls' },
]

describe('content off', () => {
  const traced = useTraced({ telemetry: { headers: { 'x-vendor-team': collectorKey } } })

  it.each(['openai/gpt-demo', 'anthropic/claude-demo'])(
    '%s: nothing of a conversation is sent',
    async (model) => {
      const sim = model.startsWith('openai') ? traced.openai : traced.anthropic
      sim.play(steps)
      await chatStream(traced.url, conversation(model))
      sim.play([{ status: 400, body: { error: { message: `${said} is not allowed: ${upstreamKey}` } } }])
      await chat(traced.url, conversation(model))
      await traced.collector.until(4)
      const sent = traced.collector.requests.map(({ body }) => body).join('\n')
      for (const text of [
        said,
        result,
        answer,
        instruction,
        description,
        argument,
        upstreamKey,
        collectorKey,
      ])
        expect(sent).not.toContain(text)
    },
  )

  it("the collector's own key goes to it, and into no log", async () => {
    traced.collector.replies.push({ status: 400 })
    await chat(traced.url, ask(`openai/${collectorKey}`))
    await expect.poll(() => traced.logs.join()).toContain('traces cannot be sent')
    expect(traced.collector.requests[0]?.headers['x-vendor-team']).toBe(collectorKey)
    expect(traced.collector.requests[0]?.body).not.toContain(collectorKey)
    expect(traced.logs.join()).not.toContain(collectorKey)
  })
})

describe('content on', () => {
  const traced = useTraced({ telemetry: { content: true } })
  const parsed = (value: unknown) => JSON.parse(String(value))

  it.each([true, false])('is what was asked and answered, without secrets; streamed: %s', async (stream) => {
    traced.openai.play(steps)
    const body = conversation('openai/gpt-demo')
    await (stream ? chatStream(traced.url, body) : chat(traced.url, body))
    const spans = await traced.collector.until(2)
    const attributes = turnOf(spans)?.attributes ?? {}
    expect(parsed(attributes['gen_ai.system_instructions'])).toEqual([{ type: 'text', content: instruction }])
    expect(parsed(attributes['gen_ai.input.messages'])).toEqual([
      { role: 'user', parts: [{ type: 'text', content: `${said} [secret]` }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'read', arguments: { path: argument } }],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 'call_1', response: `${result} [secret]` }],
      },
    ])
    expect(parsed(attributes['gen_ai.output.messages'])).toMatchObject([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: `${answer} [secret]` },
          { type: 'tool_call', name: 'read', arguments: { path: argument } },
        ],
        finish_reason: 'tool_call',
      },
    ])
    expect(parsed(attributes['gen_ai.tool.definitions'])).toMatchObject([
      { type: 'function', name: 'read', description },
    ])
    expect(traced.collector.requests.map(({ body }) => body).join()).not.toContain(upstreamKey)
  })

  it('every piece of a streamed answer is in it', async () => {
    const said = 'one piece behind the other, twenty of them'
    traced.openai.play([{ say: said, pieces: 20 }, { end: 'stop' }])
    expect((await chatStream(traced.url, ask('openai/gpt-demo'))).text).toBe(said)
    const output = turnOf(await traced.collector.until(2))?.attributes['gen_ai.output.messages']
    expect(parsed(output)[0].parts).toEqual([{ type: 'text', content: said }])
  })

  it('an answer that broke off says so', async () => {
    traced.openai.play([
      { say: 'whole' },
      { call: { name: 'read', arguments: { path: 'a' } } },
      { wait: 5 },
      { fault: 'reset' },
    ])
    await chatStream(traced.url, ask('openai/gpt-demo'))
    const turn = turnOf(await traced.collector.until(2))
    expect(parsed(turn?.attributes['gen_ai.output.messages'])[0].finish_reason).toBe('error')
    expect(turn?.status).toEqual({ code: 2, message: expect.stringContaining('broke') })
  })

  it('of a long conversation, the end', async () => {
    const messages = Array.from({ length: 40 }, (_, at) => user(`${at} ${'x'.repeat(20_000)}`))
    await chat(traced.url, { model: 'openai/gpt-demo', messages: [...messages, user('y'.repeat(100_000))] })
    const input = String(turnOf(await traced.collector.until(2))?.attributes['gen_ai.input.messages'])
    expect(input.length).toBeLessThan(300_000)
    expect(parsed(input).at(-1).parts[0].content).toMatch(/^y{1000,}… \(\d+ more characters\)$/)
    expect(input).not.toContain('"0 x')
  })

  it('images are named, not sent', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(2_000)}` } }
    await chat(traced.url, { model: 'openai/gpt-demo', messages: [user([image])] })
    const input = turnOf(await traced.collector.until(2))?.attributes['gen_ai.input.messages']
    expect(parsed(input)).toEqual([{ role: 'user', parts: [{ type: 'image' }] }])
  })
})
