// Cursor's login pages and token endpoints, as the login commands see them.

import { createHash } from 'node:crypto'
import http from 'node:http'
import { listen } from './program.ts'

export const hour = 3_600_000
export const apiKey = 'crsr_canary_4711'

/** Tokens end in `canary`, so a leaked token is found by that word. */
export function jwt(forMs: number, serial = 0): string {
  const claims = { exp: Math.floor((Date.now() + forMs) / 1000), email: 'someone@mail.example', serial }
  return `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.canary`
}

export class FakeCursor {
  url = ''
  readonly asked: string[] = []
  readonly verifiers: string[] = []
  readonly #confirmed = new Map<string, string>()
  #serial = 0
  /** Good for one renewal only, as rotating refresh tokens are. */
  refreshToken = 'rt-canary-0'

  async start(): Promise<this> {
    const port = await listen(http.createServer((request, response) => void this.#serve(request, response)))
    this.url = `http://127.0.0.1:${port}`
    return this
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const url = new URL(request.url ?? '', this.url)
    this.asked.push(`${request.method} ${url.pathname}`)
    const [status, body] = this.#answer(url, text, request.headers.authorization)
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  #answer(url: URL, text: string, authorization: string | undefined): [number, unknown] {
    const { uuid, verifier, refreshToken } = JSON.parse(text || '{}')
    switch (url.pathname) {
      case '/loginDeepControl':
        this.#confirmed.set(String(url.searchParams.get('uuid')), String(url.searchParams.get('challenge')))
        return [200, 'You can close this page.']
      case '/auth/poll': {
        this.verifiers.push(verifier)
        const challenge = createHash('sha256').update(verifier).digest('base64url')
        return this.#confirmed.get(uuid) === challenge ? [200, this.#issue()] : [404, 'Not found']
      }
      case '/auth/exchange_user_api_key':
        return authorization === `Bearer ${apiKey}` ? [200, this.#issue()] : [401, 'canary']
      case '/auth/token':
        return refreshToken === this.refreshToken ? [200, this.#issue()] : [401, 'used already']
      default:
        return [404, 'Not found']
    }
  }

  #issue() {
    this.refreshToken = `rt-canary-${++this.#serial}`
    return { accessToken: jwt(5 * hour, this.#serial), refreshToken: this.refreshToken, authId: 'user' }
  }
}
