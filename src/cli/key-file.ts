// The gateway's own key, made on the first run: a 0600 file that other users of the machine cannot read.

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { randomId } from '../core/ids.ts'

export const keyFilePath = (dataFolder: string) => join(dataFolder, 'key')

export interface KeyFile {
  path: string
  key: string
  created: boolean
}

export function readOrCreateKey(dataFolder: string): KeyFile {
  const path = keyFilePath(dataFolder)
  if (existsSync(path)) {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
    const key = readFileSync(path, 'utf8').trim()
    if (key.length >= 8) return { path, key, created: false }
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const key = `dgm_${randomId(40)}`
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  return { path, key, created: true }
}
