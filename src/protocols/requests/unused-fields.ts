// Request fields without a counterpart in a backend's protocol. They are left out and named in a note.

import { isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'

interface Dialect {
  /** Fields that the door itself reads, refuses or notes. */
  carried: readonly string[]
  /** This dialect's names for fields that `used` names as in Chat. */
  synonyms?: ReadonlyMap<string, string>
  /** Fields that hold further ones. */
  nested?: readonly string[]
}

const dialects = new Map<string, Dialect>([
  ['openai-chat', { carried: [
    'function_call', 'functions', 'messages', 'model', 'n', 'parallel_tool_calls', 'reasoning', 'reasoning_effort',
    'response_format', 'stream', 'stream_options', 'tool_choice', 'tools',
  ] }],
  ['openai-responses', {
    carried: [
      'background', 'client_metadata', 'context_management', 'conversation', 'include', 'input', 'instructions', 'metadata',
      'model', 'moderation', 'parallel_tool_calls', 'previous_response_id', 'prompt', 'prompt_cache_key',
      'prompt_cache_retention', 'reasoning', 'service_tier', 'store', 'stream', 'stream_options', 'text', 'tool_choice',
      'tools', 'top_logprobs', 'truncation',
    ],
    synonyms: new Map([['max_output_tokens', 'max_tokens'], ['safety_identifier', 'user']]),
  }],
  ['anthropic-messages', {
    carried: [
      'cache_control', 'context_management', 'messages', 'model', 'output_config', 'output_format', 'stream', 'system', 'thinking',
      'tool_choice', 'tools',
    ],
    synonyms: new Map([['metadata', 'user'], ['stop_sequences', 'stop']]),
  }],
  ['gemini', {
    carried: [
      'cachedContent', 'cached_content', 'candidateCount', 'candidate_count', 'contents', 'continuationToken',
      'continuation_token', 'model', 'responseJsonSchema', 'response_json_schema', 'responseMimeType', 'response_mime_type',
      'responseModalities', 'response_modalities', 'responseSchema', 'response_schema', 'systemInstruction',
      'system_instruction', 'thinkingConfig', 'thinking_config', 'toolConfig', 'tool_config', 'tools',
    ],
    synonyms: new Map([
      ['maxOutputTokens', 'max_tokens'], ['max_output_tokens', 'max_tokens'], ['stopSequences', 'stop'],
      ['stop_sequences', 'stop'], ['topK', 'top_k'], ['topP', 'top_p'],
    ]),
    nested: ['generationConfig', 'generation_config'],
  }],
  ['ollama', {
    carried: [
      'context', 'format', 'images', 'keep_alive', 'messages', 'model', 'prompt', 'raw', 'stream', 'suffix', 'system', 'think',
      'tools',
      // Of a program that runs models itself.
      'f16_kv', 'low_vram', 'main_gpu', 'num_batch', 'num_ctx', 'num_gpu', 'num_keep', 'num_thread', 'numa', 'use_mlock', 'use_mmap',
      'vocab_only',
    ],
    synonyms: new Map([['num_predict', 'max_tokens']]),
    nested: ['options'],
  }],
]) // biome-ignore format: lists to be read as such

const defaults = new Set<unknown>([null, false, 0, 'auto'])
/** A temperature of 0 is a setting; a penalty of 0 is not. */
const isDefault = (name: string, value: unknown) =>
  defaults.has(value) && !(name === 'temperature' && value === 0)

const knownSets = new WeakMap<Dialect, WeakMap<readonly string[], ReadonlySet<string>>>()

/** Cached per list: the lists of the backends are constants. */
function knownFields(dialect: Dialect, used: readonly string[]): ReadonlySet<string> {
  const sets = knownSets.get(dialect) ?? new WeakMap<readonly string[], ReadonlySet<string>>()
  knownSets.set(dialect, sets)
  const known = sets.get(used) ?? new Set([...dialect.carried, ...used])
  sets.set(used, known)
  return known
}

/** The entry in `used` of a backend that forwards unknown efforts. */
export const otherEffort = 'an effort of another name'

/** `used`: the further fields that the backend reads. A default value is not reported: leaving it out changes nothing. */
export function unusedFields(
  { origin, otherEffort: effort }: TurnRequest,
  used: readonly string[],
): string[] {
  const dialect = dialects.get(origin.dialect)
  if (!dialect) return []
  const unknown = effort === undefined || used.includes(otherEffort) ? [] : [`reasoning effort "${effort}"`]
  const known = knownFields(dialect, used)
  const isKnown = (name: string) => known.has(name) || known.has(dialect.synonyms?.get(name) ?? name)
  return fieldsOf(origin.body, dialect)
    .filter(([name, value]) => !isKnown(name) && !isDefault(name, value))
    .map(([name]) => name)
    .sort()
    .concat(unknown)
}

function fieldsOf(body: Readonly<Record<string, unknown>>, { nested }: Dialect): [string, unknown][] {
  if (!nested) return Object.entries(body)
  return Object.entries(body).flatMap(([name, value]) =>
    nested.includes(name) && isObject(value) ? Object.entries(value) : [[name, value]],
  )
}
