// Removes secrets from text that leaves the process outside of answers: logs, errors, reports, tapes. Registered secrets are known
// by value, others are recognized by their form.

import type { Fields } from '../base/json.ts'
import { jsonString } from '../base/json-string.ts'
import { type Found, SecretFinder } from '../base/secrets/find.ts'
import { apart, type Span } from '../base/secrets/spans.ts'
import { mark } from '../base/secrets/taken-out.ts'
import { inSlices, type Steps } from '../base/slices.ts'
import { GatewayError } from '../core/errors.ts'

/** Names of models, doors and backends are in every line of the log: to search one takes a microsecond. */
const longestKnown = 64
const mostKnown = 500

export class Scrubber {
  readonly #finder = new SecretFinder()
  /** Short texts without a secret, and each as JSON. */
  readonly #clean = new Map<string, string>()

  add(...secrets: (string | undefined)[]): void {
    this.#clean.clear()
    for (const secret of secrets) if (secret !== undefined) this.#finder.add(secret)
  }

  /** All secrets in order, without overlaps. */
  find(text: string): Found[] {
    return this.#finder.find(text)
  }

  /** The same in steps. */
  findSteps(text: string): Steps<Found[]> {
    return this.#finder.findSteps(text)
  }

  scrub(text: string): string {
    if (this.#clean.has(text)) return text
    const found = this.find(text)
    if (found.length > 0) return withoutSpans(text, found)
    if (text.length <= longestKnown) {
      if (this.#clean.size >= mostKnown) this.#clean.clear()
      this.#clean.set(text, jsonString(text))
    }
    return text
  }

  /** The scrubbed text as JSON. */
  scrubToJson(text: string): string {
    return this.#clean.get(text) ?? jsonString(this.scrub(text))
  }

  /** For long texts: yields to the event loop in between. */
  async scrubInSlices(text: string): Promise<string> {
    const found = await inSlices(this.findSteps(text))
    return found.length === 0 ? text : withoutSpans(text, found)
  }

  /** For the beginning of a text: its end may be a part of a secret. */
  scrubBeginning(text: string): string {
    const found = this.find(text)
    const end = this.#finder.cutSecretIn(text)
    const cut = end === text.length ? [] : [{ start: end, end: text.length }]
    return withoutSpans(text, apart([...found, ...cut]))
  }

  /** The error with secrets removed; the same object if there are none. */
  scrubError(error: GatewayError): GatewayError {
    const message = this.scrub(error.message)
    const param = error.param === undefined ? undefined : this.scrub(error.param)
    const serviceCode = error.serviceCode === undefined ? undefined : this.scrub(error.serviceCode)
    const body = error.said && (this.scrubJson(error.said.body) as Fields)
    if (
      message === error.message &&
      param === error.param &&
      serviceCode === error.serviceCode &&
      body === error.said?.body
    )
      return error
    const said = error.said && body && { ...error.said, body }
    return new GatewayError(error.code, message, { ...error, param, serviceCode, said, cause: error })
  }

  /** The same as `scrubJson` for a long value that hardly ever holds a secret: its text is searched at once. */
  scrubListing(value: unknown): unknown {
    return this.find(JSON.stringify(value)).length === 0 ? value : this.scrubJson(value)
  }

  /** A JSON value with secrets removed from its strings and names; the same value if there are none. */
  scrubJson(value: unknown): unknown {
    if (typeof value === 'string') return this.scrub(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const clean = value.map((entry) => this.scrubJson(entry))
      return clean.some((entry, at) => entry !== value[at]) ? clean : value
    }
    const clean = Object.entries(value).map(([name, entry]): [string, unknown] => [
      this.scrub(name),
      this.scrubJson(entry),
    ])
    const isSame = clean.every(([name, entry]) => name in value && entry === (value as Fields)[name])
    return isSame ? value : Object.fromEntries(clean)
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
