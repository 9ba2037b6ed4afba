import { describe, expect, it } from 'vitest'
import { describeReader, readChunks } from '../../../test/contract/reader.ts'
import { fixtures } from '../../../test/fixtures.ts'
import { AnthropicReader } from './read.ts'

const readerOptions = {
  turnId: 'turn_1',
  model: 'asked',
  backend: 'claude',
  note: () => undefined,
  toolName: (name: string) => (name === 'mcp_list' ? 'mcp.list' : name),
}
const createReader = (wholeArguments = true) => new AnthropicReader({ ...readerOptions, wholeArguments })

const all = fixtures('anthropic-messages')
const read = (name: string, wholeArguments = true) =>
  readChunks(createReader(wholeArguments), [
    all.find((fixture) => fixture.name === name)?.bytes() ?? new Uint8Array(),
  ])

describe('AnthropicReader', () => {
  describeReader({ createReader, fixtures: all })

  it('gives thinking with its signature, text and calls in their original order', () => {
    expect(read('thinking-and-tools')).toEqual([
      {
        type: 'turn-start',
        id: 'msg_01',
        model: 'claude-sonnet-4-5',
        usage: { inputTokens: 1225, outputTokens: 1, cacheReadTokens: 1200, cacheWriteTokens: 0 },
      },
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-delta', block: 0, delta: 'Let me ' },
      { type: 'reasoning-delta', block: 0, delta: 'think 🤔.' },
      { type: 'reasoning-end', block: 0, signature: 'c2ln+1/==' },
      { type: 'text-start', block: 1 },
      { type: 'text-delta', block: 1, delta: 'First.' },
      { type: 'text-end', block: 1 },
      { type: 'tool-call-start', block: 2, callId: 'toolu_a', name: 'read' },
      { type: 'tool-call-delta', block: 2, delta: '{"path": "src/ü.ts"}' },
      { type: 'tool-call-end', block: 2, callId: 'toolu_a', name: 'read', input: '{"path": "src/ü.ts"}' },
      { type: 'reasoning-start', block: 3 },
      { type: 'reasoning-delta', block: 3, delta: 'Again' },
      { type: 'reasoning-end', block: 3, signature: 'c2lnMg==' },
      { type: 'text-start', block: 4 },
      { type: 'text-delta', block: 4, delta: 'Second.' },
      { type: 'text-end', block: 4 },
      { type: 'tool-call-start', block: 5, callId: 'toolu_b', name: 'mcp.list' },
      { type: 'tool-call-delta', block: 5, delta: '{}' },
      { type: 'tool-call-end', block: 5, callId: 'toolu_b', name: 'mcp.list', input: '{}' },
      {
        type: 'turn-end',
        reason: 'tool-calls',
        rawReason: 'tool_use',
        usage: { inputTokens: 1225, outputTokens: 42, cacheReadTokens: 1200, cacheWriteTokens: 0 },
      },
    ])
  })

  it.each<[unknown, string | undefined]>([
    [{}, '{}'],
    [[], '{}'],
    ['', '{}'],
    ['{"path":"a"}', '{"path":"a"}'],
    ['src/a.ts', undefined],
    [['src/a.ts'], undefined],
    [5, undefined],
  ])('a whole call with the input %j is read as %s; what is no object is never {}', (input, read) => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'read', input }
    const events = createReader().whole({ id: 'm', content: [block], stop_reason: 'tool_use' })
    const calls = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.input] : []))
    expect(calls).toEqual(read === undefined ? [] : [read])
    expect(events.at(-1)?.type).toBe(read === undefined ? 'turn-error' : 'turn-end')
  })

  it('streams argument deltas unless whole arguments are wanted', () => {
    const deltas = read('thinking-and-tools', false).flatMap((event) =>
      event.type === 'tool-call-delta' ? [event.delta] : [],
    )
    expect(deltas).toEqual(['{"pa', 'th": "src/', 'ü.ts"}', '{}'])
  })

  it('keeps redacted and omitted thinking', () => {
    const ends = read('redacted').filter((event) => event.type === 'reasoning-end')
    expect(ends).toEqual([
      { type: 'reasoning-end', block: 0, redacted: 'b3BhcXVl' },
      { type: 'reasoning-end', block: 1, signature: 'c2ln' },
    ])
  })

  it.each([
    ['refusal', 'content-filter'],
    ['cut-arguments', 'length'],
    ['server-tools', 'stop'],
  ])('%s ends with %s', (name, reason) => {
    expect(read(name).at(-1)).toMatchObject({ type: 'turn-end', reason })
  })

  it('citations are left out, with a note', () => {
    const notes: string[] = []
    const createNoted = () =>
      new AnthropicReader({ ...readerOptions, wholeArguments: true, note: (text) => notes.push(text) })
    const citation = { type: 'char_location', cited_text: 'x' }
    const block = { type: 'text', text: 'so', citations: [citation] }
    createNoted().whole({ id: 'm', content: [block], stop_reason: 'end_turn' })
    const frames = [
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } },
    ]
    createNoted().push(frames.map((frame) => ({ event: frame.type, data: JSON.stringify(frame) })))
    expect(notes).toEqual(['citations are not passed on', 'citations are not passed on'])
  })

  it('arguments of a whole answer keep their spelling', () => {
    const input = '{ "id": 12345678901234567890, "x":1.0 }'
    const call = (id: string, given: string) =>
      `{"type":"tool_use","id":"${id}","input":${given},"name":"read"}`
    const text = `{"id":"m", "content" : [{"type":"text","text":"input"},${call('a', input)}, ${call('b', '{}')}],"stop_reason":"tool_use"}`
    const ends = createReader()
      .whole(JSON.parse(text), text)
      .filter(({ type }) => type === 'tool-call-end')
    expect(ends).toMatchObject([{ input }, { input: '{}' }])
  })

  it.each([
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['constructor', 'other'],
    ['something_new', 'other'],
  ])('maps stop_reason %s to %s', (stop_reason, reason) => {
    const events = createReader().whole({
      id: 'm',
      content: [{ type: 'text', text: 'x' }],
      stop_reason,
      usage: {},
    })
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason })
  })
})
