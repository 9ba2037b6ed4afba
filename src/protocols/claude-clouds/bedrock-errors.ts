// Errors of Bedrock: `{"message"}`, with the kind in the header `x-amzn-errortype`.
// https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html

import { isObject } from '../../base/json.ts'
import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { fromAnthropicError } from '../anthropic-messages/errors.ts'
import { isOverflow } from '../errors/overflow.ts'
import { errorText } from '../errors/refusal.ts'
import { asCode } from '../errors/service-error.ts'
import { type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

const codes = new Map<string, ErrorCode>([
  ['ValidationException', 'invalid-request'],
  ['AccessDeniedException', 'forbidden'],
  ['ThrottlingException', 'rate-limited'],
  ['ServiceQuotaExceededException', 'quota-exhausted'],
  ['ResourceNotFoundException', 'not-found'],
  ['ModelTimeoutException', 'timeout'],
  ['ModelErrorException', 'upstream-unavailable'],
  ['ModelNotReadyException', 'upstream-unavailable'],
  ['InternalServerException', 'upstream-unavailable'],
  ['ServiceUnavailableException', 'upstream-unavailable'],
  ['UnrecognizedClientException', 'unauthenticated'],
  ['InvalidSignatureException', 'unauthenticated'],
  ['IncompleteSignatureException', 'unauthenticated'],
  ['MissingAuthenticationTokenException', 'unauthenticated'],
  ['ExpiredTokenException', 'unauthenticated'],
])

/** Exceptions inside a stream → Anthropic's types. Their names are in lower case here. */
export const exceptionTypes: ReadonlyMap<string, string> = new Map([
  ['throttlingexception', 'rate_limit_error'],
  ['validationexception', 'invalid_request_error'],
  ['modeltimeoutexception', 'timeout_error'],
  ['serviceunavailableexception', 'overloaded_error'],
])

/** What to do about a refused credential. */
const remedies: readonly (readonly [words: RegExp, remedy: string])[] = [
  [
    /signature expired|signature not yet current|request time too skewed/i,
    "the clock of this machine differs from AWS's by more than five minutes: set it right",
  ],
  [
    /scoped to (?:a valid region|correct service)|wrong region/i,
    'its "region" is not the region of the address: correct "region" or "baseUrl"',
  ],
  [
    /expired/i,
    'its temporary credentials have expired: renew them at their source (for a profile with `aws sso login`)',
  ],
]

const otherKey = 'correct the access key, the profile or the "apiKey" of this backend'
const otherRight =
  'allow the action bedrock:InvokeModelWithResponseStream for this identity, and enable the model in the Bedrock console'

/** Bedrock sends no retry-after. A shorter pause only meets the same limit. */
const throttledMs = 2_000

function awsErrorType({ errorType, body }: UpstreamRefusal): string | undefined {
  const stated = isObject(body) && typeof body.__type === 'string' ? body.__type.split('#').at(-1) : undefined
  return asCode(errorType?.split(':', 1)[0] ?? stated)
}

/** The service refuses a token that a renewed one may replace. */
export const isExpiredToken = (errorType: string | undefined): boolean =>
  /^(?:ExpiredToken|UnrecognizedClient)/.test(errorType ?? '')

export function fromBedrockError(refusal: UpstreamRefusal): GatewayError {
  const type = awsErrorType(refusal)
  const stated = codes.get(type ?? '')
  if (stated === undefined) return fromAnthropicError(refusal)
  const text = errorText(refusal.body) || messageOf(refusal.body)
  const { code, hint, unknownModel } = refined(stated, text)
  const remedy = code === 'unauthenticated' ? remedyFor(`${type} ${text}`) : otherRight
  return upstreamError(
    {
      ...refusal,
      ...(code === 'rate-limited' ? { retryAfterMs: refusal.retryAfterMs ?? throttledMs } : {}),
    },
    { code, text: hint === undefined ? text : `${text} ${hint}`, remedy, unknownModel, serviceCode: type },
  )
}

const remedyFor = (words: string) => remedies.find(([pattern]) => pattern.test(words))?.[1] ?? otherKey

/** Some errors of the front end have a capital letter. */
const messageOf = (body: unknown): string =>
  isObject(body) && typeof body.Message === 'string' ? body.Message.slice(0, 1_000) : ''

interface Refined {
  code: ErrorCode
  hint?: string
  unknownModel: boolean
}

function refined(code: ErrorCode, text: string): Refined {
  if (code === 'rate-limited')
    return { code: /per day|daily/i.test(text) ? 'quota-exhausted' : code, unknownModel: false }
  if (code === 'not-found') return { code, unknownModel: true }
  if (code !== 'invalid-request') return { code, unknownModel: false }
  if (/on-demand throughput isn.t supported/i.test(text))
    return {
      code,
      hint: 'Put a geography before the id (us.anthropic.…), or set "inferenceProfile".',
      unknownModel: false,
    }
  if (/provided model identifier is invalid/i.test(text)) return { code: 'not-found', unknownModel: true }
  return { code: isOverflow('', text) ? 'context-overflow' : code, unknownModel: false }
}

/** The model can be called, but not counted. */
export const cannotCount = ({ message }: GatewayError): boolean =>
  /doesn.t support counting tokens|model identifier is invalid/i.test(message)
