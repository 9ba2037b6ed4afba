// What the published schema of Open Responses (2026-04-24) requires of every object and event, and of OpenAI's custom tool calls,
// which it leaves out. Written by hand, so that the door is judged without the schema file too.

// biome-ignore lint/suspicious/noExplicitAny: values of any shape are judged
type Json = any

/** `?`: or null. */
type Kind =
  | 'string'
  | 'string?'
  | 'integer'
  | 'integer?'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object'
  | 'object?'
  | 'any'
type Rules = Readonly<Record<string, Kind>>

const kinds: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  any: (value) => value !== undefined,
}

const response: Rules = {
  id: 'string',
  object: 'string',
  created_at: 'integer',
  completed_at: 'integer?',
  status: 'string',
  incomplete_details: 'object?',
  model: 'string',
  previous_response_id: 'string?',
  instructions: 'string?',
  output: 'array',
  error: 'object?',
  tools: 'array',
  tool_choice: 'any',
  truncation: 'string',
  parallel_tool_calls: 'boolean',
  text: 'object',
  top_p: 'number',
  presence_penalty: 'number',
  frequency_penalty: 'number',
  top_logprobs: 'integer',
  temperature: 'number',
  reasoning: 'object?',
  usage: 'object?',
  max_output_tokens: 'integer?',
  max_tool_calls: 'integer?',
  store: 'boolean',
  background: 'boolean',
  service_tier: 'string',
  metadata: 'object',
  safety_identifier: 'string?',
  prompt_cache_key: 'string?',
}

const call: Rules = { type: 'string', id: 'string', call_id: 'string', name: 'string', status: 'string' }
const items: Readonly<Record<string, Rules>> = {
  message: { type: 'string', id: 'string', status: 'string', role: 'string', content: 'array' },
  reasoning: { type: 'string', id: 'string', summary: 'array' },
  function_call: { arguments: 'string', ...call },
  custom_tool_call: { input: 'string', ...call },
  function_call_output: { type: 'string', id: 'string', call_id: 'string', output: 'any', status: 'string' },
  compaction: { type: 'string', id: 'string', encrypted_content: 'string' },
}

const parts: Readonly<Record<string, Rules>> = {
  output_text: { type: 'string', text: 'string', annotations: 'array' },
  refusal: { type: 'string', refusal: 'string' },
  summary_text: { type: 'string', text: 'string' },
  reasoning_text: { type: 'string', text: 'string' },
  input_text: { type: 'string', text: 'string' },
}

const usage: Rules = {
  input_tokens: 'integer',
  output_tokens: 'integer',
  total_tokens: 'integer',
  input_tokens_details: 'object',
  output_tokens_details: 'object',
}

const functionTool: Rules = {
  type: 'string',
  name: 'string',
  description: 'string?',
  parameters: 'object?',
  strict: 'any',
}

const ofResponse: Rules = { response: 'object' }
const ofItem: Rules = { output_index: 'integer', item: 'object' }
const inItem: Rules = { item_id: 'string', output_index: 'integer' }
const inContent: Rules = { content_index: 'integer', ...inItem }
const inSummary: Rules = { summary_index: 'integer', ...inItem }

const events: Readonly<Record<string, Rules>> = {
  'response.created': ofResponse,
  'response.in_progress': ofResponse,
  'response.completed': ofResponse,
  'response.incomplete': ofResponse,
  'response.failed': ofResponse,
  'response.output_item.added': ofItem,
  'response.output_item.done': ofItem,
  'response.content_part.added': { part: 'object', ...inContent },
  'response.content_part.done': { part: 'object', ...inContent },
  'response.output_text.delta': { delta: 'string', logprobs: 'array', ...inContent },
  'response.output_text.done': { text: 'string', logprobs: 'array', ...inContent },
  'response.refusal.delta': { delta: 'string', ...inContent },
  'response.refusal.done': { refusal: 'string', ...inContent },
  'response.reasoning_summary_part.added': { part: 'object', ...inSummary },
  'response.reasoning_summary_part.done': { part: 'object', ...inSummary },
  'response.reasoning_summary_text.delta': { delta: 'string', ...inSummary },
  'response.reasoning_summary_text.done': { text: 'string', ...inSummary },
  'response.function_call_arguments.delta': { delta: 'string', ...inItem },
  'response.function_call_arguments.done': { arguments: 'string', ...inItem },
  'response.custom_tool_call_input.delta': { delta: 'string', ...inItem },
  'response.custom_tool_call_input.done': { input: 'string', ...inItem },
  error: { error: 'object' },
}

const statuses = new Set(['in_progress', 'completed', 'incomplete', 'failed'])

function broken(value: Json, rules: Rules | undefined, path: string): string[] {
  if (!rules) return [`${path}: ${JSON.stringify(value?.type)} is not known`]
  return Object.entries(rules).flatMap(([name, kind]) => {
    const found = value?.[name]
    if (kind.endsWith('?') && found === null) return []
    return kinds[kind.replace('?', '')]?.(found)
      ? []
      : [`${path}.${name} is not ${kind}: ${JSON.stringify(found)}`]
  })
}

const each = (values: Json[], check: (value: Json, path: string) => string[], path: string) =>
  (values ?? []).flatMap((value, at) => check(value, `${path}[${at}]`))

const part = (value: Json, path: string) => broken(value, parts[value?.type], path)

export function itemProblems(item: Json, path = 'item'): string[] {
  return [
    ...broken(item, items[item?.type], path),
    ...each(item?.type === 'message' ? item.content : item?.summary, part, `${path}.content`),
  ]
}

const toolProblems = (tool: Json, path: string) =>
  tool?.type === 'function' ? broken(tool, functionTool, path) : []

export function responseProblems(found: Json, path = 'response'): string[] {
  const isDone = found?.status === 'completed'
  return [
    ...broken(found, response, path),
    ...(found?.object === 'response' ? [] : [`${path}.object`]),
    ...(statuses.has(found?.status) ? [] : [`${path}.status`]),
    ...(isDone === (found?.completed_at !== null) ? [] : [`${path}.completed_at of a ${found?.status} one`]),
    ...each(found?.output, itemProblems, `${path}.output`),
    ...each(found?.tools, toolProblems, `${path}.tools`),
    ...(found?.usage ? broken(found.usage, usage, `${path}.usage`) : []),
    ...(found?.text?.format?.type ? [] : [`${path}.text.format`]),
    ...(found?.reasoning && !('effort' in found.reasoning && 'summary' in found.reasoning)
      ? [`${path}.reasoning`]
      : []),
    ...(found?.error && !(found.error.code && found.error.message) ? [`${path}.error`] : []),
  ]
}

export function eventProblems(event: Json): string[] {
  const path = String(event?.type)
  return [
    ...broken(event, events[path] && { type: 'string', sequence_number: 'integer', ...events[path] }, path),
    ...(event?.response ? responseProblems(event.response, `${path}.response`) : []),
    ...(event?.item ? itemProblems(event.item, `${path}.item`) : []),
    ...(event?.part ? part(event.part, `${path}.part`) : []),
    ...(path === 'error'
      ? broken(event.error, { type: 'string', code: 'string?', message: 'string', param: 'string?' }, path)
      : []),
  ]
}
