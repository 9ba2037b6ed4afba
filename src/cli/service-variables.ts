// The variables of the service, in a file that only the user can read.

import { existsSync, readFileSync } from 'node:fs'
import { readRegularFile } from '../base/read-file.ts'
import { type Environment, proxyVariables } from '../config/environment.ts'
import { CommandError } from '../process/command-error.ts'
import { err } from '../process/output.ts'
import type { ServiceFacts } from '../service/service-facts.ts'
import { editEnv } from '../setup/env-edit.ts'
import { CannotEdit, slashed } from '../setup/plan.ts'
import { FileProblem, writeWhole } from '../setup/write-file.ts'
import { mostEnvFileBytes, readEnvFile } from './env-file.ts'

/** Folders, which hold no secret. A service has none of the shell's variables. */
const folderVariables = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']

/** `all`: also what the configuration names, and proxies. */
export function keepVariables(
  { configFile, envFile, system }: ServiceFacts,
  { all, environment }: { all: boolean; environment: Environment },
): void {
  const kept = existsSync(envFile) ? readEnvFile(envFile) : {}
  const needed = [...new Set(placeholdersIn(readFileSync(configFile, 'utf8')))]
  const wanted = all ? [...needed, ...proxyVariables, 'NO_PROXY', 'no_proxy'] : []
  const values: Record<string, string> = {}
  for (const name of [...folderVariables, ...wanted]) {
    const value = environment.variable(name)
    if (value) values[name] = system === 'windows' && name.startsWith('XDG_') ? slashed(value) : value
  }
  writeVariables(envFile, values)
  const missing = needed.filter((name) => kept[name] === undefined && values[name] === undefined)
  if (missing.length > 0)
    err(
      `warning: the configuration needs ${missing.join(', ')}, and a service does not see the variables of a shell. \`dragoman service install --with-env\` keeps what is set here in ${envFile}, which only you can read; or write NAME=value into it.\n`,
    )
}

const placeholdersIn = (text: string) => [...text.matchAll(/\{env:([^{}]+)\}/g)].map(([, name = '']) => name)

const heading = `# Variables of the gateway that \`dragoman service\` runs, as NAME=value. It reads them when it starts.
`

/** The file is made if there is none: it is the place to write to. */
function writeVariables(path: string, values: Readonly<Record<string, string>>): void {
  const before = existsSync(path)
    ? readRegularFile(path, { maxBytes: mostEnvFileBytes }).toString('utf8')
    : heading
  try {
    writeWhole(path, editEnv(before, values), { mode: 0o600 })
  } catch (error) {
    if (error instanceof CannotEdit)
      throw new CommandError(
        `${path} is left as it is: ${error.message}. Name a file instead, by {file:PATH} in the configuration. Nothing was installed.`,
      )
    throw error instanceof FileProblem ? new CommandError(error.message) : error
  }
}
