// Commands that run the gateway and reach the one that runs.

import { type Command, Option } from 'commander'
import { systems } from '../../base/platform/system.ts'
import { setupClientNames } from '../../setup/client-names.ts'
import {
  configFlag,
  formatFlag,
  jsonFlag,
  levelFlag,
  port,
  portFlag,
  webUrl,
  wholeNumber,
  workers,
} from '../flags.ts'

export function addInit(program: Command): void {
  program
    .command('init')
    .description('write the configuration from what is on this machine: keys, logins, local servers')
    .addOption(configFlag())
    .option('--backend <kinds...>', 'services by name, or openai=URL, anthropic=URL (default: what is found)')
    .addOption(new Option('--client <names...>', 'clients to set up').choices(setupClientNames))
    .option('--no-setup', 'do not ask about clients')
    .option('--print', 'print the configuration, write nothing')
    .option('--undo', 'undo what init wrote')
    .option('--yes', 'take everything that is found, ask nothing; sets up no client but those of --client')
    .action(async (flags) => (await import('../init.ts')).init(flags))
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .addOption(configFlag())
    .option('--host <host>', 'address to listen on; addresses other than loopback need a long key')
    .addOption(portFlag())
    .addOption(
      new Option(
        '--workers <number>',
        'processes that share the port, one for each core to use (default: 1)',
      ).argParser(workers),
    )
    .option(
      '--record [folder]',
      'record every turn with all its content; `dragoman tape` shows the recordings',
    )
    .option('--no-watch', 'reload only on SIGHUP and by `dragoman reload`, not when the file changes')
    .option(
      '--env-file <file>',
      'variables for the configuration, as NAME=value lines; those of the process win',
    )
    .option('--inspect', 'show turns live on a page at / (docs/inspector.md)')
    .addOption(levelFlag())
    .addOption(formatFlag())
    .action(async (flags) => (await import('../serve.ts')).serve(flags))
}

export function addReload(program: Command): void {
  program
    .command('reload')
    .description('have the running gateway take over its changed configuration file')
    .addOption(configFlag())
    .addOption(new Option('--port <port>', 'port of the gateway, if several run').argParser(port))
    .action(async (flags) => (await import('../reload.ts')).reload(flags))
}

export function addService(program: Command): void {
  const service = program
    .command('service')
    .description('the gateway as a service that starts at login: systemd, launchd or a Windows task')
  service
    .command('install')
    .description('install or replace the service, and start it')
    .addOption(configFlag())
    .option('--with-env', 'keep the variables that the configuration needs in a file that only you can read')
    .option('--print', 'print the file of the service, write nothing')
    .addOption(new Option('--system <system>', 'with --print: for this system').choices(systems))
    .action(async (flags) => (await import('../service.ts')).installService(flags))
  service
    .command('status')
    .description('show whether it is installed and runs; exit code 0 if it runs, else 1')
    .addOption(jsonFlag())
    .action(async (flags) => (await import('../service.ts')).serviceStatus(flags))
  service
    .command('logs')
    .description('show its log')
    .addOption(
      new Option('--lines <number>', 'how many lines').argParser(wholeNumber(1, 100_000)).default(100),
    )
    .option('--follow', 'go on with new lines, until Ctrl-C')
    .action(async (flags) => (await import('../service.ts')).serviceLogs(flags))
  service
    .command('uninstall')
    .description('stop and remove it')
    .action(async (flags) => (await import('../service.ts')).uninstallService(flags))
}

export function addInspect(program: Command): void {
  program
    .command('inspect')
    .description('print a one-time link to the inspector of the running gateway, or open tapes in its page')
    .argument('[tapes]', 'folder of tapes, or a tape file: opens these, without a gateway')
    .addOption(configFlag())
    .addOption(
      new Option('--url <url>', "the gateway's address (default: from the configuration)").argParser(webUrl),
    )
    .option('--key-file <file>', "file that holds the gateway's key (default: from the configuration)")
    .option('--open', 'also open the link in the browser')
    .action(async (tapes, flags) =>
      tapes === undefined
        ? (await import('../inspect.ts')).inspect(flags)
        : (await import('../inspect-tapes.ts')).inspectTapes(tapes, flags),
    )
}

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('run the gateway on embedded simulators: no account, no key, no configuration')
    .addOption(portFlag())
    .addOption(levelFlag())
    .action(async (flags) => (await import('../demo.ts')).demo(flags))
}
