// Checks where the plugin's options come from. A project's opencode.json can list the plugin too, and its options then replace
// the user's: a foreign repository must not decide where credentials go or which files are read.

import { dirname, join, resolve } from 'node:path'
import { isInside } from '../base/platform/is-inside.ts'
import type { Environment } from '../config/environment.ts'
import type { HostConfig } from './host.ts'
import { OptionsError, type PluginOptions } from './options.ts'

type Home = Pick<Environment, 'variable' | 'homeFolder'>

/** Throws an OptionsError that says where the options belong. */
export function refuseForeignOptions(
  options: PluginOptions,
  { given, config, environment }: { given: unknown; config: HostConfig; environment: Home },
): void {
  const { config: file, ...backends } = options
  const named = Object.entries(backends).flatMap(([name, settings]) =>
    Object.keys(settings).length > 0 ? [`"${name}"`] : [],
  )
  if (typeof file === 'string') named.push('"config"')
  if (named.length === 0) return
  const sources = (config.plugin_origins ?? [])
    .filter(({ spec }) => JSON.stringify(spec[1]) === JSON.stringify(given) && typeof spec !== 'string')
    .map(({ source }) => source)
  if (sources.some((source) => isUsersOwn(source, environment))) return
  throw new OptionsError(
    `${named.join(', ')} from ${sources[0] ?? 'an unknown file'}. A project must not say where your credentials go; only ${userHostConfig(environment)} may.`,
  )
}

/** The user's own OpenCode configuration file. */
export const userHostConfig = ({ variable, homeFolder }: Home) =>
  join(variable('XDG_CONFIG_HOME') || join(homeFolder, '.config'), 'opencode', 'opencode.json')

/** OpenCode's `scope` cannot tell: without a repository, a file above the project's folder is "global" too. */
function isUsersOwn(source: string, environment: Home): boolean {
  const { variable, homeFolder } = environment
  if (source === 'OPENCODE_CONFIG_CONTENT') return true
  if (/^[a-z]+:\/\//i.test(source)) return false
  const path = resolve(source)
  const file = variable('OPENCODE_CONFIG')
  if (file && path === resolve(file)) return true
  const folders = [
    dirname(userHostConfig(environment)),
    join(homeFolder, '.opencode'),
    variable('OPENCODE_CONFIG_DIR'),
  ]
  return folders.some((folder) => folder && isInside(path, resolve(folder)))
}
