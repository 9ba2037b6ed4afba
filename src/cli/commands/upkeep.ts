// Commands for the configuration, figures and the shell.

import { Argument, type Command, Option } from 'commander'
import { configFlag, jsonFlag, sinceWhen } from '../flags.ts'

export function addConfig(program: Command): void {
  const config = program.command('config').description('the configuration file')
  config
    .command('schema')
    .description('print its JSON Schema')
    .action(async () => (await import('../config.ts')).printSchema())
  config
    .command('check')
    .description('check a file and show the effective settings, secrets hidden')
    .argument('[file]', 'the file (default: the one `serve` would use)')
    .addOption(configFlag())
    .action(async (file, flags) => (await import('../config.ts')).check(file ?? flags.config))
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check configuration, credentials, reachability, port and versions')
    .addOption(configFlag())
    .addOption(jsonFlag())
    .action(async (flags) => (await import('../doctor.ts')).doctor(flags))
}

export function addUsage(program: Command): void {
  program
    .command('usage')
    .description('show tokens, calls, errors and costs of the turns so far')
    .addOption(
      new Option('--since <time>', 'from when on: 7d, 24h, 2w or a day such as 2026-11-01')
        .argParser(sinceWhen)
        .default(sinceWhen('7d'), '7d'),
    )
    .addOption(
      new Option('--by <group>', 'one line for each')
        .choices(['model', 'client', 'key', 'day'])
        .default('model'),
    )
    .addOption(configFlag())
    .addOption(jsonFlag())
    .action(async (flags) => (await import('../usage.ts')).usage(flags))
}

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(
      new Argument('<shell>', 'the shell; models: the names that the scripts ask for').choices([
        'bash',
        'zsh',
        'fish',
        'models',
      ]),
    )
    .action(async (shell) => (await import('../completion.ts')).completion(program, shell))
}
