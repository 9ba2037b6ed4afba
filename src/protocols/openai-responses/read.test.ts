import { describe, expect, it } from 'vitest'
import { describeReader, readChunks } from '../../../test/contract/reader.ts'
import { fixtures } from '../../../test/fixtures.ts'
import { ResponsesReader } from './read.ts'
import { itemOf } from './reasoning-items.ts'

const notes: string[] = []
const createReader = (wholeArguments = true) =>
  new ResponsesReader({
    turnId: 'turn_1',
    model: 'asked',
    backend: 'box',
    wholeArguments,
    note: (text) => notes.push(text),
    source: 'here',
    offered: new Set(['read', 'patch']),
  })

const all = fixtures('openai-responses')
const bytesOf = (name: string) => all.find((fixture) => fixture.name === name)?.bytes() ?? new Uint8Array()
const read = (name: string, wholeArguments = true) =>
  readChunks(createReader(wholeArguments), [bytesOf(name)])

const message = (event: object) => ({ data: JSON.stringify(event) })
const readEvents = (...events: object[]) => {
  const reader = createReader()
  return [...reader.push(events.map(message)), ...reader.end()]
}

describe('ResponsesReader', () => {
  describeReader({ createReader, fixtures: all })

  it('gives text and usage', () => {
    expect(read('text')).toEqual([
      { type: 'turn-start', id: 'resp_0', model: 'gpt-5.6-sol' },
      { type: 'text-start', block: 0 },
      { type: 'text-delta', block: 0, delta: 'Grüße, ' },
      { type: 'text-delta', block: 0, delta: '日本語 ' },
      { type: 'text-delta', block: 0, delta: '🙂' },
      { type: 'text-end', block: 0 },
      {
        type: 'turn-end',
        reason: 'stop',
        rawReason: 'completed',
        usage: {
          inputTokens: 20,
          outputTokens: 8,
          cacheReadTokens: 16,
          cacheWriteTokens: 2,
          reasoningTokens: 3,
        },
      },
    ])
  })

  /** What a turn says, without how it was cut. */
  const said = (name: string) => {
    const parts: unknown[] = []
    let text = ''
    for (const event of read(name)) {
      if ('delta' in event) text += event.delta
      if (event.type === 'text-end' || event.type === 'reasoning-end') parts.push(text)
      if (event.type === 'tool-call-end') parts.push([event.callId, event.name, event.input])
      if (event.type.endsWith('-end') && event.type !== 'turn-end') text = ''
      if (event.type === 'turn-end') parts.push(event.reason)
    }
    return parts
  }
  const whole = [
    'Two files, 日本 🙂.',
    'Reading both.',
    ['call_a', 'read', '{"path":"a"}'],
    'And now.',
    ['call_b', 'read', '{"path":"ü \\"q\\""}'],
    'tool-calls',
  ]

  it.each([
    'reasoning-and-calls',
    'no-deltas',
    'done-only',
    'items-at-end',
    'no-item-ids',
    'rotating-ids',
    'same-item-ids',
    'index-gaps',
    'unknown-events',
    'keepalive-events',
    'no-event-lines',
    'done-mark',
    'empty-output',
    'no-usage',
    'raw-reasoning',
  ])('reads the same answer from %s', (name) => {
    expect(said(name)).toEqual(whole)
  })

  it('puts the whole reasoning item into the proof, for its own source only', () => {
    const ends = read('reasoning-and-calls').filter((event) => event.type === 'reasoning-end')
    const parts = ends.map(({ signature = '' }) => ({ type: 'reasoning' as const, text: '', signature }))
    const items = parts.map((part) => itemOf(part, 'here'))
    expect(items).toEqual([
      {
        type: 'reasoning',
        encrypted_content: expect.stringMatching(/^gAAAAAB/),
        summary: [{ type: 'summary_text', text: 'Two files, 日本 🙂.' }],
      },
      expect.objectContaining({ summary: [{ type: 'summary_text', text: 'And now.' }] }),
    ])
    expect(parts.map((part) => itemOf(part, 'elsewhere'))).toEqual([undefined, undefined])
  })

  it('keeps reasoning by its call, in its place', () => {
    const reader = createReader()
    readChunks(reader, [bytesOf('reasoning-and-calls')])
    const texts = (items: readonly object[] = []) => JSON.stringify(items).match(/"text":"[^"]*"/g)
    const [a, b] = ['call_a', 'call_b'].map((id) => reader.keptWith(id))
    expect([a, b].map((kept) => [texts(kept?.leading), texts(kept?.before)])).toEqual([
      [['"text":"Two files, 日本 🙂."'], null],
      [null, ['"text":"And now."']],
    ])
  })

  it('wraps the text of a custom call', () => {
    const input = JSON.stringify({ input: '*** "Begin"\n🙂 end' })
    expect(said('custom-call')[0]).toEqual(['call_p', 'patch', input])
    const streamed = read('custom-call', false).find((event) => event.type === 'tool-call-end')
    expect(JSON.parse(streamed?.type === 'tool-call-end' ? streamed.input : '')).toEqual(JSON.parse(input))
  })

  it('ends a custom call whose id was repeated', () => {
    const item = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'x', status: 'completed' }
    const events = readEvents(
      { type: 'response.created', response: { id: 'resp_1', model: 'm' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 1, item: { ...item, input: 'y' } },
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed' } },
    )
    const inputs = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.input] : []))
    expect(inputs).toEqual(['{"input":"x"}', '{"input":"y"}'])
  })

  it('takes a call without arguments', () => {
    expect(said('no-arguments')).toEqual([['call_n', 'read', '{}'], 'tool-calls'])
  })

  it('leaves out a call that was cut off, and says so', () => {
    notes.length = 0
    expect(said('cut-call')).toEqual([['call_a', 'read', '{"path":"a"}'], 'length'])
    expect(notes).toContain('a tool call that was cut off in the middle was left out')
  })

  it.each(['error-then-failed', 'failed-alone', 'flat-error'])('reports a fault once: %s', (name) => {
    const errors = read(name).filter((event) => event.type === 'turn-error')
    expect(errors).toMatchObject([
      { error: { code: 'upstream-unavailable', message: 'box: The model had an error.' } },
    ])
  })

  it('takes an end without a last event for an error', () => {
    expect(read('no-end').at(-1)).toMatchObject({
      type: 'turn-error',
      error: { code: 'upstream-protocol', retryable: true },
    })
  })

  const failed = (error: object) =>
    readEvents({ type: 'response.failed', response: { status: 'failed', error } }).at(-1)

  it.each([
    [{ code: 'rate_limit_exceeded', message: 'Please try again in 1.5s.' }, { code: 'rate-limited', retryAfterMs: 1_500 }],
    [{ code: 'context_length_exceeded', message: 'Your input exceeds the context window.' }, { code: 'context-overflow' }],
    [{ code: 'insufficient_quota', message: 'no money' }, { code: 'quota-exhausted' }],
    [{ code: 'invalid_prompt', message: 'no' }, { code: 'invalid-request' }],
    [{ code: 'cyber_policy', message: 'no' }, { code: 'invalid-request' }],
    [{ code: 'server_is_overloaded', message: 'busy' }, { code: 'upstream-unavailable', retryable: true }],
    [{ code: 'vector_store_timeout', message: 'slow' }, { code: 'timeout' }],
  ])('knows the failure %j', (error, expected) => {
    expect(failed(error)).toMatchObject({ type: 'turn-error', error: expected })
  }) // biome-ignore format: a table to be read as one

  const item = (index: number, fields: object) => ({
    output_index: index,
    item: { type: 'function_call', ...fields },
  })

  it('sorts interleaved calls by their index', () => {
    const delta = (index: number, text: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index: index,
      delta: text,
    })
    const added = (index: number, id: string) => ({
      type: 'response.output_item.added',
      ...item(index, { call_id: id, name: 'read', arguments: '' }),
    })
    const done = (index: number, id: string, text: string) => ({
      type: 'response.output_item.done',
      ...item(index, { call_id: id, name: 'read', arguments: text }),
    })
    const events = readEvents(
      added(0, 'a'),
      added(1, 'b'),
      delta(1, '{"p":'),
      delta(0, '{"q"'),
      delta(1, '2}'),
      done(1, 'b', '{"p":2}'),
      delta(0, ':1}'),
      done(0, 'a', '{"q":1}'),
      { type: 'response.completed', response: { status: 'completed' } },
    )
    expect(events.flatMap((event) => (event.type === 'tool-call-end' ? [event.input] : []))).toEqual([
      '{"q":1}',
      '{"p":2}',
    ])
  })

  it('hands out no arguments that are not JSON', () => {
    const events = readEvents(
      { type: 'response.output_item.done', ...item(0, { call_id: 'a', name: 'read', arguments: '{"p' }) },
      { type: 'response.completed', response: { status: 'completed' } },
    )
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
  })

  it('does not take a call whose arguments never came for one without arguments', () => {
    const events = readEvents(
      { type: 'response.output_item.added', ...item(0, { call_id: 'a', name: 'read', arguments: '' }) },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    )
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
  })

  it('gives a refusal, an unknown reason, and calls of a namespace under the joined name', () => {
    const refusal = readEvents(
      { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'No.' },
      { type: 'response.completed', response: { status: 'completed' } },
    )
    expect(refusal[1]).toEqual({ type: 'text-start', block: 0, refusal: true })
    const steered = readEvents({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'steered' } },
    })
    expect(steered.at(-1)).toMatchObject({ type: 'turn-end', reason: 'other', rawReason: 'steered' })
    const called = readEvents(
      {
        type: 'response.output_item.done',
        ...item(0, { call_id: 'a', name: 'find', namespace: 'fs', arguments: '{}' }),
      },
      { type: 'response.completed', response: {} },
    )
    expect(called[1]).toMatchObject({ name: 'fs__find' })
  })

  it('reads a whole response, and an error in its place', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
    ]
    const events = createReader().whole({ id: 'resp_1', model: 'm', status: 'completed', output })
    expect(events.map(({ type }) => type)).toEqual([
      'turn-start',
      'reasoning-start',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'turn-end',
    ])
    expect(events[2]).toMatchObject({ redacted: expect.stringMatching(/^openai1\.here\./) })
    const error = { error: { code: 'rate_limit_exceeded', message: 'slow' } }
    expect(createReader().whole(error)).toMatchObject([
      { type: 'turn-error', error: { code: 'rate-limited' } },
    ])
  })
})
