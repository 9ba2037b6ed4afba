// Commands that start clients, set up for this gateway.

import { Argument, type Command, Option } from 'commander'
import { launchClientNames, setupClientNames, shells } from '../../setup/client-names.ts'
import { configFlag, launchClient, setupClient, webUrl } from '../flags.ts'

export function addSetup(program: Command): void {
  program
    .command('setup')
    .description('set up a client for this gateway: shows the change, asks, writes it, and can undo it')
    .addArgument(new Argument('<client>', 'the client').choices(setupClientNames).argParser(setupClient))
    .addOption(configFlag())
    .option('--model <name>', 'model to use (default: asks; with --yes the first)')
    .addOption(
      new Option('--url <url>', "the gateway's address (default: from the configuration)").argParser(webUrl),
    )
    .option('--key-file <file>', "file that holds the gateway's key (default: from the configuration)")
    .option('--print', 'print the change, write nothing')
    .option('--undo', 'undo what setup wrote')
    .option('--yes', 'do not ask for confirmation')
    .option('--project', "write the project's file, in this folder, instead of the user's")
    .option('--plugin', 'opencode: install the plugin, which needs no running gateway')
    .addOption(new Option('--shell <shell>', 'env: shell to write for (default: yours)').choices(shells))
    .action(async (client, flags) => (await import('../setup.ts')).setup(client, flags))
}

export function addLaunch(program: Command): void {
  program
    .command('launch')
    .description('start a client that is set up for this one session, and a gateway if none runs')
    .showHelpAfterError("(the client's own arguments go after --, as in: launch CLIENT -- ARGS; see --help)")
    .addArgument(new Argument('<client>', 'the client').choices(launchClientNames).argParser(launchClient))
    .argument('[args...]', "the client's own arguments, after --; for env: the program and its arguments")
    .addOption(configFlag())
    .option('--model <name>', 'model to use (default: asks; without a terminal or with --yes the first)')
    .option('--demo', 'on simulators: no account, no key, no configuration')
    .addOption(
      new Option(
        '--url <url>',
        'a gateway that runs there (default: the configured one, or its own)',
      ).argParser(webUrl),
    )
    .option('--key-file <file>', "file that holds that gateway's key (default: from the configuration)")
    .option('--yes', 'take the first model, ask nothing')
    .option('--log <file>', 'file for the log of its own gateway (default: none)')
    .action(async (client, args, flags) => (await import('../launch.ts')).launch(client, args, flags))
}
