import { describe, expect, it } from 'vitest'
import { describeReader, readChunks } from '../../../test/contract/reader.ts'
import { scaled } from '../../../test/depth.ts'
import { fixtures } from '../../../test/fixtures.ts'
import { ChatReader } from './read.ts'

const createReader = (wholeArguments = true) =>
  new ChatReader({ turnId: 'turn_1', model: 'asked', backend: 'box', wholeArguments, note: () => undefined })

const all = fixtures('openai-chat')
const read = (name: string, wholeArguments = true) =>
  readChunks(createReader(wholeArguments), [
    all.find((fixture) => fixture.name === name)?.bytes() ?? new Uint8Array(),
  ])
const callsOf = (name: string, wholeArguments = true) =>
  read(name, wholeArguments).flatMap((event) =>
    event.type === 'tool-call-end' ? [[event.callId, event.name, event.input]] : [],
  )

describe('ChatReader', () => {
  describeReader({ createReader, fixtures: all })

  it('gives text and usage', () => {
    expect(read('text')).toEqual([
      { type: 'turn-start', id: 'chatcmpl-9', model: 'gpt-5' },
      { type: 'text-start', block: 0 },
      { type: 'text-delta', block: 0, delta: 'Grüße, ' },
      { type: 'text-delta', block: 0, delta: '日本語 🙂' },
      { type: 'text-end', block: 0 },
      {
        type: 'turn-end',
        reason: 'stop',
        rawReason: 'stop',
        usage: { inputTokens: 20, outputTokens: 8, cacheReadTokens: 16, reasoningTokens: 3 },
      },
    ])
  })

  it.each([true, false])(
    'sorts interleaved deltas into calls, text after them (whole %s)',
    (wholeArguments) => {
      expect(callsOf('interleaved-calls', wholeArguments)).toEqual([
        ['call_a', 'read', '{"path":"a"}'],
        ['call_b', 'list', '{"dir":"b"}'],
      ])
      expect(read('interleaved-calls').find((event) => event.type === 'text-delta')).toMatchObject({
        delta: ' behind',
        block: 2,
      })
    },
  )

  it('does not mix up calls whose deltas look alike', () => {
    const piece = (index: number, text: string, more = {}) =>
      message({ delta: { tool_calls: [{ index, ...more, function: { name: '', arguments: text } }] } })
    const begin = (index: number, id: string) =>
      message({ delta: { tool_calls: [{ index, id, function: { name: 'read', arguments: '' } }] } })
    const events = createReader().push([
      begin(0, 'a'),
      begin(1, 'b'),
      piece(0, '{'),
      piece(1, '{"x":'),
      piece(0, '"y":'),
      piece(1, '1}'),
      piece(0, '2}'),
      last,
    ])
    expect(events.flatMap((event) => (event.type === 'tool-call-end' ? event.input : []))).toEqual([
      '{"y":2}',
      '{"x":1}',
    ])
  })

  it('creates ids if the server sends none', () => {
    expect(callsOf('no-ids')).toEqual([
      ['call_1_0', 'read', '{"path":"a"}'],
      ['call_1_1', 'read', '{"path":"b"}'],
    ])
  })

  it('reads reasoning, parts, refusals and legacy calls', () => {
    const kinds = (name: string) =>
      read(name)
        .map((event) => event.type)
        .filter((type) => type.endsWith('-start'))
    expect(kinds('reasoning')).toEqual(['turn-start', 'reasoning-start', 'text-start', 'tool-call-start'])
    expect(kinds('content-parts')).toEqual(['turn-start', 'reasoning-start', 'text-start'])
    expect(read('comments-no-done')).toContainEqual({ type: 'text-start', block: 0, refusal: true })
    expect(callsOf('legacy-function-call')).toEqual([['call_1_0', 'read', '{"path":"a"}']])
  })

  it('streams the second call too, once the first is complete', () => {
    const events = read('parallel-calls', false).filter((event) => event.type.startsWith('tool-call'))
    expect(events.map((event) => event.type.slice('tool-call-'.length))).toEqual([
      'start',
      'delta',
      'delta',
      'end',
      'start',
      'delta',
      'end',
    ])
  })

  const message = (choice: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
    event: undefined,
    data: JSON.stringify({ choices: [{ index: 0, delta: {}, ...choice }], ...more }),
  })
  const last = { event: undefined, data: '[DONE]' }

  it.each(['error', 'abort', 'insufficient_system_resource'])(
    'finish_reason %s is an error, not an end',
    (finish_reason) => {
      const events = createReader().push([
        message({ delta: { content: 'half of' } }),
        message({ finish_reason }),
        last,
      ])
      expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-unavailable' } })
    },
  )

  it('reads an error inside the choice', () => {
    const error = { code: 429, message: 'Rate limited' }
    const [event] = createReader().push([message({ error, finish_reason: 'error' })])
    expect(event).toMatchObject({ type: 'turn-error', error: { code: 'rate-limited' } })
  })

  it('an empty stream is a failure', () => {
    expect(createReader().push([last])).toMatchObject([
      { type: 'turn-error', error: { code: 'upstream-protocol', retryable: true } },
    ])
  })

  it('counts reasoning that is only in the total', () => {
    const usage = { prompt_tokens: 8, completion_tokens: 10, total_tokens: 268 }
    const events = createReader().push([
      message({ delta: { content: 'x' }, finish_reason: 'stop' }, { usage }),
      last,
    ])
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 8, outputTokens: 260 } })
  })

  it.each(['reasoning', 'reasoning_content'] as const)('remembers that reasoning came as %s', (field) => {
    const reader = createReader()
    reader.push([message({ delta: { [field]: 'hm' } })])
    expect(reader.kept?.message).toEqual({ [field]: 'hm' })
  })

  it('is not slowed down by blank arguments', () => {
    const reader = createReader(false)
    const blank = message({ delta: { tool_calls: [{ index: 0, function: { arguments: '\n' } }] } })
    reader.push([message({ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] } })])
    // If each piece rescanned the text, this many would exceed the test's time limit.
    const pieces = scaled(500_000, 150_000)
    for (let piece = 0; piece < pieces; piece++) reader.push([blank])
    expect(reader.progress).toBe(pieces + 1)
  })

  it('takes linear time in the length of the arguments', () => {
    const pieces = 20_000
    const reader = createReader(false)
    const delta = (tool: Record<string, unknown>) => ({
      event: undefined,
      data: JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [tool] } }] }),
    })
    const events = [
      ...reader.push([delta({ index: 0, id: 'a', function: { name: 'write', arguments: '{"text":"' } })]),
      ...Array.from({ length: pieces }).flatMap(() =>
        reader.push([delta({ index: 0, function: { name: 'write', arguments: 'x}' } })]),
      ),
      ...reader.push([
        delta({ index: 0, function: { arguments: '"}' } }),
        { event: undefined, data: '[DONE]' },
      ]),
    ]
    expect(events.find((event) => event.type === 'tool-call-end')).toMatchObject({
      input: `{"text":"${'x}'.repeat(pieces)}"}`,
    })
  })
})

describe('finish reasons of single services', () => {
  const end = (reason: string) =>
    readChunks(createReader(), [
      Buffer.from(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: reason }] })}\n\ndata: [DONE]\n\n`,
      ),
    ]).at(-1)

  it.each([
    ['model_context_window_exceeded', 'length'],
    ['sensitive', 'content-filter'],
    ['something_new', 'other'],
  ])('%s is %s', (stated, reason) => {
    expect(end(stated)).toMatchObject({ type: 'turn-end', reason, rawReason: stated })
  })

  it.each(['network_error', 'insufficient_system_resource'])('%s is an error, not an end', (stated) => {
    expect(end(stated)).toMatchObject({ type: 'turn-error' })
  })
})
