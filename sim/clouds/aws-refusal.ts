// Errors of Bedrock: the kind in a header, the words in the body.

import type { Reply } from '../server.ts'

const STATUS = {
  ValidationException: 400,
  ServiceQuotaExceededException: 400,
  AccessDeniedException: 403,
  UnrecognizedClientException: 403,
  InvalidSignatureException: 403,
  IncompleteSignatureException: 403,
  MissingAuthenticationTokenException: 403,
  ExpiredTokenException: 403,
  ResourceNotFoundException: 404,
  ThrottlingException: 429,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
} as const

type AwsErrorType = keyof typeof STATUS

export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal'
  readonly type: AwsErrorType

  constructor(type: AwsErrorType, message: string) {
    super(message)
    this.type = type
  }
}

export const awsReply = ({ type, message }: AwsRefusal, headers: Record<string, string>): Reply => ({
  status: STATUS[type],
  headers: {
    ...headers,
    'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  },
  body: { message },
})
