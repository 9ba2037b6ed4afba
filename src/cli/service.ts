// `dragoman service`: the gateway as a service of the user, which starts at login: a systemd user unit, a launchd agent or a Windows
// task.

import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pathsOf, type System, systemTitles, thisSystem } from '../base/platform/system.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { CommandError } from '../process/command-error.ts'
import { controlFolder, type RunningGateway, runningGateways } from '../process/control-file.ts'
import { err, out, outJson } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { closeMs, drainMs } from '../process/stop-times.ts'
import type { ServiceFacts } from '../service/service-facts.ts'
import { CannotServe, filePath, logFile, type ServiceFile, serviceFile } from '../service/service-file.ts'
import { FileProblem, writeWhole } from '../setup/write-file.ts'
import { type ServiceManager, serviceManager } from './service-commands.ts'
import { keepVariables } from './service-variables.ts'

interface InstallFlags {
  config?: string
  print?: boolean
  system?: System
  withEnv?: boolean
}

/** Where the command runs: tests put another system here. */
export interface Surroundings {
  system: System
  environment: Environment
  /** For the gateway to start. */
  patienceMs: number
}

const here = (): Surroundings => ({
  system: thisSystem,
  environment: readEnvironment(),
  patienceMs: 20_000,
})

export async function installService(flags: InstallFlags, around: Surroundings = here()): Promise<void> {
  const { environment } = around
  if (flags.system !== undefined && !flags.print)
    throw new CommandError('--system is for --print: a service can be installed on this system only.', 2)
  const { file: configFile = '' } = loadConfig(flags.config, environment, { unset: 'kept' })
  const facts = factsOf(configFile, { ...around, system: flags.system ?? around.system })
  const file = fileOf(facts)
  if (flags.print) {
    err(`${systemTitles[facts.system]}: ${file.path}\n\n`)
    return out(file.text)
  }
  const manager = managerOf(around)
  const problem = await manager.problem()
  if (problem !== undefined)
    throw new CommandError(
      `${problem} Nothing was written. Start the gateway by what starts programs here (\`dragoman serve --config ${configFile}\`); \`dragoman service install --print\` shows the file to start from.`,
    )
  await refuseSecond(configFile, manager, environment)
  keepVariables(facts, { all: flags.withEnv === true, environment })
  write(file)
  await manager.install()
  out(`Installed: ${file.path}. It starts when you log in${lingering[facts.system]}.\n`)
  await sayWhetherItRuns(configFile, around)
}

const lingering: Record<System, string> = {
  linux: '; `loginctl enable-linger` has it run without a login, too',
  macos: '',
  windows: '',
}

function factsOf(configFile: string, { system, environment }: Surroundings): ServiceFacts {
  const { variable, homeFolder: home, userConfigFile } = environment
  const domain = variable('USERDOMAIN')
  const name = variable('USERNAME') || userInfo().username
  const paths = pathsOf(system)
  return {
    ...{ system, home, variable, configFile },
    user: domain ? `${domain}\\${name}` : name,
    node: ownNode(variable('PATH')),
    program: fileURLToPath(new URL('../cli.js', import.meta.url)),
    envFile: paths.join(paths.dirname(userConfigFile), 'service.env'),
    stopSeconds: Math.ceil((drainMs + closeMs) / 1000) + 5,
  }
}

/** The path of Node on PATH, if it leads to the one that runs: package managers keep the link, and remove old versions. */
function ownNode(path = ''): string {
  const own = realpathSync(process.execPath)
  const found = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && realpathSync(file) === own)
  return found ?? process.execPath
}

function fileOf(facts: ServiceFacts): ServiceFile {
  try {
    return serviceFile(facts)
  } catch (error) {
    if (error instanceof CannotServe) throw new CommandError(error.message, 2)
    throw error
  }
}

function managerOf({ system, environment }: Surroundings): ServiceManager {
  const place = { system, home: environment.homeFolder, variable: environment.variable }
  return serviceManager({
    ...{ system, uid: process.getuid?.() ?? 0 },
    ...{ file: filePath(place), log: logFile(place) },
  })
}

/** Two gateways cannot have one port. */
async function refuseSecond(
  configFile: string,
  manager: ServiceManager,
  environment: Environment,
): Promise<void> {
  const other = gatewayOf(configFile, environment)
  if (other && !(await manager.state()).known)
    throw new CommandError(
      `A gateway with this configuration runs already, at ${other.url} (process ${other.pid}). Stop it first: the service needs its port. Nothing was written.`,
    )
}

const gatewayOf = (configFile: string, { stateFolder }: Environment): RunningGateway | undefined =>
  runningGateways(controlFolder(stateFolder)).find(({ file }) => file === configFile)

function write({ path, bytes, log }: ServiceFile): void {
  try {
    if (log !== undefined) mkdirSync(dirname(log), { recursive: true })
    writeWhole(path, bytes, { mode: 0o644 })
  } catch (error) {
    throw error instanceof FileProblem ? new CommandError(error.message) : error
  }
}

async function sayWhetherItRuns(
  configFile: string,
  { environment, patienceMs }: Surroundings,
): Promise<void> {
  const deadline = Date.now() + patienceMs
  const find = async () => {
    for (;;) {
      const gateway = gatewayOf(configFile, environment)
      if (gateway || Date.now() >= deadline) return gateway
      await sleep(200)
    }
  }
  const gateway = await withProgress('waiting for the gateway', find())
  if (gateway) return out(`The gateway runs at ${gateway.url} (process ${gateway.pid}).\n`)
  throw new CommandError('It does not run yet; `dragoman service logs` says why.')
}

export async function uninstallService(_flags: object, around: Surroundings = here()): Promise<void> {
  const { system, environment } = around
  const manager = managerOf(around)
  const path = filePath({ system, home: environment.homeFolder, variable: environment.variable })
  const { known } = await manager.state()
  if (!known && !existsSync(path)) return out('No service is installed.\n')
  if (known) await manager.remove(() => rmSync(path, { force: true }))
  else rmSync(path, { force: true })
  const envFile = join(dirname(environment.userConfigFile), 'service.env')
  const rest = existsSync(envFile)
    ? ` Its variables stay in ${envFile}: remove that file if you need them no more.`
    : ''
  out(`Removed: ${path}.${rest}\n`)
}

export async function serviceStatus(flags: { json?: boolean }, around: Surroundings = here()): Promise<void> {
  const { system, environment } = around
  const path = filePath({ system, home: environment.homeFolder, variable: environment.variable })
  const manager = managerOf(around)
  const told = await manager.state()
  const gateways = runningGateways(controlFolder(environment.stateFolder))
  const gateway = told.pid === undefined ? gateways[0] : gateways.find(({ pid }) => pid === told.pid)
  const isRunning = told.known && (told.running ?? gateway !== undefined)
  if (!isRunning) process.exitCode = 1
  const { known: installed, startsAtLogin, pid, exitCode } = told
  if (flags.json)
    return outJson({
      installed,
      startsAtLogin,
      running: isRunning,
      file: path,
      pid,
      exitCode,
      url: gateway?.url,
    })
  if (!installed) {
    const problem = await manager.problem()
    return out(`${problem ?? 'No service is installed; `dragoman service install` does it.'}\n`)
  }
  out(`service   ${path}${startsAtLogin ? ', starts at login' : ', does not start at login'}\n`)
  const inProcess = pid === undefined ? '' : ` (process ${pid})`
  const failed = exitCode === undefined ? '' : `, ended with exit code ${exitCode}`
  out(
    `state     ${isRunning ? `running${inProcess}` : `not running${failed}; see \`dragoman service logs\``}\n`,
  )
  if (isRunning && gateway) out(`gateway   ${gateway.url}, configuration ${gateway.file}\n`)
}

export async function serviceLogs(
  flags: { lines: number; follow?: boolean },
  around: Surroundings = here(),
): Promise<void> {
  const { system, environment } = around
  const log = logFile({ system, home: environment.homeFolder, variable: environment.variable })
  if (log !== undefined && !existsSync(log)) throw new CommandError(`There is no log yet, in ${log}.`)
  await managerOf(around).showLog({ lines: flags.lines, follow: flags.follow === true })
}
