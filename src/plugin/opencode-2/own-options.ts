// Finds the plugin's options in the user's own configuration files. OpenCode 2 does not say which file they are from, and a
// project's file must not say where credentials go.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { isObject } from '../../base/json.ts'
import type { Environment } from '../../config/environment.ts'
import type { HostConfig } from '../host.ts'
import { userHostConfig } from '../option-source.ts'

type Origin = NonNullable<HostConfig['plugin_origins']>[number]

/** As OpenCode 1 says it. Placeholders in options are not filled in, so such options are unknown here and refused. */
export function ownOrigins(environment: Pick<Environment, 'variable' | 'homeFolder'>): Origin[] {
  const { variable, homeFolder } = environment
  const content = variable('OPENCODE_CONFIG_CONTENT')
  const named = variable('OPENCODE_CONFIG')
  const folders = [
    dirname(userHostConfig(environment)),
    join(homeFolder, '.opencode'),
    variable('OPENCODE_CONFIG_DIR'),
  ]
  const files = folders
    .flatMap((folder) => (folder ? [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')] : []))
    .concat(named || [])
  return [
    ...files.flatMap((file) => originsIn(textOf(file), file)),
    ...originsIn(content ?? '', 'OPENCODE_CONFIG_CONTENT'),
  ]
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function originsIn(text: string, source: string): Origin[] {
  const config: unknown = parse(text, [], { allowTrailingComma: true })
  if (!isObject(config)) return []
  return [config.plugin, config.plugins].flatMap((list) =>
    Array.isArray(list) ? list.flatMap((entry) => originOf(entry, source)) : [],
  )
}

/** Version 1 writes `[NAME, OPTIONS]`, version 2 `{ package, options }`. */
function originOf(entry: unknown, source: string): Origin[] {
  const [name, options] = Array.isArray(entry)
    ? entry
    : isObject(entry)
      ? [entry.package, entry.options]
      : [undefined, undefined]
  return typeof name === 'string' && isObject(options) ? [{ spec: [name, options], source }] : []
}
