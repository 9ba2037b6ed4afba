// The meaning of Cursor's errors. The plain message is often just "Error". What counts is, in this order, the number in a detail of
// type `aiserver.v1.ErrorDetails`, Connect's code, and the HTTP status.

import { fromBinary } from '@bufbuild/protobuf'
import { type ErrorDetails, ErrorDetailsSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import type { ConnectError } from '../connect/end-stream.ts'
import { codeOfStatus, statusToPassOn } from '../errors/upstream-error.ts'

interface CursorRefusal {
  /** The configured name of the backend. */
  backend: string
  connect?: ConnectError | undefined
  /** Status of the response with the error; 200 for an error inside a stream. */
  httpStatus?: number | undefined
  excerpt?: string | undefined
  retryAfterMs?: number | undefined
  /** The client version that was sent, for the error message that it is too old. */
  clientVersion?: string | undefined
}

interface Meaning {
  code: ErrorCode
  status?: number
  detail?: 'model_not_found'
  /** A retry cannot help, whatever the upstream says. */
  final?: true
  /** `words` replace an upstream message that says nothing; `advice` is added to any message. */
  words?: string
  advice?: (refusal: CursorRefusal) => string
}

const ownCredential: Meaning['advice'] = ({ backend }) =>
  `(the credential that the gateway has for backend "${backend}" was refused)`

const unauthenticated: Meaning = { code: 'unauthenticated', words: 'not logged in', advice: ownCredential }
const forbidden: Meaning = { code: 'forbidden', words: 'this account may not do that' }
const unknownModel: Meaning = {
  code: 'not-found',
  detail: 'model_not_found',
  words: 'no such model for this account',
}
const quota: Meaning = {
  code: 'quota-exhausted',
  final: true,
  words: 'the usage limit of the plan is reached',
}
const rateLimited: Meaning = { code: 'rate-limited', words: 'too many requests' }
const overflow: Meaning = { code: 'context-overflow', words: 'the conversation is too long for this model' }
const invalid: Meaning = { code: 'invalid-request', words: 'the request was refused as invalid' }
const late: Meaning = { code: 'timeout', words: 'the upstream took too long' }
const broken: Meaning = { code: 'upstream-unavailable', status: 502, words: 'the upstream failed' }
const unavailable: Meaning = {
  code: 'upstream-unavailable',
  words: 'the upstream cannot take requests at the moment',
}
const outdated: Meaning = {
  code: 'unsupported',
  final: true,
  words: 'update required',
  advice: ({ backend, clientVersion }) =>
    `(Cursor wants a newer client version${clientVersion ? ` than "${clientVersion}"` : ''}; ` +
    `set "clientVersion" of backend "${backend}" to a current one)`,
}

const maxModeRequired: Meaning = {
  code: 'invalid-request',
  words: 'max mode required',
  advice: () => '(ask for the model with "[max=true]" behind its name; the service bills that higher)',
}

/** By number of `ErrorDetails.Error`. Missing numbers say less than Connect's code. */
const meaningOfDetail = new Map<number, Meaning>([
  ...[1, 2, 3, 4, 6, 11, 12, 18, 38, 42].map((number) => [number, unauthenticated] as const),
  ...[23, 53, 54, 58, 64, 65].map((number) => [number, forbidden] as const),
  ...[5, 61].map((number) => [number, unknownModel] as const),
  ...[9, 10, 44, 45].map((number) => [number, quota] as const),
  ...[7, 8, 14, 22, 34, 35, 41, 50, 51].map((number) => [number, rateLimited] as const),
  ...[28, 30, 40].map((number) => [number, outdated] as const),
  ...[20, 43].map((number) => [number, overflow] as const),
  ...[31, 33, 36].map((number) => [number, invalid] as const),
  ...[25, 55].map((number) => [number, late] as const),
  ...[13, 56, 57, 59].map((number) => [number, broken] as const),
  [60, maxModeRequired],
  [63, unavailable],
  [39, { code: 'not-found', words: 'not found' }],
  [21, { code: 'canceled', final: true, words: 'the request was canceled' }],
])

const meaningOfConnect = new Map<string, Meaning>([
  ['unauthenticated', unauthenticated],
  ['permission_denied', forbidden],
  ['not_found', unknownModel],
  ['invalid_argument', invalid],
  ['failed_precondition', invalid],
  ['out_of_range', invalid],
  ['already_exists', { code: 'conflict', words: 'it exists already' }],
  ['deadline_exceeded', late],
  ['unavailable', unavailable],
  ['internal', broken],
  ['unknown', broken],
  ['data_loss', broken],
  // Canceled by the peer, e.g. at a restart, not by the client.
  ['canceled', { ...unavailable, words: 'the upstream broke the run off' }],
  ['aborted', { ...unavailable, words: 'the upstream broke the run off' }],
  ['unimplemented', { code: 'unsupported', words: 'the upstream does not know this call' }],
  [
    'resource_exhausted',
    {
      code: 'rate-limited',
      words:
        'resource_exhausted without an explanation, which may be a rate limit, the end of the quota, ' +
        'an outdated client version ("clientVersion" of the backend) or a prompt that is too long',
    },
  ],
])

const meaningOfStatus = new Map<number, Meaning>([
  [
    464,
    {
      code: 'upstream-protocol',
      final: true,
      words:
        'HTTP 464: this version of HTTP is not taken there; try the other "transport" of the backend, ' +
        'and see whether a proxy changes the HTTP version',
    },
  ],
  [401, unauthenticated],
  [404, { code: 'not-found', words: 'HTTP 404; is its "baseUrl" right?' }],
])

const longestWords = 1_000
const detailType = 'aiserver.v1.ErrorDetails'
const outdatedTitle = /\bupdate required\b/i
/** Messages that say nothing. */
const empty = /^\W*(?:(?:error|unknown error|an error occurred)\W*)?$/i

export function toCursorError(refusal: CursorRefusal): GatewayError {
  const { connect, httpStatus, excerpt, retryAfterMs } = refusal
  const detail = decodeDetail(connect)
  const meaning = meaningOf(refusal, detail)
  const retryable = meaning.final ? false : detail?.details?.isRetryable
  return new GatewayError(meaning.code, messageOf(refusal, meaning, detail), {
    status: meaning.status,
    detail: meaning.detail,
    retryAfterMs,
    ...(retryable === undefined ? {} : { retryable }),
    upstream: {
      ...(httpStatus === undefined ? {} : { status: httpStatus }),
      ...(excerpt === undefined ? {} : { excerpt }),
    },
  })
}

function decodeDetail(connect: ConnectError | undefined): ErrorDetails | undefined {
  for (const { type, value } of connect?.details ?? []) {
    if (type !== detailType) continue
    try {
      return fromBinary(ErrorDetailsSchema, value)
    } catch {
      // Undecodable: try the next detail, or use the plain message.
    }
  }
  return undefined
}

function meaningOf({ connect, httpStatus }: CursorRefusal, detail: ErrorDetails | undefined): Meaning {
  const title = `${detail?.details?.title ?? ''}\n${connect?.message ?? ''}`
  if (outdatedTitle.test(title)) return outdated
  const refused = httpStatus !== undefined && httpStatus !== 200
  const byDetail = detail && meaningOfDetail.get(detail.error)
  // A refusal without a specific code: its status says more.
  const byCode =
    refused && connect?.code === 'unknown' ? undefined : meaningOfConnect.get(connect?.code ?? '')
  return byDetail ?? byCode ?? (refused ? byStatus(httpStatus) : broken)
}

function byStatus(httpStatus: number): Meaning {
  const code = codeOfStatus(httpStatus)
  const status = statusToPassOn(code, httpStatus)
  return meaningOfStatus.get(httpStatus) ?? { code, ...(status === undefined ? {} : { status }) }
}

function messageOf(refusal: CursorRefusal, meaning: Meaning, detail: ErrorDetails | undefined): string {
  const { backend, connect, httpStatus } = refusal
  const { title = '', detail: text = '' } = detail?.details ?? {}
  const told = [...new Set([title, text].map((part) => part.trim()))].filter((part) => !empty.test(part))
  const message = connect?.message.trim() ?? ''
  const said = told.join(': ') || (empty.test(message) ? '' : message)
  const words = said || meaning.words || `HTTP ${httpStatus} without an explanation`
  const number = said === '' && detail?.error ? ` (error ${detail.error})` : ''
  const advice = meaning.advice ? ` ${meaning.advice(refusal)}` : ''
  return `${backend}: ${words.slice(0, longestWords)}${number}${advice}`
}
