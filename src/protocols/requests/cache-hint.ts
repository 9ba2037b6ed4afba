// `cache_control`, Anthropic's prompt-cache breakpoint. Clients of other dialects send it too.

import type { CacheHint } from '../../core/request.ts'
import type { Fields } from './decode.ts'

export function readCache(fields: Fields): CacheHint | undefined {
  const control = fields.cache_control
  if (typeof control !== 'object' || control === null) return undefined
  const ttl = (control as Fields).ttl
  return ttl === '1h' || ttl === '5m' ? { ttl } : {}
}

/** The hint as a field to spread into its part. */
export function cacheOf(fields: Fields): { cache?: CacheHint } {
  const cache = readCache(fields)
  return cache ? { cache } : {}
}
