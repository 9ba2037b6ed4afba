// Finds, reads and validates the configuration.

import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createScanner, type ParseError, parse } from 'jsonc-parser'
import { isDeeper } from '../base/depth.ts'
import { jsonProblem } from '../base/json-problem.ts'
import { nearest } from '../base/nearest.ts'
import { readRegularFile } from '../base/read-file.ts'
import { clientNames } from '../doors/clients.ts'
import { isForbiddenAddress } from '../upstream/guard-address.ts'
import { accountNames } from './accounts.ts'
import { backendSecrets } from './backend-secrets.ts'
import { correctBaseUrls } from './base-urls.ts'
import { ConfigError } from './config-error.ts'
import { type Environment, proxyVariables } from './environment.ts'
import { execProblems } from './exec.ts'
import { explain } from './explain.ts'
import { keyAccountProblems } from './key-accounts.ts'
import { keyProblems } from './key-forms.ts'
import { lacksProblems } from './lacks.ts'
import { peerProblems } from './peers.ts'
import { interpolate, type Pipes, patience, resolveFrom } from './placeholders.ts'
import { modelsOfAlias, routeProblems } from './routes.ts'
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
  /** What was put right: `backends.box.baseUrl: …`. */
  notes: string[]
}

interface ParseOptions extends Pipes {
  file?: string
  environment: Environment
  /** For commands that need only a part of the file: placeholders without a value stay as written. */
  unset?: 'kept'
}

/** By precedence: --config, $DRAGOMAN_CONFIG, ./dragoman.jsonc, the user's file. */
export function findConfigFile(flag: string | undefined, environment: Environment): string | undefined {
  const named = flag ?? environment.configFile
  if (named !== undefined) {
    if (!isThere(named))
      throw new ConfigError(named, [`the file does not exist; \`dragoman init --config ${named}\` writes it`])
    return resolve(named)
  }
  return [resolve('dragoman.jsonc'), environment.userConfigFile].find(isThere)
}

/** A file that this user may not read is there: taken for missing, another one would be used. */
function isThere(file: string): boolean {
  try {
    statSync(file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new ConfigError(file, [`cannot be read (${code}); is it yours?`])
  }
}

/** What people name it else, and where. */
function misnamed({ userConfigFile }: Environment): string | undefined {
  const folder = dirname(userConfigFile)
  const here = ['dragoman.json', 'config.jsonc', 'config.json', 'dragoman.jsonc.txt'].map((name) =>
    resolve(name),
  )
  const there = ['config.json', 'dragoman.jsonc', 'dragoman.json'].map((name) => resolve(folder, name))
  return [...here, ...there].find((file) => {
    try {
      return readRegularFile(file, { maxBytes: mostConfigBytes }).includes('"backends"')
    } catch {
      return false
    }
  })
}

/** `text`: taken instead of what the file holds now. */
export function loadConfig(
  flag: string | undefined,
  environment: Environment,
  { text, ...options }: Pick<ParseOptions, 'unset' | 'pipes'> & { text?: string } = {},
): LoadedConfig {
  const file = findConfigFile(flag, environment)
  if (file === undefined) {
    const other = misnamed(environment)
    throw new ConfigError(undefined, [
      other === undefined
        ? `no file found; \`dragoman init\` writes one, or write ./dragoman.jsonc or ${environment.userConfigFile} with at least "backends", or try \`dragoman demo\``
        : `no file found, but ${other} looks like one; name it with --config, or call it dragoman.jsonc`,
    ])
  }
  const loaded = parseConfig(text ?? read(file, options), { file, environment, ...options })
  const problems = [...resolveFiles(loaded.config, dirname(file), environment), ...checkProxies(environment)]
  if (problems.length > 0) throw new ConfigError(file, problems)
  return loaded
}

function read(file: string, options: Pipes): string {
  try {
    return readRegularFile(file, { maxBytes: mostConfigBytes, ...patience(options) }).toString('utf8')
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
  const problem = (setting: string, path: string) =>
    existsSync(path) ? [] : [`backends.${setting}: ${path} does not exist`]
  return Object.entries(config.backends).flatMap(([name, backend]) => {
    const { connect } = backend
    if (connect?.ca !== undefined) connect.ca = resolveFrom(folder, connect.ca, homeFolder)
    const keyFile = 'keyFile' in backend ? backend.keyFile : undefined
    const key = keyFile === undefined ? undefined : resolveFrom(folder, keyFile, homeFolder)
    if (key !== undefined) Object.assign(backend, { keyFile: key })
    return [
      ...(connect?.ca === undefined ? [] : problem(`${name}.connect.ca`, connect.ca)),
      ...(key === undefined ? [] : problem(`${name}.keyFile`, key)),
    ]
  })
}

function checkProxies(environment: Environment): string[] {
  return proxyVariables.flatMap((name) => {
    const value = environment.variable(name)
    const good = !value || (/^(https?|socks5?):\/\/[^/]/i.test(value) && URL.canParse(value))
    return good ? [] : [`the variable ${name} must be a URL: http://HOST:PORT`]
  })
}

export function parseConfig(text: string, options: ParseOptions): LoadedConfig {
  const { file, environment, unset, pipes } = options
  const errors: ParseError[] = []
  const raw = parseText(text, errors, file)
  if (errors.length > 0) {
    if (isOtherFormat(text))
      throw new ConfigError(file, [
        'the file must be JSON (comments and trailing commas are allowed), and begin with {; YAML and TOML are not read',
      ])
    const problems = errors.map((error) => jsonProblem(text, error))
    throw new ConfigError(file, [...new Set(problems.map(({ line, what }) => `line ${line}: ${what}`))])
  }
  const missing: string[] = []
  const secrets: string[] = []
  const secretFiles: string[] = []
  const filled = interpolate(raw, {
    environment,
    pipes,
    folder: file === undefined ? process.cwd() : dirname(file),
    missing,
    secrets,
    secretFiles,
    path: '',
  })
  if (missing.length > 0 && unset !== 'kept') throw new ConfigError(file, missing)
  const { notes, problems: routeProblems } = correctBaseUrls(filled)
  const result = configSchema.safeParse(filled)
  if (!result.success || routeProblems.length > 0)
    throw new ConfigError(file, [
      ...routeProblems,
      ...(result.error?.issues ?? []).flatMap((issue) => explain(issue, filled)),
    ])
  for (const backend of Object.values(result.data.backends)) secrets.push(...backendSecrets(backend))
  for (const { baseUrl, connect } of Object.values(result.data.backends))
    secrets.push(...[baseUrl, connect?.proxy].flatMap(urlPassword))
  const searchKey = result.data.lacks.search?.apiKey
  if (searchKey !== undefined) secrets.push(searchKey)
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
  return { file, config: result.data, secrets, secretFiles, missing, notes }
}

/** An empty file is taken for one that is not written yet. */
function isOtherFormat(text: string): boolean {
  const first = createScanner(text.replace(/^\uFEFF/, ''), true).scan()
  return first !== openBrace && first !== endOfFile
}

/** SyntaxKind of jsonc-parser: a const enum, which types alone have. */
const [openBrace, endOfFile] = [1, 17]

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

/** For a file that people write by hand. */
const mostConfigBytes = 16 * 1024 * 1024

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
    for (const model of modelsOfAlias(target)) {
      const [backend = '', account] = (model.split('/', 1)[0] ?? '').split('@')
      const known = Object.hasOwn(config.backends, backend) ? config.backends[backend] : undefined
      if (known && model.includes('/')) {
        if (account !== undefined && !accountNames(known).includes(account))
          problems.push(`models.${alias}: the backend "${backend}" has no account "${account}"`)
        continue
      }
      const close = nearest(backend, Object.keys(config.backends))[0]
      problems.push(
        `models.${alias}: "${model}" must be BACKEND/MODEL with a backend of this file${close ? `; did you mean "${close}/…"?` : ''}`,
      )
    }
  }
  return [
    ...problems,
    ...keyProblems(config),
    ...keyAccountProblems(config),
    ...routeProblems(config),
    ...peerProblems(config),
    ...execProblems(config),
    ...telemetryProblems(config),
    ...lacksProblems(config),
  ]
}
