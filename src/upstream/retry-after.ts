// The headers of an upstream response that say when and whether to retry, and what was wrong.

import type { RetryHeaders } from '../core/errors.ts'

const longestMs = 365 * 24 * 60 * 60 * 1000

/** `retry-after` is in seconds or an HTTP date; `retry-after-ms`, which some services send, is preferred. */
export function retryAfter(headers: Record<string, string | string[] | undefined>): number | undefined {
  const exact = Number(headers['retry-after-ms'])
  if (Number.isFinite(exact) && exact >= 0) return Math.min(exact, longestMs)
  const value = headers['retry-after']
  if (typeof value !== 'string') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.min(Math.max(0, seconds * 1000), longestMs)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

export function retryHeaders(
  headers: Record<string, string | string[] | undefined>,
): RetryHeaders | undefined {
  const advice = headers['x-should-retry']
  const isExact = headers['retry-after-ms'] !== undefined
  if (!isExact && advice !== 'true' && advice !== 'false') return undefined
  return {
    ...(isExact ? { exact: true } : {}),
    ...(advice === 'true' || advice === 'false' ? { shouldRetry: advice === 'true' } : {}),
  }
}

/** AWS names the kind of an error in a header only. */
export function errorType(headers: Record<string, string | string[] | undefined>): string | undefined {
  const value = headers['x-amzn-errortype']
  return typeof value === 'string' ? value.slice(0, 200) : undefined
}
