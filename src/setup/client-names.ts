// The clients of `dragoman setup`, by their names on the command line. A file of its own: --help needs no more than this.

export const setupClientNames = [
  'opencode',
  'claude-code',
  'codex',
  'gemini-cli',
  'qwen-code',
  'cursor',
  'continue',
  'cline',
  'copilot',
  'kimi',
  'pi',
  'kilo',
  'grok-build',
  'grok-cli',
  'crush',
  'env',
] as const

export type SetupClientName = (typeof setupClientNames)[number]
