// Logins and tokens: keys are exchanged, browsers approve, tokens expire and are renewed.

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Refusal } from './refusal.ts'

export interface CursorAuth {
  /** Keys exchanged for tokens so far. */
  readonly exchanges: number
  readonly refreshes: number
  readonly polls: number
  /** All access tokens issued so far are refused from now on; refresh tokens stay valid. */
  expire(): void
  /** Refresh tokens issued so far are refused too. */
  revoke(): void
  /** Approves one login, or all waiting logins and the next one. */
  approveLogin(uuid?: string): void
  /** Tokens as a login would give them. */
  issue(): TokenPair
}

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
}

interface AccountsOptions {
  readonly apiKey: string | undefined
  readonly tokenSeconds: number
  /** Logins approve themselves at this poll. */
  readonly loginPolls: number | undefined
}

interface Login {
  challenge: string | undefined
  approved: boolean
  polls: number
}

export class Accounts implements CursorAuth {
  exchanges = 0
  refreshes = 0
  polls = 0
  readonly #options: AccountsOptions
  readonly #access = new Map<string, { expiresAt: number }>()
  readonly #refresh = new Set<string>()
  readonly #logins = new Map<string, Login>()
  #approvesNext = false

  constructor(options: AccountsOptions) {
    this.#options = options
  }

  issue(): TokenPair {
    const lifeSeconds = this.#options.tokenSeconds
    const accessToken = makeToken('session', lifeSeconds)
    const refreshToken = makeToken('refresh', 60 * 24 * 3600)
    this.#access.set(accessToken, { expiresAt: Date.now() + lifeSeconds * 1000 })
    this.#refresh.add(refreshToken)
    return { accessToken, refreshToken }
  }

  expire(): void {
    for (const token of this.#access.values()) token.expiresAt = 0
  }

  revoke(): void {
    this.#refresh.clear()
  }

  /** Throws if the token is unknown or has expired. */
  checkAccess(authorization: string | undefined): void {
    const token = bearerOf(authorization)
    if (token === undefined) throw notLoggedIn('no bearer token was sent')
    const known = this.#access.get(token)
    if (known === undefined) throw notLoggedIn('this token was not issued here')
    if (known.expiresAt <= Date.now()) {
      throw new Refusal('unauthenticated', 'Error', {
        error: 12,
        title: 'Authentication error',
        detail: 'The access token has expired.',
        isRetryable: false,
      })
    }
  }

  /** The REST interface also accepts the API key itself. */
  checkKeyOrAccess(authorization: string | undefined): void {
    if (!this.#isKey(bearerOf(authorization) ?? '')) this.checkAccess(authorization)
  }

  /** A key, or a refresh token, as one known client sends it. */
  exchange(authorization: string | undefined): TokenPair {
    const credential = bearerOf(authorization) ?? ''
    if (this.#refresh.has(credential)) return this.refresh(credential)
    if (!this.#isKey(credential)) throw new Refusal('unauthenticated', 'Invalid User API key')
    this.exchanges++
    return this.issue()
  }

  refresh(token: string | undefined): TokenPair {
    if (token === undefined || !this.#refresh.has(token)) {
      throw new Refusal('unauthenticated', 'Unknown refresh token')
    }
    this.refreshes++
    return { ...this.issue(), refreshToken: token }
  }

  /** The page was opened in a browser. */
  openLogin(uuid: string, challenge: string): void {
    this.#loginOf(uuid).challenge = challenge
  }

  approveLogin(uuid?: string): void {
    if (uuid !== undefined) this.#loginOf(uuid).approved = true
    else if (this.#logins.size === 0) this.#approvesNext = true
    else for (const login of this.#logins.values()) login.approved = true
  }

  /** Undefined while the login waits for its browser. */
  poll(uuid: string, verifier: string): TokenPair | undefined {
    this.polls++
    const login = this.#loginOf(uuid)
    login.polls++
    if (this.#options.loginPolls !== undefined && login.polls >= this.#options.loginPolls) {
      login.approved = true
    }
    if (!login.approved) return undefined
    const proof = createHash('sha256').update(verifier).digest('base64url')
    if (login.challenge !== undefined && login.challenge !== proof) {
      throw new Refusal('permission_denied', 'the verifier does not belong to the challenge of this login')
    }
    this.#logins.delete(uuid)
    return this.issue()
  }

  #loginOf(uuid: string): Login {
    const login = this.#logins.get(uuid) ?? { challenge: undefined, approved: this.#approvesNext, polls: 0 }
    if (!this.#logins.has(uuid)) this.#approvesNext = false
    this.#logins.set(uuid, login)
    return login
  }

  #isKey(credential: string): boolean {
    const { apiKey } = this.#options
    return apiKey === undefined ? /^crsr_\S/.test(credential) : credential === apiKey
  }
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
}

function notLoggedIn(why: string): Refusal {
  return new Refusal('unauthenticated', 'Error', {
    error: 2,
    title: 'Not logged in',
    detail: `Please log in to continue (${why}).`,
    isRetryable: false,
  })
}

function makeToken(type: string, lifeSeconds: number): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: 'auth0|user_simulated', type, exp: now + lifeSeconds, iat: now, jti: randomUUID() }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return [part({ alg: 'HS256', typ: 'JWT' }), part(claims), randomBytes(32).toString('base64url')].join('.')
}
