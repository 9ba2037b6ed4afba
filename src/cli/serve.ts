// `dragoman serve`: applies flags and variables to the configuration, then starts the gateway or its workers.

import { join, resolve } from 'node:path'
import { isLoopback } from '../base/loopback.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { LogLevel } from '../observe/log.ts'
import { controlFolder } from '../process/control-file.ts'
import { chosenPort } from '../process/listening.ts'
import type { ReadConfig } from '../process/reloader.ts'
import { chosenLogFormat } from '../process/terminal-log.ts'
import { loadEnvFile } from './env-file.ts'
import { keptKey } from './key-file.ts'
import { auditFilePath, privatePaths } from './private-paths.ts'
import { prepareTapeFolder } from './tape-folder.ts'

interface ServeFlags {
  config?: string
  host?: string
  port?: number
  workers?: number
  inspect?: true
  logLevel?: LogLevel
  logFormat?: 'pretty' | 'json'
  /** Record every turn; a string names the folder. */
  record?: string | true
  /** A file of variables. */
  envFile?: string
  /** False: the file is not watched. */
  watch?: boolean
}

export async function serve(flags: ServeFlags): Promise<void> {
  if (flags.envFile !== undefined) loadEnvFile(flags.envFile)
  const environment = readEnvironment()
  const loaded = loadConfig(flags.config, environment)
  const { hints, ...first } = served(loaded, flags, environment)
  const { config } = first
  const tapeFolder = join(environment.stateFolder, 'tapes')
  await prepareTapeFolder(config, tapeFolder)
  const { file = '' } = loaded
  const options = {
    ...first,
    usageFile: join(environment.stateFolder, 'usage.jsonl'),
    sealFile: join(environment.stateFolder, 'seal.key'),
    auditFile: auditFilePath(environment),
    tapeFolder,
    hints: () => [...hints, ...localHints(config), ...tapeHints(config, tapeFolder)],
    reload: {
      ...{ file, first, watches: flags.watch !== false, folder: controlFolder(environment.stateFolder) },
      // The same file, whatever other files have come into being.
      read: () => served(loadConfig(file, environment, { pipes: 'refused' }), flags, environment),
    },
  }
  // A single process loads no worker code, and the parent of workers loads no gateway.
  if (config.workers > 1) await (await import('../process/workers/run-workers.ts')).runWorkers(options)
  else await (await import('../process/run-gateway.ts')).runGateway({ ...options, connect: environment })
}

/** The configuration of the file with the flags of the command, at the start and after each change of the file. */
function served(
  loaded: LoadedConfig,
  flags: ServeFlags,
  environment: Environment,
): ReadConfig & { hints: string[] } {
  const { config, secrets, secretFiles, file } = loaded
  config.listen.host = flags.host ?? config.listen.host
  config.listen.port = chosenPort(flags.port, environment.port, config.listen.port)
  config.log.level = flags.logLevel ?? config.log.level
  // Workers have no terminal of their own.
  config.log.format = flags.logFormat ?? chosenLogFormat(config.log.format)
  config.workers = flags.workers ?? config.workers
  if (flags.record !== undefined) config.tapes.record = 'all'
  if (typeof flags.record === 'string') config.tapes.folder = resolve(flags.record)
  config.inspector.enabled ||= flags.inspect ?? false
  const { dataFolder } = environment
  const loopback = isLoopback(config.listen.host)
  const { keys, hints } = gatewayKeys(config.auth, { dataFolder, loopback })
  const authorities = Object.values(config.backends).map(({ connect }) => connect?.ca)
  return {
    ...{ config, secrets },
    keys,
    hints: [...hints, ...loaded.notes.map((note) => `note: ${note}`)],
    privatePaths: privatePaths(loaded, environment),
    files: [file, ...secretFiles, ...authorities].filter((one) => one !== undefined),
  }
}

function localHints({ exec, auth }: Config): string[] {
  if (!exec.enabled) return []
  const open =
    auth === 'none'
      ? ['warning: without a key, every program on this machine can run local tools as you']
      : []
  return [`local tools are on, in ${exec.root}`, ...open]
}

function tapeHints({ tapes: { record, folder } }: Config, usual: string): string[] {
  if (record === 'off') return []
  const what = record === 'all' ? 'every turn' : 'each turn that its client wants recorded'
  return [`${what} is recorded with all its content, in ${folder ?? usual}`]
}

interface GatewayKeys {
  keys: { name: string; key: string }[]
  hints: string[]
}

function gatewayKeys(
  auth: 'none' | { keys: { name: string; key: string }[] } | undefined,
  options: { dataFolder: string; loopback: boolean },
): GatewayKeys {
  if (auth === 'none')
    return {
      keys: [],
      hints: ['warning: "auth" is "none": every program on this machine can use your backends'],
    }
  if (auth) return { keys: auth.keys, hints: [] }
  // Beyond loopback the user must choose a key; the refusal says so.
  if (!options.loopback) return { keys: [], hints: [] }
  const file = keptKey(options.dataFolder)
  return {
    keys: [{ name: 'default', key: file.key }],
    hints: [`${file.created ? 'a key was created; clients' : 'clients'} need the key in ${file.path}`],
  }
}
