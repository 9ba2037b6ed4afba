// The clients that can be set up. A new client: a plan in clients/NAME.ts, an entry here, its name in client-names.ts.

import type { SetupClientName } from './client-names.ts'
import { cursor, vscode } from './clients/by-hand.ts'
import { claudeCode } from './clients/claude-code.ts'
import { cline } from './clients/cline.ts'
import { codex } from './clients/codex.ts'
import { continueDev } from './clients/continue.ts'
import { copilot } from './clients/copilot.ts'
import { crush } from './clients/crush.ts'
import { env } from './clients/env.ts'
import { geminiCli } from './clients/gemini-cli.ts'
import { goose } from './clients/goose.ts'
import { grokBuild, grokCli } from './clients/grok.ts'
import { kilo } from './clients/kilo.ts'
import { kimi } from './clients/kimi.ts'
import { opencode } from './clients/opencode.ts'
import { pi } from './clients/pi.ts'
import { qwenCode } from './clients/qwen-code.ts'
import { zed } from './clients/zed.ts'
import type { Facts, Plan } from './plan.ts'

export interface SetupClient {
  /** The product's name. */
  title: string
  plan(facts: Facts): Plan
  /** The name of the project's configuration file, if the client has one. */
  projectFile?: string
  /** It prints commands for a shell. */
  printsVariables?: true
}

export const setupClients: Record<SetupClientName, SetupClient> = {
  opencode: { title: 'OpenCode', plan: opencode, projectFile: 'opencode.json' },
  'claude-code': { title: 'Claude Code', plan: claudeCode, projectFile: '.claude/settings.local.json' },
  codex: { title: 'Codex', plan: codex },
  'gemini-cli': { title: 'Gemini CLI', plan: geminiCli },
  'qwen-code': { title: 'Qwen Code', plan: qwenCode, projectFile: '.qwen/settings.json' },
  cursor: { title: 'Cursor IDE', plan: cursor },
  continue: { title: 'Continue', plan: continueDev },
  cline: { title: 'Cline', plan: cline },
  copilot: { title: 'Copilot CLI', plan: copilot, printsVariables: true },
  kimi: { title: 'Kimi Code CLI', plan: kimi },
  pi: { title: 'pi', plan: pi },
  kilo: { title: 'Kilo CLI', plan: kilo, projectFile: 'kilo.json' },
  'grok-build': { title: "xAI's grok", plan: grokBuild },
  'grok-cli': { title: 'grok-cli', plan: grokCli },
  crush: { title: 'Crush', plan: crush, projectFile: 'crush.json' },
  goose: { title: 'Goose', plan: goose, printsVariables: true },
  zed: { title: 'Zed', plan: zed },
  vscode: { title: 'VS Code', plan: vscode },
  env: { title: 'plain variables', plan: env, printsVariables: true },
}
