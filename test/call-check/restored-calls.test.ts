// Calls that the client sees otherwise than the model made them go back to the service as they were: its signed thinking is bound to
// them. The simulator refuses thinking after a changed conversation, as the service does.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { type Bench, type Body, startGateway, upstreamKey } from '../harness.ts'

const model = 'claude-mythos-5-1'
const parameters = {
  type: 'object',
  properties: { file_path: { type: 'string' }, limit: { type: 'integer' } },
  required: ['file_path'],
}

let sim: Sim
const gateways: Partial<Record<'repair' | 'retry', Pick<Bench, 'gateway' | 'url'>>> = {}
const start = async (check: 'repair' | 'retry') => {
  const claude = { kind: 'anthropic', baseUrl: sim.url, apiKey: upstreamKey, calls: { check } }
  gateways[check] = await startGateway({ backends: { claude } })
}
const stop = (check: 'repair' | 'retry') => gateways[check]?.gateway.close()

beforeAll(async () => {
  sim = await startAnthropicSim({ apiKey: upstreamKey })
  await Promise.all([start('repair'), start('retry')])
})
afterEach(() => sim.clear())
afterAll(async () => {
  await Promise.all([stop('repair'), stop('retry')])
  await sim.close()
})

interface Dialect {
  send(check: 'repair' | 'retry', messages: Body[], stream: boolean): Promise<Answer>
  /** The messages with the answer and a result for each of its calls. */
  next(messages: Body[], answer: Answer): Body[]
}

interface Answer {
  status: number
  notes: string
  calls: { id: string; name: string; input: unknown }[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  message: any
}

async function post(check: 'repair' | 'retry', path: string, body: Body): Promise<Response> {
  const { url } = gateways[check] as { url: string }
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const dialects: Record<'messages' | 'chat', Dialect> = {
  messages: {
    async send(check, messages) {
      const response = await post(check, '/v1/messages', {
        model: `claude/${model}`,
        max_tokens: 4_000,
        thinking: { type: 'adaptive' },
        tools: [{ name: 'read_file', input_schema: parameters }],
        messages,
      })
      const message = (await response.json()) as Answer['message']
      const calls = (message.content ?? []).filter((block: Body) => block.type === 'tool_use')
      return {
        status: response.status,
        notes: response.headers.get('x-dragoman-notes') ?? '',
        calls,
        message,
      }
    },
    next: (messages, { message, calls }) => [
      ...messages,
      { role: 'assistant', content: message.content },
      {
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
      },
    ],
  },
  chat: {
    async send(check, messages) {
      const response = await post(check, '/v1/chat/completions', {
        model: `claude/${model}`,
        reasoning_effort: 'high',
        tools: [{ type: 'function', function: { name: 'read_file', parameters } }],
        messages,
      })
      const json = (await response.json()) as Answer['message']
      const message = json.choices?.[0].message
      const calls = (message?.tool_calls ?? []).map(
        (call: { id: string; function: Record<string, string> }) => ({
          id: call.id,
          name: call.function.name,
          input: JSON.parse(call.function.arguments ?? ''),
        }),
      )
      return {
        status: response.status,
        notes: response.headers.get('x-dragoman-notes') ?? '',
        calls,
        message: message ?? json,
      }
    },
    next: (messages, { message, calls }) => [
      ...messages,
      message,
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
    ],
  },
}

const think = (text: string): Step => ({ think: text })
const call = (name: string, input: Body): Step => ({ call: { name, arguments: input } })
const ofUser: Body[] = [{ role: 'user', content: 'Read it.' }]
const sentMessages = () => (sim.requests.at(-1)?.body as { messages?: Body[] } | undefined)?.messages ?? []

/** What the service got back of the model's own turns. */
const turnsSent = () =>
  sentMessages()
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) =>
      (content as Body[]).map((block) =>
        block.type === 'tool_use' ? [block.name, block.input] : (block.type as string),
      ),
    )

describe.each(['messages', 'chat'] as const)('%s', (door) => {
  const { send, next } = dialects[door]

  it('a repaired call goes back as it was made, and thinking with it', async () => {
    sim.play(
      [think('a'), call('ReadFile', { filePath: 'a', limit: '5' })],
      [think('b'), call('read_file', { file_path: 'b' })],
      [think('c'), { say: 'Done.' }],
    )
    const first = await send('repair', ofUser, false)
    expect(first).toMatchObject({ calls: [{ name: 'read_file', input: { file_path: 'a', limit: 5 } }] })
    expect(first.notes).toContain('the tool "ReadFile" was read as "read_file"')
    expect(first.notes).toContain('read_file: limit: a string became a number')
    const history = next(ofUser, first)
    const second = await send('repair', history, false)
    expect(second).toMatchObject({ status: 200, calls: [{ name: 'read_file', input: { file_path: 'b' } }] })
    const third = await send('repair', next(history, second), false)
    expect(third).toMatchObject({ status: 200, calls: [], notes: '' })
    expect(turnsSent()).toEqual([
      ['thinking', ['ReadFile', { filePath: 'a', limit: '5' }]],
      ['thinking', ['read_file', { file_path: 'b' }]],
    ])
  })

  it('an answer that was asked for again goes back with the complaint and the first answer', async () => {
    sim.play(
      [think('a'), call('read_file', { limit: 5 })],
      [think('b'), call('read_file', { file_path: 'b' })],
      [think('c'), call('read_file', { file_path: 'c' })],
      [think('d'), { say: 'Done.' }],
    )
    const first = await send('retry', ofUser, false)
    expect(first).toMatchObject({ calls: [{ name: 'read_file', input: { file_path: 'b' } }] })
    expect(first.notes).toContain('the model was asked again for a tool call that did not fit')
    const history = next(ofUser, first)
    const second = await send('retry', history, false)
    expect(second).toMatchObject({ status: 200, calls: [{ input: { file_path: 'c' } }] })
    const third = await send('retry', next(history, second), false)
    expect(third).toMatchObject({ status: 200, notes: '' })
    expect(turnsSent()).toEqual([
      ['thinking', ['read_file', { limit: 5 }]],
      ['thinking', ['read_file', { file_path: 'b' }]],
      ['thinking', ['read_file', { file_path: 'c' }]],
    ])
    expect(JSON.stringify(sentMessages()[2])).toContain('file_path: is missing')
  })

  it('good calls beside one that was asked for again go back after the second answer', async () => {
    sim.play(
      [think('a'), call('ReadFile', { file_path: 'a' }), call('read_file', { limit: 5 })],
      [think('b'), call('ReadFile', { file_path: 'b' })],
      [think('c'), call('read_file', { file_path: 'c' })],
      [think('d'), { say: 'Done.' }],
    )
    const first = await send('retry', ofUser, false)
    expect(first.calls).toMatchObject([{ input: { file_path: 'a' } }, { input: { file_path: 'b' } }])
    const history = next(ofUser, first)
    const second = await send('retry', history, false)
    expect(second).toMatchObject({ status: 200, calls: [{ input: { file_path: 'c' } }], notes: '' })
    const third = await send('retry', next(history, second), false)
    expect(third).toMatchObject({ status: 200, notes: '' })
    expect(turnsSent()).toEqual([
      ['thinking', ['read_file', { limit: 5 }]],
      ['thinking', ['ReadFile', { file_path: 'b' }]],
      [['ReadFile', { file_path: 'a' }]],
      ['thinking', ['read_file', { file_path: 'c' }]],
    ])
  })

  it.each(['repair', 'retry'] as const)(
    'after a restart thinking is left out, with a note: %s',
    async (check) => {
      sim.play(
        check === 'repair'
          ? [think('a'), call('ReadFile', { file_path: 'a' })]
          : [think('a'), call('read_file', {})],
        ...(check === 'repair' ? [] : [[think('a'), call('read_file', { file_path: 'a' })]]),
        [think('b'), { say: 'Done.' }],
      )
      const first = await send(check, ofUser, false)
      expect(first.calls).toMatchObject([{ name: 'read_file', input: { file_path: 'a' } }])
      await stop(check)
      await start(check)
      const second = await send(check, next(ofUser, first), false)
      expect(second.status).toBe(200)
      expect(turnsSent()).toEqual([[['read_file', { file_path: 'a' }]]])
      // A Chat client carries no signed thinking.
      if (door === 'messages') expect(second.notes).toContain('no longer known')
      else expect(second.notes).toBe('')
    },
  )
})
