// `dragoman completion SHELL`: a script that completes commands, options and their values.

import type { Command } from 'commander'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { out } from '../process/output.ts'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { completedCommands } from './completion-tree.ts'
import { zshScript } from './completion-zsh.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

export function completion(program: Command, shell: 'models' | keyof typeof scripts): void {
  if (shell === 'models')
    return out(
      modelNames()
        .map((name) => `${name}\n`)
        .join(''),
    )
  out(scripts[shell](completedCommands(program)))
}

/** Aliases and backends, without asking any service: the shell waits for it. */
function modelNames(): string[] {
  try {
    const { config } = loadConfig(undefined, readEnvironment(), { unset: 'kept', pipes: 'refused' })
    return [...Object.keys(config.models), ...Object.keys(config.backends).map((name) => `${name}/`)]
  } catch {
    return []
  }
}
