// Accounts that misbehave on request: limited, out of quota, revoked, locked or slow, each told by its key. Notes every request that
// comes for one which has said until when it takes none.

import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedRequest } from './recording.ts'
import type { Reply } from './server.ts'

interface Trouble {
  readonly status: number
  readonly type: string
  readonly message: string
  /** For this model alone. */
  readonly model?: string | undefined
  /** Milliseconds since 1970; absent: for ever. */
  readonly until?: number | undefined
  /** When a client was told of it first. */
  toldAt?: number
}

interface SeenRequest {
  readonly key: string
  readonly model: string
  readonly at: number
  readonly status: number
  /** The body of a turn as it came. */
  readonly body: unknown
}

export class SimAccounts {
  /** Every turn, oldest first. */
  readonly seen: SeenRequest[] = []
  /** Turns that came although the account had said that it takes none before a time. */
  readonly tooEarly: (SeenRequest & { readonly lateMs: number })[] = []
  /** Turns that were under way when the account spoke are no fault. */
  readonly graceMs: number
  readonly #troubles = new Map<string, Trouble>()
  readonly #delays = new Map<string, number>()

  constructor({ graceMs = 250 } = {}) {
    this.graceMs = graceMs
  }

  /** 429 with `retry-after`, from now on for so long. */
  limit(key: string, ms: number, model?: string): void {
    const message = 'This request would exceed the rate limit of your organization.'
    this.#set(key, { status: 429, type: 'rate_limit_error', message, model, until: Date.now() + ms })
  }

  /** 402, which no time is told for. */
  exhaust(key: string): void {
    this.#set(key, { status: 402, type: 'billing_error', message: 'Your credit balance is too low.' })
  }

  revoke(key: string): void {
    this.#set(key, { status: 401, type: 'authentication_error', message: 'invalid x-api-key' })
  }

  /** 403 with these words. */
  lock(key: string, message: string): void {
    this.#set(key, { status: 403, type: 'permission_error', message })
  }

  fail(key: string, status = 500): void {
    const type = status < 500 ? 'invalid_request_error' : 'api_error'
    this.#set(key, { status, type, message: status < 500 ? 'This is not valid.' : 'Internal server error' })
  }

  /** Its turns begin late. */
  slow(key: string, ms: number): void {
    this.#delays.set(key, ms)
  }

  heal(key: string): void {
    this.#troubles.delete(key)
    this.#delays.delete(key)
  }

  /** How many turns came for the account. */
  countOf(key: string): number {
    return this.seen.filter((one) => one.key === key).length
  }

  /** The answer in place of the model's; undefined: the model answers. */
  async answer(request: RecordedRequest): Promise<Reply | undefined> {
    if (request.method !== 'POST' || request.path.endsWith('/count_tokens')) return undefined
    const key = keyOf(request)
    const { model = '' } = (request.body ?? {}) as { model?: string }
    const at = Date.now()
    const trouble = this.#troubleOf(key, model, at)
    const seen = { key, model, at, status: trouble?.status ?? 200, body: request.body }
    this.seen.push(seen)
    if (trouble) return this.#refuse(trouble, seen)
    const delay = this.#delays.get(key)
    if (delay !== undefined) await sleep(delay)
    return undefined
  }

  #set(key: string, trouble: Trouble): void {
    this.#troubles.set(key, trouble)
  }

  #troubleOf(key: string, model: string, at: number): Trouble | undefined {
    const trouble = this.#troubles.get(key)
    if (!trouble || (trouble.model !== undefined && trouble.model !== model)) return undefined
    if (trouble.until === undefined || at < trouble.until) return trouble
    this.#troubles.delete(key)
    return undefined
  }

  #refuse(trouble: Trouble, seen: SeenRequest): Reply {
    const { status, type, message, until } = trouble
    const lateMs = seen.at - (trouble.toldAt ?? seen.at)
    if (lateMs > this.graceMs) this.tooEarly.push({ ...seen, lateMs })
    trouble.toldAt ??= seen.at
    return {
      status,
      headers: until === undefined ? {} : { 'retry-after': String(Math.ceil((until - seen.at) / 1000)) },
      body: { type: 'error', error: { type, message, code: type } },
    }
  }
}

const keyOf = ({ headers }: RecordedRequest) =>
  String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization ?? '').replace(
    /^Bearer /i,
    '',
  )
