// The address, key and models of the gateway that a client is set up for: from the running gateway, or else from the
// configuration.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject } from '../base/json.ts'
import { isLoopback } from '../base/loopback.ts'
import { pipePatienceMs, readRegularFile } from '../base/read-file.ts'
import type { Environment } from '../config/environment.ts'
import { findConfigFile, type LoadedConfig, loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { reasoningEfforts } from '../core/request.ts'
import { createGateway } from '../gateway.ts'
import { CommandError } from '../process/command-error.ts'
import { controlFolder, runningGateways } from '../process/control-file.ts'
import { answersAt } from '../process/gateway-at.ts'
import { chosenPort } from '../process/listening.ts'
import { accountsPath } from '../server/account-routes.ts'
import { listedModels } from '../server/listed-models.ts'
import type { GatewayKey, SetupModel } from '../setup/plan.ts'
import { keptKey, keyFilePath, mostKeyBytes } from './key-file.ts'
import { askGateway, reachable } from './running-gateway.ts'

interface GatewayFlags {
  config?: string
  url?: string
  keyFile?: string
  /** Write nothing, not even the key that the first `serve` would create. */
  print?: boolean
}

export interface GatewayFacts {
  url: string
  key: GatewayKey
  models: SetupModel[]
  running: boolean
}

const defaultUrl = ({ port }: Environment) => `http://127.0.0.1:${chosenPort(undefined, port, 18_741)}`
/** Long enough for a gateway that first asks its backends. */
const patienceMs = 15_000
const noKey: GatewayKey = { text: 'any', file: undefined, needed: false }

export async function gatewayFacts(flags: GatewayFlags, environment: Environment): Promise<GatewayFacts> {
  const file = findConfigFile(flags.config, environment)
  const loaded = file === undefined ? undefined : loadConfig(flags.config, environment, { unset: 'kept' })
  const url =
    withoutV1(flags.url) ?? (loaded ? listenUrl(loaded.config, environment) : defaultUrl(environment))
  const { key, listing } = await keyAndListing(url, { flags, loaded, environment })
  if (listing) return { url, key, models: listing, running: true }
  return { url, key, models: loaded ? await configuredModels(loaded, environment) : [], running: false }
}

/**
 * The gateway to use for a session: the one of the flags, or one that this user runs with the same configuration file. What else listens
 * at the configured address is another's, or the demo. No key is created.
 */
export async function gatewayThere(
  flags: GatewayFlags,
  environment: Environment,
): Promise<GatewayFacts | undefined> {
  const file = findConfigFile(flags.config, environment)
  const url = withoutV1(flags.url) ?? (await recordedUrl(file, environment))
  if (url === undefined) return undefined
  const loaded = file === undefined ? undefined : loadConfig(flags.config, environment, { unset: 'kept' })
  const found = await keyAndListing(url, { flags: { ...flags, print: true }, loaded, environment })
  return found.listing && { url, key: found.key, models: found.listing, running: true }
}

/** The address of a running gateway with this file. It has to know the token of its record: its process may have ended. */
async function recordedUrl(file: string | undefined, environment: Environment): Promise<string | undefined> {
  const all = runningGateways(controlFolder(environment.stateFolder))
  for (const one of all.filter((gateway) => gateway.file === file)) {
    const answer = await askGateway(one, accountsPath).catch(() => undefined)
    if (answer !== undefined) return reachable(one.url)
  }
  return undefined
}

/** The variable of the gateway's key, for clients and for commands that call a running gateway. */
const keyVariable = 'DRAGOMAN_KEY'

/** The gateway that runs at this URL, with the models that it lists. Its key: from a file, a variable, or this machine's own. */
export async function runningGateway(
  flags: { url: string; keyFile?: string | undefined },
  environment: Environment,
): Promise<Pick<GatewayFacts, 'url' | 'key' | 'models'>> {
  const url = withoutV1(flags.url) ?? flags.url
  const given = flags.keyFile === undefined ? environment.variable(keyVariable) : undefined
  const asked = given ? askWith(url, given) : keyAndListing(url, ownSources(flags, environment))
  const found = await asked.catch((error: unknown) => {
    throw error instanceof CommandError ? new CommandError(error.message, 2) : error
  })
  if (found.listing === undefined) throw new CommandError(`No gateway answers at ${url}.`, 2)
  return { url, key: found.key, models: found.listing }
}

async function askWith(url: string, text: string): Promise<KeyAndListing> {
  const answer = await askModels(url, text)
  if (answer === 'refused')
    throw new CommandError(`The gateway at ${url} does not take the key in $${keyVariable}.`)
  return { key: { text, file: undefined, needed: true }, listing: answer }
}

function ownSources(
  { url, keyFile }: { url: string; keyFile?: string | undefined },
  environment: Environment,
) {
  const file = findConfigFile(undefined, environment)
  const loaded = file === undefined ? undefined : loadConfig(file, environment, { unset: 'kept' })
  // Another gateway's key is not to be created here.
  return { flags: { url, ...(keyFile && { keyFile }), print: true }, loaded, environment }
}

/** The gateway's address and key, from this machine's files only. */
export function gatewayAddress(
  flags: GatewayFlags,
  environment: Environment,
): { url: string; key: GatewayKey } {
  const file = findConfigFile(flags.config, environment)
  const loaded = file === undefined ? undefined : loadConfig(flags.config, environment, { unset: 'kept' })
  const url =
    withoutV1(flags.url) ?? (loaded ? listenUrl(loaded.config, environment) : defaultUrl(environment))
  if (flags.keyFile !== undefined) return { url, key: namedKey(flags.keyFile) }
  if (!isThisMachine(url, loaded)) throw new CommandError(unknownKey(url), 2)
  if (loaded && loaded.config.auth !== undefined)
    return { url, key: configuredKey(loaded, { flags, loaded, environment }) }
  // If there is no key yet, this does not create one.
  const path = keyFilePath(environment.dataFolder)
  return { url, key: existsSync(path) ? namedKey(path) : noKey }
}

/** Accepts pasted forms: with `/v1`, with a trailing slash. */
const withoutV1 = (url: string | undefined) => url?.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')

const portOf = ({ listen }: Config, environment: Environment) =>
  chosenPort(undefined, environment.port, listen.port)

function listenUrl(config: Config, environment: Environment): string {
  const { listen } = config
  const port = portOf(config, environment)
  if (port === 0)
    throw new CommandError(
      'The gateway takes any free port ("listen.port" is 0): say which one it has, by --url.',
      2,
    )
  const anywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  const host = anywhere[listen.host] ?? (listen.host.includes(':') ? `[${listen.host}]` : listen.host)
  return `http://${host}:${port}`
}

interface Sources {
  flags: GatewayFlags
  loaded: LoadedConfig | undefined
  environment: Environment
}

interface KeyAndListing {
  key: GatewayKey
  /** Undefined if no gateway answers. */
  listing?: SetupModel[] | undefined
}

async function keyAndListing(url: string, sources: Sources): Promise<KeyAndListing> {
  const { flags, loaded } = sources
  const ownKey = () => (loaded ? configuredKey(loaded, sources) : keyInFile(sources))
  // The configuration decides which key is needed, not the program that runs at that address now.
  const known = flags.keyFile !== undefined || (loaded !== undefined && flags.url === undefined)
  if (known) {
    const key = flags.keyFile === undefined ? ownKey() : namedKey(flags.keyFile)
    const there = key.needed && flags.keyFile === undefined ? await answersAt(url, patienceMs) : 'gateway'
    if (there === 'nothing') return { key }
    if (there === 'other') throw otherProgram(url, 'does not answer /healthz as a gateway does')
    const answer = await askModels(url, key.needed ? key.text : undefined)
    if (answer === 'refused') throw refusedKey(url, key)
    return { key, listing: answer }
  }
  const open = await askModels(url, undefined)
  if (open !== undefined && open !== 'refused') return { key: noKey, listing: open }
  if (!isThisMachine(url, loaded)) throw new CommandError(unknownKey(url), 2)
  const key = ownKey()
  if (open === undefined) return { key }
  const answer = await askModels(url, key.text)
  if (answer === 'refused') throw refusedKey(url, key)
  return { key, listing: answer }
}

/** Compares by address, or by a name that resolves to it. */
const isThisMachine = (url: string, loaded: LoadedConfig | undefined) => {
  const { hostname } = new URL(url)
  return isLoopback(hostname) || (loaded?.config.allow.hosts ?? []).includes(hostname)
}

const unknownKey = (url: string) =>
  `${url} is another machine, which has a key of its own. Put that into a file and name it: --key-file FILE`

export const refusedKey = (url: string, { file }: GatewayKey) =>
  new CommandError(
    `The gateway at ${url} does not take the key ${file === undefined ? 'of the configuration' : `in ${file}`}. If it is another gateway than this machine's, put its key into a file and name that: --key-file FILE`,
  )

const otherProgram = (url: string, sign: string) =>
  new CommandError(`What answers at ${url} is not this gateway (${sign}). Give its address by --url.`)

function configuredKey({ config, missing }: LoadedConfig, sources: Sources): GatewayKey {
  if (config.auth === 'none') return noKey
  if (config.auth === undefined) return keyInFile(sources)
  const problem = missing.find((one) => one.startsWith('auth.'))
  if (problem)
    throw new CommandError(`${problem}; set it, or name a file that holds the key: --key-file FILE`, 2)
  return { text: config.auth.keys[0]?.key ?? '', file: undefined, needed: true }
}

function keyInFile({ flags, environment }: Sources): GatewayKey {
  const path = keyFilePath(environment.dataFolder)
  if (!flags.print) return { text: keptKey(environment.dataFolder).key, file: path, needed: true }
  try {
    return namedKey(path)
  } catch {
    return { text: `THE KEY IN ${path}`, file: path, needed: true }
  }
}

function namedKey(name: string): GatewayKey {
  const file = resolve(name)
  let text: string
  try {
    text = readRegularFile(file, { maxBytes: mostKeyBytes, pipeMs: pipePatienceMs }).toString('utf8').trim()
  } catch (error) {
    throw new CommandError(`The key file ${file} cannot be read: ${(error as Error).message}.`, 2)
  }
  if (text === '' || /\s/.test(text))
    throw new CommandError(`The file ${file} does not hold a key and nothing else.`, 2)
  return { text, file, needed: true }
}

/** The models of a running gateway; undefined if none answers. */
async function askModels(
  url: string,
  key: string | undefined,
): Promise<SetupModel[] | 'refused' | undefined> {
  let response: Response
  try {
    response = await fetch(`${url}/v1/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
  } catch {
    return undefined
  }
  if (response.status === 401) return 'refused'
  const body: unknown = await response.json().catch(() => undefined)
  const data = isObject(body) && response.ok ? body.data : undefined
  if (!Array.isArray(data)) throw otherProgram(url, `HTTP ${response.status} for /v1/models`)
  return data.flatMap((model) => {
    if (!isObject(model) || typeof model.id !== 'string') return []
    const size = (value: unknown) => (typeof value === 'number' && value > 0 ? value : undefined)
    const { name, input_modalities: modalities, reasoning_efforts: efforts } = model
    return [
      {
        id: model.id,
        displayName: typeof name === 'string' ? name : undefined,
        ownedBy: typeof model.owned_by === 'string' ? model.owned_by : undefined,
        contextTokens: size(model.context_length),
        outputTokens: size(model.max_output_tokens),
        images: Array.isArray(modalities) ? modalities.includes('image') : undefined,
        efforts: Array.isArray(efforts) ? reasoningEfforts.filter((one) => efforts.includes(one)) : undefined,
      },
    ]
  })
}

/** Lists models like `dragoman models`; without the backends' keys only the aliases are known. */
async function configuredModels(
  { config, secrets, missing }: LoadedConfig,
  environment: Environment,
): Promise<SetupModel[]> {
  if (missing.length > 0) return Object.keys(config.models).map((id) => ({ id }))
  config.log.level = 'silent'
  const gateway = await createGateway({ config, keys: [], secrets, connect: environment })
  try {
    return await listedModels(gateway.catalog)
  } finally {
    await gateway.close()
  }
}
