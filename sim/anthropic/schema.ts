// The body of POST /v1/messages as strict shapes. Anything else is "Extra inputs are not permitted". Source: the types of
// @anthropic-ai/sdk and Anthropic's documentation. Rules across fields are in the check-*.ts files.

import {
  anything,
  decimal,
  type Field,
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
} from '../shape.ts'
import { CONTROLS_BETA } from './preserved-thinking.ts'

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
const TOOL_USE_ID = /^[a-zA-Z0-9_-]+$/

const cacheControl = optional(
  nullable(
    tagged('type', { ephemeral: record({ type: anything, ttl: optional(nullable(oneOf('5m', '1h'))) }) }),
  ),
)
const type = anything

const textFields = { text: text(), cache_control: cacheControl, citations: optional(anything) }
const textBlock = record({ type, ...textFields })
/** For places with only one block type: the service's errors do not name the variant there. */
const onlyText = record({ type: oneOf('text'), ...textFields })
const imageBlock = record({
  type,
  source: tagged('type', {
    base64: record({
      type,
      media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
      data: text(),
    }),
    url: record({ type, url: text() }),
    file: record({ type, file_id: text() }),
  }),
  cache_control: cacheControl,
  transformations: optional(anything),
})
const documentBlock = record({
  type,
  source: tagged('type', {
    base64: record({ type, media_type: oneOf('application/pdf'), data: text() }),
    text: record({ type, media_type: oneOf('text/plain'), data: text() }),
    content: record({ type, content: anything }),
    url: record({ type, url: text() }),
    file: record({ type, file_id: text() }),
  }),
  title: optional(nullable(text())),
  context: optional(nullable(text())),
  citations: optional(anything),
  cache_control: cacheControl,
})
const searchResultBlock = record({
  type,
  source: text(),
  title: text(),
  content: list(onlyText),
  citations: optional(anything),
  cache_control: cacheControl,
})
const toolResultBlock = record({
  type,
  tool_use_id: text({ pattern: TOOL_USE_ID }),
  content: optional(
    nullable(
      textOrList(
        text(),
        list(
          tagged('type', {
            text: textBlock,
            image: imageBlock,
            search_result: searchResultBlock,
            document: documentBlock,
            tool_reference: record({ type, tool_name: text(), cache_control: cacheControl }),
          }),
        ),
      ),
    ),
  ),
  is_error: optional(nullable(truth)),
  cache_control: cacheControl,
  toolset_name: optional(anything),
})

/** Blocks of tools that run on the service: they are replayed unchanged, so their content is not checked. */
const SERVER_BLOCKS = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'container_upload',
]

/** Blocks that exist only with a beta of this prefix in the `anthropic-beta` header. */
const BETA_BLOCKS: Readonly<Record<string, string>> = {
  compaction: 'compact-',
  fallback: 'server-side-fallback-',
  mcp_tool_result: 'mcp-client-',
  mcp_tool_use: 'mcp-client-',
  tool_addition: 'mid-conversation-tool-changes-',
  tool_removal: 'mid-conversation-tool-changes-',
}

const hasBeta = (betas: readonly string[], beta: string) => betas.some((name) => name.startsWith(beta))

const betaBlocks = (betas: readonly string[]) =>
  Object.keys(BETA_BLOCKS).filter((block) => hasBeta(betas, String(BETA_BLOCKS[block])))

const contentBlock = (signature: Field, betas: readonly string[]) =>
  tagged('type', {
    text: textBlock,
    image: imageBlock,
    document: documentBlock,
    search_result: searchResultBlock,
    thinking: record({ type, thinking: text(), signature }),
    redacted_thinking: record({ type, data: text() }),
    tool_use: record({
      type,
      id: text({ pattern: TOOL_USE_ID }),
      name: text({ pattern: TOOL_NAME }),
      input: openRecord(),
      cache_control: cacheControl,
      caller: optional(anything),
      toolset_name: optional(anything),
    }),
    tool_result: toolResultBlock,
    ...Object.fromEntries(
      [...SERVER_BLOCKS, ...betaBlocks(betas)].map((name): [string, Shape] => [name, openRecord()]),
    ),
  })

/** Compatible servers do not sign. */
const message = (betas: readonly string[], isSigned: boolean) =>
  record({
    role: text(),
    content: textOrList(text(), list(contentBlock(isSigned ? text() : optional(text()), betas))),
    ...(hasBeta(betas, 'per-turn-control-') || hasBeta(betas, 'mid-conversation-output-config-')
      ? { output_config: optional(record({ effort: optional(nullable(oneOf(...EFFORTS))) })) }
      : {}),
  })

const SERVER_TOOLS = [
  'bash_20250124',
  'browser_toolset_20260801',
  'code_execution_20250522',
  'code_execution_20250825',
  'code_execution_20260120',
  'code_execution_20260521',
  'computer_toolset_20260801',
  'memory_20250818',
  'text_editor_20250124',
  'text_editor_20250429',
  'text_editor_20250728',
  'tool_search_tool_bm25_20251119',
  'tool_search_tool_regex_20251119',
  'web_fetch_20250910',
  'web_fetch_20260209',
  'web_fetch_20260309',
  'web_fetch_20260318',
  'web_search_20250305',
  'web_search_20260209',
  'web_search_20260318',
]

const tool = tagged(
  'type',
  {
    custom: record({
      type: optional(anything),
      name: text({ pattern: TOOL_NAME }),
      description: optional(text()),
      input_schema: openRecord({
        type: oneOf('object'),
        properties: optional(nullable(openRecord())),
        required: optional(nullable(list(text()))),
      }),
      cache_control: cacheControl,
      strict: optional(nullable(truth)),
      eager_input_streaming: optional(nullable(truth)),
      defer_loading: optional(nullable(truth)),
      allowed_callers: optional(list(text())),
      input_examples: optional(list(openRecord())),
    }),
    ...Object.fromEntries(SERVER_TOOLS.map((name): [string, Shape] => [name, openRecord({ name: text() })])),
  },
  'custom',
)

const parallel = { type, disable_parallel_tool_use: optional(truth) }

const display = (betas: readonly string[]) => {
  const updates = hasBeta(betas, 'thinking-display-updates-') ? ['updates'] : []
  return optional(nullable(oneOf('summarized', 'omitted', ...updates)))
}

const blockBinding = (betas: readonly string[]): Fields => {
  if (!betas.includes(CONTROLS_BETA)) return {}
  const behavior = optional(nullable(oneOf('error', 'drop_block')))
  return { block_binding: optional(nullable(record({ prefix_mismatch_behavior: behavior }))) }
}

/** The fields that a message request and a count request share. */
const prompt = (betas: readonly string[], isSigned: boolean): Fields => ({
  model: text({ least: 1 }),
  messages: list(message(betas, isSigned)),
  system: optional(textOrList(text(), list(onlyText))),
  tools: optional(list(tool, { least: 1 })),
  tool_choice: optional(
    tagged('type', {
      auto: record(parallel),
      any: record(parallel),
      tool: record({ ...parallel, name: text() }),
      none: record({ type }),
    }),
  ),
  thinking: optional(
    tagged('type', {
      enabled: record({ type, budget_tokens: integer({ least: 1024 }), display: display(betas) }),
      disabled: record({ type }),
      adaptive: record({ type, display: display(betas), ...blockBinding(betas) }),
      between_tools: record({ type }),
    }),
  ),
  output_config: optional(
    record({
      effort: optional(nullable(oneOf(...EFFORTS))),
      format: optional(nullable(record({ type: oneOf('json_schema'), schema: openRecord() }))),
      ...(hasBeta(betas, 'task-budgets-') ? { task_budget: optional(anything) } : {}),
    }),
  ),
  cache_control: cacheControl,
  speed: optional(nullable(oneOf('standard', 'fast'))),
})

const generation: Fields = {
  max_tokens: integer({ least: 0 }),
  stream: optional(truth),
  temperature: optional(decimal()),
  top_p: optional(decimal()),
  top_k: optional(integer()),
  stop_sequences: optional(list(text())),
  metadata: optional(record({ user_id: optional(nullable(text({ most: 256 }))) })),
  service_tier: optional(oneOf('auto', 'standard_only')),
  container: optional(anything),
  inference_geo: optional(nullable(text())),
  diagnostics: optional(anything),
}

/** Fields that exist only with a beta of this prefix in the `anthropic-beta` header. */
const BETA_FIELDS: Readonly<Record<string, string>> = {
  compaction: 'compact-',
  context_management: 'context-management-',
  fallback_credit_token: 'fallback-credit-',
  fallbacks: 'server-side-fallback-',
  mcp_servers: 'mcp-client-',
  safeguards: 'dangerous-tool-use-',
  thread: 'message-threads-',
}

const EDITS = ['clear_thinking_20251015', 'clear_tool_uses_20250919']

/** The available edits also depend on the header. */
function contextManagement(betas: readonly string[]): Shape {
  const types = hasBeta(betas, 'compact-') ? [...EDITS, 'compact_20260112'] : EDITS
  return nullable(openRecord({ edits: optional(list(openRecord({ type: oneOf(...types) }))) }))
}

export function messagesShape(betas: readonly string[], isSigned = true): Shape {
  return withScope(record({ ...prompt(betas, isSigned), ...generation, ...betaFields(betas) }), betas)
}

export function countTokensShape(betas: readonly string[], isSigned = true): Shape {
  return withScope(record({ ...prompt(betas, isSigned), ...betaFields(betas) }), betas)
}

/** `scope` in cache marks also depends on the header. */
function withScope(shape: Shape, betas: readonly string[]): Shape {
  if (!hasBeta(betas, 'prompt-caching-scope-')) return shape
  return (value, path, words) => shape(JSON.parse(JSON.stringify(value, withoutScope)), path, words)
}

const withoutScope = (key: string, value: unknown) =>
  key === 'cache_control' && typeof value === 'object' && value !== null
    ? { ...value, scope: undefined }
    : value

function betaFields(betas: readonly string[]): Fields {
  const allowed = Object.entries(BETA_FIELDS).filter(([, beta]) => hasBeta(betas, beta))
  const shapes = new Map([['context_management', contextManagement(betas)]])
  return Object.fromEntries(allowed.map(([field]) => [field, optional(shapes.get(field) ?? anything)]))
}
