// The clients that `dragoman setup` knows, by what they are called on the command line.

export const setupClientNames = [
  'opencode',
  'claude-code',
  'codex',
  'qwen-code',
  'cursor',
  'continue',
  'cline',
  'env',
] as const

export type SetupClientName = (typeof setupClientNames)[number]
