// Connect errors: a code, a message, and Cursor's own details.
// https://connectrpc.com/docs/protocol#error-end-stream

import { create, toBinary } from '@bufbuild/protobuf'
import { ErrorDetailsSchema } from '../../proto/gen/aiserver/v1/service_pb.ts'

const HTTP_STATUS = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
} as const

type ConnectCode = keyof typeof HTTP_STATUS

/** `error`: a number of Cursor's own list, e.g. 5 for BAD_MODEL_NAME. */
export interface CursorErrorDetails {
  readonly error: number
  readonly title?: string
  readonly detail?: string
  readonly isRetryable?: boolean
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ConnectCode
  readonly details: CursorErrorDetails | undefined

  constructor(code: ConnectCode, message: string, details?: CursorErrorDetails) {
    super(message)
    this.code = code
    this.details = details
  }

  get status(): number {
    return HTTP_STATUS[this.code]
  }

  toJson(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.message,
      ...(this.details !== undefined && { details: [encodeDetails(this.details)] }),
    }
  }
}

export function isConnectCode(code: unknown): code is ConnectCode {
  return typeof code === 'string' && code in HTTP_STATUS
}

function encodeDetails({ error, title = '', detail = '', isRetryable }: CursorErrorDetails) {
  const message = create(ErrorDetailsSchema, {
    error,
    details: { title, detail, ...(isRetryable !== undefined && { isRetryable }) },
  })
  const value = Buffer.from(toBinary(ErrorDetailsSchema, message))
    .toString('base64')
    .replace(/={1,2}$/, '')
  return { type: 'aiserver.v1.ErrorDetails', value, debug: { error, details: { title, detail } } }
}
