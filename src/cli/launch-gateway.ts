// The gateway of `dragoman launch`: the one that this user runs with the same configuration, or a private one in this process. The
// private gateway has a free port of loopback and a new key, and ends with the client.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomId } from '../base/ids.ts'
import type { Environment } from '../config/environment.ts'
import { findConfigFile, type LoadedConfig, loadConfig, parseConfig } from '../config/load.ts'
import { createGateway, type Gateway, type InternalOptions } from '../gateway.ts'
import { CommandError } from '../process/command-error.ts'
import { refuseProblems } from '../process/listening.ts'
import { listenOrSay } from '../process/run-gateway.ts'
import { listedModels } from '../server/listed-models.ts'
import { startDemoBackends } from './demo-backends.ts'
import { auditFilePath, privatePaths } from './private-paths.ts'
import { type GatewayFacts, gatewayThere } from './setup-gateway.ts'
import { prepareTapeFolder } from './tape-folder.ts'

export interface SessionGatewayFlags {
  config?: string
  url?: string
  keyFile?: string
  /** A gateway on simulators. */
  demo?: boolean
  /** The log file of a private gateway. */
  log?: string
}

export interface SessionGateway extends GatewayFacts {
  /** The gateway was started for this session. */
  isOwn: boolean
  /** Backends that the gateway is known not to reach. */
  problems: readonly { backend: string; message: string }[]
  close(): Promise<void>
}

export async function sessionGateway(
  flags: SessionGatewayFlags,
  environment: Environment,
): Promise<SessionGateway> {
  if (flags.demo) return demoGateway(flags, environment)
  const there = await gatewayThere(flags, environment).catch((error: unknown) => {
    // Without --url, a private gateway replaces one that cannot be used.
    if (error instanceof CommandError && flags.url === undefined) return undefined
    throw error
  })
  if (there) return { ...there, isOwn: false, problems: [], close: async () => undefined }
  if (flags.url !== undefined)
    throw new CommandError(
      `No gateway answers at ${flags.url}. Start it there, or leave out --url: launch then starts one of its own.`,
    )
  if (findConfigFile(flags.config, environment) === undefined)
    throw new CommandError(
      'There is no configuration yet. `dragoman init` writes one; `dragoman launch CLIENT --demo` works without, on simulators.',
      2,
    )
  const loaded = loadConfig(flags.config, environment)
  const { stateFolder } = environment
  await prepareTapeFolder(loaded.config, join(stateFolder, 'tapes'))
  return startOwn(loaded, flags, {
    connect: environment,
    usageFile: join(stateFolder, 'usage.jsonl'),
    sealFile: join(stateFolder, 'seal.key'),
    auditFile: auditFilePath(environment),
    tapeFolder: join(stateFolder, 'tapes'),
    privatePaths: privatePaths(loaded, environment),
  })
}

async function demoGateway(flags: SessionGatewayFlags, environment: Environment): Promise<SessionGateway> {
  const { backends, close } = await startDemoBackends()
  try {
    const gateway = await startOwn(parseConfig(JSON.stringify({ backends }), { environment }), flags, {})
    return {
      ...gateway,
      close: async () => {
        await gateway.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function startOwn(
  { config, secrets }: LoadedConfig,
  { log }: SessionGatewayFlags,
  options: Omit<InternalOptions, 'config' | 'keys'>,
): Promise<SessionGateway> {
  const key = `dgm_${randomId(40)}`
  config.listen = { ...config.listen, host: '127.0.0.1', port: 0 }
  config.auth = { keys: [{ name: 'launch', key }] }
  refuseProblems(config)
  // The terminal belongs to the client: log lines must not appear there.
  const writeLog = (line: string) => {
    if (log !== undefined) appendFileSync(log, line, { mode: 0o600 })
  }
  const gateway = await createGateway({
    ...{ config, writeLog, ...options },
    keys: config.auth.keys,
    secrets: [...secrets, key],
  })
  try {
    const url = await listenOrSay(gateway, config)
    return {
      ...{ url, running: true, isOwn: true },
      key: { text: key, file: undefined, needed: true },
      models: await listedModels(gateway.catalog),
      problems: await unreached(gateway),
      close: () => gateway.close(),
    }
  } catch (error) {
    await gateway.close()
    throw error
  }
}

/** The backends that could not be listed. `listedModels` has just asked them, so the catalog still has the listings. */
async function unreached({ catalog, scrub }: Gateway): Promise<SessionGateway['problems']> {
  return (await catalog.listings()).flatMap(({ backendName: backend, listing: { error } }) =>
    error && error.code !== 'not-found' ? [{ backend, message: scrub(error.message) }] : [],
  )
}
