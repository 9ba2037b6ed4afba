// Variables as the commands that a shell reads from standard output: `eval "$(dragoman setup env)"`, in PowerShell
// `dragoman setup env | Out-String | Invoke-Expression`.

import type { Shell } from './client-names.ts'
import { type Facts, shellPath } from './plan.ts'

const assignment: Record<Shell, (name: string, value: string) => string> = {
  sh: (name, value) => `export ${name}=${value}`,
  fish: (name, value) => `set -gx ${name} ${value}`,
  powershell: (name, value) => `$env:${name} = ${value}`,
}

/** The values are shell words already. */
export function exportLines(
  variables: Readonly<Record<string, string>>,
  { shell }: Pick<Facts, 'shell'>,
  comments: readonly string[] = [],
): string {
  const lines = Object.entries(variables).map(([name, value]) => assignment[shell](name, value))
  return `${[...comments, ...lines].join('\n')}\n`
}

/** What to say of a key that has no file. It must appear neither on a terminal nor in a shell history. */
export const keyComment = '# DRAGOMAN_KEY: one of "auth.keys" in the configuration'

/** The key of a file, as a value that the shell reads when the line is run. */
export const keyValue: Record<Shell, (file: string, home: string) => string> = {
  sh: (file, home) => `"$(cat ${shellPath(file, home)})"`,
  fish: (file, home) => `(cat ${shellPath(file, home, 'fish')})`,
  powershell: (file, home) => `(Get-Content ${shellPath(file, home, 'powershell')})`,
}

/** Another variable's value. */
export const variableValue: Record<Shell, (name: string) => string> = {
  sh: (name) => `"$${name}"`,
  fish: (name) => `"$${name}"`,
  powershell: (name) => `$env:${name}`,
}
