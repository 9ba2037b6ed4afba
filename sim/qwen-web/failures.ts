// The table of known failures of the service, by name.

import type { Reply } from '../server.ts'
import { page, Refusal, toReply } from './refusal.ts'

/** The request that fails. */
export type Place = 'new' | 'completions' | 'chats' | 'models'

interface FailureRule {
  readonly about: string
  /** Where it happens by default. */
  readonly on?: Place
  /** Replaces any answer. */
  readonly reply?: (num: number) => Reply
}

const refused =
  (code: string, message: string, status = 200) =>
  () =>
    toReply(new Refusal(code, message, { status }))

export const FAILURES = {
  'rate-limited': {
    about: 'the quota is used up for `num` hours (7 unless said otherwise)',
    reply: (num) =>
      toReply(
        new Refusal('RateLimited', `You have reached the daily usage limit. Please wait ${num} hours.`, {
          num,
        }),
      ),
  },
  'bad-request': { about: '`Bad_Request`', reply: refused('Bad_Request', 'Bad request') },
  'internal-error': {
    about: '`Bad_Request` with "internal error"',
    reply: refused('Bad_Request', 'internal error'),
  },
  'not-found': {
    about: '`Not_Found`: the parent is gone',
    reply: refused('Not_Found', 'the parent message is not exist'),
  },
  'in-progress': {
    about: 'the chat is still being answered',
    reply: refused('Bad_Request', 'The chat is in progress!'),
  },
  unauthorized: { about: '401 `Unauthorized`', reply: refused('Unauthorized', 'Unauthorized', 401) },
  'token-expired': {
    about: 'the token has expired, under status 200',
    reply: refused('Unauthorized', 'Token has expired'),
  },
  'pending-activation': {
    about: 'the account is not activated; on new chats',
    on: 'new',
    reply: refused('Forbidden', 'Your account is pending activation'),
  },
  captcha: { about: 'the JSON of the anti-bot gate (`FAIL_SYS_USER_VALIDATE`)', reply: captcha },
  waf: { about: "the firewall's page under status 200", reply: () => page(200, WAF_PAGE) },
  'gateway-timeout': { about: 'a 504 page', reply: () => page(504, TIMEOUT_PAGE) },
  'zero-deltas': { about: 'a stream that holds nothing but `response.created`' },
  'status-error': { about: 'in the middle of the text, `delta.status` is `error`' },
  'error-event': { about: 'in the middle of the text, an `{"error":…}` event' },
  'no-finish': { about: 'the stream ends without `finished`' },
  cumulative: { about: 'each piece repeats all of the text so far' },
  'web-search': { about: 'phases of a search that nobody asked for come first' },
  'finished-on-think': { about: 'a `think` phase is `finished` first, which is not the end' },
} satisfies Record<string, FailureRule>

export type Failure = keyof typeof FAILURES

/** A failure for every request, or for the next few. */
export type FailureChoice =
  | Failure
  | { readonly name: Failure; readonly times?: number; readonly on?: Place; readonly num?: number }

export function isFailure(name: string): name is Failure {
  return Object.hasOwn(FAILURES, name)
}

export function replyOf(name: Failure, num = 7): Reply | undefined {
  const rule: FailureRule = FAILURES[name]
  return rule.reply?.(num)
}

/** The active failures, each until its count is used up. */
export class FailureSource {
  readonly #left: { name: Failure; on: Place; num: number | undefined; times: number }[] = []

  constructor(choices: Iterable<FailureChoice> = []) {
    for (const choice of choices) this.add(choice)
  }

  add(choice: FailureChoice): void {
    const { name, times, on, num } =
      typeof choice === 'string' ? { name: choice, times: undefined, on: undefined, num: undefined } : choice
    const rule: FailureRule = FAILURES[name]
    this.#left.push({
      name,
      on: on ?? rule.on ?? 'completions',
      num,
      times: times ?? Number.POSITIVE_INFINITY,
    })
  }

  /** The first that replaces the answer. */
  reply(place: Place): Reply | undefined {
    const found = this.#left.find(
      ({ on, times, name }) => on === place && times > 0 && replyOf(name) !== undefined,
    )
    if (found === undefined) return undefined
    found.times--
    return replyOf(found.name, found.num)
  }

  /** All that change the stream of an answer. */
  takeStreamed(): Failure[] {
    const found = this.#left.filter(({ times, name }) => times > 0 && replyOf(name) === undefined)
    for (const failure of found) failure.times--
    return found.map(({ name }) => name)
  }
}

function captcha(): Reply {
  const url = 'https://chat.qwen.ai:443//api/v2/chat/completions/_____tmd_____/punish?x5step=1&action=captcha'
  return {
    status: 200,
    headers: { 'content-type': 'application/json;charset=utf-8' },
    body: { ret: ['FAIL_SYS_USER_VALIDATE', 'RGV587_ERROR::SM::the gate is closed'], data: { url } },
  }
}

const WAF_PAGE =
  '<!doctype html><html><head><meta name="aliyun_waf_aa" content="simulated"></head><body><script src="/baxia.js"></script></body></html>'
const TIMEOUT_PAGE = '<html><head><title>504 Gateway Time-out</title></head><body>504</body></html>'
