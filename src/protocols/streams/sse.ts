// Bytes to server-sent events: the only SSE reading code. Pure: no I/O, no clock.

import { createParser } from 'eventsource-parser'
import { ownText } from '../../base/text-buffer.ts'
import { createUtf8Decoder } from '../../base/utf8-decoder.ts'
import { GatewayError } from '../../core/errors.ts'

export interface SseMessage {
  event?: string | undefined
  data: string
}

export interface SseReader {
  push(bytes: Uint8Array): SseMessage[]
  /** The stream ended. An event without its blank line is given too: some servers close right behind the last one. */
  end(): SseMessage[]
  /** What the next event has before its data, if it looks like the last one. Undefined in the middle of an event. */
  readonly eventPrefix: string | undefined
}

/** One event may hold this much text: a whole tool call of a few megabytes is legal, an endless line is not. */
const maxEventChars = 8 * 1024 * 1024

/** A piece of an event holds on to all the text that it was read from: of more than this, events are copies. */
const longestHeldOnTo = 256 * 1024

const newLine = 10

const endsEvent = (text: string) => text.endsWith('\n\n') || text.endsWith('\r\n\r\n')

const ownMessage = ({ event, data }: SseMessage): SseMessage => ({ event, data: ownText(data) })

export function createSseReader(): SseReader {
  const decode = createUtf8Decoder()
  let messages: SseMessage[] = []
  let tooLarge = false
  /** What has come since the last text that ended with an event. */
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
    // Lines without an end count as well: each of them takes more memory than its characters.
    if (tooLarge || pendingLength > maxEventChars)
      throw new GatewayError('upstream-protocol', 'The upstream sent a single event of more than 8 MiB.')
    if (messages.length === 0) return messages
    const taken = length > longestHeldOnTo ? messages.map(ownMessage) : messages
    messages = []
    return taken
  }

  /**
   * Most chunks are one whole event, and begin as the one before them: its name, and `data: `. With nothing left over from before,
   * and no line break but the two at the end, there is nothing else to be read in them.
   */
  let prefix = ''
  let name: string | undefined
  let isAtStart = false

  function readOne(text: string): SseMessage[] | undefined {
    const end = text.length - 2
    if (!isAtStart || prefix === '' || !text.startsWith(prefix) || text.indexOf('\n', prefix.length) !== end)
      return undefined
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
    get eventPrefix() {
      return isAtStart && prefix !== '' ? prefix : undefined
    },
    push(bytes) {
      const text = decode(bytes)
      if (text === '') return feed(text)
      return readOne(text) ?? readAll(text)
    },
    end: () => feed(`${decode()}\n\n`),
  }
}
