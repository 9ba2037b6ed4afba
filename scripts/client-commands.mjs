// Real clients on one task: their command lines, and variables that keep them quiet.

/** How each client is asked for one answer, by its program. */
export const commandsFor = ({ prompt, model }) => ({
  opencode: (path) => [path, 'run', prompt],
  'claude-code': (path) => [path, '-p', prompt, '--allowedTools', 'Read'],
  codex: (path) => [
    path,
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    prompt,
  ],
  'gemini-cli': (path) => [path, '--skip-trust', '--approval-mode', 'yolo', '-p', prompt],
  'qwen-code': (path) => [path, '--yolo', '-p', prompt],
  continue: (path) => [path, '-p', '--auto', prompt],
  cline: (path) => [path, '--auto-approve', 'true', prompt],
  copilot: (path) => [path, '-p', prompt, '--allow-all-tools', '--allow-all-paths'],
  kimi: (path) => [path, '-p', prompt],
  pi: (path) => [path, '-p', prompt],
  kilo: (path) => [path, 'run', '--auto', prompt],
  'grok-build': (path) => [path, '-p', prompt, '--always-approve', '--sandbox', 'off'],
  'grok-cli': (path) => [path, '-m', model, '-p', prompt],
  crush: (path) => [path, 'run', '--quiet', prompt],
  goose: (path) => [path, 'run', '--no-session', '-t', prompt],
})

/** No updates and no telemetry: there is no network. */
export const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  CLINE_NO_AUTO_UPDATE: '1',
  COPILOT_OFFLINE: 'true',
  COPILOT_AUTO_UPDATE: 'false',
  KIMI_CODE_NO_AUTO_UPDATE: '1',
  PI_OFFLINE: '1',
  KILO_DISABLE_AUTOUPDATE: '1',
  KILO_DISABLE_MODELS_FETCH: '1',
  GOOSE_MODE: 'auto',
  GOOSE_DISABLE_KEYRING: '1',
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
}
