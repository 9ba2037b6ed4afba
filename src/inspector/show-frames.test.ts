import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import type { Frame, FrameBody } from '../tapes/frame.ts'
import { runDecoder } from './decode-run.ts'
import { showFrames } from './show-frames.ts'

const show = (...bodies: FrameBody[]) =>
  showFrames(
    bodies.map((body, at): Frame => ({ at, turn: 'turn_1', ...body })),
    runDecoder,
  )

const data = (text: string, exchange = 1): FrameBody => ({ side: 'upstream', do: 'data', exchange, text })

describe('showFrames', () => {
  it('shows events at the piece that completes them, each stream by itself', () => {
    const shown = show(
      data('event: ping\nda'),
      data('data: {"choices":[{"delta":{"content":"x"}}]}\n\n', 2),
      data('ta: {"type":"ping"}\n\ndata: [DONE]\n\n'),
    )
    expect(shown.map(({ label, decoded }) => [label, decoded])).toEqual([
      ['14 characters', undefined],
      ['delta content "x"', [{ data: { choices: [{ delta: { content: 'x' } }] } }]],
      ['2 events: ping, [DONE]', [{ event: 'ping', data: { type: 'ping' } }, { data: '[DONE]' }]],
    ])
    expect(shown[0]?.raw).toBe('event: ping\nda')
  })

  it.each([
    [{ choices: [{ delta: { role: 'assistant', content: '' } }] }, 'delta role, content'],
    [{ choices: [{ delta: { reasoning_content: 'hm' } }] }, 'delta reasoning_content "hm"'],
    [
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'read', arguments: '{"p' } }] } }] },
      'delta tool_calls "read {\\"p"',
    ],
    [{ choices: [{ delta: { tool_calls: [{ function: { arguments: 'x'.repeat(500) } }] } }] }, 'x…"'],
    [{ type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } }, 'content_block_delta "a"'],
    [{ type: 'content_block_delta', delta: { partial_json: '{' } }, 'content_block_delta "{"'],
    [{ type: 'response.output_text.delta', delta: 'a\nb' }, 'response.output_text.delta "a\\nb"'],
    [{ type: 'message_stop' }, 'message_stop'],
    [{ choices: ['odd'], delta: null }, 'data'],
  ])('shows the text of a delta: %j', (event, label) => {
    const [shown] = show(data(`data: ${JSON.stringify(event)}\n\n`))
    expect(shown?.label.endsWith(label)).toBe(true)
    expect(shown?.label.length).toBeLessThan(160)
  })

  it('shows JSON as JSON, and bytes as hex digits', () => {
    const shown = show(data('{"a":1}'), { side: 'upstream', do: 'data', exchange: 2, base64: 'AP8=' })
    expect(shown[0]).toMatchObject({ decoded: { a: 1 }, raw: '{"a":1}' })
    expect(shown[1]).toMatchObject({ raw: '00ff', isHex: true })
  })

  it('shows messages of a run by name, with their content', () => {
    const message = create(AgentServerMessageSchema, {
      message: {
        case: 'kvServerMessage',
        value: {
          id: 3,
          message: {
            case: 'setBlobArgs',
            value: {
              blobId: Uint8Array.from([1, 255]),
              blobData: new TextEncoder().encode('{"role":"user"}'),
            },
          },
        },
      },
    })
    const base64 = Buffer.from(toBinary(AgentServerMessageSchema, message)).toString('base64')
    const [shown, broken] = show(
      { side: 'run', do: 'received', exchange: 1, base64 },
      { side: 'run', do: 'received', exchange: 1, base64: 'DwA=' },
    )
    expect(shown?.label).toBe('kvServerMessage.setBlobArgs')
    expect(shown?.decoded).toMatchObject({
      kvServerMessage: { id: 3, setBlobArgs: { blobId: '0x01ff', blobData: { role: 'user' } } },
    })
    expect(broken).toMatchObject({ label: 'a message that cannot be read', raw: '0f00' })
  })

  it('leaves JSON that is nested too deep as text', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const [event, whole] = show(
      { side: 'upstream', do: 'data', exchange: 1, text: `data: ${deep}\n\n` },
      { side: 'client', do: 'write', text: deep },
    )
    expect(JSON.stringify([event?.decoded, whole?.decoded])).toBe(
      JSON.stringify([[{ data: deep }], undefined]),
    )
  })

  it('has a label for every kind of frame', () => {
    const target = { backend: 'b', origin: 'http://x', path: '/p', headers: {} }
    const shown = show(
      { side: 'gateway', do: 'begin', door: 'd', model: 'm', stream: true, key: 'k', createdAt: 1 },
      { side: 'client', do: 'request', method: 'POST', path: '/p', headers: {}, body: 'no JSON' },
      { side: 'gateway', do: 'target', backend: 'b', kind: 'openai', model: 'm', settings: {} },
      { side: 'upstream', do: 'request', exchange: 1, ...target, method: 'POST', body: '{}' },
      { side: 'upstream', do: 'response', exchange: 1, status: 200, headers: {} },
      { side: 'upstream', do: 'end', exchange: 1 },
      { side: 'upstream', do: 'error', exchange: 1, message: 'broke' },
      { side: 'run', do: 'open', exchange: 2, transport: 'sse', ...target },
      { side: 'run', do: 'end', exchange: 2 },
      { side: 'run', do: 'error', exchange: 2, message: 'broke too' },
      { side: 'gateway', do: 'session', state: 'fresh', id: 's', why: 'because' },
      { side: 'gateway', do: 'note', text: 'a note' },
      { side: 'client', do: 'response', status: 200, headers: {} },
      { side: 'client', do: 'gone' },
      { side: 'client', do: 'end' },
      { side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 },
    )
    expect(shown.map(({ label }) => label)).toEqual([
      'd: m',
      'POST /p, 7 characters',
      'asks b/m',
      'POST http://x/p, 2 characters',
      'status 200',
      'end of the stream',
      'broke',
      'http://x/p by sse',
      'end of the run’s stream',
      'broke too',
      'fresh session s: because',
      'a note',
      'status 200',
      'the client went away',
      'end of the answer',
      'finished: stop',
    ])
  })
})
