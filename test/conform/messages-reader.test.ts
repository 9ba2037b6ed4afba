// The strict client of Messages reads blocks by their index, as SDKs do: blocks may overlap.

import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/judge/clients/answer.ts'
import { messagesClient } from '../../src/judge/clients/messages.ts'

type Event = { type: string } & Record<string, unknown>

const read = (...events: Event[]): Answer =>
  messagesClient.read(
    {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      text: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      garbled: false,
      cut: false,
    },
    'stream',
  )

const begin: Event = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } },
}
const end: Event[] = [
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
const start = (index: number, block: Record<string, unknown>): Event => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const use = (index: number, id: string): Event =>
  start(index, { type: 'tool_use', id, name: 'read', input: {} })
const json = (index: number, partial_json: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
})
const text = (index: number, words: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text: words },
})
const stop = (index: number): Event => ({ type: 'content_block_stop', index })

const callsOf = ({ calls }: Answer) => calls.map(({ id, arguments: words }) => [id, words])
const rulesOf = ({ violations }: Answer) => [...new Set(violations.map(({ rule }) => rule))].sort()

describe('blocks that overlap', () => {
  const answer = read(
    begin,
    start(0, { type: 'text', text: '' }),
    use(1, 'toolu_1'),
    text(0, 'Let me '),
    use(2, 'toolu_2'),
    json(2, '{"path":'),
    json(1, '{"path":"a"}'),
    text(0, 'see.'),
    json(2, '"b"}'),
    stop(2),
    stop(1),
    stop(0),
    ...end,
  )

  it('hold what their own deltas say, in the order of their indexes', () => {
    expect(callsOf(answer)).toEqual([
      ['toolu_1', '{"path":"a"}'],
      ['toolu_2', '{"path":"b"}'],
    ])
    expect(answer.text).toBe('Let me see.')
    expect(answer.echo).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 'toolu_2', name: 'read', input: { path: 'b' } },
        ],
      },
    ])
  })

  it('break no rule that a client needs: only the probe, which asks this gateway, minds', () => {
    expect(rulesOf(answer)).toEqual(['exact'])
  })
})

it('blocks one after the other break no rule', () => {
  const answer = read(begin, use(0, 'toolu_1'), json(0, '{}'), stop(0), use(1, 'toolu_2'), stop(1), ...end)
  expect(rulesOf(answer)).toEqual([])
  expect(callsOf(answer)).toEqual([
    ['toolu_1', '{}'],
    ['toolu_2', '{}'],
  ])
})

describe('still found', () => {
  it('an index that is not the next one', () => {
    expect(rulesOf(read(begin, use(1, 'toolu_1'), stop(1), ...end))).toEqual(['index'])
  })

  it('an index that repeats: the deltas belong to the later block', () => {
    const answer = read(
      begin,
      use(0, 'toolu_1'),
      stop(0),
      use(0, 'toolu_2'),
      json(0, '{"path":"b"}'),
      stop(0),
      ...end,
    )
    expect(rulesOf(answer)).toEqual(['index'])
    expect(callsOf(answer)).toEqual([
      ['toolu_1', '{}'],
      ['toolu_2', '{"path":"b"}'],
    ])
  })

  it('a delta of a block that never began', () => {
    const answer = read(begin, use(0, 'toolu_1'), json(1, '{"path":"a"}'), stop(0), ...end)
    expect(rulesOf(answer)).toEqual(['index'])
    expect(callsOf(answer)).toEqual([['toolu_1', '{}']])
  })

  it('a delta of a block that has ended', () => {
    const answer = read(begin, use(0, 'toolu_1'), stop(0), json(0, '{"path":"a"}'), ...end)
    expect(rulesOf(answer)).toEqual(['order'])
    expect(callsOf(answer)).toEqual([['toolu_1', '{}']])
  })

  it('a block that ends twice, or was never there', () => {
    expect(rulesOf(read(begin, use(0, 'toolu_1'), stop(0), stop(0), ...end))).toEqual(['order'])
    expect(rulesOf(read(begin, use(0, 'toolu_1'), stop(0), stop(1), ...end))).toEqual(['index'])
  })

  it('a block that never ends: its call is no call', () => {
    const answer = read(begin, use(0, 'toolu_1'), use(1, 'toolu_2'), stop(1), ...end)
    expect(rulesOf(answer)).toEqual(['exact', 'order'])
    expect(callsOf(answer)).toEqual([['toolu_2', '{}']])
  })
})
