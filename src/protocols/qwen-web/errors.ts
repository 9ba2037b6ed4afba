// What Qwen's web chat says instead of an answer, mostly as JSON under status 200, → our errors. Its anti-bot gate is
// recognised and reported; nothing here or elsewhere follows its links or answers it.

import { isDeeper } from '../../base/depth.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { followedBy, oneOf, type Words } from '../../base/words.ts'
import { type ErrorCode, GatewayError, type GatewayErrorOptions } from '../../core/errors.ts'
import { errorText } from '../errors/refusal.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

/** The refusal is about the chat that was to be gone on with: another chat may do. */
export class ChatRefusal extends GatewayError {
  /** `busy`: it is being answered; `gone`: the service knows the chat, or the message in it, no longer. */
  readonly chat: 'busy' | 'gone'

  constructor(chat: 'busy' | 'gone', error: GatewayError) {
    super(error.code, error.message, { ...error, cause: error.cause } as GatewayErrorOptions)
    this.chat = chat
  }
}

interface Rule {
  /** Looked for in the code and the words of a refusal. */
  says: Words
  code: ErrorCode
  /** What to do about it; ends the message. */
  remedy?: string
  retryable?: false
  chat?: 'busy' | 'gone'
  unknownModel?: true
}

const outdated =
  'the service says this too when the "version" it is sent is missing or too old; set the one that the web page sends now'

/** The first that fits counts. */
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
    unknownModel: rule?.unknownModel ?? false,
  })
  if (rule?.chat) return new ChatRefusal(rule.chat, error)
  return rule?.retryable === false ? withOptions(error, { retryable: false }) : error
}

const remedies: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'log in on the web page and put the new token into "token"',
}

/** A page says nothing that a client could show; paths that were retired answer with one. */
function wordless({ status, excerpt = '' }: UpstreamRefusal): string {
  if (status < 400) return 'an error without an explanation'
  if (!isPage(excerpt)) return `HTTP ${status} without an explanation`
  return `HTTP ${status} with a web page instead of an answer${status === 404 ? '' : '; is its "baseUrl" right?'}`
}

function rateLimited(refusal: UpstreamRefusal, said: string, hours: number | undefined): GatewayError {
  const wait = hours === undefined ? '' : `, for ${hours} more hour${hours === 1 ? '' : 's'}`
  const error = upstreamError(refusal, {
    code: 'rate-limited',
    text: `the account has used up what it may ask of this model${wait}${said === '' ? '' : ` (${said})`}`,
  })
  // The quota is counted in hours: a try in a second is one more that is refused.
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

/** Nobody waits longer, and a number of any size would be no time. */
const mostHours = 24 * 365

/** Under whichever name the service says it: `{data: {code, details}}`, `{error: {…}}`, `{code, message}`. */
function readRefusal(body: unknown): { kind: string; said: string; hours: number | undefined } {
  const outer = isObject(body) ? body : {}
  const fields: Fields = isObject(outer.data) ? outer.data : isObject(outer.error) ? outer.error : outer
  const kind = typeof fields.code === 'string' ? fields.code : ''
  const said = errorText(fields.details ?? fields) || errorText(outer)
  const hours =
    typeof fields.num === 'number' && fields.num > 0 && fields.num <= mostHours ? fields.num : undefined
  return { kind, said, hours }
}

/** Something that is no answer and says why. */
export function isRefusal(body: Fields): boolean {
  return (
    body.success === false || Array.isArray(body.ret) || (body.error !== undefined && body.error !== null)
  )
}

const gateMarks = /aliyun_waf|baxia|x5sec|_____tmd_____|\/punish\b|FAIL_SYS_|RGV587/i
const isPage = (text: string) => /^\s*<(!doctype|html|head|script|!--)/i.test(text)

/** Nothing of the gate's is nested so deeply, and what is cannot be written out. */
const writtenOut = (value: unknown) => (isDeeper(value, 64) ? '' : JSON.stringify(value))

/** JSON of the gate, in whatever shape: nothing that the service says itself has none of these fields. */
export function isGate(body: Fields): boolean {
  const isOwn = ['success', 'error', 'choices'].some((name) => name in body) || Array.isArray(body.data)
  return !isOwn && gateMarks.test(writtenOut(body))
}

/** With these a page is the gate's; a path that is wrong and a server that fails answer with pages of their own. */
const gateStatuses = new Set([200, 401, 403, 405, 429])

/** A captcha, or the page of a firewall. */
function isChallenge({ status, body, excerpt = '' }: UpstreamRefusal): boolean {
  if (isObject(body))
    return isGate(body) || (Array.isArray(body.ret) && gateMarks.test(writtenOut([body.ret, body.data])))
  return gateMarks.test(excerpt) || (gateStatuses.has(status) && isPage(excerpt))
}

function challenge({ backend, status, body, excerpt = '' }: UpstreamRefusal): GatewayError {
  // The link that comes with it is an invitation to answer it: it is not kept, not even for the log.
  const kept = isObject(body) ? writtenOut(body.ret ?? Object.keys(body)) : withoutLinks(excerpt)
  // Not "try again later": OpenCode takes these words for an order, whatever the status.
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

/** A whole answer that is not JSON (only such a failure has a status) may be a page of the gate. */
export function challengeIn(error: GatewayError, backend: string): GatewayError | undefined {
  const { status, excerpt = '' } = error.upstream ?? {}
  if (error.code !== 'upstream-protocol' || status === undefined) return undefined
  const refusal = { backend, status, body: undefined, excerpt }
  return isChallenge(refusal) ? challenge(refusal) : undefined
}
