// Refusals of Qwen's web chat, mostly JSON under status 200, → gateway errors. Its anti-bot gate is recognised and reported;
// the gateway never follows its links or answers it.

import { isDeeper } from '../../base/depth.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { followedBy, oneOf, type Words } from '../../base/words.ts'
import { type ErrorCode, GatewayError, type GatewayErrorOptions } from '../../core/errors.ts'
import { errorText } from '../errors/refusal.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

/** The refusal concerns the chat that was to be continued: a new chat may work. */
export class ChatRefusal extends GatewayError {
  /** `busy`: an answer is under way in it; `gone`: the service no longer has the chat or the message. */
  readonly chat: 'busy' | 'gone'

  constructor(chat: 'busy' | 'gone', error: GatewayError) {
    super(error.code, error.message, { ...error, cause: error.cause } as GatewayErrorOptions)
    this.chat = chat
  }
}

interface Rule {
  /** Searched for in the code and the text of a refusal. */
  says: Words
  code: ErrorCode
  /** The advice at the end of the message. */
  remedy?: string
  retryable?: false
  chat?: 'busy' | 'gone'
  unknownModel?: true
}

const outdated =
  'the service says this too when the "version" it is sent is missing or too old; set the one that the web page sends now'

/** The first match counts. */
const rules: readonly Rule[] = [
  {
    says: /unauthori[sz]ed|token (has |is )?(been )?(expired|invalid)|invalid (access )?token|not logged in/i,
    code: 'unauthenticated',
    remedy: 'log in on the web page and put the new token into "token"',
  },
  {
    says: /pending activation|not (yet )?activated/i,
    code: 'forbidden',
    remedy: 'activate the account on the web page first',
  },
  { says: /in progress/i, code: 'conflict', chat: 'busy', remedy: 'wait for that answer, then ask again' },
  {
    says: oneOf(
      /131,?072|too long|(context|maximum|max) (length|characters)/i,
      followedBy(/(message|content|input|prompt) /i, /exceed|limit/i),
    ),
    code: 'context-overflow',
  },
  {
    says: followedBy(/\bmodel\b/i, /\b(not (be )?(found|exist|supported|available)|invalid|unknown)/i),
    code: 'not-found',
    unknownModel: true,
  },
  { says: /not exist|Not_?Found/i, code: 'upstream-unavailable', chat: 'gone' },
  { says: /internal error/i, code: 'upstream-unavailable' },
  { says: /Bad_?Request/i, code: 'upstream-protocol', retryable: false, remedy: outdated },
]

export function fromQwenWebError(refusal: UpstreamRefusal): GatewayError {
  if (isChallenge(refusal)) return challenge(refusal)
  const { status, body } = refusal
  if (status >= 300 && status < 400) return redirect(refusal)
  const { kind, said, hours } = readRefusal(body)
  if (/rate_?limit/i.test(kind)) return rateLimited(refusal, said, hours)
  const rule = rules.find(({ says }) => says.test(`${kind} ${said}`))
  const stated = status >= 400 ? codeOfStatus(status) : undefined
  const code = rule?.code ?? stated ?? 'upstream-unavailable'
  const words = said || kind || wordless(refusal)
  const remedy = rule?.remedy ?? remedies[code]
  const error = upstreamError(refusal, {
    code,
    text: remedy === undefined ? words : `${words}; ${remedy}`,
    remedy,
    unknownModel: rule?.unknownModel ?? false,
  })
  if (rule?.chat) return new ChatRefusal(rule.chat, error)
  return rule?.retryable === false ? withOptions(error, { retryable: false }) : error
}

const remedies: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'log in on the web page and put the new token into "token"',
}

/** A web page has no text for a client; retired paths answer with one. */
function wordless({ status, excerpt = '' }: UpstreamRefusal): string {
  if (status < 400) return 'an error without an explanation'
  if (!isPage(excerpt)) return `HTTP ${status} without an explanation`
  return `HTTP ${status} with a web page instead of an answer${status === 404 ? '' : '; is its "baseUrl" right?'}`
}

function rateLimited(refusal: UpstreamRefusal, said: string, hours: number | undefined): GatewayError {
  const wait = hours === undefined ? '' : `, for ${hours} more hour${hours === 1 ? '' : 's'}`
  const error = upstreamError(refusal, {
    code: 'rate-limited',
    text: `the account has used up its quota for this model${wait}${said === '' ? '' : ` (${said})`}`,
  })
  // The quota is counted in hours: a retry after a second would be refused too.
  if (hours === undefined) return withOptions(error, { retryable: refusal.retryAfterMs !== undefined })
  return withOptions(error, { retryAfterMs: hours * 3_600_000 })
}

function withOptions(error: GatewayError, options: GatewayErrorOptions): GatewayError {
  return new GatewayError(error.code, error.message, { ...error, ...options })
}

function redirect({ backend, status, excerpt = '' }: UpstreamRefusal): GatewayError {
  return new GatewayError(
    'upstream-protocol',
    `${backend}: the service redirects (HTTP ${status}), which is never followed; is its "baseUrl" right?`,
    { retryable: false, upstream: { status, excerpt } },
  )
}

/** A larger number is no plausible time. */
const mostHours = 24 * 365

/** The service has several shapes: `{data: {code, details}}`, `{error: {…}}`, `{code, message}`. */
function readRefusal(body: unknown): { kind: string; said: string; hours: number | undefined } {
  const outer = isObject(body) ? body : {}
  const fields: Fields = isObject(outer.data) ? outer.data : isObject(outer.error) ? outer.error : outer
  const kind = typeof fields.code === 'string' ? fields.code : ''
  const said = errorText(fields.details ?? fields) || errorText(outer)
  const hours =
    typeof fields.num === 'number' && fields.num > 0 && fields.num <= mostHours ? fields.num : undefined
  return { kind, said, hours }
}

/** An error object in place of an answer. */
export function isRefusal(body: Fields): boolean {
  return (
    body.success === false || Array.isArray(body.ret) || (body.error !== undefined && body.error !== null)
  )
}

const gateMarks = /aliyun_waf|baxia|x5sec|_____tmd_____|\/punish\b|FAIL_SYS_|RGV587/i
const isPage = (text: string) => /^\s*<(!doctype|html|head|script|!--)/i.test(text)

/** The gate's JSON is never nested this deep, and JSON.stringify would fail on deeper values. */
const writtenOut = (value: unknown) => (isDeeper(value, 64) ? '' : JSON.stringify(value))

/** JSON of the gate in any shape: everything from the service itself has one of these fields. */
export function isGate(body: Fields): boolean {
  const isOwn = ['success', 'error', 'choices'].some((name) => name in body) || Array.isArray(body.data)
  return !isOwn && gateMarks.test(writtenOut(body))
}

/** A page with one of these statuses comes from the gate; wrong paths and failing servers have other statuses. */
const gateStatuses = new Set([200, 401, 403, 405, 429])

/** A captcha, or the page of a firewall. */
function isChallenge({ status, body, excerpt = '' }: UpstreamRefusal): boolean {
  if (isObject(body))
    return isGate(body) || (Array.isArray(body.ret) && gateMarks.test(writtenOut([body.ret, body.data])))
  return gateMarks.test(excerpt) || (gateStatuses.has(status) && isPage(excerpt))
}

function challenge({ backend, status, body, excerpt = '' }: UpstreamRefusal): GatewayError {
  // Its link leads to the captcha: it is not kept, not even for the log.
  const kept = isObject(body) ? writtenOut(body.ret ?? Object.keys(body)) : withoutLinks(excerpt)
  // The text avoids "try again later": OpenCode retries on these words, whatever the status.
  return new GatewayError(
    'upstream-challenge',
    `${backend}: the service asks for a captcha instead of answering, and it will not be bypassed here. Open the chat in ` +
      'your browser, with the same account, and see whether it answers there; a backend of kind "openai" with a DashScope key has no ' +
      'such gate (docs/qwen-web.md).',
    { upstream: { status, excerpt: kept } },
  )
}

const withoutLinks = (page: string) =>
  page.slice(0, longestPage).replace(/[^\s"'<>]+/g, (word) => (linkMarks.test(word) ? '[link]' : word))
const linkMarks = /\/\/|\?|punish|x5sec/i
const longestPage = 4_000

/** An answer that is not JSON (only such a failure has a status) may be a page of the gate. */
export function challengeIn(error: GatewayError, backend: string): GatewayError | undefined {
  const { status, excerpt = '' } = error.upstream ?? {}
  if (error.code !== 'upstream-protocol' || status === undefined) return undefined
  const refusal = { backend, status, body: undefined, excerpt }
  return isChallenge(refusal) ? challenge(refusal) : undefined
}
