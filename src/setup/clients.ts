// The clients that can be set up. A new client: a plan in clients/NAME.ts, an entry here, its name in client-names.ts.

import type { SetupClientName } from './client-names.ts'
import { cline, cursor } from './clients/by-hand.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { continueDev } from './clients/continue.ts'
import { env } from './clients/env.ts'
import { geminiCli } from './clients/gemini-cli.ts'
import { opencode } from './clients/opencode.ts'
import { qwenCode } from './clients/qwen-code.ts'
import type { Facts, Plan } from './plan.ts'

export interface SetupClient {
  /** The product's name. */
  title: string
  plan(facts: Facts): Plan
  /** The name of the project's configuration file, if the client has one. */
  projectFile?: string
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
  env: { title: 'plain variables', plan: env },
}
