// Finds, reads and checks the configuration. With environment.ts the only reader of files and variables for settings.

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import { nearest } from '../core/nearest.ts'
import type { Environment } from './environment.ts'
import { type Config, configJsonSchema, configSchema } from './schema.ts'

/** A configuration that cannot be used: each problem names the key and says what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(file: string | undefined, problems: readonly string[]) {
    super(`${file ?? 'configuration'}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

export interface LoadedConfig {
  file: string | undefined
  config: Config
  /** Values that came from variables or stand in secret places: never shown. */
  secrets: string[]
}

/** The file that counts: --config, $DRAGOMAN_CONFIG, ./dragoman.jsonc, then the user's own. */
export function findConfigFile(flag: string | undefined, environment: Environment): string | undefined {
  const named = flag ?? environment.configFile
  if (named !== undefined) {
    if (!existsSync(named)) throw new ConfigError(named, ['the file does not exist'])
    return resolve(named)
  }
  return [resolve('dragoman.jsonc'), environment.userConfigFile].find((file) => existsSync(file))
}

export function loadConfig(flag: string | undefined, environment: Environment): LoadedConfig {
  const file = findConfigFile(flag, environment)
  if (file === undefined) {
    throw new ConfigError(undefined, [
      `no file found; write ./dragoman.jsonc or ${environment.userConfigFile} with at least "backends", or try \`dragoman demo\``,
    ])
  }
  return parseConfig(readFileSync(file, 'utf8'), { file, environment })
}

export function parseConfig(
  text: string,
  { file, environment }: { file?: string; environment: Environment },
): LoadedConfig {
  const errors: ParseError[] = []
  const raw: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
  if (errors.length > 0) {
    throw new ConfigError(
      file,
      errors.map(
        ({ error, offset }) =>
          `line ${text.slice(0, offset).split('\n').length}: ${printParseErrorCode(error)}`,
      ),
    )
  }
  const missing: string[] = []
  const secrets: string[] = []
  const filled = interpolate(raw, { environment, missing, secrets, path: '' })
  if (missing.length > 0) throw new ConfigError(file, missing)
  const result = configSchema.safeParse(filled)
  if (!result.success)
    throw new ConfigError(
      file,
      result.error.issues.flatMap((issue) => explain(issue, filled)),
    )
  for (const backend of Object.values(result.data.backends)) if (backend.apiKey) secrets.push(backend.apiKey)
  for (const backend of Object.values(result.data.backends)) secrets.push(...secretHeaders(backend.headers))
  for (const { baseUrl, connect } of Object.values(result.data.backends))
    secrets.push(...[baseUrl, connect?.proxy].flatMap(urlPassword))
  if (typeof result.data.auth === 'object') secrets.push(...result.data.auth.keys.map((key) => key.key))
  checkReferences(result.data, file)
  return { file, config: result.data, secrets }
}

const urlPassword = (url: string | undefined) => (url === undefined ? [] : [new URL(url).password])

const secretHeaders = (headers: Record<string, string> = {}) =>
  Object.entries(headers).flatMap(([key, value]) =>
    /auth|key|token|cookie|secret/i.test(key) ? [value] : [],
  )

interface Interpolation {
  environment: Environment
  missing: string[]
  secrets: string[]
  path: string
}

/** `{env:NAME}` in any string. */
function interpolate(value: unknown, context: Interpolation): unknown {
  if (typeof value === 'string') {
    return value.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_match, name: string) => {
      const found = context.environment.variable(name)
      if (found === undefined || found === '')
        context.missing.push(`${context.path}: the variable ${name} is not set`)
      else context.secrets.push(found)
      return found ?? ''
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

function explain(issue: z.core.$ZodIssue, input: unknown): string[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path, input)
    return issue.keys.map((key) => {
      const close = nearest(key, known)[0]
      return `${path === '' ? '' : `${path}.`}${key}: unknown key${close ? `; did you mean "${close}"?` : ''}`
    })
  }
  if (issue.code === 'invalid_union') {
    // Of a choice, the branch that got furthest is the one that was meant.
    const meant = issue.errors.find((errors) =>
      errors.some((error) => error.path.length > 0 || error.code === 'unrecognized_keys'),
    )
    if (meant)
      return meant.flatMap((error) => explain({ ...error, path: [...issue.path, ...error.path] }, input))
  }
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return [
    `${path === '' ? '(top level)' : path}: ${missing ? `is required (${issue.expected})` : issue.message}`,
  ]
}

type JsonSchema = { [key: string]: JsonSchema | JsonSchema[] | undefined } & { const?: unknown }

/** The keys that may stand at `path`, by walking the JSON Schema beside the value. */
function knownKeys(path: readonly PropertyKey[], input: unknown): string[] {
  let schema = configJsonSchema() as JsonSchema | undefined
  let value = input
  for (const step of path) {
    const here = branchFor(schema, value)
    value = (value as Record<PropertyKey, unknown> | undefined)?.[step]
    schema = ((here?.properties as JsonSchema | undefined)?.[String(step)] ??
      here?.additionalProperties ??
      here?.items) as JsonSchema | undefined
  }
  return Object.keys((branchFor(schema, value)?.properties as JsonSchema | undefined) ?? {})
}

/** Of a choice, the branch that the value means: the one with its `kind`, else the first that has keys at all. */
function branchFor(schema: JsonSchema | undefined, value: unknown): JsonSchema | undefined {
  const branches = (schema?.oneOf ?? schema?.anyOf) as JsonSchema[] | undefined
  if (!branches) return schema
  const kind = (value as { kind?: unknown } | undefined)?.kind
  const kindOf = (branch: JsonSchema) =>
    ((branch.properties as JsonSchema | undefined)?.kind as JsonSchema | undefined)?.const
  return (
    branches.find((branch) => kind !== undefined && kindOf(branch) === kind) ??
    branches.find((branch) => branch.properties)
  )
}

/** Aliases that lead nowhere are found at the start, not at the first request. */
function checkReferences(config: Config, file: string | undefined): void {
  const problems: string[] = []
  if (Object.keys(config.backends).length === 0) problems.push('backends: name at least one')
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
  if (problems.length > 0) throw new ConfigError(file, problems)
}
