// The clients of `dragoman setup` and `dragoman launch`, and shells, by their names on the command line. A file of its own: --help needs
// no more than this.

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
  'goose',
  'zed',
  'vscode',
  'env',
] as const

export type SetupClientName = (typeof setupClientNames)[number]

/** Editors run on, so that a session has no end. */
const editors = ['cursor', 'zed', 'vscode'] as const

export type LaunchClientName = Exclude<SetupClientName, (typeof editors)[number]>

const isEditor = (name: SetupClientName) => (editors as readonly string[]).includes(name)

export const launchClientNames = setupClientNames.filter((name): name is LaunchClientName => !isEditor(name))

/** The shells that `setup env` writes for. */
export const shells = ['sh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]
