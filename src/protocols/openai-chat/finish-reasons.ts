// The finish reasons of servers, and their meaning.

import type { FinishReason } from '../../core/events.ts'

export const reasons = new Map<string, FinishReason>(
  Object.entries({
    stop: 'stop',
    eos: 'stop',
    end_turn: 'stop',
    stop_sequence: 'stop',
    length: 'length',
    max_tokens: 'length',
    model_length: 'length',
    tool_calls: 'tool-calls',
    tool_use: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'content-filter',
    // Z.ai
    model_context_window_exceeded: 'length',
    sensitive: 'content-filter',
  } as const),
)

/** The words of OpenAI. Clients see no others. */
const own = new Set(['stop', 'length', 'tool_calls', 'content_filter'])

/** `function_call` belongs to the older form of a call. */
export const isOwnWord = (reason: string, hasLegacyCall: boolean) =>
  own.has(reason) || (hasLegacyCall && reason === 'function_call')

export const wordOf = (reason: FinishReason) => reason.replace('-', '_')

/** The server gave up in the middle of its answer (vLLM, Mistral, DeepSeek, Z.ai): an error, not an end. */
export const breakdowns = new Set(['abort', 'error', 'insufficient_system_resource', 'network_error'])
