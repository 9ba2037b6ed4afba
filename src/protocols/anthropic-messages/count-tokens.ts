// POST /v1/messages/count_tokens: the request to an upstream, and an estimate for upstreams that cannot count.

import { isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'

const charactersPerToken = 4
/** Roughly the tokens of an image or a page, whatever its size in bytes. */
const tokensPerMedia = 1_600

/** Off by about a fifth in either direction: enough for clients that watch for a limit. */
export function estimateTokens({ messages, tools }: Pick<TurnRequest, 'messages' | 'tools'>): number {
  let media = 0
  const text = JSON.stringify([messages, tools], (key, value) => {
    if (key !== 'source' || !isObject(value)) return value
    media++
    return undefined
  })
  return Math.ceil(text.length / charactersPerToken) + media * tokensPerMedia
}

/** The fields that count_tokens takes from a Messages request. */
const counted = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'] as const

export function toCountRequest(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => counted.some((key) => key === name)))
}

/** Undefined if the answer is not a count. */
export function readCount(answer: unknown): number | undefined {
  const count = isObject(answer) ? answer.input_tokens : undefined
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}
