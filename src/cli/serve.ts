// `dragoman serve`: applies flags and variables to the configuration, then starts the gateway or its workers.

import { join, resolve } from 'node:path'
import { isLoopback } from '../base/loopback.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { LogLevel } from '../observe/log.ts'
import { CommandError } from '../process/command-error.ts'
import { chosenPort } from '../process/listening.ts'
import { type KeyFile, keyFilePath, readOrCreateKey } from './key-file.ts'
import { auditFilePath, privatePaths } from './private-paths.ts'

interface ServeFlags {
  config?: string
  host?: string
  port?: number
  workers?: number
  inspect?: true
  logLevel?: LogLevel
  /** Record every turn; a string names the folder. */
  record?: string | true
}

export async function serve(flags: ServeFlags): Promise<void> {
  const environment = readEnvironment()
  const loaded = loadConfig(flags.config, environment)
  const { config, secrets } = loaded
  config.listen.host = flags.host ?? config.listen.host
  config.listen.port = chosenPort(flags.port, environment.port, config.listen.port)
  config.log.level = flags.logLevel ?? config.log.level
  config.workers = flags.workers ?? config.workers
  if (flags.record !== undefined) config.tapes.record = 'all'
  if (typeof flags.record === 'string') config.tapes.folder = resolve(flags.record)
  const tapeFolder = join(environment.stateFolder, 'tapes')
  config.inspector.enabled ||= flags.inspect ?? false
  if (config.inspector.enabled && config.workers > 1) throw new CommandError(inspectorOfOne, 2)
  const { keys, hints } = gatewayKeys(config.auth, {
    dataFolder: environment.dataFolder,
    loopback: isLoopback(config.listen.host),
  })
  const options = {
    config,
    keys,
    secrets,
    usageFile: join(environment.stateFolder, 'usage.jsonl'),
    sealFile: join(environment.stateFolder, 'seal.key'),
    auditFile: auditFilePath(environment),
    privatePaths: privatePaths(loaded, environment),
    tapeFolder,
    hints: () => [...hints, ...localHints(config), ...tapeHints(config, tapeFolder)],
  }
  // A single process loads no worker code, and the parent of workers loads no gateway.
  if (config.workers > 1) await (await import('../process/workers/run-workers.ts')).runWorkers(options)
  else await (await import('../process/run-gateway.ts')).runGateway({ ...options, connect: environment })
}

const inspectorOfOne =
  'The inspector shows the turns of one process only: remove --inspect ("inspector.enabled") or --workers ("workers").'

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

function keptKey(dataFolder: string): KeyFile {
  try {
    return readOrCreateKey(dataFolder)
  } catch (error) {
    throw new CommandError(
      `The key cannot be stored in ${keyFilePath(dataFolder)} (${error instanceof Error ? error.message : error}); set XDG_DATA_HOME to a writable folder, or choose a key in "auth.keys".`,
    )
  }
}
