// The lane Responses → Responses among several backends and keys, and over WebSocket.

import { describe, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { SocketClient } from '../open-responses/socket-client.ts'
import { eventStream } from '../scripted-upstream.ts'
import { call, type Json, message, novel, response, search, streamOf } from './responses-frames.ts'
import { useResponsesLane } from './responses-lane-bench.ts'

const lane = useResponsesLane()
const { send } = lane

describe('T73: an alias', () => {
  const reasoning = { id: 'rs_9', type: 'reasoning', summary: [], encrypted_content: 'gAAAofTheFirst' }

  it('falls back without the sealed reasoning of the member that failed, and with all the rest', async () => {
    lane.upstream.answer = { body: JSON.stringify(response([reasoning, message('Hi')])) }
    await send({ model: 'either', input: 'go' })
    expect(lane.other.asked).toEqual([])
    lane.upstream.answer = { status: 500, body: '{"error":{"message":"down"}}' }
    lane.other.answer = { body: JSON.stringify(response([message('Hello')])) }
    const input = [{ role: 'user', content: 'go' }, reasoning, search, message('Hi'), { role: 'user', content: 'more' }]
    const answer = await send({ model: 'either', input, novel: 1 })
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as Json).model).toBe('either')
    const body = JSON.parse(lane.other.asked[0]?.body ?? '')
    expect(body.input).toEqual([input[0], search, message('Hi'), input[4]])
    expect(body.novel).toBe(1)
    expect(answer.headers.get('x-dragoman-notes')).toContain('only the service and model that wrote it')
  })

  it('falls back to another dialect with a translation, and says what is left out', async () => {
    lane.upstream.answer = { status: 500, body: '{"error":{"message":"down"}}' }
    lane.other.answer = { body: JSON.stringify({ id: 'msg_c', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }) }
    const answer = await send({ model: 'mixed', input: [{ role: 'user', content: 'go' }, search, { role: 'user', content: 'on' }], tools: [{ type: 'web_search' }], top_logprobs: 2 })
    expect(answer.status).toBe(200)
    const notes = answer.headers.get('x-dragoman-notes') ?? ''
    for (const part of ['web_search_call', 'tool type web_search', 'top_logprobs']) expect(notes).toContain(part)
    expect(lane.other.asked[0]?.path).toBe('/v1/messages')
  })
}) // biome-ignore format: one statement a line

describe('T73: an account that several keys share', () => {
  it('gives ids of stored things only to the key that received them', async () => {
    const keys = ['one', 'two'].map((name) => ({ name, key: `key-of-${name}-0123456789` }))
    const shared = await startGateway(
      { auth: undefined, backends: { sim: { kind: 'openai', api: 'responses', baseUrl: lane.upstream.url, apiKey: 'upstream-key' } } },
      { keys },
    )
    const ask = async (key: string | undefined, more: object) => {
      const answer = await fetch(`${shared.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'sim/gpt-5.6-sol', input: 'go', ...more }),
      })
      return [answer.status, ((await answer.json()) as Json).error?.param]
    }
    const cited = { ...message('Hi'), content: [{ type: 'output_text', text: 'Hi', annotations: [{ type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1' }] }] }
    const listed = { id: 'mcpl_1', type: 'mcp_list_tools', tools: [{ name: 't', input_schema: { file_id: 'file_of_others' } }] }
    lane.upstream.answer = { body: JSON.stringify(response([cited, { id: 'ig_1', type: 'image_generation_call' }, listed], { conversation: { id: 'conv_1' } })) }
    const named: [object, string][] = [
      [{ conversation: 'conv_1' }, 'conversation'],
      [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'cfile_1' }] }] }, 'input'],
      [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools'],
      [{ input: [{ type: 'additional_tools', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, { role: 'user', content: 'x' }] }, 'input'],
      [{ input: [call('fc_1', 'c1'), { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_file', file_id: 'cfile_1' }] }, { role: 'user', content: 'x' }] }, 'input'],
      [{ input: [{ type: 'image_generation_call', id: 'ig_1' }, { role: 'user', content: 'x' }] }, 'input'],
    ]
    const [one, two] = keys.map(({ key }) => key)
    for (const [more, param] of named) expect(await ask(one, more)).toEqual([404, param])
    expect(await ask(one, {})).toEqual([200, undefined])
    for (const [more, param] of named) {
      expect(await ask(one, more)).toEqual([200, undefined])
      expect(await ask(two, more)).toEqual([404, param])
    }
    expect(await ask(two, { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] })).toEqual([404, 'tools'])
    expect(await ask(two, { prompt: { id: 'pmpt_1' } })).toEqual([404, 'prompt.id'])
    const laundered = { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_of_others' }] }] }
    expect(await ask(one, laundered)).toEqual([404, 'input'])
    const chat = await fetch(`${shared.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${two}` },
      body: JSON.stringify({ model: 'sim/gpt-5.6-sol', messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'cfile_1' } }] }] }),
    })
    expect(chat.status).toBe(404)
    await shared.gateway.close()
  })

  it('keeps the responses of each key to itself', async () => {
    const keys = ['one', 'two'].map((name) => ({ name, key: `key-of-${name}-0123456789` }))
    const shared = await startGateway({ auth: undefined, backends: { sim: { kind: 'openai', api: 'responses', baseUrl: lane.upstream.url, apiKey: 'upstream-key' } } }, { keys })
    const ask = (key: string | undefined, more: object) =>
      fetch(`${shared.url}/v1/responses`, { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` }, body: JSON.stringify({ model: 'sim/gpt-5.6-sol', input: 'go', ...more }) })
    lane.upstream.answer = { body: JSON.stringify(response([message('Secret', 'msg_secret')])) }
    const { id } = (await (await ask(keys[0]?.key, {})).json()) as Json
    for (const more of [{ previous_response_id: id }, { input: [{ type: 'item_reference', id: 'msg_secret' }, { role: 'user', content: 'x' }] }]) {
      expect((await ask(keys[1]?.key, more)).status).toBeGreaterThanOrEqual(400)
      expect((await ask(keys[0]?.key, more)).status).toBe(200)
    }
    await shared.gateway.close()
  })
}) // biome-ignore format: one statement a line

describe('T73: over WebSocket', () => {
  it('a turn and its continuation pass with what only this dialect has', async () => {
    const client = await SocketClient.open(lane.gateway.url)
    lane.upstream.answer = { headers: eventStream, body: streamOf([search, novel, call('fc_1', 'call_1')]) }
    const first = await client.create({ model: 'mine', input: 'go', store: false, novel: 1, stream_id: 's' })
    expect(first.response.output).toEqual([search, novel, call('fc_1', 'call_1')])
    expect(first.events.map(({ type }) => type)).toContain('response.novel_call.progress')
    const body = JSON.parse(lane.upstream.asked[0]?.body ?? '')
    expect(body).toMatchObject({ model: 'gpt-5.6-sol', stream: true, novel: 1 })
    expect([body.type, body.stream_id]).toEqual([undefined, undefined])
    lane.upstream.answer = { headers: eventStream, body: streamOf([message('Hi')]) }
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
    const again = { model: 'mine', store: false, stream_id: 's', previous_response_id: first.response.id, input: [output] }
    const second = await client.create(again)
    expect(second.response.output).toEqual([message('Hi')])
    expect(JSON.parse(lane.upstream.asked[1]?.body ?? '').input.slice(1)).toEqual([search, novel, call('fc_1', 'call_1'), output])
    client.close()
  })
}) // biome-ignore format: one statement a line
