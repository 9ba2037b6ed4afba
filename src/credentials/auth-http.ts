// One small request to an auth endpoint, whole answer as text. A function, so that tests need no server.

import type { UpstreamClient, UpstreamRequest } from '../upstream/client.ts'

export interface AuthResponse {
  status: number
  text: string
  retryAfterMs?: number | undefined
}

/**
 * Bound to one origin. Rejects with a GatewayError when there is no answer; every status is an answer.
 */
export type AuthRequest = (request: UpstreamRequest) => Promise<AuthResponse>

const maxAnswerBytes = 64 * 1024

export function authRequestOver(client: UpstreamClient, headers: Record<string, string> = {}): AuthRequest {
  return async (request) => {
    const response = await client.request({ ...request, headers: { ...headers, ...request.headers } })
    const { bytes } = await response.body.readAll(maxAnswerBytes)
    const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
    return {
      status: response.status,
      text: bytes.toString('utf8'),
      retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined,
    }
  }
}
