// The secret of sealed texts, which clients keep for longer than a process lives. Instances that share sessions share it; a single one
// keeps it in a private file.

import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface SecretPlaces {
  /** Of all instances. */
  shared: string | undefined
  file: string | undefined
  warn(message: string): void
}

export function sealSecret({ shared, file, warn }: SecretPlaces): () => Uint8Array {
  return () => {
    if (shared !== undefined) return Buffer.from(shared)
    if (file === undefined) return randomBytes(32)
    try {
      return keptIn(file)
    } catch {
      warn('the secret of compactions cannot be kept in a file; after a restart they are not readable')
      return randomBytes(32)
    }
  }
}

function keptIn(file: string): Uint8Array {
  const known = readSecret(file)
  if (known) return known
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  try {
    // Another process may be first: its secret counts.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const kept = readSecret(file)
  if (!kept) throw new Error('the file of the secret holds something else')
  return kept
}

function readSecret(file: string): Uint8Array | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
