// What a door writes, cut at every byte: the official client takes no part of a stream for the whole, and reads the whole
// however its bytes arrive.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Bench } from '../harness.ts'
import type { DoorBackend } from './door-backends.ts'
import { check, DoorBench, type DoorForm, doorForms } from './door-bench.ts'
import type { DoorAnswer, DoorAsk, DoorClient, DoorTool } from './door-client.ts'

/** Short names: some doors repeat the tools in their streams, and every byte is a request. */
const tool: DoorTool = { name: 'r', description: 'r', schema: { type: 'object', properties: {} } }
const rich: Step[] = [
  { think: 'hm', pieces: 1 },
  { say: 'ü🙂', pieces: 1 },
  { call: { name: 'r', arguments: { a: 'ü' } }, pieces: 2 },
  { call: { name: 'r', arguments: {} } },
]

const form = doorForms.find(({ headers }) => headers !== undefined) as DoorForm

export function describeEveryByte(client: DoorClient, bench: Bench, backends: readonly DoorBackend[]): void {
  for (const [index, backend] of backends.entries())
    describe(`every byte: ${client.name} on ${backend.model}`, () => {
      const stream = new RecordedStream(new DoorBench(client, bench, backend, form))
      beforeAll(() => stream.record())

      // Every byte is read into events, and every number of events into an answer: the rest would say the same again.
      it('no part of the stream is an answer that lacks something', async () => {
        let before = ''
        for (let at = 0; at < stream.bytes.length; at++) {
          const cut = [stream.bytes.subarray(0, at)]
          const { events, failed } = await stream.read(cut)
          stream.expectBeginning(events, at)
          const state = `${events.length} ${failed}`
          if (state === before) continue
          before = state
          const answer = await stream.answerFrom(cut).catch(() => undefined)
          if (answer?.end !== undefined) expect([at, answer]).toEqual([at, stream.answer])
        }
        expect(Number.parseInt(before, 10)).toBeGreaterThanOrEqual(stream.events.length - 1)
      })

      // A matter of the reader and of the form, not of what is said.
      check('in two pieces it is the same', index > 0 && 'one stream says it for each reader', async () => {
        for (let at = 1; at < stream.bytes.length; at++) {
          const { events } = await stream.read([stream.bytes.subarray(0, at), stream.bytes.subarray(at)])
          expect(events.length).toBe(stream.events.length)
          stream.expectBeginning(events, at)
        }
      })
    })
}

type Answer = Pick<DoorAnswer, 'text' | 'thinking' | 'calls' | 'end'>

class RecordedStream {
  bytes = new Uint8Array()
  events: unknown[] = []
  answer: Answer | undefined
  readonly #door: DoorBench
  #headers = new Headers()
  /** The first events as text, by how many they are. */
  #beginnings: string[] = []

  constructor(door: DoorBench) {
    this.#door = door
  }

  async record(): Promise<void> {
    const { backend, bench } = this.#door
    backend.play(bench, rich)
    this.answer = await this.#ask(async (input, init) => {
      const response = await fetch(input, init)
      this.#headers = response.headers
      this.bytes = new Uint8Array(await response.arrayBuffer())
      return this.#response([this.bytes])
    })
    this.events = (await this.read([this.bytes])).events
    this.#beginnings = [...this.events.keys(), this.events.length].map((count) =>
      JSON.stringify(this.events.slice(0, count)),
    )
    expect(this.answer).toMatchObject({
      text: 'ü🙂',
      thinking: 'hm',
      calls: [
        { name: 'r', input: { a: 'ü' } },
        { name: 'r', input: {} },
      ],
      end: 'calls',
    })
  }

  /** The events, and whether the reader has found something wrong behind them. */
  async read(pieces: readonly Uint8Array[]): Promise<{ events: unknown[]; failed: boolean }> {
    const events: unknown[] = []
    try {
      for await (const event of this.#door.client.events(new Response(inPieces(pieces)))) events.push(event)
    } catch {
      return { events, failed: true }
    }
    return { events, failed: false }
  }

  /** Compared as text: thousands of deep comparisons would take most of the time. */
  expectBeginning(events: readonly unknown[], at: number): void {
    if (JSON.stringify(events) !== this.#beginnings[events.length])
      expect([at, events]).toEqual([at, this.events.slice(0, events.length)])
  }

  answerFrom(pieces: readonly Uint8Array[]): Promise<Answer> {
    return this.#ask(async () => this.#response(pieces))
  }

  async #ask(fetch: NonNullable<DoorAsk['fetch']>): Promise<Answer> {
    const turns = [{ user: 'x' }]
    const { text, thinking, calls, end } = await this.#door.ask(turns, {
      tools: [tool],
      thinking: true,
      fetch,
    })
    return { text, thinking, calls, end }
  }

  #response(pieces: readonly Uint8Array[]): Response {
    return new Response(inPieces(pieces), { headers: this.#headers })
  }
}

const inPieces = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
