// The response object: at the start and the end of a stream, and of an answer that is not streamed.

import type { CollectedTurn } from '../../core/collect.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { FinishReason, Usage } from '../../core/events.ts'
import { failedResponseError } from './errors.ts'
import { finishedItem, type Item, type ItemOptions, shownItem } from './items-out.ts'
import { searchItems } from './search-items.ts'
import { webItem } from './web-items.ts'

export interface ResponseOptions extends ItemOptions {
  createdAt: number
  /** Seconds since 1970. */
  now(): number
  includeProofs: boolean
  /** The client wants the addresses that a web search found. */
  includesSources?: boolean | undefined
  /** The client waits before a retry only if the failure is a rate limit. */
  waitsForLimits?: boolean | undefined
  echo: Readonly<Record<string, unknown>>
  /** Adds a note about the answer. */
  note?(text: string): void
}

type ResponseObject = Record<string, unknown>

export interface FinishedResponse {
  response: ResponseObject
  /** The items with their proofs, for the response store. */
  items: Item[]
}

export const responseId = (answerId: string) => `resp_${answerId}`

const incompleteReasons: Record<FinishReason, string | undefined> = {
  stop: undefined,
  length: 'max_output_tokens',
  'tool-calls': undefined,
  'content-filter': 'content_filter',
  other: undefined,
}

export const isIncomplete = (reason: FinishReason) => incompleteReasons[reason] !== undefined

interface State {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: Item[]
  completedAt?: number
  error?: Record<string, unknown>
  incomplete?: string | undefined
  usage?: Record<string, unknown>
}

const responseObject = (
  { id, createdAt, model, echo }: ResponseOptions,
  { status, output, completedAt, error, incomplete, usage }: State,
): ResponseObject => ({
  id: responseId(id),
  object: 'response',
  created_at: createdAt,
  completed_at: completedAt ?? null,
  status,
  model,
  error: error ?? null,
  incomplete_details: incomplete === undefined ? null : { reason: incomplete },
  output,
  usage: usage ?? null,
  ...echo,
})

const shownItems = (items: readonly Item[], { includeProofs }: ResponseOptions) =>
  items.map((item) => shownItem(item, includeProofs))

/** `items`: those that are finished. */
export const responseBegun = (options: ResponseOptions, items: readonly Item[] = []): ResponseObject =>
  responseObject(options, { status: 'in_progress', output: shownItems(items, options) })

export const responseFailed = (
  options: ResponseOptions,
  items: readonly Item[],
  error: GatewayError,
): ResponseObject =>
  responseObject(options, {
    status: 'failed',
    error: failedResponseError(error, options.waitsForLimits),
    output: shownItems(items, options),
  })

export function responseEnded(
  options: ResponseOptions,
  items: Item[],
  { reason, usage }: { reason: FinishReason; usage: Usage | undefined },
): FinishedResponse {
  const incomplete = incompleteReasons[reason]
  const response = responseObject(options, {
    output: shownItems(items, options),
    usage: responsesUsage(usage),
    ...(incomplete === undefined
      ? { status: 'completed', completedAt: options.now() }
      : { status: 'incomplete', incomplete }),
  })
  return { response, items }
}

/** An answer that is not streamed. */
export function wholeResponse(turn: CollectedTurn, options: ResponseOptions): FinishedResponse {
  const last = turn.parts.length - 1
  const items: Item[] = []
  const addSearches = (place: number) => {
    for (const { before, search } of turn.searches ?? [])
      if (before === place) items.push(...searchItems(search, items.length, options))
    for (const { before, event } of turn.webUses ?? [])
      if (before === place) items.push(webItem(event, items.length, options))
  }
  for (const [at, part] of turn.parts.entries()) {
    addSearches(at)
    items.push(finishedItem(part, items.length, at === last && isIncomplete(turn.reason), options))
  }
  addSearches(turn.parts.length)
  return responseEnded(options, items, turn)
}

export function responsesUsage(usage: Usage | undefined): Record<string, unknown> {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
    estimated,
  } = usage ?? {}
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens ?? 0, cache_write_tokens: cacheWriteTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
    ...(estimated ? { estimated: true } : {}),
  }
}
