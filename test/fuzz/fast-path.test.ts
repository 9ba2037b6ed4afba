// Text deltas on the fast path give the same bytes as events: for every style of server, with other events in between, however the
// stream is cut, and however slow the client is.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { httpTurn } from '../../src/backends/http/http-turn.ts'
import type { TurnEvent } from '../../src/core/events.ts'
import { openFastPath } from '../../src/core/fast-path.ts'
import type { Sink } from '../../src/core/sink.ts'
import { pump, Turn } from '../../src/core/turn.ts'
import type { EventWriter } from '../../src/doors/door.ts'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { MessagesWriter } from '../../src/protocols/anthropic-messages/write.ts'
import { GeminiWriter } from '../../src/protocols/gemini/write.ts'
import { OllamaWriter } from '../../src/protocols/ollama/write.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { ChatWriter } from '../../src/protocols/openai-chat/write.ts'
import { ToolNames } from '../../src/protocols/openai-responses/tool-names.ts'
import { ResponsesWriter } from '../../src/protocols/openai-responses/write.ts'
import type { TurnReader } from '../../src/protocols/streams/reader.ts'
import { ByteSource } from '../../src/upstream/byte-source.ts'
import type { Dispatcher } from '../../src/upstream/undici.ts'
import { anthropicStream } from './anthropic-events.ts'
import { chatStream } from './chat-events.ts'
import { fuzzShare } from './settings.ts'

const about = { turnId: 'turn_1', model: 'm', backend: 'box', wholeArguments: true, note: () => undefined }

const readers: Record<string, () => TurnReader> = {
  chat: () => new ChatReader(about),
  anthropic: () => new AnthropicReader({ ...about, toolName: (name) => name }),
}
/** Of servers with no habits: mostly text that needs no escape, with all else between. */
const texts = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('word ', 'a', '}', ',', "it's", '{"', '</a>') },
    fc.constantFrom('', '"', '\\', '\n', 'é', '😀', '\u007f', ' ', 'x'.repeat(2_000)),
    fc.constantFrom('!ping', '!think', '!call', '!stop', '!usage'),
  ),
  { maxLength: 20 },
)
const plainChat = texts.map((all) => {
  const chunk = (delta: object, more: object = {}) =>
    JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }], ...more })
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const others: Record<string, string> = {
    '!ping': chunk({}),
    '!think': chunk({ reasoning_content: 'hm' }),
    '!call': chunk({ tool_calls: [call] }),
    '!stop': JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    '!usage': chunk({ content: 'u' }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  }
  return [...all.map((text) => others[text] ?? chunk({ content: text })), others['!stop'] ?? '', '[DONE]']
})
const plainAnthropic = texts.map((all) => {
  const delta = (text: string) =>
    JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  const start = (block: object) =>
    JSON.stringify({ type: 'content_block_start', index: 0, content_block: block })
  const stop = JSON.stringify({ type: 'content_block_stop', index: 0 })
  const others: Record<string, string[]> = {
    '!ping': ['{"type":"ping"}'],
    '!think': [stop, start({ type: 'thinking', thinking: 'hm', signature: '' })],
    '!call': [stop, start({ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} })],
    '!stop': [stop, start({ type: 'text', text: '' })],
    '!usage': [stop],
  }
  return [
    JSON.stringify({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 1 } } }),
    start({ type: 'text', text: '' }),
    ...all.flatMap((text) => others[text] ?? [delta(text)]),
    stop,
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
    '{"type":"message_stop"}',
  ]
})
const streams = {
  chat: fc.oneof(chatStream, plainChat),
  anthropic: fc.oneof(anthropicStream, plainAnthropic),
}

const facts = { id: 'id_1', model: 'm', createdAt: 1, toolArguments: 'whole' as const, lateNotes: () => [] }
const writers: Record<string, () => EventWriter> = {
  chat: () => new ChatWriter({ ...facts, includeUsage: true }),
  messages: () => new MessagesWriter({ ...facts, showsThinking: true, requestId: 'r' }),
  gemini: () => new GeminiWriter({ ...facts, showsThoughts: true, form: 'sse' }),
  'gemini array': () => new GeminiWriter({ ...facts, showsThoughts: false, form: 'array' }),
  ollama: () => new OllamaWriter({ ...facts, ...{ form: 'chat', showsThinking: true, now: () => 2 } }),
  'ollama, generate': () =>
    new OllamaWriter({ ...facts, ...{ form: 'generate', showsThinking: false, now: () => 2 } }),
  responses: () =>
    new ResponsesWriter({
      ...{ ...facts, names: new ToolNames(), includeProofs: true },
      echo: { tools: [], metadata: {} },
      now: () => 2,
    }),
}

/** Slow by a pattern: true is a write that it has yet to take. */
class PatternSink implements Sink {
  text = ''
  isBehind = false
  gone = false
  started = true
  readonly #slow: readonly boolean[]
  #writes = 0

  constructor(slow: readonly boolean[]) {
    this.#slow = slow
  }

  start(): void {
    this.started = true
  }

  write(text: string): boolean {
    this.text += text
    this.isBehind = this.#slow[this.#writes++ % this.#slow.length] ?? false
    return !this.isBehind
  }

  async drained(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.isBehind = false
  }

  end(text = ''): void {
    this.text += text
  }

  onGone(): () => void {
    return () => undefined
  }
}

interface Played {
  chunks: readonly Buffer[]
  reader: TurnReader
  writer: EventWriter
  slow: readonly boolean[]
  /** Gets the deltas that took the fast path; undefined: there is no fast path. */
  deltas?: string[] | undefined
}

async function play({ chunks, reader, writer, slow, deltas }: Played) {
  const controller = {
    paused: false,
    pause: () => undefined,
    resume: () => undefined,
    abort: () => undefined,
  }
  const body = new ByteSource(controller as unknown as Dispatcher.DispatchController)
  const response = { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
  const at = 'http://box'
  const client = { origin: at, base: at, close: async () => undefined, request: async () => response }
  const turn = new Turn(
    httpTurn({
      ...{ client, path: '/', headers: {}, body: '', stream: true, reader, backend: 'box' },
      ...{ signal: new AbortController().signal, progressMs: 60_000, firstByteMs: 60_000 },
      toError: () => {
        throw new Error('not asked for')
      },
      ignoresText: () => true,
    }),
  )
  const sink = new PatternSink(slow)
  let characters = 0
  const write = (events: readonly TurnEvent[]) => {
    for (const event of events) if (event.type === 'text-delta') characters += event.delta.length
    return writer.push(events)
  }
  const onDelta = (text: string) => {
    characters += text.length
    deltas?.push(text)
  }
  const done = turn
    .open()
    .catch(() => undefined)
    .then(() => {
      if (deltas) openFastPath({ source: turn, writer, sink, onDelta })
      return pump({ turn, write, sink })
    })
  done.catch(() => undefined)
  for (const chunk of chunks) {
    // What waits has the time to ask for the next.
    await new Promise((resolve) => setImmediate(resolve))
    body.onData(chunk)
  }
  body.onEnd()
  await done
  return { text: sink.text, characters, progress: reader.progress }
}

const framed = (data: string, name: string | undefined) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`

/** Mostly an event to a chunk. */
const cuts = fc.array(fc.record({ together: fc.nat(8), at: fc.nat(300) }), { maxLength: 40 })

function chunksOf(events: readonly string[], places: readonly { together: number; at: number }[]): Buffer[] {
  const chunks: Buffer[] = []
  let held = Buffer.alloc(0)
  for (const [nth, event] of events.entries()) {
    const bytes = Buffer.concat([held, Buffer.from(event)])
    const { together, at } = places[nth % Math.max(1, places.length)] ?? { together: 8, at: 0 }
    held = Buffer.alloc(0)
    if (together === 0) held = bytes
    else if (together === 1) {
      chunks.push(bytes.subarray(0, at % bytes.length))
      held = Buffer.from(bytes.subarray(at % bytes.length))
    } else chunks.push(bytes)
  }
  return [...chunks, held].filter(({ length }) => length > 0)
}

describe.each(['chat', 'anthropic'] as const)('text from %s', (dialect) => {
  it.each(Object.keys(writers))('comes out the same on the fast path, to %s', async (door) => {
    const open = { reader: readers[dialect] as () => TurnReader, writer: writers[door] as () => EventWriter }
    const names = fc.constantFrom(undefined, 'content_block_delta')
    const slow = fc.array(fc.boolean(), { minLength: 1, maxLength: 4 })
    let taken = 0
    const property = fc.asyncProperty(
      streams[dialect],
      names,
      cuts,
      slow,
      async (messages, name, places, pattern) => {
        const chunks = chunksOf(
          messages.map((data) => framed(data, name)),
          places,
        )
        const fresh = () => ({ chunks, reader: open.reader(), writer: open.writer(), slow: pattern })
        const deltas: string[] = []
        const [usual, fast] = [await play(fresh()), await play({ ...fresh(), deltas })]
        expect(fast).toEqual(usual)
        taken += deltas.length
      },
    )
    const runs = fuzzShare(0.8)
    await fc.assert(property, runs)
    // Otherwise nothing was compared.
    expect(taken).toBeGreaterThan(0.1875 * runs.numRuns)
  })
})
