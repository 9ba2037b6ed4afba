// The lane Responses → Responses: what the gateway does not know passes in both directions, byte for byte but for the model's name
// and the id of the response.

import { beforeEach, describe, expect, it } from 'vitest'
import { eventStream } from '../scripted-upstream.ts'
import { call, eventsOf, type Json, message, novel, response, search, streamOf } from './responses-frames.ts'
import { useResponsesLane } from './responses-lane-bench.ts'

const lane = useResponsesLane()
const { send } = lane

/** The text with the service's id and model in place of the client's. */
const original = (text: string) =>
  text
    .replaceAll(/"id":"resp_\w+"/g, '"id":"resp_of_the_service"')
    .replaceAll('"model":"mine"', '"model":"gpt-5.6-sol-2026-08-01"')

describe('T73: an answer', () => {
  it('passes with its unknown items, events and fields, byte for byte', async () => {
    const sent = streamOf([search, novel, message('Hi')])
    lane.upstream.answer = { headers: eventStream, body: sent }
    const got = await (await send({ model: 'mine', stream: true, input: 'go' })).text()
    expect(original(got)).toBe(sent)
    expect(got).not.toContain('resp_of_the_service')
    expect(got).not.toContain('2026-08-01')
  })

  it('passes whole', async () => {
    const sent = JSON.stringify(response([search, novel, message('Hi')]))
    lane.upstream.answer = { body: sent }
    const answer = await send({ model: 'mine', input: 'go' })
    expect(original(await answer.text())).toBe(sent)
  })

  it('of a server without event names gets them', async () => {
    const named = streamOf([message('Hi')])
    lane.upstream.answer = { headers: eventStream, body: named.replaceAll(/^event: .*\n/gm, '') }
    expect(original(await (await send({ model: 'mine', stream: true, input: 'go' })).text())).toBe(named)
  })

  it('keeps a call back until it is complete, and then passes its own events', async () => {
    const sent = streamOf([message('Hi'), call('fc_1', 'call_1'), call('fc_2', 'call_2')])
    const cut = sent.slice(0, sent.indexOf('event: response.output_item.done\ndata: {"type":"response.output_item.done","output_index":2'))
    const body = { model: 'mine', stream: true, input: 'go' }
    lane.upstream.answer = { headers: eventStream, body: sent }
    expect(original(await (await send(body)).text())).toBe(sent)
    lane.upstream.answer = { headers: eventStream, body: cut }
    const broken = await (await send(body)).text()
    expect(broken).toContain('"call_1"')
    expect(broken).not.toContain('"call_2"')
    const last = eventsOf(broken).at(-1)
    expect(last.type).toBe('response.failed')
    // The numbers go on.
    expect(eventsOf(broken).map((event) => event.sequence_number)).toEqual(eventsOf(broken).map((_, at) => at))
  })

  it('leaves a call out that was cut off', async () => {
    const items = [message('Hi'), call('fc_1', 'call_1', 'read', 'incomplete')]
    const end = response(items, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    lane.upstream.answer = { headers: eventStream, body: streamOf(items, end, 'incomplete') }
    const got = eventsOf(await (await send({ model: 'mine', stream: true, input: 'go' })).text())
    expect(got.at(-1)).toMatchObject({ type: 'response.incomplete', response: { output: [message('Hi')], novel: { deep: [1] } } })
    expect(JSON.stringify(got)).not.toContain('call_1')
    lane.upstream.answer = { body: JSON.stringify(end) }
    expect(((await (await send({ model: 'mine', input: 'go' })).json()) as Json).output).toEqual([message('Hi')])
  })

  it('with calls that overlap has each once', async () => {
    const calls = [call('fc_1', 'call_1'), call('fc_2', 'call_2', 'write')]
    const frames = streamOf(calls).split('\n\n').filter(Boolean)
    const [created, going, ...rest] = frames
    const half = (rest.length - 1) / 2
    const [one, two, end] = [rest.slice(0, half), rest.slice(half, 2 * half), rest.at(-1)]
    const order = [created, going, one[0], two[0], ...one.slice(1), ...two.slice(1), end]
    lane.upstream.answer = { headers: eventStream, body: order.map((frame) => `${frame}\n\n`).join('') }
    const got = eventsOf(await (await send({ model: 'mine', stream: true, input: 'go' })).text())
    const done = got.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(done.map(({ call_id, name }) => [call_id, name])).toEqual([['call_1', 'read'], ['call_2', 'write']])
    expect(got.at(-1).response.output.map(({ call_id }: Json) => call_id)).toEqual(['call_1', 'call_2'])
  })

  it('after blanks is rewritten all the same', async () => {
    lane.upstream.answer = { body: `\n \n${JSON.stringify(response([message('Hi')]))}` }
    const got = (await (await send({ model: 'mine', input: 'go' })).json()) as Json
    expect([got.model, got.id === 'resp_of_the_service']).toEqual(['mine', false])
  })

  it('with a repeated call id gets a fresh one, in its events and in the response', async () => {
    const items = [call('fc_1', 'same'), call('fc_2', 'same', 'write'), message('Hi')]
    lane.upstream.answer = { headers: eventStream, body: streamOf(items) }
    const got = eventsOf(await (await send({ model: 'mine', stream: true, input: 'go' })).text())
    const done = got.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(done.map(({ name, type }) => name ?? type)).toEqual(['read', 'write', 'message'])
    expect(new Set(done.slice(0, 2).map(({ call_id }) => call_id)).size).toBe(2)
    expect(got.at(-1).response.output).toEqual(done)
    expect(got.map((event) => event.sequence_number)).toEqual(got.map((_, at) => at))
    expect(done.map((_, at) => at)).toEqual(
      got.filter(({ type }) => type === 'response.output_item.done').map(({ output_index }) => output_index),
    )
  })

  it('of a server that does not repeat its items at the end is completed', async () => {
    const items = [message('Hi')]
    lane.upstream.answer = { headers: eventStream, body: streamOf(items, response([])) }
    const got = eventsOf(await (await send({ model: 'mine', stream: true, input: 'go' })).text())
    expect(got.at(-1).response.output).toEqual(items)
  })

  it('has all figures of its usage: clients take one without for broken', async () => {
    const usage = { input_tokens: 3, output_tokens: 4, input_tokens_details: { novel: 1 } }
    const items = [message('Hi')]
    lane.upstream.answer = { headers: eventStream, body: streamOf(items, response(items, { usage })) }
    const got = eventsOf(await (await send({ model: 'mine', stream: true, input: 'go' })).text())
    const whole = { ...usage, total_tokens: 7, input_tokens_details: { novel: 1, cached_tokens: 0 } }
    expect(got.at(-1).response.usage).toEqual(whole)
  })
}) // biome-ignore format: one statement a line

describe('T73: a request', () => {
  const plain = () => {
    lane.upstream.answer = { body: JSON.stringify(response([message('Hi')])) }
  }
  beforeEach(plain)

  const unknown =
    '{ "model":"mine", "input": [{"role":"user","content":[{"type":"input_text","text":"a","prompt_cache_breakpoint":{"mode":"explicit"}}]}, {"type":"hologram_output","n":1.0}], ' +
    '"tools":[{"type":"web_search","filters":{}},{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"f","parameters":{}}]},{"type":"hologram"}], ' +
    '"tool_choice":{"type":"hologram"}, "novel": {"big": 9007199254740993}, "include":["novel.include"], "top_logprobs":2, "truncation":"auto","max_tool_calls":3, "text":{"verbosity":"low"} }'

  it('with unknown fields, items, tools and choices goes out byte for byte', async () => {
    const answer = await send(unknown, { 'openai-beta': 'novel=v1', 'openai-organization': 'org-x' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-dragoman-notes')).toBeNull()
    const [asked] = lane.upstream.asked
    expect(asked?.path).toBe('/responses')
    expect(asked?.body).toBe(unknown.replace('"mine"', '"gpt-5.6-sol"'))
    expect(asked?.headers['openai-beta']).toBe('novel=v1')
    expect(asked?.headers['openai-organization']).toBeUndefined()
  })

  it('with several outputs of one call has one: the service refuses a second', async () => {
    const output = (text: string) => ({ type: 'custom_tool_call_output', call_id: 'c1', output: text })
    const call = { type: 'custom_tool_call', call_id: 'c1', name: 'exec', input: 'x' }
    const input = [{ role: 'user', content: 'go' }, call, output('half'), output('whole'), output('half')]
    await send({ model: 'mine', input, novel: 1 })
    const asked = JSON.parse(lane.upstream.asked[0]?.body ?? '')
    const parts = ['half', 'whole'].map((text) => ({ type: 'input_text', text }))
    expect(asked.input).toEqual([input[0], call, { ...output(''), output: parts }])
    expect(asked.novel).toBe(1)
  })

  it('without `strict` stays so', async () => {
    const tools = [{ type: 'function', name: 'read', parameters: { type: 'object' } }]
    await send({ model: 'mine', input: 'go', tools })
    expect(JSON.parse(lane.upstream.asked[0]?.body ?? '').tools).toEqual(tools)
  })

  it('of another dialect is refused what only this one has', async () => {
    const choice = await send({ model: 'claude', input: 'go', tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } })
    expect([choice.status, ((await choice.json()) as Json).error.param]).toEqual([400, 'tool_choice.type'])
    const conversation = await send({ model: 'claude', conversation: 'conv_1' })
    expect([conversation.status, ((await conversation.json()) as Json).error.param]).toEqual([400, 'conversation'])
    const sealed = { type: 'compaction', encrypted_content: 'gAAA' }
    const compaction = await send({ model: 'claude', input: [sealed, { role: 'user', content: 'go' }] })
    expect([compaction.status, ((await compaction.json()) as Json).error.code]).toEqual([400, 'invalid_encrypted_content'])
    expect(lane.other.asked).toEqual([])
    expect((await send({ model: 'mine', conversation: 'conv_1' })).status).toBe(200)
    expect((await send({ model: 'mine', input: [sealed, { role: 'user', content: 'go' }] })).status).toBe(200)
  })

  it('that the model would refuse is translated', async () => {
    const answer = await send({ model: 'mine', input: 'go', reasoning: { effort: 'minimal' }, max_output_tokens: 3, novel: 1 })
    expect(answer.status).toBe(200)
    const body = JSON.parse(lane.upstream.asked[0]?.body ?? '')
    expect(body).toMatchObject({ store: false, max_output_tokens: 16, reasoning: { effort: 'low' } })
    expect(body.novel).toBeUndefined()
    expect(answer.headers.get('x-dragoman-notes')).toContain('raised to 16')
  })

  it('with a history that needs repair is translated', async () => {
    const input = [{ role: 'user', content: 'go' }, call('fc_1', 'call_1'), { role: 'user', content: 'on' }]
    expect((await send({ model: 'mine', input })).status).toBe(200)
    const body = JSON.parse(lane.upstream.asked[0]?.body ?? '')
    expect(body.input.map(({ type }: Json) => type)).toContain('function_call_output')
  })
}) // biome-ignore format: one statement a line

describe('T73: a conversation', () => {
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAsealed' }

  it.each([
    ['previous_response_id', (id: string) => ({ previous_response_id: id, input: 'more' })],
    ['item references', () => ({
      input: [...['rs_1', 'ws_1', 'msg_1'].map((id) => ({ type: 'item_reference', id })), { role: 'user', content: 'more' }],
    })],
  ])('goes on by %s, with what only this dialect has', async (_, next) => {
    const output = [reasoning, search, message('Hi')]
    lane.upstream.answer = { body: JSON.stringify(response(output)) }
    const { id } = (await (await send({ model: 'mine', input: 'go' })).json()) as Json
    lane.upstream.asked.length = 0
    const answer = await send({ model: 'mine', novel: 1, ...next(id) })
    expect(answer.status).toBe(200)
    const body = JSON.parse(lane.upstream.asked[0]?.body ?? '')
    expect(body.input.slice(-4, -1)).toEqual(output)
    expect(body.input.at(-1)).toMatchObject({ role: 'user', content: 'more' })
    expect(body).toMatchObject({ novel: 1, model: 'gpt-5.6-sol' })
    expect(body.previous_response_id).toBeUndefined()
    const asked = (next(id) as Json).previous_response_id ?? null
    expect(((await answer.json()) as Json).previous_response_id ?? null).toBe(asked && null)
  })

  it('repeats the id that the client continues', async () => {
    lane.upstream.answer = { body: JSON.stringify(response([message('Hi')], { previous_response_id: null })) }
    const { id } = (await (await send({ model: 'mine', input: 'go' })).json()) as Json
    const next = (await (await send({ model: 'mine', previous_response_id: id, input: 'more' })).json()) as Json
    expect(next.previous_response_id).toBe(id)
    expect(next.id).not.toBe(id)
  })

  it('takes sealed reasoning only to the service that wrote it', async () => {
    lane.upstream.answer = { body: JSON.stringify(response([reasoning, message('Hi')])) }
    lane.other.answer = lane.upstream.answer
    await send({ model: 'mine', input: 'go' })
    const input = [{ role: 'user', content: 'go' }, reasoning, message('Hi'), { role: 'user', content: 'more' }]
    lane.upstream.asked.length = 0
    await send({ model: 'mine', input, store: false })
    expect(lane.upstream.asked[0]?.body).toContain('gAAAsealed')
    const elsewhere = await send({ model: 'theirs', input, store: false })
    expect(lane.other.asked[0]?.body).not.toContain('gAAAsealed')
    expect(lane.other.asked[0]?.body).toContain('novel_citation')
    expect(elsewhere.headers.get('x-dragoman-notes')).toContain('only the service and model that wrote it')
  })

  it('keeps reasoning that the service has, whatever was refused of others', async () => {
    const stored = { id: 'rs_7', type: 'reasoning', summary: [] }
    const damaged = { ...reasoning, encrypted_content: 'gAAAdamaged' }
    const refusal = { error: { message: 'The encrypted content gAAA... could not be verified.', code: 'invalid_encrypted_content' } }
    lane.upstream.answer = { status: 400, body: JSON.stringify(refusal) }
    await send({ model: 'mine', input: [{ role: 'user', content: 'go' }, stored, damaged, message('Hi'), { role: 'user', content: 'on' }] })
    lane.upstream.answer = { body: JSON.stringify(response([message('Hi')])) }
    const input = [{ role: 'user', content: 'go' }, stored, message('Hi'), { role: 'user', content: 'on' }]
    await send({ model: 'mine', input })
    expect(JSON.parse(lane.upstream.asked.at(-1)?.body ?? '').input).toEqual(input)
  })

  it('is not sent again with reasoning that the service could not read', async () => {
    const sealed = { ...reasoning, encrypted_content: 'gAAAunknown' }
    const input = [{ role: 'user', content: 'go' }, sealed, message('Hi'), { role: 'user', content: 'more' }]
    const refusal = { error: { message: 'The encrypted content gAAA... could not be verified.', type: 'invalid_request_error', code: 'invalid_encrypted_content' } }
    lane.upstream.answer = { status: 400, body: JSON.stringify(refusal) }
    expect((await send({ model: 'mine', input })).status).toBe(400)
    expect(lane.upstream.asked.map(({ body }) => body.includes('gAAAunknown'))).toEqual([true, false])
  })

  it('that began elsewhere loses the ids of the gateway and foreign proofs', async () => {
    lane.other.answer = { body: JSON.stringify({ id: 'msg_c', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, { type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }) }
    const first = (await (await send({ model: 'claude', input: 'go', include: ['reasoning.encrypted_content'], reasoning: { effort: 'high' } })).json()) as Json
    expect(first.output.map(({ type }: Json) => type)).toEqual(['reasoning', 'message'])
    lane.upstream.answer = { body: JSON.stringify(response([message('Hi')])) }
    await send({ model: 'mine', input: [{ role: 'user', content: 'go' }, ...first.output, { role: 'user', content: 'more' }] })
    const { input } = JSON.parse(lane.upstream.asked[0]?.body ?? '')
    expect(input.map(({ type, role }: Json) => type ?? role)).toEqual(['user', 'message', 'user'])
    expect(input[1].id).toBeUndefined()
  })
}) // biome-ignore format: one statement a line
