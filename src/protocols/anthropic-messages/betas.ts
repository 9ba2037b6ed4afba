// `anthropic-beta`: what a client switches on for its request. Sent on is what shapes the request or its tokens; not
// what an answer would have to carry in blocks that this gateway does not pass on, or what is about the client's login.

import { type Fields, isObject } from '../../base/json.ts'

const sentOn: readonly string[] = [
  'adaptive-thinking-',
  'cache-diagnosis-',
  'context-1m-',
  'context-management-',
  'effort-',
  'extended-cache-ttl-',
  'fast-mode-',
  'files-api-',
  'fine-grained-tool-streaming-',
  'interleaved-thinking-',
  'mid-conversation-output-config-',
  'mid-conversation-system-',
  'model-context-window-exceeded-',
  'output-128k-',
  'output-300k-',
  'pdfs-',
  'prompt-caching-',
  'redact-thinking-',
  'structured-outputs-',
  'task-budgets-',
  'thinking-binding-controls-',
  'thinking-display-updates-',
  'thinking-token-count-',
  'token-counting-',
  'token-efficient-tools-',
]

/** Fields that are refused without a beta which is not sent on. */
const fieldsOfOthers = ['compaction', 'fallback_credit_token', 'fallbacks', 'safeguards', 'thread']

const isOfOthers = (edit: unknown) => isObject(edit) && String(edit.type).startsWith('compact_')

/** The request, as far as it can be taken with the betas that are sent on. */
export function withoutOthers(body: Readonly<Fields>, note: (text: string) => void): Record<string, unknown> {
  const fitting: Record<string, unknown> = { ...body }
  const leftOut = fieldsOfOthers.filter((name) => body[name] !== undefined)
  for (const name of leftOut) delete fitting[name]
  if (leftOut.length > 0) note(`not supported by the upstream and left out: ${leftOut.join(', ')}`)
  if (body.context_management !== undefined)
    fitting.context_management = fittingManagement(body.context_management, note)
  return fitting
}

const editsOf = (management: unknown): readonly unknown[] =>
  isObject(management) && Array.isArray(management.edits) ? management.edits : []

/** `context_management`, as far as it can be. */
export function fittingManagement(management: unknown, note: (text: string) => void): unknown {
  const edits = editsOf(management)
  const fitting = edits.filter((edit) => !isOfOthers(edit))
  if (!isObject(management) || fitting.length === edits.length) return management
  note('context_management: edits that compact the conversation were left out')
  return { ...management, edits: fitting }
}

export interface Betas {
  sent: string[]
  leftOut: string[]
}

export function sortBetas(features: readonly string[]): Betas {
  const goesOn = (name: string) => sentOn.some((prefix) => name.startsWith(prefix)) && /^[\w.-]+$/.test(name)
  const all = [...new Set(features)]
  return { sent: all.filter(goesOn), leftOut: all.filter((name) => !goesOn(name)) }
}
