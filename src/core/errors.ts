// GatewayError, the one error type. The set of codes is closed: every door has a table of them, so a new code does not compile until
// each dialect has a form for it. Messages are for the person at the client and say what to do.

export type ErrorCode =
  | 'invalid-request'
  | 'unsupported'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'payload-too-large'
  | 'unsupported-media'
  | 'misdirected'
  | 'rate-limited'
  | 'quota-exhausted'
  | 'context-overflow'
  | 'upstream-unavailable'
  | 'upstream-protocol'
  | 'upstream-challenge'
  | 'upstream-credential'
  | 'timeout'
  | 'canceled'
  | 'internal'

interface CodeFacts {
  status: number
  /** A retry may help, as long as nothing has reached the client. */
  retryable: boolean
}

const facts: Record<ErrorCode, CodeFacts> = {
  'invalid-request': { status: 400, retryable: false },
  unsupported: { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  'not-found': { status: 404, retryable: false },
  'method-not-allowed': { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  'payload-too-large': { status: 413, retryable: false },
  'unsupported-media': { status: 415, retryable: false },
  misdirected: { status: 421, retryable: false },
  'rate-limited': { status: 429, retryable: true },
  'quota-exhausted': { status: 402, retryable: false },
  'context-overflow': { status: 400, retryable: false },
  'upstream-unavailable': { status: 503, retryable: true },
  'upstream-protocol': { status: 502, retryable: true },
  // Not a 503: agents retry those silently, and the service locks out clients that repeat a challenged request.
  'upstream-challenge': { status: 403, retryable: false },
  // Not a 401: the client's own key is right, and its user cannot mend this.
  'upstream-credential': { status: 502, retryable: false },
  timeout: { status: 504, retryable: true },
  canceled: { status: 499, retryable: false },
  internal: { status: 500, retryable: false },
}

/** Much longer than the excerpt in a log, so that a secret is recognised before it is cut. */
const longestExcerpt = 4_000

const cutExcerpt = (excerpt: string | undefined) =>
  excerpt === undefined ? {} : { excerpt: excerpt.slice(0, longestExcerpt) }

export const errorCodes = Object.keys(facts) as ErrorCode[]

/** An error as a service sent it. A client of the same dialect gets it unchanged: clients match on its words. */
export interface ServiceError {
  /** Whose form the body has. Both OpenAI APIs have the same. */
  readonly form: 'anthropic' | 'gemini' | 'openai'
  /** Absent if the error was inside an answer and its status is not known. */
  readonly status?: number | undefined
  readonly body: Readonly<Record<string, unknown>>
}

export interface GatewayErrorOptions {
  cause?: unknown
  /** Overrides the code's HTTP status, e.g. to keep an upstream's own 500. */
  status?: number | undefined
  /** The request field at fault, e.g. `messages[2].content`. */
  param?: string | undefined
  retryAfterMs?: number | undefined
  /** Overrides the code's default, where a retry cannot help. */
  retryable?: boolean
  /** The upstream's answer. The excerpt is for logs, never for clients; the log removes secrets and then shortens it. */
  upstream?: { status?: number; excerpt?: string } | undefined
  said?: ServiceError | undefined
  /** Headers of the upstream's answer that say when and whether to retry. */
  retryHeaders?: RetryHeaders | undefined
  /** The service's own code, for dialects that have a place for it. */
  serviceCode?: string | undefined
  /** A dialect's own, finer code where clients know it, e.g. `model_not_found`. */
  detail?: string | undefined
  /** The quota is one of this model alone: the account has others for other models. */
  ofModel?: boolean | undefined
  /** A limit of the gateway prevented the call: it does not count against the service. */
  ownFault?: boolean | undefined
}

export interface RetryHeaders {
  /** The upstream sent `retry-after-ms`: `retryAfterMs` is exact. */
  readonly exact?: boolean | undefined
  /** Its `x-should-retry`. */
  readonly shouldRetry?: boolean | undefined
}

export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  readonly status: number
  readonly retryable: boolean
  readonly param: string | undefined
  readonly retryAfterMs: number | undefined
  readonly upstream: GatewayErrorOptions['upstream']
  readonly said: ServiceError | undefined
  readonly retryHeaders: RetryHeaders | undefined
  readonly serviceCode: string | undefined
  readonly detail: string | undefined
  readonly ofModel: boolean | undefined
  readonly ownFault: boolean

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status ?? facts[code].status
    this.retryable = options.retryable ?? facts[code].retryable
    this.param = options.param
    this.retryAfterMs = options.retryAfterMs
    this.upstream = options.upstream && { ...options.upstream, ...cutExcerpt(options.upstream.excerpt) }
    this.said = options.said
    this.retryHeaders = options.retryHeaders
    this.serviceCode = options.serviceCode
    this.detail = options.detail
    this.ofModel = options.ofModel
    this.ownFault = options.ownFault ?? false
  }

  /** A conflict that says how long to wait passes by itself, but only the client knows whether it wants the answer then. */
  get mayBeSentAgain(): boolean {
    return this.retryable || (this.code === 'conflict' && this.retryAfterMs !== undefined)
  }

  /** The reason of an abort: the signal's own GatewayError, a time limit, or else a disconnected client. */
  static ofAbort(signal: Pick<AbortSignal, 'reason'>): GatewayError {
    const reason: unknown = signal.reason
    if (reason instanceof GatewayError) return reason
    if (reason instanceof Error && reason.name === 'TimeoutError')
      return new GatewayError('timeout', 'No answer came in time.')
    return new GatewayError('canceled', 'The client went away.')
  }

  /** Normalises anything caught. An unknown throw is a bug of the gateway: its text stays in `cause`, for the log only. */
  static from(thrown: unknown): GatewayError {
    if (thrown instanceof GatewayError) return thrown
    return new GatewayError('internal', 'The gateway failed to handle this request; its log has the cause.', {
      cause: thrown,
    })
  }
}
