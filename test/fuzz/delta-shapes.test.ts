// Events that are read by their delta string alone give the same events as parsing them in full: for every style of server, with other
// events in between, however the stream is cut.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { DeltaShapes } from '../../src/protocols/streams/delta-shapes.ts'
import type { TurnReader } from '../../src/protocols/streams/reader.ts'
import { createSseReader } from '../../src/protocols/streams/sse.ts'
import { bytewise } from '../contract/reader.ts'
import { fixtures } from '../fixtures.ts'
import { anthropicStream } from './anthropic-events.ts'
import { chatStream } from './chat-events.ts'
import { fuzz, fuzzShare } from './settings.ts'

class NoShapes<Kind extends string> extends DeltaShapes<Kind> {
  override find(): undefined {
    return undefined
  }
}

/** Counts the events that were read by their delta string alone. */
class CountedShapes<Kind extends string> extends DeltaShapes<Kind> {
  readonly #found: Map<string, number>

  constructor(found: Map<string, number>) {
    super()
    this.#found = found
  }

  override find(data: string): Kind | undefined {
    const kind = super.find(data)
    if (kind !== undefined) this.#found.set(kind, (this.#found.get(kind) ?? 0) + 1)
    return kind
  }
}

interface Reading {
  wholeArguments: boolean
  /** Undefined: every event is parsed in full. */
  found?: Map<string, number> | undefined
}

interface Recorded {
  reader: TurnReader
  notes: string[]
}

const shapesFor = <Kind extends string>({ found }: Reading) =>
  found ? new CountedShapes<Kind>(found) : new NoShapes<Kind>()

const create: Record<string, (reading: Reading) => Recorded> = {
  chat: (reading) => {
    const notes: string[] = []
    return { reader: new ChatReader(optionsFor(reading, notes), shapesFor(reading)), notes }
  },
  anthropic: (reading) => {
    const notes: string[] = []
    const options = { ...optionsFor(reading, notes), toolName: (name: string) => name }
    return { reader: new AnthropicReader(options, shapesFor(reading)), notes }
  },
}

const optionsFor = ({ wholeArguments }: Reading, notes: string[]) => ({
  turnId: 'turn_1',
  model: 'm',
  backend: 'box',
  wholeArguments,
  note: (text: string) => void notes.push(text),
})

const stateOf = ({ reader, notes }: Recorded) => ({
  notes: [...notes],
  progress: reader.progress,
  settled: reader.settled,
  mayBeSilent: reader.mayBeSilent,
  kept: reader instanceof ChatReader ? reader.kept : undefined,
})

/** The events of each message, and the state of the reader after it. */
function readEach(recorded: Recorded, messages: readonly string[]): unknown[] {
  const { reader } = recorded
  return [
    ...messages.map((data) => ({ events: reader.push([{ data }]), state: stateOf(recorded) })),
    { events: reader.end(), state: stateOf(recorded) },
  ]
}

function readBytes(recorded: Recorded, chunks: readonly Uint8Array[]): unknown {
  const { reader } = recorded
  const sse = createSseReader()
  const events = chunks.flatMap((chunk) => reader.push(sse.push(chunk)))
  return {
    events: [...events, ...reader.push(sse.end()), ...reader.end()],
    state: { ...stateOf(recorded), progress: 0 },
  }
}

const encode = (messages: readonly string[]) =>
  new TextEncoder().encode(messages.map((data) => `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`).join(''))

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
}

const { numRuns } = fuzz
const streams = { chat: chatStream, anthropic: anthropicStream }
const kinds = {
  chat: ['arguments', 'content', 'reasoning', 'reasoning_content'],
  anthropic: ['call', 'text', 'thinking'],
}
const folders = { chat: 'openai-chat', anthropic: 'anthropic-messages' }

describe.each(['chat', 'anthropic'] as const)('%s events of a known shape', (dialect) => {
  const open = create[dialect] as (reading: Reading) => Recorded

  it('give the same as when parsed in full, message by message', () => {
    const found = new Map<string, number>()
    const property = fc.property(streams[dialect], fc.boolean(), (messages, wholeArguments) => {
      const full = readEach(open({ wholeArguments }), messages)
      expect(readEach(open({ wholeArguments, found }), messages)).toEqual(full)
    })
    fc.assert(property, fuzz)
    // Otherwise nothing was compared.
    expect([...found.keys()].sort()).toEqual(kinds[dialect])
    expect(Math.min(...found.values())).toBeGreaterThan(numRuns / 20)
  })

  it('give the same as when parsed in full, however the bytes are cut', () => {
    const cuts = fc.array(fc.nat(4_000), { maxLength: 6 })
    const property = fc.property(streams[dialect], fc.boolean(), cuts, (messages, wholeArguments, places) => {
      const bytes = encode(messages)
      const full = readBytes(open({ wholeArguments }), [bytes])
      const found = new Map<string, number>()
      expect(readBytes(open({ wholeArguments, found }), cutAt(bytes, places))).toEqual(full)
    })
    fc.assert(property, fuzzShare(0.25))
  })

  describe.each(fixtures(folders[dialect]))('$name: $scenario', ({ bytes }) => {
    it.each([true, false])('is read the same both ways, whole arguments %s', (wholeArguments) => {
      const full = readBytes(open({ wholeArguments }), [bytes()])
      for (const chunks of [[bytes()], bytewise(bytes())])
        expect(readBytes(open({ wholeArguments, found: new Map() }), chunks)).toEqual(full)
    })
  })
})
