// One small request to an auth endpoint, with the whole response as text. A function type, so that tests need no server.

import type { UpstreamClient, UpstreamRequest } from '../upstream/client.ts'
import { retryAfter } from '../upstream/retry-after.ts'

export interface AuthResponse {
  status: number
  text: string
  retryAfterMs?: number | undefined
}

/**
 * Bound to one origin. Rejects with a GatewayError if there is no response; every status is a response.
 */
export type AuthRequest = (request: UpstreamRequest) => Promise<AuthResponse>

const maxAnswerBytes = 64 * 1024

export function authRequestOver(client: UpstreamClient, headers: Record<string, string> = {}): AuthRequest {
  return async (request) => {
    const response = await client.request({ ...request, headers: { ...headers, ...request.headers } })
    const { bytes } = await response.body.readAll(maxAnswerBytes)
    return {
      status: response.status,
      text: bytes.toString('utf8'),
      retryAfterMs: retryAfter(response.headers),
    }
  }
}
