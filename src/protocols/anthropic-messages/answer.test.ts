import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../core/events.ts'
import { messagesAnswer } from './answer.ts'
import { fromClientId, toClientId } from './client-ids.ts'
import { answerOf, collected, options, sdkReads, shownBlocks, start, wireEvents } from './write.fixture.ts'
import { MessagesWriter } from './write.ts'

describe('stop reason and usage', () => {
  type End = Omit<Extract<TurnEvent, { type: 'turn-end' }>, 'type'>
  const ends: [End, object][] = [
    [{ reason: 'stop' }, { stop_reason: 'end_turn', stop_sequence: null }],
    [{ reason: 'other', rawReason: 'odd' }, { stop_reason: 'end_turn' }],
    [{ reason: 'length' }, { stop_reason: 'max_tokens' }],
    [
      { reason: 'length', rawReason: 'model_context_window_exceeded' },
      { stop_reason: 'model_context_window_exceeded' },
    ],
    [{ reason: 'content-filter' }, { stop_reason: 'refusal', stop_details: { type: 'refusal' } }],
    [
      { reason: 'stop', rawReason: 'stop_sequence', stopSequence: 'END' },
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    [{ reason: 'stop', rawReason: 'pause_turn' }, { stop_reason: 'pause_turn' }],
    // A stop reason of this dialect that another service uses with another meaning.
    [{ reason: 'tool-calls', rawReason: 'stop_sequence' }, { stop_reason: 'tool_use' }],
  ]
  it.each(ends)('%j', async (end, expected) => {
    const events: TurnEvent[] = [start, { type: 'turn-end', ...end }]
    expect(await sdkReads(new MessagesWriter(options).push(events))).toMatchObject(expected)
    expect(answerOf(collected(events))).toMatchObject(expected)
  })

  it('a text marked as refusal stops with `refusal`, whatever the finish reason', () => {
    const events: TurnEvent[] = [
      start,
      { type: 'text-start', block: 0, refusal: true },
      { type: 'text-delta', block: 0, delta: 'no' },
      { type: 'text-end', block: 0 },
      { type: 'turn-end', reason: 'stop' },
    ]
    expect(new MessagesWriter(options).push(events)).toContain('"stop_reason":"refusal"')
    expect(answerOf(collected(events))).toMatchObject({ stop_reason: 'refusal' })
  })

  it('cached tokens are not counted twice', () => {
    const usage = {
      inputTokens: 100,
      outputTokens: 9,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
      reasoningTokens: 4,
    }
    const answer = answerOf(collected([start, { type: 'turn-end', reason: 'stop', usage }]))
    const counted = {
      input_tokens: 10,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    }
    expect(answer.usage).toEqual(counted)
    const [first] = wireEvents(new MessagesWriter(options).push([{ ...start, usage }]))
    expect(first).toMatchObject({ type: 'message_start', message: { usage: counted } })
  })

  it('arguments keep their spelling, including all digits', () => {
    const input = '{ "id":12345678901234567890,"x":1.0, "big":1e400 }'
    const call = { callId: 'a', name: 'read', input }
    const events: TurnEvent[] = [
      start,
      { type: 'tool-call-start', block: 0, ...call },
      { type: 'tool-call-delta', block: 0, delta: input },
      { type: 'tool-call-end', block: 0, ...call },
      { type: 'turn-end', reason: 'tool-calls' },
    ]
    expect(messagesAnswer(collected(events), options)).toContain(`"name":"read","input":${input}}],`)
    expect(new MessagesWriter(options).push(events)).toContain(JSON.stringify(input))
  })

  it.each([
    ['toolu_01', 'toolu_01'],
    ['functions.Bash:0', expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)],
    ['ü', expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)],
    ['toolx_', expect.stringMatching(/^toolx_.+$/)],
  ])('the id %s is encoded in the alphabet of the dialect, and decoded again', (callId, shown) => {
    const call = { callId, name: 'Bash', input: '{}' }
    const events: TurnEvent[] = [
      start,
      { type: 'tool-call-start', block: 0, ...call },
      { type: 'tool-call-delta', block: 0, delta: '{}' },
      { type: 'tool-call-end', block: 0, ...call },
      { type: 'turn-end', reason: 'tool-calls' },
    ]
    const [block] = shownBlocks(collected(events), false)
    expect(block).toEqual({ type: 'tool_use', id: shown, name: 'Bash', input: {} })
    const { id } = block as { id: string }
    expect(new MessagesWriter(options).push(events)).toContain(JSON.stringify(id))
    expect(fromClientId(id)).toBe(callId)
  })

  it('any id is encoded in the alphabet, without collisions', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 90 }), fc.string({ minLength: 1 }), (one, other) => {
        expect(toClientId(one)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(toClientId(one) === toClientId(other)).toBe(one === other)
        expect([one, toClientId(one)]).toContain(fromClientId(toClientId(one)))
        fromClientId(one)
      }),
    )
  })
})
