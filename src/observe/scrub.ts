// Secrets are taken out wherever text leaves the process by a side door: logs, errors, reports, tapes. Those that were registered
// are known by value, others by what they look like.

import { type Found, SecretFinder } from '../base/secrets/find.ts'
import { apart, type Span } from '../base/secrets/spans.ts'
import { mark } from '../base/secrets/taken-out.ts'
import { inSlices, type Steps } from '../base/slices.ts'
import { GatewayError } from '../core/errors.ts'

export class Scrubber {
  readonly #finder = new SecretFinder()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) if (secret !== undefined) this.#finder.add(secret)
  }

  /** Where they stand, in order, apart from each other. */
  find(text: string): Found[] {
    return this.#finder.find(text)
  }

  /** The same, with pauses. */
  findSteps(text: string): Steps<Found[]> {
    return this.#finder.findSteps(text)
  }

  scrub(text: string): string {
    const found = this.find(text)
    return found.length === 0 ? text : withoutSpans(text, found)
  }

  /** For texts that may be long: the event loop serves others meanwhile. */
  async scrubInSlices(text: string): Promise<string> {
    const found = await inSlices(this.findSteps(text))
    return found.length === 0 ? text : withoutSpans(text, found)
  }

  /** Of a text that was cut: a secret may have been cut with it. */
  scrubBeginning(text: string): string {
    const found = this.find(text)
    const end = this.#finder.cutSecretIn(text)
    const cut = end === text.length ? [] : [{ start: end, end: text.length }]
    return withoutSpans(text, apart([...found, ...cut]))
  }

  /** The error as it may be shown; itself where nothing was secret. */
  scrubError(error: GatewayError): GatewayError {
    const message = this.scrub(error.message)
    const param = error.param === undefined ? undefined : this.scrub(error.param)
    return message === error.message && param === error.param
      ? error
      : new GatewayError(error.code, message, { ...error, param, cause: error })
  }
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let clean = ''
  let from = 0
  for (const { start, end } of spans) {
    clean += text.slice(from, start) + mark
    from = end
  }
  return clean + text.slice(from)
}
