// Login by browser: the user confirms on Cursor's website, and this side polls the API for the tokens. Polling needs the verifier;
// the URL in the browser has only its hash.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '../core/errors.ts'
import type { AuthRequest, AuthResponse } from './auth-http.ts'
import { type IssuedTokens, readTokens } from './cursor-auth.ts'
import { createPkce, type Pkce } from './pkce.ts'

interface CursorLoginOptions {
  websiteUrl: string
  request: AuthRequest
  signal: AbortSignal
  /** The command to try again, for messages. */
  command?: string
  /** Before each wait; `attempt` counts from 1. */
  onWait?: (attempt: number) => void
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  pkce?: Pkce
  uuid?: string
}

interface CursorLogin {
  /** For the user's browser. */
  url: string
  /** Resolves when the user has confirmed. */
  tokens(): Promise<IssuedTokens>
}

const maxAttempts = 150
const maxOddAnswers = 3
const requestTimeoutMs = 15_000

export const pollDelayMs = (attempt: number) => Math.min(1_000 * 1.2 ** attempt, 10_000)

export function startCursorLogin(options: CursorLoginOptions): CursorLogin {
  const { pkce = createPkce(), uuid = randomUUID() } = options
  return {
    url: loginUrl(options.websiteUrl, { challenge: pkce.challenge, uuid }),
    tokens: () => poll({ ...options, verifier: pkce.verifier, uuid }),
  }
}

function loginUrl(websiteUrl: string, { challenge, uuid }: { challenge: string; uuid: string }): string {
  const url = new URL(websiteUrl)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/loginDeepControl`
  url.search = new URLSearchParams({ challenge, uuid, mode: 'login', redirectTarget: 'cli' }).toString()
  return url.href
}

interface Poll extends CursorLoginOptions {
  verifier: string
  uuid: string
}

async function poll(options: Poll): Promise<IssuedTokens> {
  const { signal, onWait, sleep = (ms) => delay(ms, undefined, { signal }) } = options
  let ask = askByPost
  let oddAnswers = 0
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    let answer = await answerOf(ask, options)
    if (ask === askByPost && isUnknownEndpoint(answer)) {
      ask = askByGet
      answer = await answerOf(ask, options)
    }
    const tokens = answer instanceof GatewayError ? undefined : readTokens(answer)
    if (tokens) return tokens
    oddAnswers = isPending(answer) ? 0 : oddAnswers + 1
    if (oddAnswers === maxOddAnswers) throw gaveUp(answer)
    onWait?.(attempt + 1)
    await sleep(pollDelayMs(attempt), signal).catch((error: unknown) => {
      throw signal.aborted ? GatewayError.ofAbort(signal) : error
    })
  }
  const { command = 'dragoman login cursor' } = options
  throw new GatewayError('timeout', `The login was not confirmed in time; run \`${command}\` again.`)
}

type Answer = AuthResponse | GatewayError

/** A failed connection does not end the login: the user may still be in the browser. */
async function answerOf(ask: typeof askByPost, options: Poll): Promise<Answer> {
  const { signal } = options
  try {
    return await ask(options, AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]))
  } catch (error) {
    if (signal.aborted) throw GatewayError.ofAbort(signal)
    return GatewayError.from(error)
  }
}

function askByPost({ request, uuid, verifier }: Poll, signal: AbortSignal): Promise<AuthResponse> {
  return request({
    method: 'POST',
    path: '/auth/poll',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ uuid, verifier }),
    signal,
  })
}

/** For older servers only: URLs end up in logs, and this one has the verifier. */
function askByGet({ request, uuid, verifier }: Poll, signal: AbortSignal): Promise<AuthResponse> {
  const query = new URLSearchParams({ uuid, verifier })
  return request({
    method: 'GET',
    path: `/auth/poll?${query}`,
    headers: { accept: 'application/json' },
    signal,
  })
}

const isPending = (answer: Answer) => !(answer instanceof GatewayError) && answer.status === 404

/** For a login that is not confirmed yet, a server that has the endpoint responds with 404 and exactly this text. */
const isUnknownEndpoint = (answer: Answer) =>
  !(answer instanceof GatewayError) && answer.status === 404 && answer.text.trim() !== 'Not found'

function gaveUp(answer: Answer): GatewayError {
  if (answer instanceof GatewayError) return answer
  return new GatewayError(
    'upstream-protocol',
    `Cursor answered the question for the login with HTTP ${answer.status}${answer.status === 200 ? ' but without tokens' : ''}; try again later.`,
    { upstream: { status: answer.status } },
  )
}
