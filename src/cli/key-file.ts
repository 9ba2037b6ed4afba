// The gateway's own key, created on the first run in a 0600 file that other users of the machine cannot read.

import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { randomId } from '../base/ids.ts'
import { readRegularFile } from '../base/read-file.ts'

const shortestKey = 8
export const mostKeyBytes = 64 * 1024

export const keyFilePath = (dataFolder: string) => join(dataFolder, 'key')

export interface KeyFile {
  path: string
  key: string
  created: boolean
}

export function readOrCreateKey(dataFolder: string): KeyFile {
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

function readKey(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  const key = readRegularFile(path, { maxBytes: mostKeyBytes }).toString('utf8').trim()
  return key.length < shortestKey ? undefined : key
}
