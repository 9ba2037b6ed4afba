// The server's half of a run's stream, the same on both transports: a Connect stream that ends with an end-of-stream envelope,
// or a refusal in its place.

import { GatewayError } from '../../core/errors.ts'
import { parseEndOfStream, parseUnaryError } from '../../protocols/connect/end-stream.ts'
import { EnvelopeReader } from '../../protocols/connect/envelope.ts'
import { toCursorError } from '../../protocols/cursor-agent/errors.ts'
import { redirectError } from '../../protocols/errors/redirect-error.ts'
import { retryAfter } from '../../upstream/retry-after.ts'
import type { TransportOptions } from './transport.ts'

interface AnswerSource {
  response: Promise<AnswerHead>
  read(): Promise<Buffer | null>
}

export interface AnswerHead {
  status: number
  headers: Record<string, string | string[] | undefined>
}

export const streamContentType = 'application/connect+proto'

/** Limits what compressed frames can expand to at a time: deflate reaches at most a thousand to one. */
const sliceBytes = 8 * 1024
const maxErrorBytes = 64 * 1024

/** A host that does not serve the account's region accepts a run and closes its stream without a message. */
export class EmptyAnswer extends GatewayError {
  constructor(backend: string) {
    super(
      'upstream-protocol',
      `${backend}: the upstream's stream ended before anything came; a host of the wrong region answers like that.`,
      { upstream: { status: 200 } },
    )
  }
}

export class RunAnswer {
  readonly #options: TransportOptions
  readonly #source: AnswerSource
  #envelopes: EnvelopeReader | undefined
  #unread: Uint8Array = new Uint8Array(0)
  #isEmpty = true
  #outcome: { failure?: GatewayError } | undefined

  constructor(source: AnswerSource, options: TransportOptions) {
    this.#source = source
    this.#options = options
  }

  /** See RunStream. */
  async read(): Promise<Uint8Array[] | null> {
    while (this.#outcome === undefined) {
      try {
        const messages = await this.#next()
        if (messages.length > 0) return messages
      } catch (error) {
        this.#outcome ??= { failure: GatewayError.from(error) }
      }
    }
    if (this.#outcome.failure) throw this.#outcome.failure
    return null
  }

  /** The next `read` returns null. */
  finish(): void {
    this.#outcome ??= {}
  }

  async #next(): Promise<Uint8Array[]> {
    this.#envelopes ??= await this.#begin()
    if (this.#unread.length === 0) {
      const bytes = await this.#source.read()
      if (bytes === null) throw this.#cutOff(this.#envelopes)
      this.#unread = bytes
    }
    const slice = this.#unread.subarray(0, sliceBytes)
    this.#unread = this.#unread.subarray(slice.length)
    const messages: Uint8Array[] = []
    for (const { endOfStream, data } of this.#envelopes.push(slice)) {
      if (endOfStream) this.#outcome = this.#conclude(data)
      else messages.push(data)
      this.#isEmpty = false
    }
    const { failure } = this.#envelopes
    if (failure) this.#outcome ??= { failure }
    return messages
  }

  async #begin(): Promise<EnvelopeReader> {
    const { status, headers } = await this.#source.response
    const type = String(headers['content-type'] ?? '')
    if (status !== 200 || !type.toLowerCase().startsWith(streamContentType))
      throw await this.#refusal(status, headers)
    const encoding = headers['connect-content-encoding']
    return new EnvelopeReader({
      backend: this.#options.backend,
      encoding: encoding === undefined ? undefined : String(encoding),
    })
  }

  async #refusal(status: number, headers: AnswerHead['headers']): Promise<GatewayError> {
    const excerpt = await readExcerpt(this.#source)
    return toRefusal({ status, headers, excerpt }, this.#options)
  }

  #conclude(payload: Uint8Array): { failure?: GatewayError } {
    const { backend, clientVersion } = this.#options
    const end = parseEndOfStream(payload)
    if (end.kind === 'ok') return {}
    const excerpt = Buffer.from(payload).toString('utf8')
    if (end.kind === 'error')
      return {
        failure: toCursorError({ backend, clientVersion, connect: end.error, httpStatus: 200, excerpt }),
      }
    return { failure: this.#broken('sent an end-of-stream frame that is not a JSON object', excerpt) }
  }

  #cutOff(envelopes: EnvelopeReader): GatewayError {
    if (envelopes.pending > 0) return this.#broken('ended in the middle of a frame')
    return this.#isEmpty
      ? new EmptyAnswer(this.#options.backend)
      : this.#broken('ended without its end-of-stream frame')
  }

  #broken(what: string, excerpt?: string): GatewayError {
    return new GatewayError('upstream-protocol', `${this.#options.backend}: the upstream's stream ${what}.`, {
      upstream: { status: 200, ...(excerpt === undefined ? {} : { excerpt }) },
    })
  }
}

/** The body as far as it arrives: the status says more than a break of the connection. */
export async function readExcerpt({ read }: Pick<AnswerSource, 'read'>): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    while (size < maxErrorBytes) {
      const bytes = await read()
      if (bytes === null) break
      parts.push(bytes)
      size += bytes.length
    }
  } catch (error) {
    if (GatewayError.from(error).code === 'canceled') throw error
  }
  return Buffer.concat(parts).subarray(0, maxErrorBytes).toString('utf8')
}

/** The error for a response that is not an agent stream. */
export function toRefusal(
  { status, headers, excerpt }: AnswerHead & { excerpt: string },
  { backend, clientVersion }: TransportOptions,
): GatewayError {
  const redirect = redirectError({ backend, status, excerpt })
  if (redirect) return redirect
  const connect = parseUnaryError(excerpt)
  const upstream = { upstream: { status, excerpt } }
  if (status === 200 && !connect) {
    const type = String(headers['content-type'] ?? 'none').slice(0, 100)
    return new GatewayError(
      'upstream-protocol',
      `${backend}: the upstream answered with content type "${type}" instead of an agent stream; is its "baseUrl" right?`,
      upstream,
    )
  }
  const refusal = { backend, clientVersion, connect, httpStatus: status, excerpt }
  return toCursorError({ ...refusal, retryAfterMs: retryAfter(headers) })
}
