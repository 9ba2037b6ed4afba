// Tokens of a stored login. The store is read for every token, so `login` and `logout` take effect at once in running programs.
// One process renews the login for all.

import { GatewayError } from '../core/errors.ts'
import type { AuthRequest } from './auth-http.ts'
import { CredentialRefused, exchangeApiKey, type IssuedTokens, refreshTokens } from './cursor-auth.ts'
import { expiryInWords } from './expiry.ts'
import { expiryOf } from './jwt.ts'
import type { Login, LoginKey, LoginStore } from './store.ts'
import {
  type CredentialState,
  isJustIssued,
  Refusal,
  RejectedTokens,
  renewBeforeMs,
  renewTimeoutMs,
  singleFlight,
  type TokenSource,
  usableMs,
} from './token-source.ts'

interface LoginSourceOptions {
  backend: string
  key: LoginKey
  /** The command for a login at this origin, with its flags. */
  loginCommand: string
  store: LoginStore
  request: AuthRequest
  now: () => number
  keepSecret(value: string | undefined): void
  warn(message: string): void
}

/** The credential that the next token is issued for. */
const renewalOf = ({ apiKey, refreshToken }: Login) => apiKey ?? refreshToken

export class LoginSource implements TokenSource {
  readonly #options: LoginSourceOptions
  readonly #rejected = new RejectedTokens()
  readonly #refusal: Refusal<GatewayError>
  readonly #renew = singleFlight((stale: string) => this.#renewStored(stale))
  /** Renewed but not saved: a read-only store must not lose the login. */
  #unsaved: { replaces: string; login: Login } | undefined

  constructor(options: LoginSourceOptions) {
    this.#options = options
    this.#refusal = new Refusal(options.now)
  }

  async token(): Promise<string> {
    const login = this.#inForce(await this.#read())
    if (login === undefined) throw this.#notLoggedIn()
    if (this.#isGood(login, renewBeforeMs)) return login.accessToken
    const fresh = this.#renew(login.accessToken)
    // The token is still valid: a failed renewal does not matter yet.
    return this.#isGood(login, usableMs) ? fresh.catch(() => login.accessToken) : fresh
  }

  reject(token: string): void {
    this.#rejected.add(token)
  }

  async describe(): Promise<CredentialState> {
    let login: Login | undefined
    try {
      login = this.#inForce(await this.#read())
    } catch (error) {
      return { source: 'login', problem: GatewayError.from(error).message }
    }
    if (login === undefined) return { source: 'none', problem: this.#notLoggedIn().message }
    const expiresAt = expiryOf(login.accessToken)
    return { source: 'login', expiresAt, email: login.email, problem: this.#problemOf(login, expiresAt) }
  }

  #read(): Promise<Login | undefined> {
    return this.#options.store.read(this.#options.key)
  }

  #inForce(stored: Login | undefined): Login | undefined {
    const unsaved = this.#unsaved
    const login = stored && unsaved?.replaces === stored.accessToken ? unsaved.login : stored
    if (login) this.#keepSecrets(login)
    return login
  }

  #keepSecrets({ accessToken, refreshToken, apiKey }: Login): void {
    for (const secret of [accessToken, refreshToken, apiKey]) this.#options.keepSecret(secret)
  }

  #isGood({ accessToken, savedAt }: Login, forMs: number): boolean {
    if (this.#rejected.has(accessToken)) return false
    const now = this.#options.now()
    return isJustIssued(savedAt, now) || (expiryOf(accessToken) ?? Number.POSITIVE_INFINITY) - now >= forMs
  }

  async #renewStored(stale: string): Promise<string> {
    const { store, key, backend, warn } = this.#options
    if (!(await store.isWritable())) return this.#renewInMemory()
    let token = stale
    let issued: Login | undefined
    try {
      await store.update(key, async (stored) => {
        const login = this.#inForce(stored)
        if (stored === undefined || login === undefined) throw this.#notLoggedIn()
        token = login.accessToken
        // Another process, or a new login, was faster.
        if (token !== stale && !this.#rejected.has(token)) return undefined
        issued = await this.#renewed(login)
        token = issued.accessToken
        this.#unsaved = { replaces: stored.accessToken, login: issued }
        return issued
      })
    } catch (error) {
      if (issued === undefined) throw error
      warn(`${backend}: the renewed login is kept in memory only. ${(error as Error).message}`)
    }
    return token
  }

  async #renewInMemory(): Promise<string> {
    const { store, backend, warn } = this.#options
    const stored = await this.#read()
    const login = this.#inForce(stored)
    if (stored === undefined || login === undefined) throw this.#notLoggedIn()
    const issued = await this.#renewed(login)
    this.#unsaved = { replaces: stored.accessToken, login: issued }
    warn(`${backend}: ${store.path} cannot be written to; the renewed login is kept in memory only.`)
    return issued.accessToken
  }

  async #renewed(login: Login): Promise<Login> {
    const renewal = renewalOf(login)
    if (renewal === undefined) throw this.#ended('it cannot be renewed')
    const refused = this.#refusal.of(renewal)
    if (refused) throw refused
    try {
      const { accessToken, refreshToken, email = login.email } = await this.#issue(login, renewal)
      const { apiKey } = login
      const issued = { accessToken, refreshToken, apiKey, email, savedAt: this.#options.now() }
      this.#keepSecrets(issued)
      this.#rejected.delete(accessToken)
      return issued
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error
      const failure = this.#ended(`Cursor does not renew it (HTTP ${error.status})`)
      this.#refusal.set(renewal, failure)
      throw failure
    }
  }

  #issue({ apiKey }: Login, renewal: string): Promise<IssuedTokens> {
    const { backend, request } = this.#options
    const call = { backend, request, signal: AbortSignal.timeout(renewTimeoutMs) }
    return apiKey === undefined ? refreshTokens(renewal, call) : exchangeApiKey(apiKey, call)
  }

  #problemOf(login: Login, expiresAt: number | undefined): string | undefined {
    const renewal = renewalOf(login)
    if (renewal !== undefined) return this.#refusal.of(renewal)?.message
    const now = this.#options.now()
    if (expiresAt === undefined || expiresAt > now) return undefined
    return this.#ended(`it ${expiryInWords(expiresAt, now)} and cannot be renewed`).message
  }

  #ended(why: string): GatewayError {
    const { backend, loginCommand } = this.#options
    return new GatewayError(
      'unauthenticated',
      `${backend}: the Cursor login has ended: ${why}; run \`${loginCommand}\`.`,
    )
  }

  #notLoggedIn(): GatewayError {
    const { backend, key, loginCommand } = this.#options
    return new GatewayError(
      'unauthenticated',
      `${backend}: there is no login for ${key.origin}; run \`${loginCommand}\`, or set CURSOR_API_KEY.`,
    )
  }
}
