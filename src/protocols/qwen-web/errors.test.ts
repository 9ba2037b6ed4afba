import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { ChatRefusal, challengeIn, fromQwenWebError, isGate, isRefusal } from './errors.ts'

const refused = (code: string, details: string, more: object = {}) => ({
  success: false,
  request_id: 'r-1',
  data: { code, details, ...more },
})
const from = (body: unknown, status = 200, excerpt?: string) =>
  fromQwenWebError({ backend: 'qwen', status, body, ...(excerpt === undefined ? {} : { excerpt }) })

const captcha = {
  ret: ['FAIL_SYS_USER_VALIDATE', 'RGV587_ERROR::SM::busy'],
  data: {
    url: 'https://chat.example:443//api/v2/chat/completions/_____tmd_____/punish?x5secdata=canary&action=captcha',
  },
}
const page = '<!doctype html>\n<html><head><title>x</title></head></html>'

describe('refusals under status 200', () => {
  it.each([
    [
      'quota in hours',
      refused('RateLimited', 'Daily limit.', { num: 7 }),
      'rate-limited',
      /for 7 more hours \(Daily limit\.\)/,
    ],
    ['one hour', refused('RateLimited', '', { num: 1 }), 'rate-limited', /for 1 more hour$/],
    ['no version', refused('Bad_Request', ''), 'upstream-protocol', /Bad_Request; .*"version"/],
    [
      'a fault of its own',
      refused('Bad_Request', 'internal error'),
      'upstream-unavailable',
      /internal error/,
    ],
    [
      'an old token',
      refused('Unauthorized', 'Token has expired'),
      'upstream-credential',
      /"qwen" was refused; log in .*"token"/,
    ],
    [
      'a token that ended, by its words',
      { success: false, detail: 'Token has expired' },
      'upstream-credential',
      /"token"/,
    ],
    [
      'an account that is not activated',
      refused('Forbidden', 'Your account is pending activation'),
      'upstream-credential',
      /activate the account/,
    ],
    [
      'an unknown model',
      refused('Not_Found', 'Model not found: qwen9'),
      'not-found',
      /Model not found: qwen9/,
    ],
    ['too much', refused('Bad_Request', 'The content is too long'), 'context-overflow', /too long/],
    [
      'something else',
      refused('Teapot', 'short and stout'),
      'upstream-unavailable',
      /^qwen: short and stout$/,
    ],
    ['a code alone', refused('Teapot', ''), 'upstream-unavailable', /^qwen: Teapot$/],
    ['nothing', { success: false }, 'upstream-unavailable', /without an explanation/],
    [
      'an error in the stream',
      { error: { code: 'x', message: 'broke' } },
      'upstream-unavailable',
      /^qwen: broke$/,
    ],
    ['an error that is a text', { error: 'broke' }, 'upstream-unavailable', /^qwen: broke$/],
  ])('%s', (_name, body, code, message) => {
    expect(isRefusal(body)).toBe(true)
    const error = from(body)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  it('hours become Retry-After; without them the error is not retryable', () => {
    expect(from(refused('RateLimited', '', { num: 7 }))).toMatchObject({
      retryAfterMs: 25_200_000,
      retryable: true,
    })
    expect(from(refused('RateLimited', ''))).toMatchObject({ retryAfterMs: undefined, retryable: false })
  })

  it('implausible hours are ignored', () => {
    expect(from(refused('RateLimited', '', { num: 1e308 }))).toMatchObject({
      retryAfterMs: undefined,
      retryable: false,
    })
  })

  it('a bad request is not retryable', () => {
    expect(from(refused('Bad_Request', ''))).toMatchObject({ status: 502, retryable: false })
  })

  it.each([
    ['gone', refused('Not_Found', 'parent_id p-1 is not exist')],
    ['gone', refused('Not_Found', '')],
    ['busy', refused('Bad_Request', 'The chat is in progress!')],
  ])('a chat is %s', (chat, body) => {
    const error = from(body)
    expect(error).toBeInstanceOf(ChatRefusal)
    expect(error).toMatchObject({ chat })
  })

  it('an answer is no refusal', () => {
    expect(isRefusal({ success: true, data: { id: 'x' } })).toBe(false)
    expect(isRefusal({ choices: [], error: null })).toBe(false)
    expect(isGate({ success: true, data: { id: 'baxia' } })).toBe(false)
    expect(isGate({ data: [{ id: 'x5sec' }] })).toBe(false)
  })
})

describe('the gate', () => {
  it.each([
    ['a captcha', captcha, 200, undefined],
    [
      'a captcha in another shape',
      { rgv587_flag: 'sm', url: '/_____tmd_____/punish?x5secdata=1' },
      200,
      undefined,
    ],
    ['a page', undefined, 200, page],
    ['a page that refuses', undefined, 403, page],
    ['a firewall behind an error', undefined, 503, '<script src="//x/baxia.js">'],
    ['a firewall', undefined, 405, '<html><meta name="aliyun_waf_aa"></html>'],
    ['a script', undefined, 200, 'var x5secdata = 1'],
  ])('%s is a challenge: not retried, with what to do', (_name, body, status, excerpt) => {
    const error = from(body, status, excerpt)
    expect(error).toMatchObject({ code: 'upstream-challenge', status: 403, retryable: false })
    expect(error.message).not.toMatch(/again/i)
    expect(error.message).toMatch(
      /captcha.*not be bypassed.*your browser.*kind "openai" with a DashScope key/,
    )
  })

  it('its link is not kept, not even in the log', () => {
    const link = captcha.data.url
    const shown = [
      from(captcha, 200, JSON.stringify(captcha)),
      from({ rgv587_flag: 'sm', url: link }),
      from(
        undefined,
        200,
        `<html><script>location="${link}"</script><a href=/punish?x5secdata=canary>x</a></html>`,
      ),
    ]
    expect(JSON.stringify(shown)).not.toMatch(/punish|canary/)
    expect(shown.map(({ code }) => code)).toEqual(shown.map(() => 'upstream-challenge'))
  })

  it.each([
    ['a server that fails', 502, 'upstream-unavailable', 502],
    ['a path that was retired', 504, 'timeout', 504],
    ['a path that is wrong', 404, 'not-found', 404],
  ])('%s may show a page as well', (_name, status, code, ours) => {
    const error = from(undefined, status, page)
    expect(error).toMatchObject({ code, status: ours })
    expect(error.message).toMatch(/with a web page instead of an answer.*"baseUrl"/)
  })

  it('is recognised in an answer that is not JSON, and never in model text', () => {
    const failed = (upstream: object) => new GatewayError('upstream-protocol', 'x', { upstream })
    expect(challengeIn(failed({ status: 200, excerpt: page }), 'qwen')?.code).toBe('upstream-challenge')
    expect(challengeIn(failed({ excerpt: 'about baxia and x5sec' }), 'qwen')).toBeUndefined()
    expect(challengeIn(failed({ status: 200, excerpt: 'hello' }), 'qwen')).toBeUndefined()
    expect(challengeIn(new GatewayError('timeout', 'x'), 'qwen')).toBeUndefined()
  })
})

describe('HTTP statuses', () => {
  it.each([
    [401, 'upstream-credential'],
    [403, 'upstream-credential'],
    [429, 'rate-limited'],
    [500, 'upstream-unavailable'],
  ])('%i without a word of why', (status, code) => {
    expect(from({}, status).code).toBe(code)
  })

  it('a redirect is neither followed nor retried', () => {
    expect(from(undefined, 302, '')).toMatchObject({
      code: 'upstream-protocol',
      retryable: false,
      message: expect.stringMatching(/redirects \(HTTP 302\)/),
    })
  })

  it('Retry-After is passed on', () => {
    const error = fromQwenWebError({
      backend: 'qwen',
      status: 429,
      body: { error: { message: 'slow down', type: 'rate_limit_error' } },
      retryAfterMs: 7_000,
    })
    expect(error).toMatchObject({ code: 'rate-limited', retryAfterMs: 7_000, retryable: true })
  })

  it('401 says where the token comes from', () => {
    expect(from({}, 401).message).toMatch(/log in on the web page and put the new token into "token"/)
  })
})
