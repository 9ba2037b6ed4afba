// What a door writes, cut at every byte: the official client takes no part of a stream for the whole, and reads the whole
// however its bytes arrive.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { positions } from '../depth.ts'
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
        for (const at of positions(stream.bytes.length, 150)) {
          const { count, failed } = await stream.readAround([at], at)
          const state = `${count} ${failed}`
          if (state === before) continue
          before = state
          const cut = [stream.bytes.subarray(0, at)]
          const answer = await stream.answerFrom(cut).catch(() => undefined)
          if (answer?.end !== undefined) expect([at, answer]).toEqual([at, stream.answer])
        }
        expect(Number.parseInt(before, 10)).toBeGreaterThanOrEqual(stream.events.length - 1)
      })

      // A matter of the reader and of the form, not of what is said.
      check('in two pieces it is the same', index > 0 && 'one stream says it for each reader', async () => {
        for (const at of positions(stream.bytes.length, 80)) {
          const end = stream.endOfEventBehind(at)
          const { count } = await stream.readAround([at, end], at)
          expect([at, count]).toEqual([at, stream.countUntil(end)])
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
  /** Each event as text. */
  #texts: string[] = []
  /** Offsets of event ends and the number of events before each: a reader starts afresh after each. */
  #ends: { at: number; count: number }[] = [{ at: 0, count: 0 }]

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
    this.#texts = this.events.map((event) => JSON.stringify(event))
    await this.#findEnds()
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

  async #findEnds(): Promise<void> {
    const { isLines } = this.#door.client
    for (let at = 2; at <= this.bytes.length; at++) {
      if (this.bytes[at - 1] !== newline || !(isLines || this.bytes[at - 2] === newline)) continue
      const last = this.#ends.at(-1) ?? { at: 0, count: 0 }
      const { events } = await this.read([this.bytes.subarray(last.at, at)])
      this.#ends.push({ at, count: last.count + events.length })
    }
    expect(this.#ends.at(-1)).toEqual({ at: this.bytes.length, count: this.events.length })
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

  /** Reads on from the last event that ends before `at`, in pieces that end at `cuts`: how many events there are by then. */
  async readAround(cuts: readonly number[], at: number): Promise<{ count: number; failed: boolean }> {
    const begin = this.#ends.findLast((end) => end.at <= at) ?? { at: 0, count: 0 }
    const pieces = cuts.map((cut, index) => this.bytes.subarray(cuts[index - 1] ?? begin.at, cut))
    const { events, failed } = await this.read(pieces)
    for (const [index, event] of events.entries())
      expect([at, JSON.stringify(event)]).toEqual([at, this.#texts[begin.count + index]])
    return { count: begin.count + events.length, failed }
  }

  /** The end of the event behind the one that `at` is in. */
  endOfEventBehind(at: number): number {
    const [, second] = this.#ends.filter((end) => end.at > at)
    return second?.at ?? this.bytes.length
  }

  countUntil(place: number): number {
    return this.#ends.find(({ at }) => at === place)?.count ?? -1
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

const newline = 10

const inPieces = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
