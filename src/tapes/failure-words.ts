// A failed attempt in words.

import type { GatewayFrame } from './frame.ts'

type Failure = Extract<GatewayFrame, { do: 'failure' }>

const nextWords = { fallback: 'the next backend is asked', 'give up': 'no other attempt' } as const

export function failureWords({
  backend,
  model,
  code,
  message,
  status,
  next,
  waitMs,
  skipped,
}: Failure): string {
  const how = skipped ? 'was skipped' : `failed${status === undefined ? '' : ` with HTTP ${status}`}`
  const then = next === 'retry' ? `again after ${waitMs ?? 0} ms` : nextWords[next]
  return `${backend}/${model} ${how} (${code}), ${then}: ${message}`
}
