// The lane of the reader, and of the writer: what passes is independent of how the bytes were cut.

import { describe, expect, it } from 'vitest'
import { bytewise, describeReader, readChunks } from '../../../test/contract/reader.ts'
import { fixtures } from '../../../test/fixtures.ts'
import type { TurnEvent } from '../../core/events.ts'
import { TurnCalls } from '../call-check/turn-calls.ts'
import { dialect } from './dialect.ts'
import { AnthropicReader } from './read.ts'
import { MessagesWriter } from './write.ts'

const reader = (wholeArguments: boolean, lane: boolean, calls?: TurnCalls) =>
  new AnthropicReader({
    turnId: 'turn_1',
    model: 'asked',
    backend: 'claude',
    note: () => undefined,
    toolName: (name) => name,
    wholeArguments,
    calls,
    ...(lane ? { lane: { dialect, form: 'message' as const } } : {}),
  })

const writer = (toolArguments: 'whole' | 'streamed') =>
  new MessagesWriter({
    id: 'msg_ours',
    model: 'name-of-the-client',
    showsThinking: true,
    requestId: 'turn_1',
    toolArguments,
    lateNotes: () => [],
  })

const withoutOpaque = (events: readonly TurnEvent[]) =>
  events.flatMap((event): TurnEvent[] => {
    if (event.type === 'opaque') return []
    if (event.type !== 'turn-start') return [event]
    const { lane: _, ...start } = event
    return [start]
  })

describe('a reader with a lane', () => {
  describeReader({ createReader: (whole) => reader(whole, true), fixtures: fixtures('anthropic-messages') })
})

describe.each(fixtures('anthropic-messages'))('$name', ({ bytes }) => {
  it.each([true, false])('has the events of a reader without a lane, whole arguments %s', (whole) => {
    expect(withoutOpaque(readChunks(reader(whole, true), [bytes()]))).toEqual(
      readChunks(reader(whole, false), [bytes()]),
    )
  })

  it.each(['whole', 'streamed'] as const)('is written the same however it was cut, %s', (toolArguments) => {
    const read = (chunks: readonly Uint8Array[]) =>
      readChunks(reader(toolArguments === 'whole', true), chunks)
    const inOne = writer(toolArguments).push(read([bytes()]))
    expect(writer(toolArguments).push(read(bytewise(bytes())))).toBe(inOne)
    expect(inOne).not.toContain('msg_ours')
  })
})

describe('calls without arguments in another spelling', () => {
  const messages = [
    { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1 } } },
    ...[0, 1].flatMap((index) => [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `tu_${index}`, name: 'ListFiles', input: {} },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ].map((message) => ({ event: message.type, data: JSON.stringify(message) }))

  it.each([
    ['whole', ['tu_0_mended', 'tu_1_mended'], 'the tool "ListFiles" was read as "list_files"'],
    ['streamed', ['tu_0', 'tu_1'], 'the model called "ListFiles", which is none of the tools of the request'],
  ] as const)('are shown once each, %s', (toolArguments, ids, note) => {
    const notes: string[] = []
    const tools = [{ name: 'list_files', schema: {} }]
    const check = { mode: 'repair' as const, tools, marksIds: true }
    const calls = new TurnCalls({ ...check, note: (text) => notes.push(text) })
    const read = reader(toolArguments === 'whole', true, calls)
    const out = writer(toolArguments)
    const text = messages.map((message) => out.push(read.push([message]))).join('')
    expect([...text.matchAll(/"id":"(tu_\w+)"/g)].map(([, id]) => id)).toEqual(ids)
    expect(new Set(notes)).toEqual(new Set([note]))
  })
})
