// Reads the process environment. Settings come from here and from load.ts only.

import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Environment {
  variable(name: string): string | undefined
  configFile: string | undefined
  userConfigFile: string
  homeFolder: string
  /** Keys and credentials. */
  dataFolder: string
  /** Usage records, tapes and conversations. */
  stateFolder: string
  /** The value of PORT; NaN if it is not a port. */
  port: number | undefined
  environmentProxy: boolean
  extraCaFile: string | undefined
}

export const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const home = env.HOME || homedir()
  const folder = (name: string, fallback: string) => join(env[name] || join(home, fallback), 'dragoman')
  const port = env.PORT === undefined || env.PORT === '' ? undefined : Number(env.PORT)
  return {
    variable: (name) => env[name],
    homeFolder: home,
    configFile: env.DRAGOMAN_CONFIG || undefined,
    userConfigFile: join(folder('XDG_CONFIG_HOME', '.config'), 'config.jsonc'),
    dataFolder: folder('XDG_DATA_HOME', '.local/share'),
    stateFolder: folder('XDG_STATE_HOME', '.local/state'),
    port: port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535) ? port : Number.NaN,
    environmentProxy: proxyVariables.some((name) => Boolean(env[name])),
    extraCaFile: env.NODE_EXTRA_CA_CERTS || undefined,
  }
}
