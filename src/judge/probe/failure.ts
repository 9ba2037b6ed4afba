// Blame for a failed task: the model, the upstream service, or the gateway.

import { isObject, parseJson } from '../../base/json.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { codeOfStatus } from '../../protocols/errors/upstream-error.ts'
import type { Answer } from '../clients/answer.ts'

export type Blame = 'model' | 'upstream' | 'gateway'

export interface Failure {
  blame: Blame
  expected: string
  came: string
  /** The code of the gateway's error, if it answered with one. */
  code?: ErrorCode
}

/** Errors that only the gateway itself can cause. */
const ownCodes = new Set<ErrorCode>([
  'internal',
  'method-not-allowed',
  'unsupported-media',
  'misdirected',
  'canceled',
])
/** Errors of the gateway or of a service: the gateway puts the backend's name before a service's message. */
const sharedCodes = new Set<ErrorCode>(['invalid-request', 'unsupported', 'payload-too-large', 'conflict'])

/** The gateway replaces a malformed call by this error. The model wrote the call. */
const brokenCall = /malformed arguments for tool/

export function blameFor(code: ErrorCode | undefined, message: string, backends: readonly string[]): Blame {
  if (brokenCall.test(message)) return 'model'
  if (code === undefined || ownCodes.has(code)) return 'gateway'
  if (!sharedCodes.has(code)) return 'upstream'
  return backends.some((name) => message.startsWith(`${name}: `)) ? 'upstream' : 'gateway'
}

interface KnownFailure {
  code: ErrorCode
  /** The gateway's own words. A client of the service's dialect gets the service's words instead. */
  message?: string
  /** Who refused, if that cannot be told from the message. */
  refusedBy?: Blame
}

/** What is known of a failed turn. */
export interface FailureSource {
  take(turn: string | undefined, answer: Answer): KnownFailure | undefined
}

/** Failed turns, from the gateway's log: what clients see of an error differs between doors. */
export class FailureLog implements FailureSource {
  readonly #failures = new Map<string, KnownFailure>()

  /** Takes one line of the log. */
  readonly onLine = (line: string): void => {
    if (!line.includes('"code":')) return
    const { turn, code, message, error } = fieldsOf(line)
    const isLast = message === 'turn' || message === 'request refused' || message === 'request failed'
    if (!isLast || typeof turn !== 'string' || typeof code !== 'string') return
    const words = typeof error === 'string' ? { message: error } : {}
    this.#failures.set(turn, { code: code as ErrorCode, ...words })
  }

  take(turn: string | undefined): KnownFailure | undefined {
    const failure = turn === undefined ? undefined : this.#failures.get(turn)
    if (turn !== undefined) this.#failures.delete(turn)
    return failure
  }
}

const fieldsOf = (line: string): Record<string, unknown> => {
  const fields = parseJson(line)
  return isObject(fields) ? fields : {}
}

/**
 * A failure as far as a client can tell it, for a gateway whose log is elsewhere. Undefined: no answer came. Whether the gateway or
 * a service refused cannot be told; the requests of a probe are valid, so it was the service.
 */
export function failureSeen({ reply: { status }, error }: Answer): KnownFailure | undefined {
  const words = `${error?.type} ${error?.code}`
  if (words.includes('internal_error')) return { code: 'internal' }
  if (words.includes('rate_limit')) return { code: 'rate-limited' }
  if (status === 0) return undefined
  return { code: status < 400 ? 'upstream-unavailable' : codeOfStatus(status), refusedBy: 'upstream' }
}
