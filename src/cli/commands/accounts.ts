// Commands for logins, accounts and models.

import { Argument, type Command, Option } from 'commander'
import { accountName, configFlag, jsonFlag, loginProvider, port, webUrl } from '../flags.ts'

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('log in to a service with your account, by browser or API key')
    .addArgument(new Argument('<provider>', 'the service').choices(['cursor']).argParser(loginProvider))
    .addOption(configFlag())
    .option('--backend <name>', 'the configured backend to log in for, if there are several')
    .addOption(
      new Option('--base-url <url>', 'API to log in to (default: from the backend)').argParser(webUrl),
    )
    .addOption(
      new Option(
        '--website-url <url>',
        'website that confirms the login (default: from the backend)',
      ).argParser(webUrl),
    )
    .option('--no-browser', 'print the address, do not open a browser')
    .option('--api-key-stdin', 'read an API key from standard input instead of using a browser')
    .addOption(
      new Option(
        '--as <name>',
        'the account to log in, if the backend has several (docs/pools.md)',
      ).argParser(accountName),
    )
    .action(async (_provider, flags) => (await import('../login.ts')).loginCursor(flags))
}

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('delete stored logins')
    .addArgument(new Argument('[provider]', 'the service').choices(['cursor']).default('cursor'))
    .addOption(new Option('--base-url <url>', 'only the login for this API (default: all)').argParser(webUrl))
    .addOption(
      new Option('--as <name>', 'only the login of this account (default: all)').argParser(accountName),
    )
    .action(async (provider, flags) => (await import('../logout.ts')).logout(provider, flags))
}

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('show the credential of each backend and when it expires')
    .addOption(configFlag())
    .addOption(jsonFlag())
    .action(async (flags) => (await import('../status.ts')).status(flags))
}

export function addAccounts(program: Command): void {
  program
    .command('accounts')
    .description('show the accounts of the running gateway: which are used, which not, why and until when')
    .addArgument(
      new Argument('[action]', 'list; or change one')
        .choices(['list', 'clear', 'disable', 'enable'])
        .default('list'),
    )
    .argument('[account]', 'BACKEND@ACCOUNT, or ACCOUNT alone if one backend has it')
    .addOption(configFlag())
    .addOption(new Option('--port <port>', 'port of the gateway, if several run').argParser(port))
    .addOption(jsonFlag())
    .action(async (action, account, flags) =>
      (await import('../accounts.ts')).accounts(action, account, flags),
    )
}

export function addModels(program: Command): void {
  program
    .command('models')
    .description('list the models that can be called now')
    .addOption(configFlag())
    .addOption(jsonFlag())
    .action(async (flags) => (await import('../models.ts')).models(flags))
}
