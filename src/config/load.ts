// Finds, reads and validates the configuration.

import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { isDeeper } from '../base/depth.ts'
import { jsonProblem } from '../base/json-problem.ts'
import { nearest } from '../base/nearest.ts'
import { pipePatienceMs, readRegularFile } from '../base/read-file.ts'
import { mayNameSecret } from '../base/secrets/names.ts'
import { clientNames } from '../doors/clients.ts'
import { isForbiddenAddress } from '../upstream/guard-address.ts'
import { ConfigError } from './config-error.ts'
import { type Environment, proxyVariables } from './environment.ts'
import { execProblems } from './exec.ts'
import { explain } from './explain.ts'
import { peerProblems } from './peers.ts'
import { type BackendConfig, type Config, configSchema } from './schema.ts'
import { telemetryProblems, telemetrySecrets } from './telemetry.ts'

export interface LoadedConfig {
  file: string | undefined
  config: Config
  /** Values from placeholders and of secret settings: never shown. */
  secrets: string[]
  /** Files that hold such values. */
  secretFiles: string[]
  /** Placeholders without a value, such as `backends.claude.apiKey: the variable … is not set`. Empty unless `unset` is `kept`. */
  missing: string[]
}

interface ParseOptions {
  file?: string
  environment: Environment
  /** For commands that need only a part of the file: placeholders without a value stay as written. */
  unset?: 'kept'
}

/** By precedence: --config, $DRAGOMAN_CONFIG, ./dragoman.jsonc, the user's file. */
export function findConfigFile(flag: string | undefined, environment: Environment): string | undefined {
  const named = flag ?? environment.configFile
  if (named !== undefined) {
    if (!existsSync(named)) throw new ConfigError(named, ['the file does not exist'])
    return resolve(named)
  }
  return [resolve('dragoman.jsonc'), environment.userConfigFile].find((file) => existsSync(file))
}

/** `text`: taken instead of what the file holds now. */
export function loadConfig(
  flag: string | undefined,
  environment: Environment,
  { text, ...options }: Pick<ParseOptions, 'unset'> & { text?: string } = {},
): LoadedConfig {
  const file = findConfigFile(flag, environment)
  if (file === undefined) {
    throw new ConfigError(undefined, [
      `no file found; write ./dragoman.jsonc or ${environment.userConfigFile} with at least "backends", or try \`dragoman demo\``,
    ])
  }
  const loaded = parseConfig(text ?? read(file), { file, environment, ...options })
  const problems = [...resolveFiles(loaded.config, dirname(file), environment), ...checkProxies(environment)]
  if (problems.length > 0) throw new ConfigError(file, problems)
  return loaded
}

function read(file: string): string {
  try {
    return readRegularFile(file, { maxBytes: mostConfigBytes, pipeMs: pipePatienceMs }).toString('utf8')
  } catch (error) {
    throw new ConfigError(file, [(error as Error).message])
  }
}

/** File names are relative to the configuration file, not to the working directory. */
function resolveFiles(config: Config, folder: string, { homeFolder }: Environment): string[] {
  const { exec, tapes } = config
  if (tapes.folder !== undefined) tapes.folder = resolveFrom(folder, tapes.folder, homeFolder)
  exec.root = resolveFrom(folder, exec.root, homeFolder)
  exec.readable = exec.readable.map((path) => resolveFrom(folder, path, homeFolder))
  return Object.entries(config.backends).flatMap(([name, { connect }]) => {
    if (connect?.ca === undefined) return []
    connect.ca = resolveFrom(folder, connect.ca, homeFolder)
    return existsSync(connect.ca) ? [] : [`backends.${name}.connect.ca: ${connect.ca} does not exist`]
  })
}

function checkProxies(environment: Environment): string[] {
  return proxyVariables.flatMap((name) => {
    const value = environment.variable(name)
    const good = !value || (/^(https?|socks5?):\/\/[^/]/i.test(value) && URL.canParse(value))
    return good ? [] : [`the variable ${name} must be a URL: http://HOST:PORT`]
  })
}

export function parseConfig(text: string, { file, environment, unset }: ParseOptions): LoadedConfig {
  const errors: ParseError[] = []
  const raw = parseText(text, errors, file)
  if (errors.length > 0) {
    const problems = errors.map((error) => jsonProblem(text, error))
    throw new ConfigError(file, [...new Set(problems.map(({ line, what }) => `line ${line}: ${what}`))])
  }
  const missing: string[] = []
  const secrets: string[] = []
  const secretFiles: string[] = []
  const filled = interpolate(raw, {
    environment,
    folder: file === undefined ? process.cwd() : dirname(file),
    missing,
    secrets,
    secretFiles,
    path: '',
  })
  if (missing.length > 0 && unset !== 'kept') throw new ConfigError(file, missing)
  const result = configSchema.safeParse(filled)
  if (!result.success)
    throw new ConfigError(
      file,
      result.error.issues.flatMap((issue) => explain(issue, filled)),
    )
  for (const backend of Object.values(result.data.backends)) secrets.push(...backendSecrets(backend))
  for (const { baseUrl, connect } of Object.values(result.data.backends))
    secrets.push(...[baseUrl, connect?.proxy].flatMap(urlPassword))
  secrets.push(...telemetrySecrets(result.data.telemetry.headers))
  const { redis, peerSecret } = result.data.sessions
  secrets.push(...urlPassword(redis), ...(peerSecret === undefined ? [] : [peerSecret]))
  if (typeof result.data.auth === 'object') secrets.push(...result.data.auth.keys.map((key) => key.key))
  const hide = (text: string) =>
    secrets.reduce(
      (clean, secret) => (secret.length < 6 ? clean : clean.replaceAll(secret, '[secret]')),
      text,
    )
  const problems = checkReferences(result.data)
  if (problems.length > 0) throw new ConfigError(file, problems.map(hide))
  return { file, config: result.data, secrets, secretFiles, missing }
}

/** The parser and the checks after it use a stack frame per level. */
const mostLevels = 64

function parseText(text: string, errors: ParseError[], file: string | undefined): unknown {
  let raw: unknown
  try {
    raw = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ConfigError(file, ['is nested too deeply'])
  }
  if (isDeeper(raw, mostLevels)) throw new ConfigError(file, ['is nested too deeply'])
  return raw
}

/** The password of a URL, encoded and decoded. */
function urlPassword(url: string | undefined): string[] {
  const { password } = new URL(url ?? 'none:')
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** Credentials of a backend. */
export function backendSecrets(backend: BackendConfig): string[] {
  const own =
    backend.kind === 'qwen-web'
      ? [backend.token, backend.cookie, ...cookieValues(backend.cookie)]
      : [backend.apiKey, backend.kind === 'cursor' ? backend.accessToken : undefined]
  const query = backend.kind === 'openai' ? backend.query : undefined
  return [
    ...own.filter((secret) => secret !== undefined),
    ...secretHeaders(backend.headers),
    ...secretHeaders(query),
  ]
}

/** A service may echo a cookie. Short values are flags that occur in any log. */
const cookieValues = (cookie = '') =>
  cookie
    .split(';')
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    .filter((value) => value.length >= 12)

/** For headers and for query parameters. */
export const secretHeaders = (named: Record<string, string> = {}) =>
  Object.entries(named).flatMap(([key, value]) => (mayNameSecret(key) ? [value] : []))

interface Interpolation {
  environment: Environment
  /** The base of relative file names. */
  folder: string
  missing: string[]
  secrets: string[]
  secretFiles: string[]
  path: string
}

/** Limits for files that people write by hand. */
const mostConfigBytes = 16 * 1024 * 1024
const mostSecretBytes = 1024 * 1024

const placeholder = /\{(env|file):([^{}]+)\}/g

/** `{env:NAME}` and `{file:PATH}` in any string. */
function interpolate(value: unknown, context: Interpolation): unknown {
  if (typeof value === 'string') {
    return value.replace(placeholder, (written, kind: string, name: string) => {
      const found = kind === 'env' ? variableOf(name, context) : readSecretFile(name, context)
      if ('problem' in found) {
        context.missing.push(`${context.path}: ${found.problem}`)
        return written
      }
      context.secrets.push(found.text)
      return found.text
    })
  }
  if (Array.isArray(value))
    return value.map((entry, at) => interpolate(entry, { ...context, path: `${context.path}[${at}]` }))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      interpolate(entry, { ...context, path: context.path ? `${context.path}.${key}` : key }),
    ]),
  )
}

type Filling = { text: string } | { problem: string }

function variableOf(name: string, { environment }: Interpolation): Filling {
  const text = environment.variable(name)
  return text ? { text } : { problem: `the variable ${name} is not set` }
}

/** `~/` is the home folder. */
const resolveFrom = (folder: string, path: string, homeFolder: string) =>
  /^~(\/|$)/.test(path) ? resolve(homeFolder, path.slice(2)) : resolve(folder, path)

/** A file with one secret, as containers mount it; `~/` is the home folder. */
function readSecretFile(name: string, { folder, environment, secretFiles }: Interpolation): Filling {
  const path = resolveFrom(folder, name, environment.homeFolder)
  secretFiles.push(path)
  const maxBytes = mostSecretBytes
  try {
    const text = readRegularFile(path, { maxBytes, pipeMs: pipePatienceMs }).toString('utf8').trim()
    return text ? { text } : { problem: `the file ${name} is empty` }
  } catch (error) {
    return { problem: `the file ${name} cannot be read: ${(error as Error).message}` }
  }
}

function addressProblems(name: string, backend: BackendConfig): string[] {
  const urls = {
    baseUrl: backend.baseUrl,
    websiteUrl: backend.kind === 'cursor' ? backend.websiteUrl : undefined,
    'connect.proxy': backend.connect?.proxy,
  }
  return Object.entries(urls).flatMap(([setting, url]) => {
    const host = url === undefined ? '' : new URL(url).hostname.replace(/^\[|\]$/g, '')
    return isForbiddenAddress(host)
      ? [`backends.${name}.${setting}: ${host} is a link-local or metadata address, which is not allowed`]
      : []
  })
}

/** Finds aliases without a target at startup, not at the first request. */
function checkReferences(config: Config): string[] {
  const problems: string[] = []
  if (Object.keys(config.backends).length === 0) problems.push('backends: configure at least one')
  for (const [name, backend] of Object.entries(config.backends))
    problems.push(...addressProblems(name, backend))
  for (const client of Object.keys(config.clients)) {
    if (clientNames.includes(client)) continue
    const close = nearest(client, clientNames)[0]
    problems.push(
      `clients.${client}: is not a known client${close ? `; did you mean "${close}"?` : ` (${clientNames.join(', ')})`}`,
    )
  }
  for (const [alias, target] of Object.entries(config.models)) {
    for (const model of [target].flat()) {
      const backend = model.split('/', 1)[0] ?? ''
      if (model.includes('/') && Object.hasOwn(config.backends, backend)) continue
      const close = nearest(backend, Object.keys(config.backends))[0]
      problems.push(
        `models.${alias}: "${model}" must be BACKEND/MODEL with a backend of this file${close ? `; did you mean "${close}/…"?` : ''}`,
      )
    }
  }
  return [...problems, ...peerProblems(config), ...execProblems(config), ...telemetryProblems(config)]
}
