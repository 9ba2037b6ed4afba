// The rules about other settings than messages, tools and thinking: limits, sampling, cache marks, metadata.

import { estimateTokens } from '../tokens.ts'
import { isThinkingOn } from './check-thinking.ts'
import type { AnthropicModel } from './models.ts'
import { Refusal } from './refusal.ts'
import { type MessagesRequest, nestedBlocks, toBlocks } from './request.ts'
import { findUnsupportedKeyword } from './strict-schema.ts'

const MAX_CACHE_BREAKPOINTS = 4
/** The tokens of an image, whatever its size in bytes. */
const IMAGE_TOKENS = 1600

/** From this version of the API on, no model takes sampling parameters. */
const WITHOUT_SAMPLING = '2026-10-21'

export function checkSettings(request: MessagesRequest, model: AnthropicModel, version = '2023-06-01'): void {
  const { max_tokens: maxTokens, stop_sequences: stops, output_config: output } = request
  if (maxTokens !== undefined && maxTokens > model.maxOutputTokens) {
    throw new Refusal(
      `max_tokens: ${maxTokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`,
    )
  }
  if (maxTokens === 0) checkCacheWarming(request)
  checkSampling(request, version >= WITHOUT_SAMPLING ? { ...model, sampling: 'removed' } : model)
  if (stops?.some((stop) => stop.trim() === '')) {
    throw new Refusal('stop_sequences: each stop sequence must contain non-whitespace')
  }
  const problem = findUnsupportedKeyword(output?.format?.schema)
  if (problem) throw new Refusal(`output_config.format.schema: ${problem}`)
  checkUserId(request.metadata?.user_id)
  checkCacheMarks(request)
  const tokens = countPromptTokens(request)
  if (tokens > model.contextTokens) {
    throw new Refusal(`prompt is too long: ${tokens} tokens > ${model.contextTokens} maximum`)
  }
}

/** `max_tokens: 0` asks for no answer, so settings of the answer are refused. The error text is not the service's. */
function checkCacheWarming(request: MessagesRequest): void {
  const { stream, output_config: output, tool_choice: choice, thinking } = request
  const isForced = choice?.type === 'any' || choice?.type === 'tool'
  const other = Object.entries({
    stream: stream === true,
    'output_config.format': output?.format != null,
    tool_choice: isForced,
    'thinking.type.enabled': thinking?.type === 'enabled',
  }).find(([, isSet]) => isSet)
  if (other) throw new Refusal(`max_tokens: 0 is not supported together with ${other[0]}`)
}

export function countPromptTokens({ system, tools, messages }: MessagesRequest): number {
  let images = 0
  const text = JSON.stringify([system ?? '', tools ?? [], messages], (key, value) => {
    if (key !== 'data' || typeof value !== 'string') return value
    images += 1
    return ''
  })
  return estimateTokens(text) + images * IMAGE_TOKENS
}

function checkSampling(request: MessagesRequest, model: AnthropicModel): void {
  const { temperature, top_p: topP, top_k: topK } = request
  if (model.sampling === 'removed') {
    for (const name of ['temperature', 'top_p', 'top_k']) {
      if (request[name] !== undefined) throw new Refusal(`\`${name}\` is deprecated for this model.`)
    }
  }
  for (const [name, value] of Object.entries({ temperature, top_p: topP })) {
    if (value !== undefined && (value < 0 || value > 1)) throw new Refusal(`${name}: range: 0..1`)
  }
  checkDefaults(request, model)
  if (model.sampling !== 'free' && temperature !== undefined && topP !== undefined) {
    throw new Refusal(
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    )
  }
  if (!isThinkingOn(request, model)) return
  if (temperature !== undefined && temperature !== 1) {
    throw new Refusal('`temperature` may only be set to 1 when thinking is enabled.')
  }
  if (topP !== undefined && topP < 0.95) {
    throw new Refusal('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.')
  }
  if (topK !== undefined) throw new Refusal('`top_k` must be unset when thinking is enabled.')
}

/** The only values that some models take. */
const DEFAULTS: Readonly<Record<string, number | undefined>> = {
  temperature: 1,
  top_p: 0.99,
  top_k: undefined,
}

function checkDefaults(request: MessagesRequest, { sampling }: AnthropicModel): void {
  if (sampling !== 'defaults') return
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (request[name] !== undefined && request[name] !== value) {
      throw new Refusal(`\`${name}\` is deprecated for this model.`)
    }
  }
}

const PERSONAL: readonly (readonly [RegExp, string])[] = [
  [/[^\s@]@[^\s@]+\.[a-z]{2,}/i, 'an email address'],
  [/^\+?\d[\d\s().-]{7,16}\d$/, 'a phone number'],
]

function checkUserId(userId: string | null | undefined): void {
  for (const [pattern, what] of PERSONAL) {
    if (userId && pattern.test(userId)) {
      throw new Refusal(`metadata.user_id: user_id appears to contain ${what}`)
    }
  }
}

function checkCacheMarks({ system, tools, messages, cache_control: automatic }: MessagesRequest): void {
  const content = messages.flatMap((message) => toBlocks(message.content))
  const marked = [
    ...(tools ?? []),
    ...toBlocks(system ?? []),
    ...content.flatMap((block) => [block, ...nestedBlocks(block)]),
  ].filter((block) => block.cache_control != null)
  const found = marked.length + (automatic ? 1 : 0)
  if (found > MAX_CACHE_BREAKPOINTS) {
    throw new Refusal(
      `A maximum of ${MAX_CACHE_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`,
    )
  }
}
