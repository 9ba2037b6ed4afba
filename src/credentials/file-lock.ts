// A lock between processes: a file that only one of them can create. The lock of a process that died goes stale.

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomId } from '../base/ids.ts'
import { isObject, parseJson } from '../base/json.ts'
import { isHeldElsewhere, replaceFileSync } from '../base/platform/replace-file.ts'
import { GatewayError } from '../core/errors.ts'

/** Longer than any work under the lock. */
const staleAfterMs = 30_000
const patienceMs = staleAfterMs + 10_000
const pollMs = 40

export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = await acquire(path)
  try {
    return await work()
  } finally {
    // Another process may have taken over a stale lock.
    if (readLock(path)?.text === mine) rmSync(path, { force: true })
  }
}

async function acquire(path: string): Promise<string> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const mine = JSON.stringify({
      pid: process.pid,
      host: hostname(),
      time: Date.now(),
      nonce: randomId(12),
    })
    if (create(path, mine)) return mine
    const held = readLock(path)
    if (held && isStale(held)) removeStale(path, held.text)
    else if (Date.now() > deadline) throw stillLocked(path)
    else await sleep(pollMs * (0.5 + Math.random()))
  }
}

function create(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // On Windows a removed file stays in the way until everyone has closed it.
    if (code === 'EEXIST' || isHeldElsewhere(error)) return false
    throw unusable(path, 'written', error)
  }
}

const unusable = (path: string, how: string, cause: unknown) =>
  new GatewayError(
    'upstream-unavailable',
    `The file ${path} cannot be ${how} (${(cause as NodeJS.ErrnoException).code}).`,
    { cause, retryable: false },
  )

interface HeldLock {
  text: string
  writtenAt: number
}

/** Undefined if the lock is free. */
function readLock(path: string): HeldLock | undefined {
  try {
    return { text: readFileSync(path, 'utf8'), writtenAt: statSync(path).mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || isHeldElsewhere(error)) return undefined
    throw unusable(path, 'read', error)
  }
}

function isStale({ text, writtenAt }: HeldLock): boolean {
  const owner = parseJson(text)
  const known = isObject(owner) ? owner : {}
  const since = typeof known.time === 'number' ? known.time : writtenAt
  // After the clock was set back, a lock may be in the future and would never expire.
  if (Math.abs(Date.now() - since) > staleAfterMs) return true
  // Containers share folders, not process ids.
  return known.host === hostname() && typeof known.pid === 'number' && !isAlive(known.pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Of several processes that find the lock stale, one moves it away. A fresh lock that was moved by mistake is put back. */
function removeStale(path: string, staleText: string): void {
  const aside = `${path}.${randomId(8)}`
  try {
    replaceFileSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const moved = readFileSync(aside, 'utf8')
  if (moved !== staleText) create(path, moved)
  rmSync(aside, { force: true })
}

const stillLocked = (path: string) =>
  new GatewayError(
    'upstream-unavailable',
    `Another process has been renewing the login for ${patienceMs / 1000} s; if none is running, remove ${path}.`,
  )
