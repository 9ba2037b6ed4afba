// A turn as one Messages answer, and the parts that streams share: stop reason and usage.

import { replaceMember } from '../../base/json-text.ts'
import type { CollectedPart, CollectedTurn } from '../../core/collect.ts'
import type { FinishReason, Usage } from '../../core/events.ts'
import { toClientId } from './client-ids.ts'
import { dialect } from './dialect.ts'
import { searchBlocks } from './search-blocks.ts'
import { webBlocks, webUsage } from './web-blocks.ts'

const stopReasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  other: 'end_turn',
}

/** Stop reasons of an upstream of this dialect that are finer than the canonical reason. They are passed on. */
const finerReasons = new Map<string, FinishReason>([
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['model_context_window_exceeded', 'length'],
])

interface TurnStop {
  reason: FinishReason
  rawReason?: string | undefined
  stopSequence?: string | undefined
}

/** `refused`: the service marked the text as a refusal, whatever its finish reason. */
export function messagesStop(
  { reason, rawReason = '', stopSequence }: TurnStop,
  refused: boolean,
): Record<string, unknown> {
  const stated = finerReasons.get(rawReason) === reason ? rawReason : stopReasons[reason]
  const stopReason = refused && stated === 'end_turn' ? 'refusal' : stated
  return {
    stop_reason: stopReason,
    stop_sequence: stopSequence ?? null,
    ...(stopReason === 'refusal'
      ? { stop_details: { type: 'refusal', category: null, explanation: null } }
      : {}),
  }
}

/** The canonical `inputTokens` include cached tokens; Anthropic's `input_tokens` exclude them. */
export function messagesUsage(usage: Usage | undefined): Record<string, unknown> {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
    ...(usage?.reasoningTokens === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
    ...(usage?.estimated ? { estimated: true } : {}),
  }
}

export interface AnswerOptions {
  id: string
  /** The model as the client named it. */
  model: string
  /** Reasoning without a signature is shown too. */
  showsThinking: boolean
}

/** The answer as JSON text. Arguments are inserted unparsed: parsing them would lose digits of large numbers. */
export function messagesAnswer(turn: CollectedTurn, options: AnswerOptions): string {
  const { original } = turn
  if (original?.lane === dialect)
    return replaceMember(original.text, ['model'], JSON.stringify(options.model))
  const refused = turn.parts.some((part) => part.type === 'text' && part.refusal)
  const head = JSON.stringify({ id: options.id, type: 'message', role: 'assistant', model: options.model })
  const web = webUsage((turn.webUses ?? []).map(({ event }) => event))
  const usage = { ...messagesUsage(turn.usage), ...web }
  const rest = JSON.stringify({ ...messagesStop(turn, refused), usage })
  const content = withSearches(turn, (part) => blockText(part, options))
  return `${head.slice(0, -1)},"content":[${content.join(',')}],${rest.slice(1)}`
}

function withSearches(
  { parts, searches = [], webUses = [] }: CollectedTurn,
  blockTexts: (part: CollectedPart) => string[],
): string[] {
  const at = (place: number, before: number, blocks: readonly object[]) =>
    before === place ? blocks.map((block) => JSON.stringify(block)) : []
  const texts = (place: number) => [
    ...searches.flatMap(({ before, search }) => at(place, before, searchBlocks(search))),
    ...webUses.flatMap(({ before, event }) => at(place, before, webBlocks(event))),
  ]
  return [...parts.flatMap((part, place) => [...texts(place), ...blockTexts(part)]), ...texts(parts.length)]
}

function blockText(part: CollectedPart, { showsThinking }: AnswerOptions): string[] {
  const block = (fields: Record<string, string>) => [JSON.stringify(fields)]
  switch (part.type) {
    case 'text':
      return block({ type: 'text', text: part.text })
    case 'tool-call': {
      const head = JSON.stringify({ type: 'tool_use', id: toClientId(part.callId), name: part.name })
      return [`${head.slice(0, -1)},"input":${part.input}}`]
    }
    case 'reasoning': {
      if (part.redacted !== undefined) return block({ type: 'redacted_thinking', data: part.redacted })
      if (part.signature === undefined && (!showsThinking || part.text === '')) return []
      return block({ type: 'thinking', thinking: part.text, signature: part.signature ?? '' })
    }
  }
}
