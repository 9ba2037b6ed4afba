// Bedrock's event stream → the server-sent events of Anthropic that are inside its frames. Done where the bytes arrive: everything
// after it, tapes included, reads plain Messages events.

import { isObject, parseJson } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import { EventStreamError, type EventStreamMessage, EventStreamReader } from '../aws/event-stream.ts'
import { exceptionTypes } from './bedrock-errors.ts'

export const eventStreamType = 'application/vnd.amazon.eventstream'

export class BedrockStream {
  readonly #backend: string
  readonly #frames = new EventStreamReader()

  constructor(backend: string) {
    this.#backend = backend
  }

  push(bytes: Buffer): Buffer {
    const messages = this.#read(() => this.#frames.push(bytes))
    return Buffer.from(messages.map((message) => this.#events(message)).join(''))
  }

  end(): void {
    this.#read(() => this.#frames.end())
  }

  #read<Result>(step: () => Result): Result {
    try {
      return step()
    } catch (error) {
      if (!(error instanceof EventStreamError)) throw error
      throw this.#malformed(error.message)
    }
  }

  #malformed(what: string): GatewayError {
    return new GatewayError('upstream-protocol', `${this.#backend}: the event stream of Bedrock ${what}.`)
  }

  #events({ headers, payload }: EventStreamMessage): string {
    const kind = headers.get(':message-type')
    if (kind === 'event') return this.#chunk(payload)
    const body = parseJson(payload.toString('utf8'))
    const said = isObject(body) && typeof body.message === 'string' ? body.message : undefined
    const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'unknown'
    return errorEvent(type, said ?? headers.get(':error-message') ?? `Bedrock reports ${type}.`)
  }

  #chunk(payload: Buffer): string {
    const body = parseJson(payload.toString('utf8'))
    if (!isObject(body)) throw this.#malformed('has a frame whose content is not JSON')
    // Other union members are of models that are not Claude.
    if (typeof body.bytes !== 'string') return ''
    const text = Buffer.from(body.bytes, 'base64').toString('utf8')
    const type = typeOf(text)
    // A frame without a type keeps the connection open.
    if (type === undefined) return ''
    // The last event carries measures of the service, which Anthropic's does not.
    if (type === 'message_stop') return sseEvent(type, '{"type":"message_stop"}')
    return sseEvent(type, /[\r\n]/.test(text) ? JSON.stringify(parseJson(text)) : text)
  }
}

const typeFirst = /^\{"type":"([a-z_]{1,40})"/

/** Most events begin with their type, so they need no parsing. */
function typeOf(text: string): string | undefined {
  const first = typeFirst.exec(text)?.[1]
  if (first !== undefined) return first
  const json = parseJson(text)
  const type = isObject(json) ? json.type : undefined
  return typeof type === 'string' && /^\w{1,40}$/.test(type) ? type : undefined
}

const sseEvent = (type: string, data: string) => `event: ${type}\ndata: ${data}\n\n`

/** An error in Anthropic's form, with AWS's own name of it. */
function errorEvent(exception: string, message: string): string {
  const type = exceptionTypes.get(exception.toLowerCase()) ?? 'api_error'
  const error = { type, message: message.slice(0, 1_000), details: { error_code: exception } }
  return sseEvent('error', JSON.stringify({ type: 'error', error }))
}
