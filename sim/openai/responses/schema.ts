// The body of POST /v1/responses as strict shapes, from the types of the openai package. Rules across fields are in check-request.ts.

import {
  anything,
  decimal,
  type Fields,
  integer,
  list,
  nullable,
  oneOf,
  openRecord,
  optional,
  record,
  type Shape,
  tagged,
  text,
  textOrList,
  truth,
} from '../../shape.ts'

const type = anything
const role = anything
const NAME = text({ least: 1, most: 128, pattern: /^[a-zA-Z0-9_-]+$/ })
/** The longest id that the service takes. */
const CALL_ID = text({ least: 1, most: 64 })
const MAX_OUTPUT = 10 * 1024 * 1024

const perhaps = (shape: Shape) => optional(nullable(shape))
const status = perhaps(oneOf('in_progress', 'completed', 'incomplete'))
const id = perhaps(text())
const breakpoint = { prompt_cache_breakpoint: perhaps(openRecord()) }

const inputParts = {
  input_text: record({ type, text: text(), ...breakpoint }),
  input_image: record({
    type,
    image_url: perhaps(text()),
    file_id: perhaps(text()),
    detail: perhaps(oneOf('low', 'high', 'auto', 'original')),
    ...breakpoint,
  }),
  input_file: record({
    type,
    file_data: perhaps(text()),
    file_url: perhaps(text()),
    file_id: perhaps(text()),
    filename: perhaps(text()),
    detail: perhaps(text()),
    ...breakpoint,
  }),
}

const outputParts = {
  output_text: record({
    type,
    text: text(),
    annotations: optional(list(anything)),
    logprobs: perhaps(list(anything)),
  }),
  refusal: record({ type, refusal: text() }),
}

const textOrParts = (parts: Readonly<Record<string, Shape>>) =>
  textOrList(text(), list(tagged('type', parts)))

const inMessage = record({ type: optional(type), role, content: textOrParts(inputParts), id, status })

const message = tagged('role', {
  assistant: record({
    type: optional(type),
    role,
    content: textOrParts(outputParts),
    id,
    status,
    phase: perhaps(oneOf('commentary', 'final_answer')),
  }),
  user: inMessage,
  system: inMessage,
  developer: inMessage,
})

const callFields: Fields = {
  type,
  call_id: CALL_ID,
  name: text({ least: 1 }),
  namespace: perhaps(text()),
  id,
  status,
  caller: optional(anything),
  async: optional(anything),
}

const outputFields: Fields = {
  type,
  call_id: CALL_ID,
  output: textOrList(text({ most: MAX_OUTPUT }), list(tagged('type', inputParts))),
  id,
  name: perhaps(text()),
  namespace: perhaps(text()),
  status,
}

/** Items of tools that OpenAI hosts or defines: replayed unchanged. */
const hosted = [
  'web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call', 'computer_call',
  'computer_call_output', 'local_shell_call', 'local_shell_call_output', 'shell_call', 'shell_call_output', 'apply_patch_call',
  'apply_patch_call_output', 'mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response', 'mcp_call', 'tool_search_call',
  'tool_search_output', 'program', 'program_output', 'configuration_update', 'compaction_trigger',
] // biome-ignore format: a list to be read as one

const item = tagged(
  'type',
  {
    message,
    function_call: record({ ...callFields, arguments: text() }),
    function_call_output: record(outputFields),
    custom_tool_call: record({ ...callFields, input: text() }),
    custom_tool_call_output: record(outputFields),
    reasoning: record({
      type,
      id,
      summary: list(tagged('type', { summary_text: record({ type, text: text() }) })),
      encrypted_content: perhaps(text()),
      content: perhaps(list(tagged('type', { reasoning_text: record({ type, text: text() }) }))),
      status,
    }),
    item_reference: record({ type: optional(type), id: text() }),
    compaction: record({ type, encrypted_content: text(), id }),
    additional_tools: record({ type, role, tools: list(openRecord()), id }),
    ...Object.fromEntries(hosted.map((name) => [name, openRecord()])),
  },
  'message',
)

const functionTool = record({
  type,
  name: NAME,
  description: perhaps(text()),
  parameters: perhaps(openRecord()),
  strict: perhaps(truth),
  defer_loading: optional(truth),
  output_schema: optional(anything),
  allowed_callers: optional(anything),
  async: optional(anything),
})

const customTool = record({
  type,
  name: NAME,
  description: perhaps(text()),
  defer_loading: optional(truth),
  format: optional(
    tagged('type', {
      text: record({ type }),
      grammar: record({ type, syntax: oneOf('lark', 'regex'), definition: text() }),
    }),
  ),
})

/** Tools that OpenAI runs. */
const hostedTools = [
  'web_search', 'web_search_2025_08_26', 'web_search_preview', 'file_search', 'code_interpreter', 'image_generation', 'mcp',
  'computer', 'computer_use_preview', 'shell', 'local_shell', 'apply_patch', 'tool_search', 'programmatic_tool_calling',
] // biome-ignore format: a list to be read as one

const tool = tagged('type', {
  function: functionTool,
  custom: customTool,
  namespace: record({
    type,
    name: text({ least: 1 }),
    description: perhaps(text()),
    tools: list(tagged('type', { function: functionTool, custom: customTool }), { least: 1 }),
  }),
  ...Object.fromEntries(hostedTools.map((name) => [name, openRecord()])),
})

const named = record({ type, name: text(), namespace: optional(text()) })
const toolChoice: Shape = (value, path, words) =>
  (typeof value === 'string' ? oneOf('none', 'auto', 'required') : choiceObject)(value, path, words)
const choiceObject = tagged('type', {
  function: named,
  custom: named,
  allowed_tools: record({ type, mode: oneOf('auto', 'required'), tools: list(openRecord()) }),
  mcp: openRecord(),
  ...Object.fromEntries(hostedTools.map((name) => [name, openRecord()])),
})

const INCLUDED = [
  'file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources', 'message.input_image.image_url',
  'computer_call_output.output.image_url', 'code_interpreter_call.outputs', 'reasoning.encrypted_content',
  'message.output_text.logprobs',
] // biome-ignore format: a list to be read as one

export const responsesShape: Shape = record({
  model: text(),
  input: textOrList(text(), list(item)),
  instructions: perhaps(text()),
  max_output_tokens: perhaps(integer({ least: 16 })),
  max_tool_calls: perhaps(integer({ least: 1 })),
  temperature: perhaps(decimal({ least: 0, most: 2 })),
  top_p: perhaps(decimal({ least: 0, most: 1 })),
  top_logprobs: perhaps(integer({ least: 0, most: 20 })),
  reasoning: perhaps(
    record({
      effort: perhaps(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
      summary: perhaps(oneOf('auto', 'concise', 'detailed')),
      generate_summary: perhaps(oneOf('auto', 'concise', 'detailed')),
      context: perhaps(oneOf('auto', 'current_turn', 'all_turns')),
      mode: perhaps(oneOf('standard', 'pro')),
    }),
  ),
  text: perhaps(
    record({
      format: optional(
        tagged('type', {
          text: record({ type }),
          json_object: record({ type }),
          json_schema: record({
            type,
            name: text({ least: 1, most: 64, pattern: /^[a-zA-Z0-9_-]+$/ }),
            schema: openRecord(),
            strict: perhaps(truth),
            description: perhaps(text()),
          }),
        }),
      ),
      verbosity: perhaps(oneOf('low', 'medium', 'high')),
    }),
  ),
  tools: perhaps(list(tool)),
  tool_choice: perhaps(toolChoice),
  parallel_tool_calls: perhaps(truth),
  store: perhaps(truth),
  include: perhaps(list(oneOf(...INCLUDED))),
  previous_response_id: perhaps(text()),
  conversation: perhaps(anything),
  truncation: perhaps(oneOf('auto', 'disabled')),
  context_management: perhaps(list(openRecord())),
  prompt_cache_key: perhaps(text()),
  prompt_cache_options: perhaps(openRecord()),
  prompt_cache_retention: perhaps(oneOf('in_memory', '24h')),
  service_tier: perhaps(oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast')),
  metadata: perhaps(metadata),
  safety_identifier: perhaps(text({ most: 128 })),
  user: perhaps(text()),
  stream: perhaps(truth),
  stream_options: perhaps(record({ include_obfuscation: optional(truth) })),
  background: perhaps(truth),
  client_metadata: perhaps(openRecord()),
  moderation: perhaps(anything),
  access_programs: perhaps(anything),
  image: perhaps(anything),
  prompt: perhaps(openRecord()),
})

function metadata(value: unknown, path: readonly (string | number)[], words: Parameters<Shape>[2]): void {
  openRecord()(value, path, words)
  const entries = Object.entries(value as Record<string, unknown>)
  if (entries.length > 16) throw words.length(path, 'array', { most: 16 }, entries.length)
  for (const [name, entry] of entries) {
    text({ most: 64 })(name, [...path, name], words)
    text({ most: 512 })(entry, [...path, name], words)
  }
}
