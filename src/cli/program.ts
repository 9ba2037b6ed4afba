// The program with all its commands.
//
// To add a command: describe its arguments and options in a file of `commands/`, add it to the list here, and write it in
// `NAME.ts` beside this file. Its action imports that file, so a command loads only what it needs. Options that several commands
// share are in `flags.ts`. The command throws a CommandError (process/command-error.ts) with a message for the user and an exit
// code, and prints with process/output.ts. Then add it to the commands in test/cli/help.test.ts and test/cli/program.ts, and in the docs.

import { inspect } from 'node:util'
import { Command } from 'commander'
import { version } from '../base/version.ts'
import { ConfigError } from '../config/config-error.ts'
import { CommandError } from '../process/command-error.ts'
import { err, out } from '../process/output.ts'
import { guardStandardStreams } from '../process/standard-streams.ts'
import { addAccounts, addLogin, addLogout, addModels, addStatus } from './commands/accounts.ts'
import { addLaunch, addSetup } from './commands/clients.ts'
import { addDemo, addInit, addInspect, addReload, addServe, addService } from './commands/gateway.ts'
import { addTape } from './commands/tape.ts'
import { addConform, addProbe, addSim } from './commands/trials.ts'
import { addCompletion, addConfig, addDoctor, addUsage } from './commands/upkeep.ts'

/** In the order of the help. */
const commands = [
  ...[addInit, addServe, addReload, addService, addInspect, addDemo],
  ...[addLogin, addLogout, addStatus, addAccounts, addModels],
  ...[addProbe, addSetup, addLaunch, addSim, addTape, addConform],
  ...[addConfig, addDoctor, addUsage, addCompletion],
]

export function createProgram(): Command {
  const program = new Command('dragoman')
    .description('Tool calling that works, for every coding agent, on every model backend.')
    .version(version, '-v, --version')
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('(see --help)')
    // Exit code 2 for a usage error, like for a configuration error.
    .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : 2))
    .addHelpText(
      'after',
      '\nFirst time here? `dragoman demo` runs everything on simulated backends, no account needed.',
    )
  for (const add of commands) add(program)
  program.command('version', { hidden: true }).action(() => out(`${version}\n`))
  return program
}

/** Runs the command that the arguments of the process name. */
export async function runProgram(): Promise<void> {
  guardStandardStreams()
  try {
    await createProgram().parseAsync()
  } catch (error) {
    const isExpected = error instanceof CommandError || error instanceof ConfigError
    err(isExpected ? `dragoman: ${error.message}\n` : `${inspect(error)}\n`)
    if (!isExpected) process.exit(1)
    process.exit(error instanceof CommandError ? error.exitCode : 2)
  }
}
