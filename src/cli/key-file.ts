// The gateway's own key, created on the first run in a 0600 file that other users of the machine cannot read.

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { randomId } from '../base/ids.ts'
import { isOpenToOthers } from '../base/platform/owner-only.ts'
import { readRegularFile } from '../base/read-file.ts'
import { CommandError } from '../process/command-error.ts'

const shortestKey = 8
export const mostKeyBytes = 64 * 1024

export const keyFilePath = (dataFolder: string) => join(dataFolder, 'key')

interface KeyFile {
  path: string
  key: string
  created: boolean
}

function readOrCreateKey(dataFolder: string): KeyFile {
  const path = keyFilePath(dataFolder)
  const known = readKey(path)
  if (known !== undefined) return { path, key: known, created: false }
  // A file without a key would make linkSync fail.
  rmSync(path, { force: true })
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const key = `dgm_${randomId(40)}`
  const draft = `${path}.${randomId(8)}`
  writeFileSync(draft, `${key}\n`, { mode: 0o600 })
  try {
    // Atomic: if two gateways start for the first time together, one creates the key and both use it.
    linkSync(draft, path)
    return { path, key, created: true }
  } catch (error) {
    const other = readKey(path)
    if (other === undefined) throw error
    return { path, key: other, created: false }
  } finally {
    rmSync(draft)
  }
}

/** For commands: a failure says what to do. */
export function keptKey(dataFolder: string): KeyFile {
  try {
    return readOrCreateKey(dataFolder)
  } catch (error) {
    throw new CommandError(cannotStore(dataFolder, error instanceof Error ? error.message : String(error)))
  }
}

const cannotStore = (dataFolder: string, reason: string) =>
  `The key cannot be stored in ${keyFilePath(dataFolder)} (${reason}); set XDG_DATA_HOME to a writable folder, or choose a key in "auth.keys".`

/** Why the first run could not create the key; undefined if it could. Nothing is written. */
export function keyProblem(dataFolder: string): string | undefined {
  let folder = dataFolder
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  if (!statSync(folder).isDirectory()) return cannotStore(dataFolder, `${folder} is not a folder`)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return cannotStore(dataFolder, `${folder}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function readKey(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (isOpenToOthers(statSync(path).mode)) chmodSync(path, 0o600)
  const key = readRegularFile(path, { maxBytes: mostKeyBytes }).toString('utf8').trim()
  return key.length < shortestKey ? undefined : key
}
