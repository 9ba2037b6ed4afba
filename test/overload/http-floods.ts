// What hostile upstreams send, by the protocol that they speak.

import { encodeChunk } from '../../sim/clouds/event-stream.ts'

export type DoorName = 'chat' | 'messages' | 'responses' | 'gemini' | 'ollama'

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
  head: string | Buffer
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
const wholeAt = (of: readonly DoorName[]): readonly Way[] =>
  of.map((door) => ({ door, stream: false, keeps: true }))
const whole = wholeAt(doors)
const newer: readonly DoorName[] = ['gemini', 'ollama']
const streamed = (keeps: boolean, of = doors): readonly Way[] =>
  of.map((door) => ({ door, stream: true, keeps }))

const sse = 'text/event-stream'
const openai = { kind: 'openai', apiKey: 'x' }
const anthropic = { kind: 'anthropic', apiKey: 'x' }
const gemini = { kind: 'gemini', apiKey: 'x' }
const bedrock = { ...anthropic, provider: 'bedrock', region: 'us-east-1' }
const vertex = {
  ...{ kind: 'anthropic', provider: 'vertex', region: 'us-east5', project: 'my-project' },
  ...{ accessToken: 'x', models: ['x'] },
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const named = (data: { type: string }) => `event: ${data.type}\n${event(data)}`
const chunk = (delta: unknown) => event({ id: 'c', choices: [{ index: 0, delta }] })

/** One text many times over, in writes of about 64 KiB. */
const again = (text: string | Buffer): (() => Buffer) => {
  const times = Math.max(1, Math.ceil(65_536 / text.length))
  const bytes = Buffer.concat(Array.from({ length: times }, () => Buffer.from(text)))
  return () => bytes
}
const wide = 'много слов '.repeat(10)

const block = (index: number, of: unknown) =>
  named({ type: 'content_block_start', index, content_block: of } as never)
const delta = (index: number, of: unknown) =>
  named({ type: 'content_block_delta', index, delta: of } as never)
const stop = (index: number) => named({ type: 'content_block_stop', index } as never)
const start = named({ type: 'message_start', message: { id: 'm', model: 'x', usage: {} } } as never)

const generated = (...parts: unknown[]) => event({ candidates: [{ content: { role: 'model', parts } }] })
/** Mostly no text: a chunk in the lane is held as it came and as what it says, and a read of them has to fit into the least limit. */
const shortText = event({
  candidates: [{ content: { role: 'model', parts: [{ text: 'x'.repeat(200) }] } }],
  responseId: 'r'.repeat(400),
})
/** Events of Messages in the frames of Bedrock. */
const framed = (...events: unknown[]) => Buffer.concat(events.map((one) => encodeChunk(JSON.stringify(one))))
const eventStream = 'application/vnd.amazon.eventstream'
const begun = [
  { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
]
const textDelta = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
})

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
  { name: 'text, at the newer doors', backend: openai, type: sse, head: '', piece: again(chunk({ content: 'x'.repeat(1_000) })), ways: [...wholeAt(newer), ...streamed(false, newer)] },
  { name: 'text', backend: gemini, type: sse, head: '', piece: again(shortText), ways: [...wholeAt(['chat', ...newer]), ...streamed(false, ['messages', ...newer])] },
  { name: 'thoughts', backend: gemini, type: sse, head: '', piece: again(generated({ text: 'hm '.repeat(50), thought: true })), ways: wholeAt(['messages', 'gemini']) },
  { name: 'a whole answer', backend: gemini, type: 'application/json', head: '{"candidates":[{"content":{"parts":[{"text":"', piece: again('x'.repeat(65_536)), ways: wholeAt(['chat', 'gemini']), mostBytes: 24 * 1024 * 1024 },
  { name: 'an event of empty objects', backend: gemini, type: sse, head: 'data: {"candidates":[', piece: again('{},'), ways: streamed(true, ['chat', 'gemini']), mostBytes: 6 * 1024 * 1024, nightlyBytes: 6 * 1024 * 1024, tail: '{}]}\n\n' },
  { name: 'signed calls', backend: gemini, type: sse, head: '', piece: (at) => Buffer.from(Array.from({ length: 100 }, (_, of) => generated({ functionCall: { id: `c${at * 100 + of}`, name: 'read', args: { a: 1 } }, thoughtSignature: 's'.repeat(500) })).join('')), ways: streamed(true, ['chat', 'gemini']), request: (door) => door === 'chat' ? withTool(door) : {} },
  { name: 'pieces of one call', backend: gemini, type: sse, head: generated({ functionCall: { id: 'a', name: 'read', willContinue: true } }), piece: again(generated({ functionCall: { partialArgs: [{ jsonPath: '$.path', stringValue: 'x'.repeat(500), willContinue: true }], willContinue: true } })), ways: streamed(true, ['chat']), request: withTool },
  { name: 'text', backend: bedrock, type: eventStream, head: framed(...begun), piece: again(framed(textDelta('x'.repeat(1_000)))), ways: [...wholeAt(['chat']), ...streamed(false, ['messages', 'ollama'])] },
  { name: 'frames without a type', backend: bedrock, type: eventStream, head: framed(...begun), piece: again(framed({ p: 'x'.repeat(1_000) })), ways: streamed(false, ['messages']) },
  { name: 'thinking', backend: bedrock, type: eventStream, head: framed(begun[0], { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }), piece: again(framed({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm '.repeat(50) } })), ways: streamed(true, ['messages']) },
  { name: 'text', backend: vertex, type: sse, head: start + block(0, { type: 'text', text: '' }), piece: again(delta(0, { type: 'text_delta', text: 'x'.repeat(1_000) })), ways: [...wholeAt(['chat']), ...streamed(false, ['messages', 'gemini'])] },
] // biome-ignore format: a table, one flood a line

/** What tells the rows of one kind apart. */
export const placeOf = ({ backend }: HttpFlood): string => String(backend.provider ?? backend.kind)
