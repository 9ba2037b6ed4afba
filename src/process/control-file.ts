// Where commands find the gateways that a user runs: a file per gateway, which only that user can read, with its address and the
// token for the route of commands.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../base/json.ts'
import { replaceFileSync } from '../base/platform/replace-file.ts'
import { readRegularFile } from '../base/read-file.ts'

export interface RunningGateway {
  url: string
  pid: number
  token: string
  /** Its configuration. */
  file: string
}

const mostBytes = 64 * 1024

export const controlFolder = (stateFolder: string) => join(stateFolder, 'running')

export const newControlToken = () => randomBytes(32).toString('base64url')

/** Returns a function that removes it. */
export function writeControlFile(folder: string, gateway: RunningGateway): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${new URL(gateway.url).port || '80'}.json`)
  const draft = `${path}.${gateway.pid}`
  writeFileSync(draft, `${JSON.stringify(gateway)}\n`, { mode: 0o600 })
  replaceFileSync(draft, path)
  return () => {
    // Another gateway may have the port by now.
    if (readControlFile(path)?.token === gateway.token) rmSync(path, { force: true })
  }
}

/** The gateways whose process lives. */
export function runningGateways(folder: string): RunningGateway[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  const found = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => readControlFile(join(folder, name)))
  return found.filter((one) => one !== undefined).filter(({ pid }) => isAlive(pid))
}

function readControlFile(path: string): RunningGateway | undefined {
  try {
    const found = parseJson(readRegularFile(path, { maxBytes: mostBytes }).toString('utf8'))
    if (!isObject(found)) return undefined
    const { url, pid, token, file } = found
    if (typeof url !== 'string' || !URL.canParse(url) || typeof pid !== 'number') return undefined
    return typeof token === 'string' && typeof file === 'string' ? { url, pid, token, file } : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
