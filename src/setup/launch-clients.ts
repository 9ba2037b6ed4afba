// The clients that `dragoman launch` starts: the program, where it comes from, and how it is set up for one session. A new client: its
// session in clients/NAME.ts, an entry here.

import type { LaunchClientName } from './client-names.ts'
import { claudeCodeSession } from './clients/claude-code.ts'
import { clineSession } from './clients/cline.ts'
import { codexSession } from './clients/codex.ts'
import { continueSession } from './clients/continue.ts'
import { copilotSession } from './clients/copilot.ts'
import { crushSession } from './clients/crush.ts'
import { envSession } from './clients/env.ts'
import { geminiCliSession } from './clients/gemini-cli.ts'
import { gooseSession } from './clients/goose.ts'
import { grokBuildSession, grokCliSession } from './clients/grok.ts'
import { kiloSession } from './clients/kilo.ts'
import { kimiSession } from './clients/kimi.ts'
import { opencodeSession } from './clients/opencode.ts'
import { piSession } from './clients/pi.ts'
import { qwenCodeSession } from './clients/qwen-code.ts'
import type { SessionOf } from './session.ts'

export interface LaunchClient {
  /** The program's name; undefined: the user names it. */
  program: string | undefined
  /** How to get it. */
  install: string
  session: SessionOf
  /** Whether a program of this name is this client, by its path without links. */
  isAt?(path: string): boolean
}

const npm = (name: string) => `npm install -g ${name}`

/** The community's program has the name of xAI's. */
const isGrokCli = (path: string) => path.includes('@vibe-kit')

export const launchClients: Record<LaunchClientName, LaunchClient> = {
  opencode: { program: 'opencode', install: npm('opencode-ai'), session: opencodeSession },
  'claude-code': {
    program: 'claude',
    install: npm('@anthropic-ai/claude-code'),
    session: claudeCodeSession,
  },
  codex: { program: 'codex', install: npm('@openai/codex'), session: codexSession },
  'gemini-cli': { program: 'gemini', install: npm('@google/gemini-cli'), session: geminiCliSession },
  'qwen-code': { program: 'qwen', install: npm('@qwen-code/qwen-code'), session: qwenCodeSession },
  continue: { program: 'cn', install: npm('@continuedev/cli'), session: continueSession },
  cline: { program: 'cline', install: npm('cline'), session: clineSession },
  copilot: { program: 'copilot', install: npm('@github/copilot'), session: copilotSession },
  kimi: { program: 'kimi', install: npm('@moonshot-ai/kimi-code'), session: kimiSession },
  pi: { program: 'pi', install: npm('@mariozechner/pi-coding-agent'), session: piSession },
  kilo: { program: 'kilo', install: npm('@kilocode/cli'), session: kiloSession },
  'grok-build': {
    program: 'grok',
    install: npm('@xai-official/grok'),
    session: grokBuildSession,
    isAt: (path) => !isGrokCli(path),
  },
  'grok-cli': {
    program: 'grok',
    install: npm('@vibe-kit/grok-cli'),
    session: grokCliSession,
    isAt: isGrokCli,
  },
  crush: { program: 'crush', install: npm('@charmland/crush'), session: crushSession },
  goose: {
    program: 'goose',
    install: 'curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/download_cli.sh | bash',
    session: gooseSession,
  },
  env: { program: undefined, install: '', session: envSession },
}
