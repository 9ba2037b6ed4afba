// The source that describes a command: its arguments and options.

import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../src/cli/commands/', import.meta.url)

const sources = readdirSync(folder)
  .flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split(/^export function /m)
      .slice(1),
  )
  .map((source) => ({ name: /\.command\('(\w+)'\)/.exec(source)?.[1] ?? '', source }))

export const commandNames: readonly string[] = sources.map(({ name }) => name)

export function commandSource(command: string): string {
  const found = sources.find(({ name }) => name === command)
  if (!found) throw new Error(`src/cli/commands/ has no command ${command}`)
  return found.source
}

/** As they are written: `--no-watch` is one. */
export const optionsOf = (command: string): string[] =>
  [...commandSource(command).matchAll(/'(--[a-z-]+)/g)].map(([, option]) => option ?? '')
