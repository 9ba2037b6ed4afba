// `{env:NAME}` and `{file:PATH}` in the values of the configuration.

import { resolve } from 'node:path'
import { fromHome } from '../base/platform/expand.ts'
import { pipePatienceMs, readRegularFile } from '../base/read-file.ts'
import type { Environment } from './environment.ts'

/** A pipe has no second reading, and waiting for one would hold a running gateway. */
export interface Pipes {
  pipes?: 'refused' | undefined
}

/** How long to wait for a pipe. */
export const patience = ({ pipes }: Pipes) => (pipes === 'refused' ? {} : { pipeMs: pipePatienceMs })

interface Interpolation extends Pipes {
  environment: Environment
  /** The base of relative file names. */
  folder: string
  missing: string[]
  secrets: string[]
  secretFiles: string[]
  path: string
}

/** For a file with one secret. */
const mostSecretBytes = 1024 * 1024

const placeholder = /\{(env|file):([^{}]+)\}/g

/** `{env:NAME}` and `{file:PATH}` in any string. */
export function interpolate(value: unknown, context: Interpolation): unknown {
  if (typeof value === 'string') {
    const misspelt = shellProblem(value, context.environment)
    if (misspelt !== undefined) {
      context.missing.push(`${context.path}: ${misspelt}`)
      return value
    }
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
  return text ? { text } : { problem: `the variable ${name} is not set; export it where dragoman starts` }
}

/** `~/` is the home folder. */
export const resolveFrom = (folder: string, path: string, homeFolder: string) =>
  fromHome(path, homeFolder) ?? resolve(folder, path)

/** A file with one secret, as containers mount it; `~/` is the home folder. */
function readSecretFile(name: string, context: Interpolation): Filling {
  const { folder, environment, secretFiles } = context
  const path = resolveFrom(folder, name, environment.homeFolder)
  secretFiles.push(path)
  const maxBytes = mostSecretBytes
  try {
    const text = readRegularFile(path, { maxBytes, ...patience(context) })
      .toString('utf8')
      .trim()
    return text ? { text } : { problem: `the file ${name} is empty` }
  } catch (error) {
    return { problem: `the file ${name} cannot be read: ${(error as Error).message}` }
  }
}

/** Variables as shells, editors and other programs write them: `$NAME`, `${NAME}`, `${env:NAME}`, `%NAME%`, `{{NAME}}`. */
const foreignForms = [
  /^\$([A-Z_][A-Z0-9_]{2,})$/,
  /^\$\{([A-Za-z_]\w*)\}$/,
  /^\$\{?env:([A-Za-z_]\w*)\}?$/i,
  /^%([A-Z_][A-Z0-9_]{2,})%$/,
  /^\{\{ ?(?:env\.)?([A-Za-z_]\w*) ?\}\}$/,
  /^\{?(?:process\.)?env\.([A-Za-z_]\w*)\}?$/,
  /^env:([A-Z_][A-Z0-9_]{2,})$/,
]

/** Only what is certainly the name of a variable is shown: anything else may be a secret. */
const plainName = /^[A-Z]+(?:_[A-Z]+)+$/

/** Undefined for any other text. */
function shellProblem(value: string, { variable }: Environment): string | undefined {
  const text = value.replace(/^Bearer /, '')
  const name = text.length > 200 ? undefined : foreignForms.map((form) => form.exec(text)?.[1]).find(Boolean)
  if (name === undefined) return undefined
  const isKnown = Boolean(variable(name)) || plainName.test(name)
  return isKnown
    ? `a variable is written {env:${name}} here`
    : 'looks like a variable; one is written {env:NAME} here'
}
