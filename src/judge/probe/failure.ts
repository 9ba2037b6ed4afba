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

/** The code of a failed turn. */
export interface CodeSource {
  take(turn: string | undefined, answer: Answer): ErrorCode | undefined
}

/** The error codes of failed turns, from the gateway's log: what clients see of an error differs between doors. */
export class FailureLog implements CodeSource {
  readonly #codes = new Map<string, ErrorCode>()

  /** Takes one line of the log. */
  readonly onLine = (line: string): void => {
    if (!line.includes('"code":')) return
    const { turn, code, message } = fieldsOf(line)
    const isLast = message === 'turn' || message === 'request refused' || message === 'request failed'
    if (isLast && typeof turn === 'string' && typeof code === 'string')
      this.#codes.set(turn, code as ErrorCode)
  }

  take(turn: string | undefined): ErrorCode | undefined {
    const code = turn === undefined ? undefined : this.#codes.get(turn)
    if (turn !== undefined) this.#codes.delete(turn)
    return code
  }
}

const fieldsOf = (line: string): Record<string, unknown> => {
  const fields = parseJson(line)
  return isObject(fields) ? fields : {}
}

/** The code of an error as far as a client can tell it, for a gateway whose log is elsewhere. Undefined: no answer came. */
export function codeSeen({ reply: { status }, error }: Answer): ErrorCode | undefined {
  const words = `${error?.type} ${error?.code}`
  if (words.includes('internal_error')) return 'internal'
  if (words.includes('rate_limit')) return 'rate-limited'
  if (status === 0) return undefined
  return status < 400 ? 'upstream-unavailable' : codeOfStatus(status)
}
