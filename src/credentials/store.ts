// Logins on disk: auth.json in the data folder, readable by the owner only. Stored by provider and issuing origin, so that a token
// is only ever sent to its own origin.

import type { Stats } from 'node:fs'
import { access, chmod, constants, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Fields, isObject, parseJson } from '../base/json.ts'
import { isOpenToOthers } from '../base/platform/owner-only.ts'
import { replaceFile } from '../base/platform/replace-file.ts'
import { thisSystem } from '../base/platform/system.ts'
import { type FileProblem, readRegularFile } from '../base/read-file.ts'
import { GatewayError } from '../core/errors.ts'
import { withFileLock } from './file-lock.ts'

export interface Login {
  accessToken: string
  refreshToken?: string | undefined
  /** A login with a key, which is exchanged again instead of refreshed. */
  apiKey?: string | undefined
  email?: string | undefined
  savedAt?: number | undefined
}

export interface LoginKey {
  provider: string
  /** Origin of the API, as in `new URL(…).origin`. */
  origin: string
  /** One of several logins for the origin; absent for the plain one. */
  account?: string | undefined
}

/** The account `default` is the plain login. */
export const loginName = (account: string | undefined) => (account === 'default' ? undefined : account)

/** An origin has no fragment. */
const slotOf = ({ origin, account }: Pick<LoginKey, 'origin' | 'account'>) =>
  account === undefined ? origin : `${origin}#${account}`

function readSlot(slot: string): Pick<LoginKey, 'origin' | 'account'> {
  const at = slot.indexOf('#')
  return at < 0 ? { origin: slot } : { origin: slot.slice(0, at), account: slot.slice(at + 1) }
}

export interface LoginStore {
  readonly path: string
  read(key: LoginKey): Promise<Login | undefined>
  list(): Promise<(LoginKey & { login: Login })[]>
  /** One process at a time. `change` gets the stored login and returns the new one. */
  update(key: LoginKey, change: (now: Login | undefined) => Promise<Login | undefined>): Promise<void>
  /** Returns the logins that were removed. */
  remove(
    provider: string,
    only?: { origin?: string | undefined; account?: string | undefined },
  ): Promise<LoginKey[]>
  /** False e.g. for a folder that is mounted read-only. */
  isWritable(): Promise<boolean>
}

const loginStorePath = (dataFolder: string) => join(dataFolder, 'auth.json')

export function createLoginStore(dataFolder: string): LoginStore {
  const path = loginStorePath(dataFolder)
  const lockPath = `${path}.lock`
  let known: { stamp: string; content: Fields } | undefined

  async function content(): Promise<Fields> {
    const facts = await statOrNothing(path)
    if (facts === undefined) return {}
    if (isOpenToOthers(facts.mode))
      throw storeProblem(`${path} can be read by other users; run: chmod 600 ${path}`)
    const stamp = stampOf(facts)
    if (known?.stamp !== stamp) known = { stamp, content: await readContent(path) }
    return known.content
  }

  async function write(next: Fields): Promise<void> {
    known = undefined
    try {
      await makePrivateFolder(dataFolder)
      if (Object.keys(next).length === 0) await rm(path, { force: true })
      else await writeDurably(path, `${JSON.stringify(next, undefined, 2)}\n`)
    } catch (error) {
      throw storeProblem(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`, error)
    }
  }

  return {
    path,
    read: async (key) => loginOf(member(member(await content(), key.provider), slotOf(key))),
    list: async () => listLogins(await content()),
    update: (key, change) =>
      withFileLock(lockPath, async () => {
        const before = await content()
        const stored = member(member(before, key.provider), slotOf(key))
        const login = await change(loginOf(stored))
        if (login !== undefined)
          await write(withLogin(before, key, { ...asFields(stored), ...recordOf(login) }))
      }),
    remove: async (provider, { origin, account } = {}) => {
      if ((await statOrNothing(path)) === undefined) return []
      return withFileLock(lockPath, async () => {
        const before = await content()
        const gone = Object.keys(asFields(member(before, provider))).filter((slot) => {
          const found = readSlot(slot)
          const isMeant =
            account === undefined || loginName(found.account ?? 'default') === loginName(account)
          return isMeant && (origin === undefined || found.origin === origin)
        })
        if (gone.length > 0) await write(withoutLogins(before, provider, gone))
        return gone.map((slot) => ({ provider, ...readSlot(slot) }))
      })
    },
    isWritable: () => isWritable(dataFolder),
  }
}

const storeProblem = (message: string, cause?: unknown) =>
  new GatewayError('unauthenticated', `The stored logins cannot be used: ${message}.`, { cause })

async function statOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw storeProblem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, error)
  }
}

/** Changes with every write: each write creates a new file. */
const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`

async function readContent(path: string): Promise<Fields> {
  const content = parseJson(readText(path))
  if (isObject(content)) return content
  throw storeProblem(`${path} is damaged; remove it and run \`dragoman login cursor\``)
}

const mostStoreBytes = 16 * 1024 * 1024

function readText(path: string): string {
  try {
    return readRegularFile(path, { maxBytes: mostStoreBytes }).toString('utf8')
  } catch (error) {
    const { code, message } = error as FileProblem
    // Removed by a logout after `stat`.
    if (code === 'ENOENT') return '{}'
    throw storeProblem(`${path} cannot be read (${message})`, error)
  }
}

const asFields = (value: unknown): Fields => (isObject(value) ? value : {})

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

function loginOf(value: unknown): Login | undefined {
  if (!isObject(value) || typeof value.accessToken !== 'string' || value.accessToken === '') return undefined
  const text = (name: string) =>
    typeof value[name] === 'string' && value[name] !== '' ? value[name] : undefined
  return {
    accessToken: value.accessToken,
    refreshToken: text('refreshToken'),
    apiKey: text('apiKey'),
    email: text('email'),
    savedAt: typeof value.savedAt === 'number' ? value.savedAt : undefined,
  }
}

/** All fields, absent ones included: nothing of an earlier login remains. */
const recordOf = ({ accessToken, refreshToken, apiKey, email, savedAt }: Login): Fields => ({
  accessToken,
  refreshToken,
  apiKey,
  email,
  savedAt,
})

function listLogins(content: Fields): (LoginKey & { login: Login })[] {
  return Object.entries(content).flatMap(([provider, slots]) =>
    Object.entries(asFields(slots)).flatMap(([slot, value]) => {
      const login = loginOf(value)
      return login === undefined ? [] : [{ provider, ...readSlot(slot), login }]
    }),
  )
}

function withLogin(content: Fields, key: LoginKey, login: Fields): Fields {
  const { provider } = key
  return { ...content, [provider]: { ...asFields(member(content, provider)), [slotOf(key)]: login } }
}

function withoutLogins(content: Fields, provider: string, gone: readonly string[]): Fields {
  const { [provider]: logins, ...others } = content
  const left = Object.entries(asFields(logins)).filter(([slot]) => !gone.includes(slot))
  return left.length === 0 ? others : { ...others, [provider]: Object.fromEntries(left) }
}

async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Fails on a volume of another owner; the file itself has mode 600 in any case.
  if (isOpenToOthers((await stat(folder)).mode)) await chmod(folder, 0o700).catch(() => undefined)
}

/** Atomic, even if the power fails. Called under the lock: an existing draft belongs to a process that died. */
async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await replaceFile(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no such call for folders.
  if (thisSystem === 'windows') return
  const handle = await open(folder, 'r')
  // Not every file system supports this; the new file is in place already.
  await handle.sync().catch(() => undefined)
  await handle.close()
}

async function isWritable(folder: string): Promise<boolean> {
  const existing = await stat(folder).catch(() => undefined)
  // The folder is created on demand, inside the nearest existing one.
  if (existing === undefined) return folder === dirname(folder) ? false : isWritable(dirname(folder))
  if (!existing.isDirectory()) return false
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}
