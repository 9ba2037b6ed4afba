// The output of `tape show` for hand-made tapes.

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { AgentClientMessageSchema, AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { blobRows } from './blobs.ts'
import { clientSide } from './client-side.ts'
import type { FrameBody } from './frame.ts'
import { frameLines } from './frame-lines.ts'
import { madeTape } from './read.fixture.ts'
import { reportOf } from './tape-report.ts'
import { timelineOf } from './timeline.ts'

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const received = (
  message: NonNullable<MessageInitShape<typeof AgentServerMessageSchema>['message']>,
): FrameBody => ({
  ...{ side: 'run', do: 'received', exchange: 2 },
  base64: base64(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message }))),
})
const sent = (
  message: NonNullable<MessageInitShape<typeof AgentClientMessageSchema>['message']>,
): FrameBody => ({
  ...{ side: 'run', do: 'sent', exchange: 2 },
  base64: base64(toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }))),
})
const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const id = (byte: number) => Buffer.alloc(32, byte)
const idText = (byte: number) => id(byte).toString('hex')

describe('blobs', () => {
  const setBlob = (number: number, blobData: Uint8Array) =>
    received({
      case: 'kvServerMessage',
      value: { id: number, message: { case: 'setBlobArgs', value: { blobId: id(number), blobData } } },
    })
  const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'Shell', args: { command: 'ls' } }
  const frames = [
    sent({
      case: 'runRequest',
      value: {
        preFetchedBlobs: [{ id: id(1), value: bytes({ role: 'system', content: 'Be good.' }) }],
        conversationState: { rootPromptMessagesJson: [id(1)] },
      },
    }),
    setBlob(2, bytes({ role: 'assistant', content: [call] })),
    setBlob(3, bytes('plain words')),
    setBlob(4, Buffer.from([0xff, 0xfe, 0x00])),
    received({
      case: 'kvServerMessage',
      value: { id: 9, message: { case: 'getBlobArgs', value: { blobId: id(5) } } },
    }),
    sent({
      case: 'kvClientMessage',
      value: {
        id: 9,
        message: { case: 'getBlobResult', value: { blobData: bytes({ role: 'user', content: 'Hi' }) } },
      },
    }),
    received({
      case: 'kvServerMessage',
      value: { id: 10, message: { case: 'getBlobArgs', value: { blobId: id(6) } } },
    }),
  ]
  const rows = blobRows(madeTape('turn_a', {}, frames).frames)

  it('are listed by kind, role, content and use', () => {
    const told = rows.map(({ id, kind, role, preview, uses }) => [
      id,
      kind,
      role,
      preview,
      uses.map(({ who }) => who),
    ])
    expect(told).toEqual([
      [idText(1), 'json', 'system', 'Be good.', ['client brought it', 'client refers to it']],
      [idText(2), 'json', 'assistant', '[tool-call Shell] {"command":"ls"}', ['server set it']],
      [idText(3), 'text', undefined, 'plain words', ['server set it']],
      [idText(4), 'bytes', undefined, 'fffe00', ['server set it']],
      [idText(5), 'json', 'user', 'Hi', ['server asked for it', 'client brought it']],
      [idText(6), 'unknown', undefined, 'not on this tape', ['server asked for it']],
    ])
  })

  it('are none on tapes without runs, and unreadable messages are skipped', () => {
    expect(blobRows(madeTape().frames)).toEqual([])
    expect(
      blobRows(madeTape('t', {}, [{ side: 'run', do: 'sent', exchange: 1, base64: '/////w==' }]).frames),
    ).toEqual([])
  })
})

describe('a timeline', () => {
  const segments = (...events: unknown[]) => {
    const writes = events.map((event, at) => ({ frame: at, at, text: `data: ${JSON.stringify(event)}\n\n` }))
    return timelineOf({ ...clientSide([]), writes }).map(({ kind, name, preview }) => [kind, name, preview])
  }
  const wanted = [
    ['reasoning', undefined, 'Hm, well'],
    ['text', undefined, 'Reading.'],
    ['tool-call', 'read', '{"path":"a"}'],
  ]

  it('of Chat', () => {
    const delta = (delta: unknown) => ({ choices: [{ index: 0, delta }] })
    const call = (more: unknown) => delta({ tool_calls: [more] })
    expect(
      segments(
        delta({ reasoning_content: 'Hm, ' }),
        delta({ reasoning_content: 'well' }),
        delta({ content: 'Reading.' }),
        call({ index: 0, id: 'c', function: { name: 'read', arguments: '{"path"' } }),
        call({ index: 0, function: { arguments: ':"a"}' } }),
      ),
    ).toEqual(wanted)
  })

  it('of Messages', () => {
    const start = (index: number, content_block: unknown) => ({
      type: 'content_block_start',
      index,
      content_block,
    })
    const delta = (index: number, delta: unknown) => ({ type: 'content_block_delta', index, delta })
    expect(
      segments(
        start(0, { type: 'thinking', thinking: '' }),
        delta(0, { thinking: 'Hm, well' }),
        start(1, { type: 'text', text: '' }),
        delta(1, { text: 'Reading.' }),
        start(2, { type: 'tool_use', id: 'c', name: 'read', input: {} }),
        delta(2, { partial_json: '{"path":"a"}' }),
      ),
    ).toEqual(wanted)
  })

  it('of Responses', () => {
    expect(
      segments(
        { type: 'response.reasoning_summary_text.delta', delta: 'Hm, well' },
        { type: 'response.output_text.delta', delta: 'Reading.' },
        {
          type: 'response.output_item.added',
          item: { type: 'function_call', id: 'f', call_id: 'c', name: 'read' },
        },
        { type: 'response.function_call_arguments.delta', item_id: 'f', delta: '{"path":"a"}' },
      ),
    ).toEqual(wanted)
  })

  it('of Gemini, as events and as an array', () => {
    const chunks = [
      { text: 'Hm, ', thought: true },
      { text: 'well', thought: true },
      { text: 'Reading.' },
      { functionCall: { id: 'c', name: 'read', args: { path: 'a' } } },
    ].map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] }))
    expect(segments(...chunks)).toEqual(wanted)
    const array = `[${chunks.map((chunk) => JSON.stringify(chunk)).join(',\n')}]\n`
    const writes = [array.slice(0, 100), array.slice(100)].map((text) => ({ frame: 1, at: 1, text }))
    const side = { ...clientSide([]), writes }
    expect(timelineOf(side).map(({ kind, name, preview }) => [kind, name, preview])).toEqual(wanted)
  })

  it('of whole answers', () => {
    const text = JSON.stringify({
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'Hm, well' },
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } },
      ],
    })
    const side = { ...clientSide([]), writes: [{ frame: 1, at: 1, text }] }
    expect(timelineOf(side).map(({ kind, name, preview }) => [kind, name, preview])).toEqual(wanted)
  })
})

describe('the text of a tape', () => {
  it('is a report by default', () => {
    const story = reportOf(
      madeTape('turn_a', { title: 'A greeting' }, [{ side: 'gateway', do: 'note', text: 'a note' }]),
    )
    for (const words of [
      'turn_a  2026-01-01T00:00:00.000Z  made by hand\nA greeting',
      'asked: a client with the key "me": POST /v1/chat/completions, openai-chat, streamed',
      'model box/m; 1 message, no tools',
      'last: user: Hello',
      'to box (openai), model m',
      '#1 POST http://127.0.0.1:8000/v1/chat/completions',
      '#1 HTTP 200 after 1 ms',
      'text, 2 characters: Hi',
      'note: a note',
      'end: stop after 11 ms, 0 calls; 1 tokens in, 1 out',
    ])
      expect(story).toContain(words)
  })

  it('has every frame, decoded, with --frames', () => {
    const update = { case: 'textDelta' as const, value: { text: 'Hi there' } }
    const lines = frameLines(
      madeTape('turn_a', {}, [received({ case: 'interactionUpdate', value: { message: update } })]),
    )
    expect(lines).toContain('frame  8, line  9  client write\n')
    expect(lines).toContain('{"choices":[{"index":0,"delta":{"content":"Hi"}')
    expect(lines).toContain(
      'run #2 received interactionUpdate.textDelta {"interactionUpdate":{"textDelta":{"text":"Hi there"}}}',
    )
  })

  it('survives any nesting depth', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const body = `{"messages":[{"role":"user","content":${deep}}]}`
    const request: FrameBody = { side: 'client', do: 'request', method: 'POST', path: '/', headers: {}, body }
    const tape = madeTape('turn_a', {}, [{ side: 'client', do: 'write', text: `data: ${deep}\n\n` }])
    tape.frames[1] = { at: 0, turn: 'turn_a', ...request }
    expect(reportOf(tape)).toContain('last: user: nested too deeply')
    expect(frameLines(tape)).toContain('[[[[')
  })

  it('never contains control characters', () => {
    const evil = '\u001b]0;owned\u0007\u009b31m'
    const tape = madeTape('turn_a', { title: evil }, [{ side: 'gateway', do: 'note', text: evil }])
    for (const text of [reportOf(tape), frameLines(tape)]) expect(text).not.toMatch(/(?!\n)\p{Cc}/u)
  })
})
