// Bytes to server-sent events: the only SSE reading code. Pure: no I/O, no clock.

import { createParser } from 'eventsource-parser'
import { GatewayError } from '../core/errors.ts'
import { createUtf8Decoder } from './utf8-decoder.ts'

export interface SseMessage {
  event?: string | undefined
  data: string
}

export interface SseReader {
  push(bytes: Uint8Array): SseMessage[]
  /** The stream ended. An event without its blank line is given too: some servers close right behind the last one. */
  end(): SseMessage[]
}

/** One event may hold this much text: a whole tool call of a few megabytes is legal, an endless line is not. */
const maxEventChars = 8 * 1024 * 1024

export function createSseReader(): SseReader {
  const decode = createUtf8Decoder()
  let messages: SseMessage[] = []
  let tooLarge = false
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (message) => messages.push(message),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true
    },
  })

  function feed(text: string): SseMessage[] {
    if (text !== '') parser.feed(text)
    if (tooLarge)
      throw new GatewayError('upstream-protocol', 'The upstream sent a single event of more than 8 MiB.')
    if (messages.length === 0) return messages
    const taken = messages
    messages = []
    return taken
  }

  return {
    push: (bytes) => feed(decode(bytes)),
    end: () => feed(`${decode()}\n\n`),
  }
}
