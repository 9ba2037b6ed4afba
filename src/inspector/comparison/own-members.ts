// Members that one dialect alone has in its answers. Between dialects they are neither dropped nor added.

const members = new Set([
  // Of every dialect, each with its own values.
  'object', 'type', 'index', 'status', 'id', 'role', 'created', 'created_at', 'completed_at',
  // Chat.
  'system_fingerprint', 'service_tier', 'logprobs', 'audio_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens',
  'total_tokens',
  // Messages.
  'container', 'stop_sequence', 'stop_details', 'inference_geo', 'cache_creation', 'ephemeral_5m_input_tokens', 'caller',
  'ephemeral_1h_input_tokens', 'server_tool_use', 'output_tokens_details',
  // Responses repeats the request.
  'background', 'frequency_penalty', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'parallel_tool_calls',
  'presence_penalty', 'previous_response_id', 'prompt_cache_key', 'prompt_cache_retention', 'effort', 'summary',
  'safety_identifier', 'store', 'temperature', 'format', 'verbosity', 'tool_choice', 'tools', 'top_logprobs', 'top_p',
  'truncation', 'user', 'billing', 'incomplete_details',
  // Gemini.
  'responseId', 'modelVersion', 'totalTokenCount', 'promptTokensDetails', 'dragomanNotes',
  // Ollama.
  'done', 'context', 'total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration', 'estimated', 'dragoman_notes',
]) // biome-ignore format: a list to be read as one

/** What every dialect has, by its shared name. */
const shared = new Set(['finish reason', 'input tokens', 'output tokens', 'id', 'name', 'arguments'])

/** `member`: the last one of its path. */
export function isOwnMember(term: string, member: string, value: unknown): boolean {
  if (shared.has(term)) return false
  return members.has(member.split('[')[0] ?? '') || isNothing(value)
}

const isNothing = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)
