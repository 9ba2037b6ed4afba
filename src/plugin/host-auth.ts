// Reads OpenCode's stored credentials. `auth.loader` receives them too, but only after the models are listed, and the list
// depends on them.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, parseJson } from '../base/json.ts'
import type { Environment } from '../config/environment.ts'
import type { HostAuth } from './host.ts'

export async function readHostAuth(
  provider: string,
  environment: Pick<Environment, 'variable' | 'homeFolder'>,
): Promise<HostAuth | undefined> {
  const given = environment.variable('OPENCODE_AUTH_CONTENT')
  const entries = parseJson(given || (await readFile(authFile(environment), 'utf8').catch(() => '{}')))
  const entry = isObject(entries) && Object.hasOwn(entries, provider) ? entries[provider] : undefined
  return isHostAuth(entry) ? entry : undefined
}

const authFile = ({ variable, homeFolder }: Pick<Environment, 'variable' | 'homeFolder'>) =>
  join(variable('XDG_DATA_HOME') || join(homeFolder, '.local', 'share'), 'opencode', 'auth.json')

const isHostAuth = (entry: unknown): entry is HostAuth =>
  isObject(entry) && (entry.type === 'oauth' || (entry.type === 'api' && typeof entry.key === 'string'))
