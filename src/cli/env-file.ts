// A file of NAME=value lines: variables for a gateway that no shell starts.

import { statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { isOpenToOthers } from '../base/platform/owner-only.ts'
import { readRegularFile } from '../base/read-file.ts'
import { CommandError } from '../process/command-error.ts'
import { err } from '../process/output.ts'

export const mostEnvFileBytes = 1024 * 1024

export const readEnvFile = (path: string) => readVariables(path).variables

function readVariables(path: string): { variables: Record<string, string>; broken: number[] } {
  try {
    const text = readRegularFile(path, { maxBytes: mostEnvFileBytes }).toString('utf8')
    const variables = parseEnv(text) as Record<string, string>
    return { variables, broken: brokenLines(text, variables) }
  } catch (error) {
    throw new CommandError(`The file of variables ${path} cannot be used: ${(error as Error).message}.`, 2)
  }
}

/** The numbers of lines that hold no variable. Values in quotes may have several lines. */
function brokenLines(text: string, variables: Record<string, string>): number[] {
  const inValues = Object.values(variables).flatMap((value) => value.split('\n').slice(1))
  const isFine = (line: string) =>
    line.trim() === '' || /^\s*#|^[^=]+=/.test(line) || inValues.some((part) => line.startsWith(part))
  return text.split('\n').flatMap((line, at) => (isFine(line) ? [] : [at + 1]))
}

/** Variables of the process win. */
export function loadEnvFile(path: string, env: NodeJS.ProcessEnv = process.env): void {
  const { variables, broken } = readVariables(path)
  // Node 20 takes such a line for the beginning of the next variable's name.
  if (broken.length > 0)
    throw new CommandError(`${path}: line ${broken.join(', ')} is not NAME=value; correct or remove it.`, 2)
  if (isOpenToOthers(statSync(path).mode) && Object.keys(variables).length > 0)
    err(`warning: ${path} can be read by other users; run: chmod 600 ${path}\n`)
  for (const [name, value] of Object.entries(variables)) env[name] ??= value
}
