// The lane Messages → Anthropic: what the gateway does not know passes in both directions, byte for byte but for the model's name.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encodeChunk } from '../../sim/clouds/event-stream.ts'
import { claudeHere, claudeOfTheRun, isOnCloud, startGateway } from '../harness.ts'
import {
  eventStream,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../scripted-upstream.ts'

const isOnVertex = claudeOfTheRun === 'vertex'

/** The events of a stream in the frames of the service. */
function inFrames(answer: ScriptedAnswer): ScriptedAnswer {
  if (claudeOfTheRun !== 'bedrock' || answer.headers !== eventStream) return answer
  const data = [...String(answer.body).matchAll(/^data: (.*)$/gm)].map(([, text = '']) => encodeChunk(text))
  return { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, body: Buffer.concat(data) }
}

let upstream: ScriptedUpstream
let gateway: Awaited<ReturnType<typeof startGateway>>
let streaming: typeof gateway

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const sim = { ...claudeHere(upstream.url), ...(isOnVertex ? { models: ['claude-opus-5-5'] } : {}) }
  upstream.respond = () => inFrames(upstream.answer)
  const settings = { backends: { sim }, models: { mine: 'sim/claude-opus-5-5' } }
  gateway = await startGateway(settings)
  streaming = await startGateway({ ...settings, toolArguments: 'streamed' })
})
afterAll(async () => {
  await gateway.gateway.close()
  await streaming.gateway.close()
  upstream.close()
})
beforeEach(() => {
  upstream.asked.length = 0
})

const send = (body: string, headers: Record<string, string> = {}, path = '/v1/messages', url = gateway.url) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })

const frame = (data: Record<string, unknown>) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const block = (index: number, content_block: object, ...deltas: object[]) =>
  [
    frame({ type: 'content_block_start', index, content_block }),
    ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
    frame({ type: 'content_block_stop', index }),
  ].join('')
const start = (model: string) =>
  `event: message_start\ndata: {"type": "message_start", "message": {"model":"${model}","id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"novel":{"deep":[1.0]},"usage":{"input_tokens":3,"output_tokens":1,"service_tier":"standard"}}}\n\n`
const stop = (reason: string) =>
  frame({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null, container: { id: 'container_1' } },
    usage: { output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
    context_management: { applied_edits: [] },
  }) + frame({ type: 'message_stop' })

const known = (index: number) => block(index, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' })
const search = block(
  0,
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
  { type: 'input_json_delta', partial_json: '{"query":' },
  { type: 'input_json_delta', partial_json: '"x"}' },
)
const novel =
  block(1, { type: 'hologram', shards: [1] }, { type: 'shard_delta', shard: 2 }) +
  frame({ type: 'novel_event', fact: true })
const cited = block(
  2,
  { type: 'text', text: '', citations: [] },
  { type: 'text_delta', text: 'Said.', estimated_tokens: 2 },
  { type: 'citations_delta', citation: { type: 'web_search_result_location', url: 'https://example.com' } },
)
const call = (index: number, input: string, id = `toolu_${index}`) =>
  block(
    index,
    { type: 'tool_use', id, name: 'read', input: {}, caller: { type: 'direct' } },
    ...(input === '' ? [] : [{ type: 'input_json_delta', partial_json: input }]),
  )

const asks = (more: Record<string, unknown> = {}) =>
  JSON.stringify({
    model: 'mine',
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: 'go' }],
    tools: [{ name: 'read', input_schema: { type: 'object', properties: {} } }],
    ...more,
  })
/** The client's name for the model takes the place of the service's. */
const named = (text: string) => text.replace('"model":"claude-opus-5-5"', '"model":"mine"')

describe('T72: answers', () => {
  const streams: [string, string][] = [
    ['unknown blocks, deltas, events and fields', search + novel + cited + stop('end_turn')],
    ['an unknown stop reason', known(0) + stop('novel_reason')],
    ['a paused turn', search + stop('pause_turn')],
    ['a call', known(0) + call(1, '{"path": 1.0}') + stop('tool_use')],
    ['a call without arguments', call(0, '') + stop('tool_use')],
    [
      'two calls and pings between',
      call(0, '{"a":1}') + frame({ type: 'ping' }) + call(1, '{}') + stop('tool_use'),
    ],
    [
      'calls of a program that the service ran to its end',
      call(0, '{"a":1}').replace('"direct"', '"code_execution_20250825","tool_id":"srvtoolu_1"') +
        known(1) +
        stop('end_turn'),
    ],
    [
      'thinking, hidden and redacted',
      block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'signature_delta', signature: 's' },
      ) +
        block(1, { type: 'redacted_thinking', data: 'xx' }) +
        known(2) +
        stop('end_turn'),
    ],
  ]
  it.each(streams)('%s, streamed', async (_, body) => {
    upstream.answer = { headers: eventStream, body: start('claude-opus-5-5') + body }
    const answer = await send(asks())
    expect(answer.headers.get('x-dragoman-notes')).toBeNull()
    expect(await answer.text()).toBe(named(String(upstream.answer.body)))
  })

  it('an unknown block, not streamed', async () => {
    const body = `{ "model":"claude-opus-5-5", "id":"msg_1","type":"message","role":"assistant","content":[{"type":"hologram","at":1.50},{"type":"tool_use","id":"toolu_1","name":"read","input":{"big":12345678901234567890}}],"stop_reason":"tool_use","stop_sequence":null,"container":{"id":"c"},"usage":{"input_tokens":1,"output_tokens":1} }`
    upstream.answer = { body }
    const answer = await send(asks({ stream: false }))
    expect(await answer.text()).toBe(named(body))
  })

  describe('T10, T11: a stop reason that does not fit the calls is corrected, with a note', () => {
    const calls = known(0) + call(1, '{"path": 1.0}')
    it.each([
      ['end_turn beside a call', calls, 'end_turn', 'tool_use'],
      ['end_turn beside a call without arguments', call(0, ''), 'end_turn', 'tool_use'],
      [
        'tool_use without a call',
        known(0) + search.replaceAll('"index":0', '"index":1'),
        'tool_use',
        'end_turn',
      ],
    ])('%s, streamed', async (_, body, sent, expected) => {
      const begin = start('claude-opus-5-5')
      upstream.answer = { headers: eventStream, body: begin + body + stop(sent) }
      const answer = await send(asks())
      expect(answer.headers.get('x-dragoman-notes')).toContain('finish reason')
      expect(await answer.text()).toBe(named(begin) + body + stop(expected))
    })

    it.each([
      ['end_turn', '{"type":"tool_use","id":"toolu_1","name":"read","input":{"big":1.0}}', 'tool_use'],
      ['tool_use', '{"type":"text","text":"Hi"}', 'end_turn'],
    ])('%s, not streamed', async (sent, content, expected) => {
      const body = (reason: string) =>
        `{"model":"claude-opus-5-5","id":"msg_1","type":"message","role":"assistant","content":[{"type":"hologram","at":1.50},${content}],"stop_reason":"${reason}","stop_sequence":null,"container":{"id":"c"},"usage":{"input_tokens":1,"output_tokens":1} }`
      upstream.answer = { body: body(sent) }
      const answer = await send(asks({ stream: false }))
      expect(await answer.text()).toBe(named(body(expected)))
      expect(answer.headers.get('x-dragoman-notes')).toContain('finish reason')
    })
  })

  it('a whole answer in place of a stream becomes a complete stream', async () => {
    upstream.answer = {
      body: '{"model":"claude-opus-5-5","id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}',
    }
    const text = await (await send(asks())).text()
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
  })

  it('a second message_start is not shown', async () => {
    const begin = start('claude-opus-5-5')
    upstream.answer = { headers: eventStream, body: begin + begin + known(0) + stop('end_turn') }
    expect(await (await send(asks())).text()).toBe(named(begin) + known(0) + stop('end_turn'))
  })

  it('a call that was cut off is not shown; what follows it is', async () => {
    const cut = call(1, '{"path":"/e').replace(/event: content_block_stop[\s\S]*$/, '')
    upstream.answer = {
      headers: eventStream,
      body: start('claude-opus-5-5') + known(0) + cut + stop('max_tokens'),
    }
    const text = await (await send(asks())).text()
    expect(text).toContain(known(0) + stop('max_tokens'))
    expect(text).not.toContain('"tool_use"')
  })

  it.each(['whole', 'streamed'])('a repeated id of a call is made distinct: %s arguments', async (form) => {
    const url = form === 'whole' ? gateway.url : streaming.url
    upstream.answer = {
      headers: eventStream,
      body:
        start('claude-opus-5-5') +
        call(0, '{"a":1}', 'toolu_x') +
        call(1, '{"b":2}', 'toolu_x') +
        stop('tool_use'),
    }
    const text = await (await send(asks(), {}, '/v1/messages', url)).text()
    expect(text).toContain(call(0, '{"a":1}', 'toolu_x'))
    const starts = [...text.matchAll(/"index":(\d),"content_block":\{"type":"tool_use","id":"([^"]+)"/g)]
    expect(starts.map(([, index]) => index)).toEqual(['0', '1'])
    expect(new Set(starts.map(([, , id]) => id)).size).toBe(2)
    expect(text).toContain(stop('tool_use'))
  })

  it.each(['/v1/chat/completions', '/v1/responses'])(
    '%s shows what it can, without the rest',
    async (path) => {
      upstream.answer = {
        headers: eventStream,
        body: start('claude-opus-5-5') + search + novel + cited + stop('end_turn'),
      }
      const answer = await send(
        JSON.stringify({
          model: 'mine',
          stream: true,
          messages: [{ role: 'user', content: 'go' }],
          input: 'go',
        }),
        {},
        path,
      )
      const text = await answer.text()
      expect(text).toContain('Said.')
      expect(text).not.toMatch(/hologram|srvtoolu|novel_event/)
    },
  )

  it('a stream that ends early is an error', async () => {
    upstream.answer = { headers: eventStream, body: start('claude-opus-5-5') + search + known(1) }
    const text = await (await send(asks())).text()
    expect(text.startsWith(named(start('claude-opus-5-5')) + search)).toBe(true)
    expect(text).toContain('event: error')
  })
})

// Clouds take other fields and betas: test/end-to-end/clouds.test.ts.
describe.skipIf(isOnCloud)('T72: requests', () => {
  beforeEach(() => {
    upstream.answer = { headers: eventStream, body: start('claude-opus-5-5') + known(0) + stop('end_turn') }
  })
  const betas = 'novel-feature-2027-01-01,message-threads-2026-08-12,compact-2026-01-12'

  it('unknown betas, fields, tool types and blocks reach the service, and come back in the next turn', async () => {
    const body = `{"model": "mine", "max_tokens":100,"stream":true, "novel_field":{"x":1.0},"thread":{"id":"t"},"fallbacks":[{"model":"m"}],"mcp_servers":[{"type":"url","url":"https://example.com","name":"m"}],
"context_management":{"edits":[{"type":"compact_20260112"}]},
"tools":[{"type":"web_search_20270101","name":"web_search","max_uses":3},{"name":"read","input_schema":{"type":"object"},"defer_loading":true}],"tool_choice":{"type":"auto"},
"messages":[{"role":"user","content":[{"type":"text","text":"go"},{"type":"container_upload","file_id":"f"}]},{"role":"system","content":[],"output_config":{"effort":"low"}},
{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"hologram","shards":[1.50]},{"type":"text","text":"a"}]},{"role":"user","content":"more"}]}`
    const answer = await send(body, { 'anthropic-beta': betas })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-dragoman-notes')).toBeNull()
    const [asked] = upstream.asked
    expect(asked?.body).toBe(body.replace('"mine"', '"claude-opus-5-5"'))
    expect(asked?.headers['anthropic-beta']).toBe(betas)
  })

  it('betas of a login are withheld, with a note', async () => {
    const answer = await send(asks(), { 'anthropic-beta': 'oauth-2025-04-20,a-1' })
    expect(upstream.asked[0]?.headers['anthropic-beta']).toBe('a-1')
    expect(answer.headers.get('x-dragoman-notes')).toContain('oauth-2025-04-20')
  })

  it('a repair leaves the opaque parts, tools and fields in place', async () => {
    const hologram = { type: 'hologram', shards: [1] }
    await send(
      asks({
        novel_field: 1,
        output_config: { novel: true },
        tools: [{ type: 'bash_20300101', name: 'bash' }],
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            content: [{ type: 'thinking', thinking: 'of another service', signature: '' }, hologram],
          },
          { role: 'user', content: [{ type: 'text', text: 'on' }, hologram] },
        ],
      }),
    )
    const body = JSON.parse(upstream.asked[0]?.body ?? '{}')
    expect(body).toMatchObject({ novel_field: 1, output_config: { novel: true } })
    expect(body.tools).toMatchObject([{ type: 'bash_20300101', name: 'bash' }])
    expect(body.messages[1].content).toEqual([hologram])
    expect(body.messages[2].content[1]).toMatchObject(hologram)
  })
})
