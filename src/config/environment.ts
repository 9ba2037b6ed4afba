// Reads the process environment. Settings come from here and from load.ts only.

import { homedir } from 'node:os'
import { expandFolder } from '../base/platform/expand.ts'
import { folders } from '../base/platform/rows.ts'
import { pathsOf, type System, thisSystem } from '../base/platform/system.ts'

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
  /** Programs of the local tools, if they are named. */
  localPrograms: { bwrap: string | undefined; ripgrep: string | undefined }
}

export const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const

export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  system: System = thisSystem,
): Environment {
  // On Windows only some shells set HOME, and other programs do not go by it.
  const home = (system === 'windows' ? env.USERPROFILE : env.HOME) || homedir()
  const variable = (name: string) => env[name]
  const folder = (name: keyof typeof folders) => expandFolder(folders[name], { home, variable }, system)
  const port = env.PORT === undefined || env.PORT === '' ? undefined : Number(env.PORT)
  return {
    variable,
    homeFolder: home,
    configFile: env.DRAGOMAN_CONFIG || undefined,
    userConfigFile: pathsOf(system).join(folder('config'), 'config.jsonc'),
    dataFolder: folder('data'),
    stateFolder: folder('state'),
    port: port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535) ? port : Number.NaN,
    environmentProxy: proxyVariables.some((name) => Boolean(env[name])),
    extraCaFile: env.NODE_EXTRA_CA_CERTS || undefined,
    localPrograms: { bwrap: env.DRAGOMAN_BWRAP || undefined, ripgrep: env.DRAGOMAN_RG || undefined },
  }
}
