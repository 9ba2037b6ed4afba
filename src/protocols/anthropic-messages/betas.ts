// `anthropic-beta`: features that a client enables for its request. Betas about the request or its tokens are forwarded. Betas whose
// answers contain blocks that this gateway does not pass on, or that concern the client's login, are not.

import { type Fields, isObject } from '../../base/json.ts'

const forwarded: readonly string[] = [
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

/** Fields that need a beta which is not forwarded. */
const unsupportedFields = ['compaction', 'fallback_credit_token', 'fallbacks', 'safeguards', 'thread']

const isCompaction = (edit: unknown) => isObject(edit) && String(edit.type).startsWith('compact_')

/** The request without the parts that need other betas than the forwarded ones. */
export function withoutUnsupported(
  body: Readonly<Fields>,
  note: (text: string) => void,
): Record<string, unknown> {
  const fitting: Record<string, unknown> = { ...body }
  const leftOut = unsupportedFields.filter((name) => body[name] !== undefined)
  for (const name of leftOut) delete fitting[name]
  if (leftOut.length > 0) note(`not supported by the upstream and left out: ${leftOut.join(', ')}`)
  if (body.context_management !== undefined)
    fitting.context_management = fittingManagement(body.context_management, note)
  return fitting
}

const editsOf = (management: unknown): readonly unknown[] =>
  isObject(management) && Array.isArray(management.edits) ? management.edits : []

/** `context_management` without the edits that need such a beta. */
export function fittingManagement(management: unknown, note: (text: string) => void): unknown {
  const edits = editsOf(management)
  const fitting = edits.filter((edit) => !isCompaction(edit))
  if (!isObject(management) || fitting.length === edits.length) return management
  note('context_management: edits that compact the conversation were left out')
  return { ...management, edits: fitting }
}

interface Betas {
  sent: string[]
  leftOut: string[]
}

export function sortBetas(features: readonly string[]): Betas {
  const isSent = (name: string) =>
    forwarded.some((prefix) => name.startsWith(prefix)) && /^[\w.-]+$/.test(name)
  const all = [...new Set(features)]
  return { sent: all.filter(isSent), leftOut: all.filter((name) => !isSent(name)) }
}
