// Errors of Vertex: Google's form, alone or in a list; errors of the model itself have Anthropic's.
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors

import { isObject } from '../../base/json.ts'
import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { fromAnthropicError } from '../anthropic-messages/errors.ts'
import { isOverflow } from '../errors/overflow.ts'
import { errorText } from '../errors/refusal.ts'
import { asCode } from '../errors/service-error.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

const remedies: Partial<Record<ErrorCode, string>> = {
  unauthenticated:
    'renew the credentials at their source (`gcloud auth application-default login`), or correct "keyFile" or "accessToken"',
  forbidden:
    'give its account the role "Vertex AI User" (roles/aiplatform.user) in the project, and enable the Vertex AI API',
}

/** A quota counts by the minute, and for Claude it may be zero. The client decides whether to wait. */
const quotaMs = 60_000

const hints: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /quota exceeded/i,
    'The default quota for a Claude model may be 0: the "Quotas" page of the Google Cloud console takes requests for more.',
  ],
  [/not allowed to use Publisher Model/i, 'Enable the model in the Model Garden of the project.'],
  [/Publisher Model .{0,300}not found/i, 'Is the model enabled in the project, and served in its "region"?'],
]

export function fromVertexError(refusal: UpstreamRefusal): GatewayError {
  const error = googleError(refusal.body)
  if (error === undefined) return fromAnthropicError(refusal)
  const text = errorText(refusal.body)
  const isModel = /Publisher Model/i.test(text)
  const stated = isModel && refusal.status < 500 ? 'not-found' : codeOfStatus(refusal.status)
  const code = stated === 'invalid-request' && isOverflow('', text) ? 'context-overflow' : stated
  const hint = hints.find(([words]) => words.test(text))?.[1]
  const isQuota = code === 'rate-limited' && /quota exceeded/i.test(text)
  return upstreamError(
    { ...refusal, ...(isQuota ? { retryAfterMs: refusal.retryAfterMs ?? quotaMs } : {}) },
    {
      code,
      text: hint === undefined ? text : `${text} ${hint}`,
      remedy: remedies[code],
      unknownModel: isModel,
      serviceCode: asCode(error.status),
    },
  )
}

/** `{error: {code, message, status}}`, or that in a list. */
function googleError(body: unknown): { status: unknown } | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body
  const error = isObject(outer) ? outer.error : undefined
  if (!isObject(error) || typeof error.status !== 'string') return undefined
  return { status: error.status }
}
