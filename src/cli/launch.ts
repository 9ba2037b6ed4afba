// `dragoman launch CLIENT [-- args]`: starts a client that is set up for this one session, and a gateway if none runs. The user's own
// files are not changed.

import { thisSystem } from '../base/platform/system.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { findProgram } from '../local-tools/shell/find-program.ts'
import { CommandError } from '../process/command-error.ts'
import { withProgress } from '../process/progress.ts'
import type { LaunchClientName } from '../setup/client-names.ts'
import { setupClients } from '../setup/clients.ts'
import { type LaunchClient, launchClients } from '../setup/launch-clients.ts'
import { NotUnderstood, tilde } from '../setup/plan.ts'
import type { Session } from '../setup/session.ts'
import { installedProgram } from './installed-program.ts'
import { type SessionGateway, type SessionGatewayFlags, sessionGateway } from './launch-gateway.ts'
import { runClient } from './run-client.ts'
import { SessionFolder } from './session-folder.ts'
import { chosenModel, factsOf } from './setup-facts.ts'
import { NoAnswer, ownTerminal, type Terminal } from './setup-terminal.ts'

interface LaunchFlags extends SessionGatewayFlags {
  model?: string
  /** Take the first model, ask nothing. */
  yes?: boolean
}

export async function launch(name: LaunchClientName, words: string[], flags: LaunchFlags): Promise<void> {
  // On Windows, npm installs programs as scripts of a shell that reads arguments in its own way.
  if (thisSystem === 'windows')
    throw new CommandError(
      `launch is not offered on Windows. Run \`dragoman setup ${name}\` and \`dragoman serve\` instead.`,
      2,
    )
  const environment = readEnvironment()
  const terminal = ownTerminal()
  const { program, args } = commandOf(name, words, environment)
  const gateway = await withProgress('asking the gateway for its models', sessionGateway(flags, environment))
  const folder = new SessionFolder()
  try {
    const session = await prepare(name, { gateway, folder: folder.path, environment, flags, terminal })
    folder.write(session)
    process.exitCode = await runClient(program, [...(session.args ?? []), ...args], session.variables ?? {})
  } finally {
    folder.remove()
    await gateway.close()
  }
}

/** The program to start. For plain variables (`env`), the user names the program. */
function commandOf(name: LaunchClientName, words: string[], environment: Environment) {
  const client = launchClients[name]
  if (client.program !== undefined)
    return { program: programOf(name, client.program, environment), args: words }
  const [program, ...args] = words
  if (program === undefined)
    throw new CommandError('Name the program that gets the variables: dragoman launch env -- PROGRAM …', 2)
  return { program, args }
}

function programOf(name: LaunchClientName, program: string, environment: Environment): string {
  const client: LaunchClient = launchClients[name]
  const found = installedProgram(client, environment)
  if (found !== undefined) return found
  const other = findProgram({ program, searchPath: environment.variable('PATH') })
  const namesake = other === undefined ? '' : ` The \`${program}\` in ${other} is another program.`
  throw new CommandError(
    `${setupClients[name].title} is not installed: there is no \`${program}\` of it on the PATH.${namesake} Install it: ${client.install}`,
  )
}

const isDemo = ({ models }: SessionGateway) =>
  models.length > 0 && models.every(({ id }) => id.startsWith('demo-'))

/** Problems to show before the client starts, because clients retry silently. An alias, or an unlisted name, may lead to any backend. */
function problemsFor(model: string, { models, problems }: SessionGateway): string[] {
  const isListed = model.includes('/') && models.some(({ id }) => id === model)
  const own = problems.filter(({ backend }) => model.startsWith(`${backend}/`))
  return (own.length > 0 || isListed ? own : problems).map(({ message }) => message)
}

interface Preparation {
  gateway: SessionGateway
  folder: string
  environment: Environment
  flags: LaunchFlags
  terminal: Terminal
}

async function prepare(name: LaunchClientName, preparation: Preparation): Promise<Session> {
  const { gateway, folder, environment, flags, terminal } = preparation
  const model = await chosenModel(gateway, { flags, terminal }).catch((error: unknown) => {
    throw error instanceof NoAnswer ? new CommandError(`${setupClients[name].title} was not started.`) : error
  })
  const facts = factsOf({ gateway, model, environment })
  const whose = gateway.isOwn
    ? `a gateway for this session${flags.demo ? ', on simulators' : ''}`
    : `${gateway.url}${isDemo(gateway) ? ', a demo on simulators' : ''}`
  terminal.err(`${setupClients[name].title} → ${whose}, model ${model.id}\n`)
  for (const message of problemsFor(model.id, gateway)) terminal.err(`warning: ${message}\n`)
  try {
    // The session's files hold the key itself: only their owner can read them, and they are removed with the session.
    return launchClients[name].session({ ...facts, key: { ...facts.key, file: undefined } }, folder)
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error
    throw new CommandError(
      `${tilde(error.path, facts.home)} cannot be extended for this session: ${error.message}. Correct it, or move it away.`,
    )
  }
}
