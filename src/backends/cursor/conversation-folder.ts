// Conversations on disk, which survive a restart: one file each, readable by the owner only, limited in size and age.

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, parseJson } from '../../base/json.ts'
import { replaceFile } from '../../base/platform/replace-file.ts'
import type { ConversationEnd } from '../../protocols/cursor-agent/run-options.ts'
import type { ConversationFolder } from './conversations.ts'

const maxFileBytes = 16 * 1024 * 1024
const maxFolderBytes = 256 * 1024 * 1024
const maxAgeMs = 7 * 24 * 60 * 60_000
const format = 1

interface FolderOptions {
  folder: string
  warn(message: string): void
  now?(): number
}

export function conversationFolder({ folder, warn, now = Date.now }: FolderOptions): ConversationFolder {
  let hasWarned = false
  const fileOf = (key: string) => join(folder, `${key}.json`)

  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!hasWarned) warn(`conversations cannot be kept in ${folder}: ${(error as Error).message}`)
      hasWarned = true
      return undefined
    }
  }

  async function save(key: string, end: ConversationEnd): Promise<void> {
    const text = encode(end)
    if (text.length > maxFileBytes) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const temporary = join(folder, `${randomUUID()}.tmp`)
    await writeFile(temporary, text, { mode: 0o600 })
    await replaceFile(temporary, fileOf(key))
    await prune()
  }

  async function prune(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => /\.(json|tmp)$/.test(name))
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(folder, name)
        const facts = await stat(path).catch(() => undefined)
        return { path, size: facts?.size ?? 0, at: facts?.mtimeMs ?? 0 }
      }),
    )
    let bytes = 0
    for (const { path, size, at } of files.sort((one, other) => other.at - one.at)) {
      bytes += size
      if (bytes > maxFolderBytes || now() - at > maxAgeMs) await rm(path, { force: true })
    }
  }

  async function load(key: string): Promise<ConversationEnd | undefined> {
    const text = await readFile(fileOf(key), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    return decode(text)
  }

  return {
    save: async (key, end) => {
      await attempt(() => save(key, end))
    },
    load: (key) => attempt(() => load(key)),
    remove: async (key) => {
      await attempt(() => rm(fileOf(key), { force: true }))
    },
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

function encode({ conversationId, state, blobs }: ConversationEnd): string {
  const kept = blobs.map(({ id, bytes, isDeflated }) => [base64(id), base64(bytes), isDeflated])
  return JSON.stringify({ format, conversationId, state: base64(state), blobs: kept })
}

/** Undefined for anything that `encode` did not write: a broken file counts as missing. */
function decode(text: string): ConversationEnd | undefined {
  const value = parseJson(text)
  if (!isObject(value) || value.format !== format || !Array.isArray(value.blobs)) return undefined
  const { conversationId, state } = value
  if (typeof conversationId !== 'string' || typeof state !== 'string') return undefined
  const blobs = value.blobs.flatMap((entry) => {
    const [id, bytes, isDeflated] = Array.isArray(entry) ? entry : []
    if (typeof id !== 'string' || typeof bytes !== 'string') return []
    return [
      { id: Buffer.from(id, 'base64'), bytes: Buffer.from(bytes, 'base64'), isDeflated: isDeflated === true },
    ]
  })
  return { conversationId, state: Buffer.from(state, 'base64'), blobs }
}
