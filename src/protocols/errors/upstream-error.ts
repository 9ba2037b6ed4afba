// An upstream's refusal → GatewayError, as far as all services share it: the code for a status, the message, and the status for the
// client.

import { type ErrorCode, GatewayError, type RetryHeaders, type ServiceError } from '../../core/errors.ts'
import { serviceError } from './service-error.ts'

export interface UpstreamRefusal {
  /** The configured name of the backend. */
  backend: string
  /** 200 if the error is inside an answer. */
  status: number
  /** The parsed body; undefined if it is not JSON. */
  body: unknown
  retryAfterMs?: number | undefined
  retryHeaders?: RetryHeaders | undefined
  excerpt?: string
  /** The kind of the error, of services that name it in a header. */
  errorType?: string | undefined
}

const codes = new Map<number, ErrorCode>([
  [400, 'invalid-request'],
  [401, 'unauthenticated'],
  [402, 'quota-exhausted'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'timeout'],
  [409, 'conflict'],
  [413, 'payload-too-large'],
  [422, 'invalid-request'],
  [429, 'rate-limited'],
  [504, 'timeout'],
])

export function codeOfStatus(status: number): ErrorCode {
  return codes.get(status) ?? (status >= 500 || status < 400 ? 'upstream-unavailable' : 'invalid-request')
}

/** 529 is Anthropic's own: most clients do not know it, but they know 503. Other 5xx are passed on unchanged. */
export function statusToPassOn(code: ErrorCode, status: number): number | undefined {
  return code === 'upstream-unavailable' && status >= 500 && status < 600 && status !== 529
    ? status
    : undefined
}

interface Meaning {
  code: ErrorCode
  /** The upstream's own error text: the user can act on it. */
  text: string
  param?: string | undefined
  unknownModel?: boolean
  /** The quota is one of this model alone. */
  ofModel?: boolean | undefined
  /** Whose form the service's errors have, if a door speaks it. */
  form?: ServiceError['form']
  /** The HTTP status of an error inside an answer. */
  statedStatus?: number | undefined
  /** The service's own code and type, if they are identifiers. */
  serviceCode?: string | undefined
  type?: string | undefined
  /** What to do about a refused credential; the default speaks of an API key. */
  remedy?: string | undefined
}

export function upstreamError(refusal: UpstreamRefusal, meaning: Meaning): GatewayError {
  const { backend, status, body, retryAfterMs, retryHeaders, excerpt } = refusal
  const { code, text, param, unknownModel, ofModel, form, statedStatus, serviceCode } = meaning
  const upstream = { status, ...(excerpt === undefined ? {} : { excerpt }) }
  if (isAboutCredential(code))
    return new GatewayError('upstream-credential', credentialMessage(refusal, meaning), {
      // An error inside an answer has no excerpt; the log needs its words.
      upstream: { excerpt: text, ...upstream },
    })
  const lost = status === 404 && !unknownModel ? ' (HTTP 404; is its "baseUrl" right?)' : ''
  const explained = `${text || `HTTP ${status} without an explanation`}${lost}`
  return new GatewayError(code, `${backend}: ${explained}`, {
    status: statusToPassOn(code, status),
    retryAfterMs,
    retryHeaders,
    param,
    upstream,
    serviceCode,
    // The service's words alone would not say which address is wrong, nor whose.
    said:
      lost !== '' && isAboutAddress(text)
        ? undefined
        : form && serviceError(form, body, status >= 400 ? status : statedStatus),
    detail: code === 'not-found' && unknownModel ? 'model_not_found' : undefined,
    ofModel,
  })
}

/** Of a server that has no such route. */
const isAboutAddress = (text: string) =>
  /\b(?:url|uri|route|path|endpoint|page|resource)\b|\bcannot (?:post|get) \/|^not[ _]found\b/i.test(
    text.slice(0, 1_000),
  )

export const isAboutCredential = (code: ErrorCode): boolean =>
  code === 'unauthenticated' || code === 'forbidden'

/** Without the service's words, which may quote the key. A client would show a 401 as "your key is wrong". */
function credentialMessage({ backend, status }: UpstreamRefusal, meaning: Meaning): string {
  const { code, serviceCode, type, remedy = keyRemedies[code] } = meaning
  const what = [status >= 400 ? `HTTP ${status}` : '', serviceCode ?? type ?? ''].filter(Boolean).join(', ')
  const refused =
    code === 'unauthenticated'
      ? `the credential that the gateway has for backend "${backend}" was refused`
      : `the account that the gateway has for backend "${backend}" may not do this`
  return `${backend}: ${refused}${what === '' ? '' : ` (${what})`}; ${remedy}. The gateway's log has the service's own words.`
}

const keyRemedies: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'correct its "apiKey"; a restart is needed only if the key is in an environment variable',
  forbidden: 'ask its provider for the right, or use a model of another backend',
}
