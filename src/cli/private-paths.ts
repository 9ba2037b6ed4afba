// What local tools must not see, wherever their root is: what identifies the user, and what is noted about them.

import { dirname, join } from 'node:path'
import type { Environment } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load.ts'

export const auditFilePath = ({ stateFolder }: Environment) => join(stateFolder, 'audit.jsonl')

export function privatePaths({ file, secretFiles }: LoadedConfig, environment: Environment): string[] {
  const { dataFolder, stateFolder, userConfigFile } = environment
  return [
    ...(file === undefined ? [] : [file]),
    ...secretFiles,
    dataFolder,
    stateFolder,
    dirname(userConfigFile),
  ]
}
