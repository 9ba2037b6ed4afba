// What hostile upstreams send, by the protocol that they speak.

export type DoorName = 'chat' | 'messages' | 'responses'

export interface Way {
  door: DoorName
  stream: boolean
  /** Something of it has to be kept, so that it must come to an end. */
  keeps: boolean
}

export interface HttpFlood {
  name: string
  backend: Record<string, unknown>
  type: string
  head: string
  /** Sent again and again. */
  piece(at: number): Buffer
  ways: readonly Way[]
  request?(door: DoorName): Record<string, unknown>
  /** Sent when it is not cut off before. */
  tail?: string
  /** How much the quick test has to send, where the limit is not that of the turn. */
  mostBytes?: number
  /** The same of the nightly test: what is within the limit of a size can be beyond another. */
  nightlyBytes?: number
}

const doors: readonly DoorName[] = ['chat', 'messages', 'responses']
const whole: readonly Way[] = doors.map((door) => ({ door, stream: false, keeps: true }))
const streamed = (keeps: boolean, of = doors): readonly Way[] =>
  of.map((door) => ({ door, stream: true, keeps }))

const sse = 'text/event-stream'
const openai = { kind: 'openai', apiKey: 'x' }
const anthropic = { kind: 'anthropic', apiKey: 'x' }

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const named = (data: { type: string }) => `event: ${data.type}\n${event(data)}`
const chunk = (delta: unknown) => event({ id: 'c', choices: [{ index: 0, delta }] })

/** One text many times over, in writes of about 64 KiB. */
const again = (text: string): (() => Buffer) => {
  const bytes = Buffer.from(text.repeat(Math.max(1, Math.ceil(65_536 / text.length))))
  return () => bytes
}
const wide = 'много слов '.repeat(10)

const block = (index: number, of: unknown) =>
  named({ type: 'content_block_start', index, content_block: of } as never)
const delta = (index: number, of: unknown) =>
  named({ type: 'content_block_delta', index, delta: of } as never)
const stop = (index: number) => named({ type: 'content_block_stop', index } as never)
const start = named({ type: 'message_start', message: { id: 'm', model: 'x', usage: {} } } as never)

const tool = {
  name: 'read',
  description: 'Read',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const withTool = (door: DoorName) => ({
  tools:
    door === 'chat'
      ? [{ type: 'function', function: tool }]
      : door === 'responses'
        ? [{ type: 'function', ...tool }]
        : [{ name: 'read', description: 'Read', input_schema: tool.parameters }],
})

export const httpFloods: readonly HttpFlood[] = [
  { name: 'text, long pieces', backend: openai, type: sse, head: '', piece: again(chunk({ content: 'x'.repeat(10_000) })), ways: [...whole, ...streamed(false, ['chat', 'messages']), ...streamed(true, ['responses'])] },
  { name: 'text, single characters', backend: openai, type: sse, head: '', piece: again(chunk({ content: 'x' })), ways: whole.map((way) => ({ ...way, keeps: false })) },
  { name: 'text of two bytes a character', backend: openai, type: sse, head: '', piece: again(chunk({ content: wide })), ways: whole },
  { name: 'a whole answer', backend: openai, type: 'application/json', head: '{"choices":[{"message":{"content":"', piece: again('x'.repeat(65_536)), ways: whole, mostBytes: 24 * 1024 * 1024 },
  { name: 'a whole answer of empty objects', backend: openai, type: 'application/json', head: '{"choices":[', piece: again('{},'), ways: whole, mostBytes: 12 * 1024 * 1024, nightlyBytes: 12 * 1024 * 1024, tail: '{}]}' },
  { name: 'an event of empty objects', backend: openai, type: sse, head: 'data: {"choices":[', piece: again('{},'), ways: [...whole, ...streamed(true, ['chat'])], mostBytes: 6 * 1024 * 1024, nightlyBytes: 6 * 1024 * 1024, tail: '{}]}\n\n' },
  { name: 'arguments in small pieces, each in a read of its own', backend: openai, type: sse, head: chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{"p":"' } }] }), piece: () => Buffer.from(`${chunk({ tool_calls: [{ index: 0, function: { arguments: 'twenty characters...' } }] })}: ${'x'.repeat(60_000)}\n\n`), ways: [{ door: 'chat', stream: true, keeps: false }], request: withTool },
  { name: 'reasoning_content', backend: openai, type: sse, head: '', piece: again(chunk({ reasoning_content: 'hm '.repeat(100) })), ways: [...whole, ...streamed(false, ['chat']), ...streamed(true, ['messages', 'responses'])] },
  { name: 'reasoning_details', backend: openai, type: sse, head: '', piece: again(chunk({ reasoning_details: [{ type: 'x', data: 'y'.repeat(100) }] })), ways: streamed(false, ['chat']) },
  { name: 'reasoning_details that are empty objects', backend: openai, type: sse, head: '', piece: again(chunk({ reasoning_details: Array.from({ length: 1_000 }, () => ({})) })), ways: streamed(false, ['chat']) },
  { name: 'text beside an unfinished call', backend: openai, type: sse, head: chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{"p' } }] }), piece: again(chunk({ content: 'x'.repeat(100) })), ways: streamed(true, ['chat']), request: withTool },
  { name: 'calls without a name', backend: openai, type: sse, head: '', piece: (at) => Buffer.from(Array.from({ length: 1_000 }, (_, of) => chunk({ tool_calls: [{ index: at * 1_000 + of, function: { arguments: '' } }] })).join('')), ways: streamed(true, ['chat']), request: withTool },
  { name: 'calls without arguments', backend: openai, type: sse, head: '', piece: (at) => Buffer.from(Array.from({ length: 1_000 }, (_, of) => chunk({ tool_calls: [{ index: at * 1_000 + of, id: `c${at * 1_000 + of}`, function: { name: 'read', arguments: '{"a":1}' } }] })).join('')), ways: streamed(true, ['chat']), request: withTool },
  { name: 'empty pieces of one call', backend: openai, type: sse, head: chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{"p' } }] }), piece: again(chunk({ tool_calls: [{ index: 0, function: { arguments: '' } }] })), ways: [{ door: 'chat', stream: true, keeps: false }], request: withTool },
  { name: 'text of a model without tools', backend: { ...openai, tools: 'text' }, type: sse, head: '', piece: again(chunk({ content: 'one two three\n'.repeat(30) })), ways: [...whole, ...streamed(false, ['chat'])], request: withTool },
  { name: 'text', backend: anthropic, type: sse, head: start + block(0, { type: 'text', text: '' }), piece: again(delta(0, { type: 'text_delta', text: 'x'.repeat(1_000) })), ways: [...whole, ...streamed(false, ['messages'])] },
  { name: 'thinking', backend: anthropic, type: sse, head: start + block(0, { type: 'thinking', thinking: '' }), piece: again(delta(0, { type: 'thinking_delta', thinking: 'hm '.repeat(50) })), ways: [...whole, ...streamed(true, ['messages'])] },
  { name: 'empty blocks', backend: anthropic, type: sse, head: start, piece: again(block(0, { type: 'thinking', thinking: '' }) + stop(0)), ways: streamed(true, ['messages']) },
  { name: 'signatures', backend: anthropic, type: sse, head: start, piece: again(block(0, { type: 'thinking', thinking: 'h' }) + delta(0, { type: 'signature_delta', signature: 's'.repeat(1_000) }) + stop(0)), ways: [...whole, ...streamed(false, ['messages'])] },
  { name: 'redacted thinking', backend: anthropic, type: sse, head: start, piece: again(block(0, { type: 'redacted_thinking', data: 's'.repeat(10_000) }) + stop(0)), ways: whole },
] // biome-ignore format: a table, one flood a line
