// POST /v1/messages/count_tokens: the body that asks an upstream, and the guess where there is none to ask.

import { isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'

const charactersPerToken = 4
/** About what a picture or a page counts, whatever its bytes. */
const tokensPerMedia = 1_600

/** Errs by a fifth or so either way: clients use it to see a limit coming. */
export function estimateTokens({ messages, tools }: Pick<TurnRequest, 'messages' | 'tools'>): number {
  let media = 0
  const text = JSON.stringify([messages, tools], (key, value) => {
    if (key !== 'source' || !isObject(value)) return value
    media++
    return undefined
  })
  return Math.ceil(text.length / charactersPerToken) + media * tokensPerMedia
}

/** What a count takes of a request for an answer. */
const counted = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'] as const

export function toCountRequest(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => counted.some((key) => key === name)))
}

/** Undefined where the answer is no count. */
export function readCount(answer: unknown): number | undefined {
  const count = isObject(answer) ? answer.input_tokens : undefined
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}
