// `dragoman init`: finds backends and clients on this machine, asks, writes the configuration, checks it, and offers to set up clients.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { thisSystem } from '../base/platform/system.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { findConfigFile, parseConfig } from '../config/load.ts'
import { CommandError } from '../process/command-error.ts'
import { withProgress } from '../process/progress.ts'
import { applyChange, ChangedMeanwhile } from '../setup/apply.ts'
import type { SetupClientName } from '../setup/client-names.ts'
import { addBackends, type FoundBackend, isConfigured } from '../setup/found-backends.ts'
import { DamagedJournal, openJournal } from '../setup/journal.ts'
import { type LocalServer, localServers } from '../setup/known-services.ts'
import { showDiff } from '../setup/line-diff.ts'
import { maskSecrets } from '../setup/mask.ts'
import { CannotEdit, type FileChange, tilde } from '../setup/plan.ts'
import { FileProblem, readBytes, targetOf, textOf } from '../setup/write-file.ts'
import { doctor } from './doctor.ts'
import { findBackends, findClients } from './find-backends.ts'
import { askForBackends, askForClients } from './init-questions.ts'
import { nextSteps, nothingFound, type Place, setVariable } from './init-words.ts'
import { namedBackends } from './named-backends.ts'
import { setup } from './setup.ts'
import { ownShell } from './setup-facts.ts'
import { consent, ownTerminal, type Terminal } from './setup-terminal.ts'
import { undoSetup } from './setup-undo.ts'

export interface InitFlags {
  config?: string
  /** KIND or KIND=URL: these, and not what is found. */
  backend?: string[]
  client?: SetupClientName[]
  /** False: no client is set up, and none is asked about. */
  setup?: boolean
  print?: boolean
  undo?: boolean
  yes?: boolean
}

interface InitContext {
  environment?: Environment
  terminal?: Terminal
  servers?: readonly LocalServer[]
  /** Checks the configuration. */
  examine?: (flags: { config: string }) => Promise<void>
}

interface Run extends Required<InitContext> {
  flags: InitFlags
}

/** The name of its entries in the journal of setup. */
const journalName = 'init'

export async function init(flags: InitFlags, context: InitContext = {}): Promise<void> {
  const run = {
    ...{ flags, environment: readEnvironment(), terminal: ownTerminal(), servers: localServers },
    ...{ examine: doctor, ...context },
  }
  try {
    if (flags.undo) return await takeBack(run)
    await carryOut(run)
  } catch (error) {
    if (error instanceof DamagedJournal || error instanceof ChangedMeanwhile || error instanceof FileProblem)
      throw new CommandError(error.message)
    throw error
  }
}

async function carryOut(run: Run): Promise<void> {
  const { flags, environment, terminal, servers } = run
  const path = targetFile(flags, environment)
  const before = textAt(path)
  const named = flags.backend && namedBackends(flags.backend, environment.variable)
  const found =
    named ?? (await withProgress('looking for keys, logins and servers', findBackends(environment, servers)))
  const fresh = understood(path, () => found.filter((backend) => !isConfigured(before ?? '', backend)))
  const known = found.length - fresh.length
  if (before !== undefined && known > 0)
    terminal.err(`${tilde(path, environment.homeFolder)} has ${known} of them already.\n`)
  const asks = named === undefined && !flags.yes && !flags.print && terminal.interactive
  const chosen = asks ? await askForBackends(fresh, { terminal, variable: environment.variable }) : fresh
  if (chosen.length === 0 && before === undefined) throw new CommandError(nothingFound(placeOf(run)))
  if (chosen.length > 0)
    await write(
      { path, before, after: understood(path, () => addBackends(before ?? '', chosen)) },
      chosen,
      run,
    )
  else terminal.err('There is nothing to add.\n')
  if (flags.print) return
  await check(path, chosen, run)
  await setUpClients(path, run)
}

/** The file that `serve` would read, or else the user's. A named one need not exist. */
function targetFile(flags: InitFlags, environment: Environment): string {
  const named = flags.config ?? environment.configFile
  if (named !== undefined && !existsSync(named)) return resolve(named)
  return findConfigFile(flags.config, environment) ?? environment.userConfigFile
}

function textAt(path: string): string | undefined {
  const bytes = readBytes(targetOf(path))
  return bytes && textOf(bytes)
}

function understood<Result>(path: string, edit: () => Result): Result {
  try {
    return edit()
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    throw new CommandError(
      `${path} is left as it is: ${error.message}. \`dragoman config check ${path}\` says more; correct it, and run this again.`,
    )
  }
}

async function write(change: FileChange, chosen: readonly FoundBackend[], run: Run): Promise<void> {
  const { flags, environment, terminal } = run
  const { path, before, after } = change
  // What cannot be read back is not written.
  parseConfig(after, { file: path, environment, unset: 'kept' })
  const name = tilde(path, environment.homeFolder)
  if (flags.print) {
    terminal.err(`${name}:\n\n`)
    terminal.out(maskSecrets(after))
    return
  }
  const isNew = before === undefined
  terminal.out(`\n${name}${isNew ? ' (new)' : ''}\n${maskSecrets(showDiff(before ?? '', after))}\n`)
  await consent('Write this?', { yes: flags.yes === true, terminal })
  applyChange(openJournal(environment.dataFolder), change, {
    ...{ client: journalName, project: undefined, secret: undefined, now: new Date() },
    isPrivate: true,
  })
  terminal.err(`Written. \`dragoman init --undo${configFlagOf(path, environment)}\` takes it back.\n`)
  for (const { missing } of chosen)
    if (missing !== undefined)
      terminal.err(`Set ${missing} before you start the gateway: ${setVariable(missing, placeOf(run))}\n`)
}

const placeOf = ({ environment }: Run): Place => ({
  system: thisSystem,
  shell: ownShell(environment.variable('SHELL'), thisSystem),
})

/** The doctor stops at the first variable that is not set, and has said no more than this. */
async function check(
  path: string,
  chosen: readonly FoundBackend[],
  { terminal, examine }: Run,
): Promise<void> {
  if (chosen.some(({ missing }) => missing !== undefined)) return
  terminal.err('\nChecking it:\n')
  await examine({ config: path })
}

/** For commands that would else take another file. */
const configFlagOf = (path: string, environment: Environment) =>
  findConfigFile(undefined, environment) === path ? '' : ` --config ${path}`

async function setUpClients(path: string, run: Run): Promise<void> {
  const { flags, environment, terminal } = run
  const installed = findClients(environment)
  const asks = flags.setup !== false && flags.client === undefined && !flags.yes && terminal.interactive
  const chosen = flags.client ?? (asks ? await askForClients(installed, terminal) : [])
  const flag = configFlagOf(path, environment)
  const config = flag === '' ? {} : { config: path }
  for (const name of chosen) {
    terminal.err('\n')
    try {
      await setup(name, { ...config, ...(flags.yes && { yes: true }) }, { environment, terminal })
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // The configuration is written, and the next client may do.
      terminal.err(`${error.message}\n`)
      process.exitCode = 1
    }
  }
  terminal.err(`\n${nextSteps(installed, flag, placeOf(run))}`)
}

/** Of the one file that the flags name, or that `init` would write: others are not meant. */
function takeBack({ flags, environment, terminal }: Run): Promise<void> {
  const path = targetOf(targetFile(flags, environment))
  return undoSetup({
    ...{ client: journalName, project: undefined, path, terminal },
    dataFolder: environment.dataFolder,
    home: environment.homeFolder,
    agree: () => consent('Write this?', { yes: flags.yes === true, terminal }),
    nothingKnown: (entries) => {
      const others = entries.filter(({ client }) => client === journalName).map((entry) => entry.path)
      const hints = [...new Set(others)].map((other) => ` Undo ${other} with --config ${other}.`)
      return `\`dragoman init\` has written nothing to ${path}.${hints.join('')}`
    },
  })
}
