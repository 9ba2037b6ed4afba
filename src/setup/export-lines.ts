// Variables as the commands that a shell reads from standard output: `eval "$(dragoman setup env)"`.

import { type Facts, shellPath } from './plan.ts'

/** The values are shell words already. */
export function exportLines(
  variables: Readonly<Record<string, string>>,
  { shell }: Pick<Facts, 'shell'>,
  comments: readonly string[] = [],
): string {
  const lines = Object.entries(variables).map(([name, value]) =>
    shell === 'fish' ? `set -gx ${name} ${value}` : `export ${name}=${value}`,
  )
  return `${[...comments, ...lines].join('\n')}\n`
}

/** What to say of a key that has no file. It must appear neither on a terminal nor in a shell history. */
export const keyComment = '# DRAGOMAN_KEY: one of "auth.keys" in the configuration'

/** The command that prints the key. */
export const catKey = (file: string, { home, shell }: Pick<Facts, 'home' | 'shell'>) =>
  `cat ${shellPath(file, home, shell)}`
