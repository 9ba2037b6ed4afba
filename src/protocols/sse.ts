// Bytes to server-sent events: the only SSE reading code. Pure: no I/O, no clock.

import { isAscii } from 'node:buffer'
import { createParser } from 'eventsource-parser'
import { GatewayError } from '../core/errors.ts'

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
  const decode = createDecoder()
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

/** Bytes → text. Most of it is ASCII, which needs no decoder, unless that holds the first half of a character. */
function createDecoder(): (bytes?: Uint8Array) => string {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let isHolding = false
  return (bytes) => {
    if (bytes === undefined) return decoder?.decode() ?? ''
    if (!isHolding && isAscii(bytes)) return latin1(bytes)
    isHolding = (bytes.at(-1) ?? 0x80) >= 0x80
    decoder ??= new TextDecoder()
    return decoder.decode(bytes, { stream: true })
  }
}

const latin1 = (bytes: Uint8Array) => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString('latin1')
