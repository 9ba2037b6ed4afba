// SSE parser: bytes to server-sent events. No I/O, no clock. All SSE of upstreams is read here.

import { createParser } from 'eventsource-parser'
import { ownText } from '../../base/text-buffer.ts'
import { beginsWith } from '../../base/text-edges.ts'
import { createUtf8Decoder } from '../../base/utf8-decoder.ts'
import { GatewayError } from '../../core/errors.ts'

export interface SseMessage {
  event?: string | undefined
  data: string
}

export interface SseReader {
  push(bytes: Uint8Array): SseMessage[]
  /** The stream ended. Returns an event without its blank line too: some servers close right after the last one. */
  end(): SseMessage[]
  /** What the next event has before its data, if it looks like the last one. Undefined in the middle of an event. */
  eventPrefix(): string | undefined
}

/** Limit of one event: a tool call of a few megabytes is legal, an endless line is not. */
const maxEventChars = 8 * 1024 * 1024

/** Slices keep the whole text they were cut from in memory. Above this length, events are copied. */
const longestShared = 256 * 1024

const newLine = 10

const endsEvent = (text: string) => text.endsWith('\n\n') || text.endsWith('\r\n\r\n')

const ownMessage = ({ event, data }: SseMessage): SseMessage => ({ event, data: ownText(data) })

export function createSseReader(): SseReader {
  const decode = createUtf8Decoder()
  let messages: SseMessage[] = []
  let tooLarge = false
  /** Characters since the last complete event. */
  let pendingLength = 0
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (message) => messages.push(message),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true
    },
  })

  function feed(text: string): SseMessage[] {
    if (text !== '') parser.feed(text)
    const length = pendingLength + text.length
    pendingLength = endsEvent(text) ? 0 : messages.length > 0 ? text.length : length
    // Counts unfinished events of many lines too: each line takes more memory than its characters.
    tooLarge ||= pendingLength > maxEventChars
    // The frame of an event stream can hold a whole event, which was never pending.
    tooLarge ||= length > maxEventChars && messages.some(({ data }) => data.length > maxEventChars)
    if (tooLarge)
      throw new GatewayError('upstream-protocol', 'The upstream sent a single event of more than 8 MiB.')
    if (messages.length === 0) return messages
    const taken = length > longestShared ? messages.map(ownMessage) : messages
    messages = []
    return taken
  }

  /**
   * Most chunks are exactly one event and begin like the one before: the event's name and `data: `. Such a chunk needs no parser if
   * nothing is pending and its only line breaks are the two at its end.
   */
  let prefix = ''
  let name: string | undefined
  let isAtStart = false

  function readOne(text: string): SseMessage[] | undefined {
    const end = text.length - 2
    if (!isAtStart || prefix === '' || text.length > maxEventChars) return undefined
    if (!beginsWith(text, prefix) || text.indexOf('\n', prefix.length) !== end) return undefined
    if (text.charCodeAt(end + 1) !== newLine || text.includes('\r')) return undefined
    return [{ event: name, data: text.slice(prefix.length, end) }]
  }

  function readAll(text: string): SseMessage[] {
    const read = feed(text)
    isAtStart = text.endsWith('\n\n')
    const last = isAtStart ? read.at(-1) : undefined
    if (last === undefined) return read
    name = last.event
    prefix = name === undefined ? 'data: ' : `event: ${name}\ndata: `
    return read
  }

  return {
    eventPrefix: () => (isAtStart && prefix !== '' ? prefix : undefined),
    push(bytes) {
      const text = decode(bytes)
      if (text === '') return feed(text)
      return readOne(text) ?? readAll(text)
    },
    end: () => feed(`${decode()}\n\n`),
  }
}
