// POST /v1/messages/count_tokens: the request to an upstream, and an estimate for upstreams that cannot count.

import { isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'

const charactersPerToken = 4
/** Roughly the tokens of an image or a page, whatever its size in bytes. */
const tokensPerMedia = 1_600

type CountedRequest = { readonly [part in 'messages' | 'tools']: Readonly<TurnRequest[part]> }

/** Off by about a fifth in either direction: enough for clients that watch for a limit. */
export function estimateTokens({ messages, tools }: CountedRequest): number {
  let media = 0
  const text = JSON.stringify([messages, tools], function (this: unknown, key, value) {
    if (key !== 'source' || !isObject(value)) return value
    // A message has a source too: itself, in the client's words.
    if (isObject(this) && (this.type === 'image' || this.type === 'file')) media++
    return undefined
  })
  return Math.ceil(text.length / charactersPerToken) + media * tokensPerMedia
}

/** Fields of a Messages request that count_tokens refuses. */
const uncounted: ReadonlySet<string> = new Set([
  'container', 'diagnostics', 'fallbacks', 'inference_geo', 'max_tokens', 'metadata', 'service_tier', 'stop_sequences',
  'stream', 'temperature', 'top_k', 'top_p',
]) // biome-ignore format: a list to be read as one

export function toCountRequest(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !uncounted.has(name)))
}

/** Undefined if the answer is not a count. */
export function readCount(answer: unknown): number | undefined {
  const count = isObject(answer) ? answer.input_tokens : undefined
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}
