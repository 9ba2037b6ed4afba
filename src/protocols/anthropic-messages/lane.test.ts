// The lane of the reader, and of the writer: what passes is independent of how the bytes were cut.

import { describe, expect, it } from 'vitest'
import { bytewise, describeReader, readChunks } from '../../../test/contract/reader.ts'
import { fixtures } from '../../../test/fixtures.ts'
import type { TurnEvent } from '../../core/events.ts'
import { dialect } from './dialect.ts'
import { AnthropicReader } from './read.ts'
import { MessagesWriter } from './write.ts'

const reader = (wholeArguments: boolean, lane: boolean) =>
  new AnthropicReader({
    turnId: 'turn_1',
    model: 'asked',
    backend: 'claude',
    note: () => undefined,
    toolName: (name) => name,
    wholeArguments,
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
