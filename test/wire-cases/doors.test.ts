// T38 to T41: the same failures at the doors for Messages and Responses; on clouds: on-clouds.nightly.test.ts. The Gemini door has T100 to
// T104, Ollama's T110 to T114. docs/wire-cases.md explains each case.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { type Body, useBench } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'

const bench = useBench()
const models = {
  anthropic: 'anthropic/claude-demo',
  openai: 'openai/gpt-demo',
  gemini: 'gemini/gemini-3.8-flash',
}
const backends = ['anthropic', 'openai', 'gemini'] as const
type Backend = (typeof backends)[number]

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

const post = (path: string, body: Body) =>
  fetch(bench.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const messagesBody = (backend: Backend, more: Body): Body => ({
  model: models[backend],
  max_tokens: 4_000,
  messages: [{ role: 'user', content: 'hello' }],
  tools: [
    { name: 'read', input_schema: schema },
    { name: 'write', input_schema: { type: 'object' } },
  ],
  ...more,
})

const responsesBody = (backend: Backend, more: Body): Body => ({
  model: models[backend],
  input: 'hello',
  tools: [
    { type: 'function', name: 'read', parameters: schema },
    { type: 'function', name: 'write', parameters: { type: 'object' } },
  ],
  ...more,
})

/** The events of a Messages stream; checks each event's name. */
async function messages(backend: Backend, steps: Step[], more: Body = {}) {
  bench[backend].play(steps)
  const raw = await (await post('/v1/messages', messagesBody(backend, { stream: true, ...more }))).text()
  const events = [...raw.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => {
    // biome-ignore lint/suspicious/noExplicitAny: events of any shape
    const event = JSON.parse(data ?? '') as any
    expect(event.type).toBe(name)
    return event
  })
  return { raw, events, types: events.map(({ type }) => type as string) }
}

async function responses(backend: Backend, steps: Step[], more: Body = {}) {
  bench[backend].play(steps)
  const answer = await post('/v1/responses', responsesBody(backend, { stream: true, ...more }))
  const stream = await readResponsesStream(answer)
  expect(stream.problems).toEqual([])
  return { ...stream, types: stream.events.map(({ type }) => type as string) }
}

describe.each(backends)('T38: %s dies in mid-answer', (backend) => {
  const steps: Step[] = [{ say: 'half an ans' }, { wait: 20 }, { fault: 'reset' }]

  it('Messages: an error is the last event, and there is no end', async () => {
    const { types } = await messages(backend, steps)
    expect(types).toContain('content_block_delta')
    expect(types.at(-1)).toBe('error')
    expect(types).not.toContain('message_stop')
  })

  it('Responses: an error, then a response that has failed', async () => {
    const { types, response } = await responses(backend, steps)
    expect(types.slice(-2)).toEqual(['error', 'response.failed'])
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
  })
})

describe.each(backends)('T39: %s is cut off inside the arguments', (backend) => {
  const steps: Step[] = [
    { call: { name: 'read', arguments: { path: 'a' }, id: 'call_1' } },
    { call: { name: 'write', arguments: '{"path":"b","content":"hal', id: 'call_2' } },
    { end: backend === 'anthropic' ? 'max_tokens' : 'length' },
  ]

  it('Messages: the complete call is kept, the broken one never shown', async () => {
    const { raw, events } = await messages(backend, steps)
    const shown = events.flatMap(({ content_block: block }) =>
      block && block.type !== 'thinking' ? [[block.type, block.id]] : [],
    )
    expect(shown).toEqual([['tool_use', 'call_1']])
    expect(raw).not.toContain('call_2')
    expect(events.find(({ type }) => type === 'message_delta').delta.stop_reason).toBe('max_tokens')
  })

  it('Responses: the complete call is kept, the broken one never shown', async () => {
    const { raw, calls, response } = await responses(backend, steps)
    expect(calls.map(({ id, input }) => [id, input])).toEqual([['call_1', '{"path":"a"}']])
    expect(raw).not.toContain('call_2')
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })
})

describe.each(backends)('T40: %s is offered tools that it does not know as such', (backend) => {
  const patch = { type: 'custom', name: 'apply_patch' }
  const space = {
    type: 'namespace',
    name: 'mcp__files',
    tools: [{ type: 'function', name: 'read', parameters: schema }],
  }

  it('Responses: a call has the kind, name and namespace of its tool', async () => {
    const steps: Step[] = [
      { call: { name: 'apply_patch', arguments: { input: '*** "x"\n' } } },
      { call: { name: 'mcp__files__read', arguments: { path: 'a' } } },
    ]
    const { response } = await responses(backend, steps, { tools: [patch, space] })
    // A signature of Gemini's comes as reasoning.
    const called = response.output.filter(({ type }: { type: string }) => type !== 'reasoning')
    expect(called).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** "x"\n' },
      { type: 'function_call', name: 'read', namespace: 'mcp__files', arguments: '{"path":"a"}' },
    ])
  })
})

describe('T41: signed thinking that the client carries itself', () => {
  const steps: Step[] = [{ think: 'why' }, { say: 'because' }]
  const sent = () => JSON.stringify(bench.anthropic.requests.at(-1)?.body)

  it('Messages: the signature is in the stream, and is sent back unchanged', async () => {
    const thinking = { thinking: { type: 'enabled', budget_tokens: 2_000 } }
    const { events } = await messages('anthropic', steps, thinking)
    const { signature } = events.map(({ delta }) => delta).find((delta) => delta?.type === 'signature_delta')
    expect(signature).toMatch(/./)
    const said = { role: 'assistant', content: [{ type: 'thinking', thinking: 'why', signature }] }
    const history = [{ role: 'user', content: 'x' }, said, { role: 'user', content: 'and?' }]
    await messages('anthropic', [{ say: 'so' }], { ...thinking, messages: history })
    expect(sent()).toContain(`"signature":${JSON.stringify(signature)}`)
  })

  it('Responses: the same with encrypted_content, for the same model only', async () => {
    const body = { store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } }
    const { response } = await responses('anthropic', steps, body)
    const input = [{ role: 'user', content: 'x' }, ...response.output, { role: 'user', content: 'and?' }]
    await responses('anthropic', [{ say: 'so' }], { ...body, input })
    expect(sent()).toMatch(/"thinking":"why","signature":"[^"]+"/)
    const other = await responses('openai', [{ say: 'so' }], { ...body, input })
    expect(other.headers.get('x-dragoman-notes')).toContain('encrypted reasoning was left out')
  })
})
