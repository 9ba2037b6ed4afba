// Who is to blame when a task fails: the model, the service behind the gateway, or the gateway itself.

import { isObject, parseJson } from '../../base/json.ts'
import type { ErrorCode } from '../../core/errors.ts'

export type Blame = 'model' | 'upstream' | 'gateway'

export interface Failure {
  blame: Blame
  expected: string
  came: string
  /** Of the gateway's error, where it answered with one. */
  code?: ErrorCode
}

/** Errors that come from the gateway alone. */
const ownCodes = new Set<ErrorCode>([
  'internal',
  'method-not-allowed',
  'unsupported-media',
  'misdirected',
  'canceled',
])
/** Errors that the gateway and a service can both mean: the gateway names the backend in front of what that one said. */
const sharedCodes = new Set<ErrorCode>(['invalid-request', 'unsupported', 'payload-too-large', 'conflict'])

/** The gateway hands no broken call on: it says so in place of an answer. The model has written it. */
const brokenCall = /malformed arguments for tool/

export function blameFor(code: ErrorCode | undefined, message: string, backends: readonly string[]): Blame {
  if (brokenCall.test(message)) return 'model'
  if (code === undefined || ownCodes.has(code)) return 'gateway'
  if (!sharedCodes.has(code)) return 'upstream'
  return backends.some((name) => message.startsWith(`${name}: `)) ? 'upstream' : 'gateway'
}

/** The codes of failed turns, from the gateway's own log: what a client sees of an error differs from door to door. */
export class FailureLog {
  readonly #codes = new Map<string, ErrorCode>()

  /** One line of the log. */
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
