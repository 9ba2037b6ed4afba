import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLoginStore, type LoginStore } from './store.ts'

const api = { provider: 'cursor', origin: 'https://api2.cursor.sh' }
const other = { provider: 'cursor', origin: 'http://127.0.0.1:9' }

let folder: string
let data: string
let store: LoginStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-store-'))
  data = join(folder, 'data', 'dragoman')
  store = createLoginStore(data)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const save = (key: typeof api, accessToken: string) => store.update(key, async () => ({ accessToken }))

function writeRaw(text: string): void {
  mkdirSync(data, { recursive: true })
  writeFileSync(store.path, text, { mode: 0o600 })
}

it('keeps a login for its owner alone', async () => {
  await save(api, 'one')
  expect(store.path).toBe(join(data, 'auth.json'))
  expect(statSync(store.path).mode & 0o777).toBe(0o600)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  expect(readdirSync(data)).toEqual(['auth.json'])
})

it('clears away what one left who died while writing', async () => {
  mkdirSync(data, { recursive: true })
  writeFileSync(`${store.path}.draft`, '{"cursor":{"half', { mode: 0o644 })
  await save(api, 'one')
  expect(statSync(store.path).mode & 0o777).toBe(0o600)
  expect(readdirSync(data)).toEqual(['auth.json'])
})

it('closes a folder that stands open', async () => {
  mkdirSync(data, { recursive: true, mode: 0o755 })
  await save(api, 'one')
  expect(statSync(data).mode & 0o777).toBe(0o700)
})

it('gives a token only to the origin that issued it', async () => {
  await save(api, 'one')
  expect(await store.read(api)).toMatchObject({ accessToken: 'one' })
  expect(await store.read(other)).toBeUndefined()
  expect(await store.read({ ...api, provider: 'else' })).toBeUndefined()
  expect(await store.read({ provider: 'constructor', origin: 'name' })).toBeUndefined()
})

it('sees what another process wrote', async () => {
  await save(api, 'one')
  await store.read(api)
  await createLoginStore(data).update(api, async () => ({ accessToken: 'two' }))
  expect((await store.read(api))?.accessToken).toBe('two')
})

it('keeps what it does not know, and nothing of an earlier login', async () => {
  writeRaw(
    JSON.stringify({
      future: { a: 1 },
      cursor: { [api.origin]: { accessToken: 'x', apiKey: 'old-key', plan: 'pro' }, strange: 5 },
    }),
  )
  await save(api, 'one')
  const content = JSON.parse(readFileSync(store.path, 'utf8'))
  expect(content.future).toEqual({ a: 1 })
  expect(content.cursor.strange).toBe(5)
  expect(content.cursor[api.origin]).toEqual({ accessToken: 'one', plan: 'pro' })
})

it('a change that gives nothing writes nothing', async () => {
  await store.update(api, async () => undefined)
  expect(existsSync(store.path)).toBe(false)
})

it('changes wait for each other', async () => {
  await save(api, '0')
  const add = (from: LoginStore) =>
    from.update(api, async (now) => ({ accessToken: String(Number(now?.accessToken) + 1) }))
  await Promise.all(Array.from({ length: 8 }, (_, at) => add(at % 2 ? store : createLoginStore(data))))
  expect((await store.read(api))?.accessToken).toBe('8')
})

it('knows before a login whether it could be kept', async () => {
  expect(await store.isWritable()).toBe(true)
  writeFileSync(join(folder, 'data'), 'a file where a folder should be')
  expect(await store.isWritable()).toBe(false)
})

describe('logout', () => {
  it('removes one origin or all, and says which', async () => {
    await save(api, 'one')
    await save(other, 'two')
    expect(await store.remove('cursor', { origin: other.origin })).toEqual([other])
    expect(await store.read(api)).toBeDefined()
    expect(await store.remove('cursor')).toEqual([api])
    expect(existsSync(store.path)).toBe(false)
    expect(await store.remove('cursor')).toEqual([])
  })

  it('keeps several accounts of one origin apart', async () => {
    const work = { ...api, account: 'work' }
    await save(api, 'plain')
    await save(work, 'named')
    expect((await store.read(work))?.accessToken).toBe('named')
    expect((await store.list()).map(({ account }) => account)).toEqual([undefined, 'work'])
    expect(await store.remove('cursor', { account: 'work' })).toEqual([work])
    expect((await store.read(api))?.accessToken).toBe('plain')
    await save(work, 'again')
    expect(await store.remove('cursor', { account: 'default' })).toEqual([api])
    expect((await store.read(work))?.accessToken).toBe('again')
  })

  it('leaves the others alone', async () => {
    writeRaw(JSON.stringify({ future: { a: 1 }, cursor: { [api.origin]: { accessToken: 'x' } } }))
    await store.remove('cursor')
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).toEqual({ future: { a: 1 } })
  })
})

describe('a file that cannot be trusted', () => {
  it.each([0o644, 0o640, 0o604, 0o660])('mode %o: refused, with the remedy', async (mode) => {
    await save(api, 'secret-canary')
    chmodSync(store.path, mode)
    const failure = await store.read(api).catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'unauthenticated' })
    expect((failure as Error).message).toContain(`chmod 600 ${store.path}`)
    expect((failure as Error).message).not.toContain('canary')
    await expect(save(api, 'two')).rejects.toThrow('chmod 600')
  })

  it.each(['', 'junk', '[]', 'null', '{"cursor":'])('%j: named, and not overwritten', async (text) => {
    writeRaw(text)
    await expect(store.read(api)).rejects.toThrow(/damaged; remove it and run `dragoman login cursor`/)
    await expect(save(api, 'one')).rejects.toThrow('damaged')
    expect(readFileSync(store.path, 'utf8')).toBe(text)
  })

  it.each([
    '{}',
    '{"cursor":7}',
    `{"cursor":{"${api.origin}":"x"}}`,
    `{"cursor":{"${api.origin}":{"accessToken":3}}}`,
  ])('%s: simply holds no login', async (text) => {
    writeRaw(text)
    expect(await store.read(api)).toBeUndefined()
    expect(await store.list()).toEqual([])
  })
})

describe('the lock', () => {
  const lock = () => `${store.path}.lock`
  const held = (owner: object) => {
    mkdirSync(data, { recursive: true })
    writeFileSync(lock(), JSON.stringify({ host: hostname(), time: Date.now(), ...owner }))
  }

  it.each([
    ['of a process that is dead', { pid: 2 ** 22 + 1 }],
    ['that is too old', { pid: process.pid, time: Date.now() - 31_000 }],
    ['of a clock that was set back', { pid: process.pid, time: Date.now() + 3_600_000 }],
  ])('%s is taken over', async (_name, owner) => {
    held(owner)
    await save(api, 'one')
    expect(existsSync(lock())).toBe(false)
  })

  it('of a living process is waited for', async () => {
    held({ pid: process.pid })
    let saved = false
    const saving = save(api, 'one').then(() => {
      saved = true
    })
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(saved).toBe(false)
    rmSync(lock())
    await saving
    expect((await store.read(api))?.accessToken).toBe('one')
  })

  it('of another host is not judged by its process id', async () => {
    held({ pid: 2 ** 22 + 1, host: 'elsewhere' })
    let saved = false
    const saving = save(api, 'one').then(() => {
      saved = true
    })
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(saved).toBe(false)
    rmSync(lock())
    await saving
  })

  it('that cannot be read is named', async () => {
    mkdirSync(`${store.path}.lock`, { recursive: true })
    await expect(save(api, 'one')).rejects.toMatchObject({
      name: 'GatewayError',
      message: expect.stringMatching(/auth\.json\.lock/),
    })
  })

  it('is given back when the work fails', async () => {
    await expect(store.update(api, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(existsSync(lock())).toBe(false)
  })
})
