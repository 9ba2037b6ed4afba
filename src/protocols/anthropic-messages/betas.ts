// `anthropic-beta`: what a client switches on for its request. Sent on is what shapes the request or its tokens; not
// what an answer would have to carry in blocks that this gateway does not pass on, or what is about the client's login.

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
  'thinking-display-updates-',
  'thinking-token-count-',
  'token-counting-',
  'token-efficient-tools-',
]

export interface Betas {
  sent: string[]
  leftOut: string[]
}

export function sortBetas(features: readonly string[]): Betas {
  const goesOn = (name: string) => sentOn.some((prefix) => name.startsWith(prefix)) && /^[\w.-]+$/.test(name)
  const all = [...new Set(features)]
  return { sent: all.filter(goesOn), leftOut: all.filter((name) => !goesOn(name)) }
}
