// Fast path for text. Most of a stream is network reads of one SSE event each, which holds the next text delta and nothing else.
// Such a delta goes from the bytes of the read into the bytes for the client, without events in between.
//
// A source of batches that knows the fast path offers its deltas, and a writer that knows it takes them. If one side does not know it,
// or refuses a delta, the delta becomes an ordinary event. test/fuzz/fast-path.test.ts proves that both ways write the same bytes.

import { beginsWith, endsWith } from '../base/text-edges.ts'
import type { Sink } from './sink.ts'

/** The constant text around the text of a delta, as received or as sent. */
export interface Framing {
  readonly before: string
  readonly after: string
}

/**
 * Takes one delta of the open text block; its text needs no escape in JSON. False: the delta has to become an event.
 * `at`: the time of the read, by `performance.now()`. It is an argument because reading the clock is a large part of the work per delta.
 */
export type TakeTextDelta = (text: string, received: Framing, at: number) => boolean

export interface TextDeltaSource {
  /** From now on, `take` gets every text delta that fills exactly one network read. */
  offerTextDeltas(take: TakeTextDelta): void
}

export interface TextDeltaWriter {
  /** The wire text for one more delta of the open text block; undefined if the delta has to become an event. */
  textDelta(text: string, received: Framing): string | undefined
  /** The framing that `textDelta` uses, where it is constant. */
  readonly textDeltaFraming?: Framing | undefined
}

interface FastPathOptions {
  source: TextDeltaSource
  writer: Partial<TextDeltaWriter>
  sink: Sink
  /** Called for each delta before it is written as `sent`. */
  onDelta(text: string, received: Framing, sent: string, at: number): void
}

/** Connects a source with a writer, if the writer knows the fast path. */
export function openFastPath({ source, writer, sink, onDelta }: FastPathOptions): void {
  if (!writer.textDelta) return
  source.offerTextDeltas((text, received, at) => {
    // A delta for a slow client becomes an event: the pump waits for the client.
    const sent = sink.isBehind ? undefined : writer.textDelta?.(text, received)
    if (sent === undefined) return false
    onDelta(text, received, sent, at)
    sink.write(sent)
    return true
  })
}

/** The JSON around the string that is the delta, quotes excluded. */
export interface DeltaShape {
  readonly prefix: string
  readonly suffix: string
}

/** A longer read is decoded in full. */
const longestRead = 1_024

/** Recognizes a read that is one SSE event with the next text delta. */
export class TextDeltaMatcher {
  #eventPrefix = ''
  #shape: DeltaShape | undefined
  framing: Framing = { before: '', after: '' }

  /** The next read may be such an event. `eventPrefix` is what the event has before its data. */
  expect(eventPrefix: string, shape: DeltaShape): void {
    if (eventPrefix === this.#eventPrefix && shape === this.#shape) return
    this.#eventPrefix = eventPrefix
    this.#shape = shape
    this.framing = { before: `${eventPrefix}${shape.prefix}"`, after: `"${shape.suffix}\n\n` }
  }

  /** The text of the delta; undefined if the read is anything else, or if the text is empty or has to be decoded. */
  match(bytes: Buffer): string | undefined {
    if (bytes.length > longestRead) return undefined
    const { before, after } = this.framing
    // Latin-1 has one character to a byte: text that is not ASCII fails the check below, or differs from the framing.
    const text = bytes.toString('latin1')
    const end = text.length - after.length
    if (end <= before.length || !beginsWith(text, before) || !endsWith(text, after)) return undefined
    for (let at = before.length; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return undefined
    }
    return text.slice(before.length, end)
  }
}
