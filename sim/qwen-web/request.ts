// The bodies of the two POST requests: shapes and further rules.

import {
  anything,
  integer,
  isRecord,
  type Json,
  list,
  nullable,
  oneOf,
  openRecord,
  optional,
  text,
  textOrList,
  truth,
} from '../shape.ts'

export interface WireMessage extends Json {
  fid: string
  role: string
  content: string | Json[]
  parentId?: string | null
  parent_id?: string | null
  feature_config: Json
}

export interface CompletionRequest extends Json {
  chat_id: string
  chat_mode: string
  model: string
  parent_id: string | null
  messages: WireMessage[]
  timestamp: number
  incremental_output?: boolean
}

const NAME = text({ least: 1 })
const CHAT_TYPE = oneOf(
  't2t',
  'search',
  't2i',
  'image_edit',
  't2v',
  'deep_research',
  'artifacts',
  'web_dev',
  'travel',
)

const part = openRecord({ type: oneOf('text', 'image'), text: optional(text()) })

const message = openRecord({
  fid: NAME,
  parentId: optional(nullable(NAME)),
  parent_id: optional(nullable(NAME)),
  childrenIds: optional(list(NAME)),
  role: NAME,
  content: textOrList(text(), list(part, { least: 1 })),
  user_action: optional(NAME),
  files: optional(list(anything)),
  timestamp: optional(integer()),
  models: optional(list(NAME)),
  chat_type: CHAT_TYPE,
  sub_chat_type: optional(CHAT_TYPE),
  extra: optional(openRecord()),
  feature_config: openRecord({
    thinking_enabled: optional(truth),
    output_schema: optional(text()),
    research_mode: optional(text()),
    auto_thinking: optional(truth),
    thinking_mode: optional(oneOf('Auto', 'Thinking', 'Disabled', 'off')),
    thinking_format: optional(oneOf('summary', 'full', 'detail')),
    thinking_budget: optional(integer({ least: 1, most: 81_920 })),
    auto_search: optional(truth),
  }),
})

export const completionShape = openRecord({
  stream: oneOf(true),
  version: optional(text()),
  incremental_output: optional(truth),
  chat_id: NAME,
  chat_mode: oneOf('normal', 'guest'),
  model: NAME,
  parent_id: nullable(NAME),
  messages: list(message, { least: 1 }),
  timestamp: integer(),
})

export const newChatShape = openRecord({
  title: text(),
  models: list(NAME, { least: 1 }),
  chat_mode: oneOf('normal', 'guest'),
  chat_type: CHAT_TYPE,
  timestamp: integer(),
  project_id: optional(text()),
})

/** The service's limit for one message. */
export const LONGEST_MESSAGE = 131_072

export function contentOf({ content }: WireMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((entry) => (isRecord(entry) && entry.type === 'text' ? entry.text : [])).join('\n')
}

/** Thinking has one of two forms, or is off. */
export function thinkingOf({ feature_config: config }: WireMessage): 'think' | 'summary' | 'none' {
  const isOff = config.thinking_mode === 'Disabled' || config.thinking_mode === 'off'
  if (config.thinking_enabled !== true || isOff) return 'none'
  return config.thinking_format === 'summary' ? 'summary' : 'think'
}

/** Values that the service accepts, but its own client would not send. */
export function oddities(body: CompletionRequest, hasToken: boolean): string[] {
  const found: string[] = []
  for (const field of ['tools', 'tool_choice', 'parallel_tool_calls', 'functions']) {
    if (field in body) found.push(`${field}: is taken and ignored`)
  }
  const mode = hasToken ? 'normal' : 'guest'
  if (body.chat_mode !== mode) found.push(`chat_mode: is "${mode}" ${hasToken ? 'with' : 'without'} a token`)
  if (body.timestamp > 1e11) found.push('timestamp: of a completion is in seconds')
  for (const { feature_config: config, parent_id: parent, parentId } of body.messages) {
    if (config.output_schema !== 'phase')
      found.push('feature_config.output_schema: without "phase" there are none')
    if ([parent, parentId].some((id) => id !== undefined && id !== body.parent_id)) {
      found.push('messages.0.parent_id: is not that of the request')
    }
  }
  return found
}
