// Paths that local tools must not see, even inside their root: credentials, configuration and records of usage.

import { dirname, join } from 'node:path'
import type { Environment } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load.ts'
import { ownPaths } from '../config/own-paths.ts'

export const auditFilePath = ({ stateFolder }: Environment) => join(stateFolder, 'audit.jsonl')

export function privatePaths(
  { file, secretFiles, config }: LoadedConfig,
  { dataFolder, stateFolder, userConfigFile, extraCaFile }: Environment,
): string[] {
  return [
    ...(file === undefined ? [] : [file]),
    ...secretFiles,
    ...ownPaths(config),
    ...(extraCaFile === undefined ? [] : [extraCaFile]),
    dataFolder,
    stateFolder,
    dirname(userConfigFile),
  ]
}
