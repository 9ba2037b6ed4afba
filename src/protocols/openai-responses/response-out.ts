// The response object: at the start and the end of a stream, and of an answer that is not streamed.

import type { CollectedTurn } from '../../core/collect.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { FinishReason, Usage } from '../../core/events.ts'
import { failedResponseError } from './errors.ts'
import { finishedItem, type Item, type ItemOptions, shownItem } from './items-out.ts'

export interface ResponseOptions extends ItemOptions {
  createdAt: number
  includeProofs: boolean
  echo: Readonly<Record<string, unknown>>
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

const base = ({ id, createdAt, model, echo }: ResponseOptions) => ({
  id: responseId(id),
  object: 'response',
  created_at: createdAt,
  model,
  ...echo,
  error: null,
  incomplete_details: null,
})

export const responseBegun = (options: ResponseOptions): ResponseObject => ({
  ...base(options),
  status: 'in_progress',
  output: [],
  usage: null,
})

export const responseFailed = (
  options: ResponseOptions,
  items: readonly Item[],
  error: GatewayError,
): ResponseObject => ({
  ...base(options),
  status: 'failed',
  error: failedResponseError(error),
  output: items.map((item) => shownItem(item, options.includeProofs)),
  usage: null,
})

export function responseEnded(
  options: ResponseOptions,
  items: Item[],
  { reason, usage }: { reason: FinishReason; usage: Usage | undefined },
): FinishedResponse {
  const incomplete = incompleteReasons[reason]
  const response = {
    ...base(options),
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: items.map((item) => shownItem(item, options.includeProofs)),
    usage: responsesUsage(usage),
  }
  return { response, items }
}

/** An answer that is not streamed. */
export function wholeResponse(turn: CollectedTurn, options: ResponseOptions): FinishedResponse {
  const last = turn.parts.length - 1
  const items = turn.parts.map((part, at) =>
    finishedItem(part, at, at === last && isIncomplete(turn.reason), options),
  )
  return responseEnded(options, items, turn)
}

function responsesUsage(usage: Usage | undefined): Record<string, unknown> {
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
