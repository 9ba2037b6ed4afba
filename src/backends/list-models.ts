// GET a model listing in the `{ data: [ { id, … } ] }` form that both dialects share.

import { GatewayError } from '../core/errors.ts'
import { isObject, parseJson } from '../protocols/json.ts'
import type { UpstreamRefusal } from '../protocols/upstream-error.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import { retryAfter } from '../upstream/retry-after.ts'

export interface Listing {
  client: UpstreamClient
  backend: string
  path: string
  headers: Record<string, string>
  signal: AbortSignal
  toError(refusal: UpstreamRefusal): GatewayError
}

const maxListingBytes = 8 * 1024 * 1024

export async function listModels({
  client,
  backend,
  path,
  headers,
  signal,
  toError,
}: Listing): Promise<Record<string, unknown>[]> {
  const response = await client.request({
    method: 'GET',
    path,
    headers: { accept: 'application/json', ...headers },
    signal,
  })
  const { bytes } = await response.body.readAll(maxListingBytes)
  const text = bytes.toString('utf8')
  const json = parseJson(text)
  if (response.status !== 200) {
    throw toError({
      backend,
      status: response.status,
      body: json,
      excerpt: text,
      retryAfterMs: retryAfter(response.headers),
    })
  }
  const data = isObject(json) && Array.isArray(json.data) ? json.data : undefined
  if (data) return data.filter((entry) => isObject(entry) && typeof entry.id === 'string')
  throw new GatewayError(
    'upstream-protocol',
    `${backend}: no model list at ${client.origin}${path.split('?')[0]} (HTTP ${response.status}).`,
    {
      upstream: { status: response.status, excerpt: text },
    },
  )
}
