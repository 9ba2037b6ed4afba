// Errors of the service: Google's body, alone or in a list, as the answer or inside of a stream. The delay before a retry is in its
// details, or only in its words. https://ai.google.dev/gemini-api/docs/troubleshooting

import { type Fields, isObject } from '../../base/json.ts'
import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isOverflow } from '../errors/overflow.ts'
import { readRefusal } from '../errors/refusal.ts'
import { asCode } from '../errors/service-error.ts'
import {
  codeOfStatus,
  isAboutCredential,
  type UpstreamRefusal,
  upstreamError,
} from '../errors/upstream-error.ts'

interface WordFacts {
  code: ErrorCode
  status: number
}

const words = new Map<string, WordFacts>(
  Object.entries({
    INVALID_ARGUMENT: { code: 'invalid-request', status: 400 },
    FAILED_PRECONDITION: { code: 'invalid-request', status: 400 },
    OUT_OF_RANGE: { code: 'invalid-request', status: 400 },
    UNAUTHENTICATED: { code: 'unauthenticated', status: 401 },
    PERMISSION_DENIED: { code: 'forbidden', status: 403 },
    NOT_FOUND: { code: 'not-found', status: 404 },
    ABORTED: { code: 'conflict', status: 409 },
    ALREADY_EXISTS: { code: 'conflict', status: 409 },
    RESOURCE_EXHAUSTED: { code: 'rate-limited', status: 429 },
    CANCELLED: { code: 'upstream-unavailable', status: 499 },
    INTERNAL: { code: 'upstream-unavailable', status: 500 },
    UNKNOWN: { code: 'upstream-unavailable', status: 500 },
    DATA_LOSS: { code: 'upstream-unavailable', status: 500 },
    UNIMPLEMENTED: { code: 'invalid-request', status: 501 },
    UNAVAILABLE: { code: 'upstream-unavailable', status: 503 },
    DEADLINE_EXCEEDED: { code: 'timeout', status: 504 },
  } as const),
)

export function fromGeminiError(given: UpstreamRefusal): GatewayError {
  const refusal = { ...given, body: unlisted(given.body) }
  const { text, kind, status } = readRefusal(refusal)
  const error = errorIn(refusal.body)
  const word = asCode(error.status)
  const known = words.get(word ?? '')
  const details = detailsOf(error)
  const stated = codeOfStatus(status)
  // An error inside of a stream may have its word alone.
  const first =
    status < 400 && known ? known.code : isAboutCredential(stated) ? stated : (known?.code ?? stated)
  const code = refined(first, { text, kind }, details)
  return upstreamError(
    { ...refusal, retryAfterMs: retryDelay(details, text) ?? refusal.retryAfterMs },
    {
      code,
      text,
      ofModel: code === 'quota-exhausted' && isOfModel(text, details) ? true : undefined,
      unknownModel: /^models\/\S+ is not (?:found|supported)/.test(text),
      form: 'gemini',
      statedStatus: status < 400 ? known?.status : status,
      serviceCode: reasonIn(details),
      type: word,
    },
  )
}

/** An object in place of a text may refuse to become one. */
const textIn = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** Where no stream was asked for, the service may put an error into a list. */
const unlisted = (body: unknown): unknown => (Array.isArray(body) ? (body.find(isObject) ?? body) : body)

const errorIn = (body: unknown): Fields => (isObject(body) && isObject(body.error) ? body.error : {})

const mostDetails = 32
const detailsOf = ({ details }: Fields): Fields[] =>
  Array.isArray(details) ? details.slice(0, mostDetails).filter(isObject) : []

const ofType = (details: readonly Fields[], name: string) =>
  details.filter((detail) => textIn(detail, '@type').endsWith(`google.rpc.${name}`))

const reasonIn = (details: readonly Fields[]) =>
  ofType(details, 'ErrorInfo').flatMap(({ reason }) => asCode(reason) ?? [])[0]

/** What the API reports as a plain invalid request or as a rate limit, and is something else. */
function refined(
  code: ErrorCode,
  { text, kind }: { text: string; kind: string },
  details: readonly Fields[],
): ErrorCode {
  // Relays of this API give other services' words, some under 413.
  const isAboutRequest = code === 'invalid-request' || code === 'payload-too-large'
  if (isAboutRequest && isOverflow(kind, text)) return 'context-overflow'
  if (code === 'invalid-request') {
    if (reasonIn(details) === 'API_KEY_INVALID' || /API key (?:not valid|expired)/i.test(text))
      return 'unauthenticated'
    return /user location is not supported/i.test(text) ? 'forbidden' : code
  }
  return code === 'rate-limited' && isLasting(text, details) ? 'quota-exhausted' : code
}

/** A model that is not in the plan, or a quota of a day: waiting for seconds does not help. */
const isLasting = (text: string, details: readonly Fields[]): boolean =>
  isNotInPlan(text) || quotasOfDay(details).length > 0

/** Google counts most quotas for each model. */
function isOfModel(text: string, details: readonly Fields[]): boolean {
  const quotas = quotasOfDay(details)
  return isNotInPlan(text) || (quotas.length > 0 && quotas.every((id) => id.includes('PerModel')))
}

const isNotInPlan = (text: string) => /\blimit: 0\b/.test(text)

const quotasOfDay = (details: readonly Fields[]): string[] =>
  ofType(details, 'QuotaFailure')
    .flatMap(({ violations }) => (Array.isArray(violations) ? violations.slice(0, mostDetails) : []))
    .map((one) => (isObject(one) ? textIn(one, 'quotaId').slice(0, 200) : ''))
    .filter((id) => id.includes('PerDay'))

const longestDelayMs = 24 * 60 * 60 * 1000

function retryDelay(details: readonly Fields[], text: string): number | undefined {
  const stated = ofType(details, 'RetryInfo').map((detail) => textIn(detail, 'retryDelay'))
  const said = /\bretry in ([\d.]{1,12}s)/i.exec(text)?.[1]
  for (const delay of [...stated, said ?? '']) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay)?.[1]
    if (seconds !== undefined) return Math.min(Math.ceil(Number(seconds) * 1000), longestDelayMs)
  }
  return undefined
}
