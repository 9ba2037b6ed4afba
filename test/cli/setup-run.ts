// `dragoman setup` in this process, and the files of its clients.

import { readFileSync } from 'node:fs'
import { type SetupFlags, setup } from '../../src/cli/setup.ts'
import type { Terminal } from '../../src/cli/setup-terminal.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { CommandError } from '../../src/process/command-error.ts'
import type { SetupClientName } from '../../src/setup/client-names.ts'
import type { Home } from './program.ts'

export const files = {
  opencode: 'config/opencode/opencode.json',
  'claude-code': '.claude/settings.json',
  codex: '.codex/config.toml',
  'qwen-code': '.qwen/settings.json',
  continue: '.continue/config.yaml',
} as const

export const text = (home: Home, name: string) => readFileSync(home.path(name), 'utf8')

/** As the program does it, without the time that a process takes to start. */
export async function run(
  home: Home,
  args: readonly string[],
  settings: { env?: Record<string, string>; answers?: string[] } = {},
) {
  const said = { stdout: '', stderr: '' }
  /** Both, in the order of a terminal, with the answers typed. */
  let screen = ''
  const { answers } = settings
  const terminal: Terminal = {
    interactive: answers !== undefined,
    ask: async (question) => {
      const answer = answers?.shift() ?? ''
      said.stderr += question
      screen += `${question}${answer}\n`
      return answer
    },
    askSecret: (question) => terminal.ask(question),
    out: (more) => {
      said.stdout += more
      screen += more
    },
    err: (more) => {
      said.stderr += more
      screen += more
    },
  }
  const [client, ...rest] = args
  const flags: Record<string, unknown> = {}
  for (const [at, word] of rest.entries()) {
    const next = rest[at + 1]
    const name = word.slice(2).replace(/-(.)/, (_all, letter: string) => letter.toUpperCase())
    if (word.startsWith('--')) flags[name] = next === undefined || next.startsWith('--') ? true : next
  }
  const environment = readEnvironment({ ...home.env, ...settings.env })
  let code = 0
  try {
    await setup(client as SetupClientName, flags as SetupFlags, { environment, terminal })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    code = error.exitCode
    said.stderr += error.message
  }
  return { code, ...said, screen, output: said.stdout + said.stderr }
}
