// What a simulator remembers of the requests it got, for tests to look at.

import type { IncomingHttpHeaders } from 'node:http'

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON; undefined where the body was absent or no JSON. */
  readonly body: unknown
  readonly bodyText: string
  readonly bodyBytes: number
  readonly startedAt: number
  /** The HTTP status that was answered, once it was. */
  readonly status: number | undefined
  /** How the request differed from what its scripted turn expected. */
  readonly difference: string | undefined
  /** When the client went away before the answer was finished. */
  readonly closedByClientAt: number | undefined
  /** Answered, or given up by either side. */
  readonly isOver: boolean
  /** Resolves to `closedByClientAt`; rejects if the answer finished first, or after `timeoutMs`. */
  waitForAbort(timeoutMs?: number): Promise<number>
}

interface RequestFacts {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  bodyText: string
  bodyBytes: number
  startedAt: number
}

type Outcome = { closedByClientAt: number } | { finished: true }

/** The recording side of a request: the server sets these as the answer goes on. */
export class RequestRecord implements RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly bodyText: string
  readonly bodyBytes: number
  readonly startedAt: number
  status: number | undefined
  difference: string | undefined
  closedByClientAt: number | undefined
  readonly #waiting = new Set<(outcome: Outcome) => void>()
  #outcome: Outcome | undefined

  constructor(facts: RequestFacts) {
    this.method = facts.method
    this.path = facts.path
    this.query = facts.query
    this.headers = facts.headers
    this.bodyText = facts.bodyText
    this.bodyBytes = facts.bodyBytes
    this.startedAt = facts.startedAt
    this.body = parseOrUndefined(facts.bodyText)
  }

  get isOver(): boolean {
    return this.#outcome !== undefined
  }

  settle(outcome: Outcome): void {
    if ('closedByClientAt' in outcome) this.closedByClientAt = outcome.closedByClientAt
    this.#outcome = outcome
    for (const notify of this.#waiting) notify(outcome)
    this.#waiting.clear()
  }

  async waitForAbort(timeoutMs = 30_000): Promise<number> {
    const outcome = this.#outcome ?? (await this.#nextOutcome(timeoutMs))
    if ('finished' in outcome) throw new Error('the answer finished before the client left')
    return outcome.closedByClientAt
  }

  #nextOutcome(timeoutMs: number): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(notify)
        reject(new Error(`the client did not leave within ${timeoutMs} ms`))
      }, timeoutMs)
      const notify = (outcome: Outcome) => {
        clearTimeout(timer)
        resolve(outcome)
      }
      this.#waiting.add(notify)
    })
  }
}

const MAX_KEPT_REQUESTS = 10_000
const MAX_KEPT_BYTES = 64 * 1024 * 1024

/** The newest requests: the oldest are dropped, so that a demo that runs for days does not grow. */
export class RequestLog {
  readonly records: RequestRecord[] = []
  #bytes = 0

  add(record: RequestRecord): void {
    this.records.push(record)
    this.#bytes += record.bodyBytes
    while (
      this.records.length > MAX_KEPT_REQUESTS ||
      (this.#bytes > MAX_KEPT_BYTES && this.records.length > 1)
    ) {
      this.#bytes -= this.records.shift()?.bodyBytes ?? 0
    }
  }

  clear(): void {
    this.records.length = 0
    this.#bytes = 0
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
