// Requests in the shape that Claude Code 2.1.325 sends, written by hand: headers, the first turn of a session, and what later turns add.

import type { Body } from '../harness.ts'

export const text = (words: string, more: Body = {}): Body => ({ type: 'text', text: words, ...more })
export const user = (content: unknown): Body => ({ role: 'user', content })
export const assistant = (content: unknown): Body => ({ role: 'assistant', content })
export const system = (content: unknown, more: Body = {}): Body => ({ role: 'system', content, ...more })
export const marked = { cache_control: { type: 'ephemeral' } }
export const reference = (name: string) => ({ type: 'tool_reference', name })
export const attribution = 'x-anthropic-billing-header: cc_version=2.1.325.0a1; cc_entrypoint=sdk-cli;'
export const environment = '<environment>\nWorking directory: /srv/work\n</environment>'
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Of every turn; `advanced-tool-use` while its tool search is on. */
export const betas = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'thinking-token-count-2026-05-13',
  'advanced-tool-use-2025-11-20',
]
export const toolChanges = 'mid-conversation-tool-changes-2026-07-01'
export const perTurnControl = 'per-turn-control-2026-07-01'
export const sessionId = '0b1f3f6e-6a51-4b8e-9a55-6f3d0c1a2b3c'

/** What the program can say of itself, of its agents and of the kind of a request. */
export const aboutClient = {
  'x-claude-code-agent-type': 'reviewer',
  'x-claude-code-request-class': 'main',
  'x-claude-code-auxiliary-type': 'title',
  'x-claude-code-prompt-id': 'p0123456789abcdef',
  'x-claude-code-of-tomorrow': 'yes',
}

export const headers = (more: Record<string, string> = {}): Record<string, string> => ({
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': [...betas, perTurnControl, toolChanges, 'effort-2025-11-24'].join(','),
  'anthropic-dangerous-direct-browser-access': 'true',
  authorization: 'Bearer any',
  'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)',
  'x-app': 'cli',
  'x-claude-code-session-id': sessionId,
  'x-stainless-package-version': '0.128.0',
  'x-stainless-retry-count': '0',
  'x-stainless-timeout': '600',
  ...more,
})

export const tool = (name: string, properties: Body, more: Body = {}): Body => ({
  name,
  description: `Does what ${name} does.`,
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  },
  ...more,
})
const words = { type: 'string' }
export const readTool = tool('Read', { file_path: words })
export const bashTool = tool('Bash', { command: words })
export const toolSearch = tool('ToolSearch', { query: words })
export const placeholder = tool('DeferredToolPlaceholder', {}, { defer_loading: true })
export const weather = tool('mcp__weather__forecast', { city: words }, { defer_loading: true })
export const tools = [bashTool, readTool, toolSearch, placeholder]

/** Blocks and messages of the first turn: the user's words, then a system message with the environment and the effort. */
export const opening = (said: string, effort: Body = { output_config: { effort: 'medium' } }): Body[] => [
  user([text(said, marked)]),
  system([text(environment)], effort),
]

export const turn = (model: string, more: Body = {}): Body => ({
  model,
  messages: opening('what is here?'),
  system: [text(attribution), text('You are a coding agent.', marked), text('Be brief.', marked)],
  tools,
  metadata: {
    user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: sessionId }),
  },
  max_tokens: 32_000,
  thinking: { type: 'adaptive', display: 'omitted' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  stream: true,
  ...more,
})

const plain = Array.from({ length: 21 }, (_, at) => tool(`tool_${at}`, { city: words }))
const enabled = { type: 'enabled', budget_tokens: 31_999, display: 'omitted' }

/** What a switch of the client changes in the body of its turns. */
export const switches: [name: string, more: Body, betas?: string[]][] = [
  [
    'DISABLE_EXPERIMENTAL_BETAS',
    {
      messages: opening('hello', {}),
      tools: plain,
      thinking: { type: 'adaptive' },
      context_management: undefined,
    },
    ['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'effort-2025-11-24'],
  ],
  ['ENABLE_TOOL_SEARCH=false', { tools: plain }],
  ['FINE_GRAINED_TOOL_STREAMING', { tools: plain.map((one) => ({ ...one, eager_input_streaming: true })) }],
  [
    'ENABLE_PROMPT_CACHING_1H',
    {
      system: [
        text(attribution),
        text('You are a coding agent.', { cache_control: { type: 'ephemeral', ttl: '1h' } }),
      ],
    },
  ],
  ['--json-schema', { tools: [...tools, tool('StructuredOutput', { answer: words })] }],
  ['a model of before', { messages: [user('hello')], thinking: enabled, output_config: undefined }],
]

export const webSearch = (model: string): Body => ({
  model,
  messages: [user('Perform a web search for the query: node 24')],
  system: [text(attribution), text('You run a web search for another model.')],
  tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
  tool_choice: { type: 'auto' },
  max_tokens: 32_000,
  stream: true,
})
