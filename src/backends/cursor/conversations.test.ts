import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConversationEnd } from '../../protocols/cursor-agent/run-options.ts'
import { conversationFolder } from './conversation-folder.ts'
import { Conversations } from './conversations.ts'

const key = (fingerprint: string, caller = 'me') => ({ caller: { key: caller }, model: 'm', fingerprint })
const end = (conversationId: string, bytes = 3): ConversationEnd => ({
  conversationId,
  state: Buffer.from([1, 2, 3]),
  blobs: [{ id: Buffer.alloc(32, 7), bytes: Buffer.alloc(bytes, 5), isDeflated: false }],
})
const newId = () => 'new'

describe('in memory', () => {
  it('is found by caller, model and messages', async () => {
    const known = new Conversations()
    known.add(key('a'), Promise.resolve(end('c1')))
    expect(await known.find(key('b'), newId)).toBeUndefined()
    expect(await known.find(key('a', 'you'), newId)).toBeUndefined()
    expect(await known.find({ ...key('a'), model: 'n' }, newId)).toBeUndefined()
    expect(await known.find(key('a'), newId)).toEqual(end('c1'))
  })

  it('is a fork when it is used twice', async () => {
    const known = new Conversations()
    known.add(key('a'), Promise.resolve(end('c1')))
    expect((await known.find(key('a'), newId))?.conversationId).toBe('c1')
    expect((await known.find(key('a'), newId))?.conversationId).toBe('new')
  })

  it('is ambiguous when two windows have the same messages', async () => {
    const known = new Conversations()
    known.add(key('a'), Promise.resolve(end('c1')))
    known.add(key('a'), Promise.resolve(end('c2')))
    expect(await known.find(key('a'), newId)).toBeUndefined()
    await Promise.resolve()
    expect(await known.find(key('a'), newId)).toBeUndefined()
  })

  it('waits briefly for a state that is about to arrive', async () => {
    const known = new Conversations()
    let tell: (state: ConversationEnd) => void = () => undefined
    known.add(
      key('a'),
      new Promise((resolve) => {
        tell = resolve
      }),
    )
    const found = known.find(key('a'), newId)
    tell(end('c1'))
    expect(await found).toEqual(end('c1'))
    known.add(key('never'), new Promise(() => undefined))
    expect(await known.find(key('never'), newId)).toBeUndefined()
  })

  it('is gone after letGo, unless it is ambiguous', async () => {
    const known = new Conversations()
    known.add(key('a'), Promise.resolve(end('c1')))
    known.letGo(key('a'))
    expect(await known.find(key('a'), newId)).toBeUndefined()
    known.add(key('b'), Promise.resolve(end('c2')))
    known.add(key('b'), Promise.resolve(end('c3')))
    known.letGo(key('b'))
    known.add(key('b'), Promise.resolve(end('c4')))
    expect(await known.find(key('b'), newId)).toBeUndefined()
  })

  it('is forgotten if the turn left no state', async () => {
    const known = new Conversations()
    known.add(key('a'), Promise.resolve(undefined))
    expect(await known.find(key('a'), newId)).toBeUndefined()
    // And does not count as a second window.
    known.add(key('a'), Promise.resolve(end('c1')))
    expect((await known.find(key('a'), newId))?.conversationId).toBe('c1')
  })
})

describe('on disk', () => {
  let folder: string
  const warnings: string[] = []
  const open = (now?: () => number) =>
    conversationFolder({
      folder: join(folder, 'kept'),
      warn: (text) => warnings.push(text),
      ...(now ? { now } : {}),
    })

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dragoman-conversations-'))
    warnings.length = 0
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is restored unchanged, and its file is readable by the owner only', async () => {
    await open().save('k', end('c1', 1_000))
    const loaded = await open().load('k')
    expect(loaded).toEqual(end('c1', 1_000))
    expect(await open().load('other')).toBeUndefined()
    expect(statSync(join(folder, 'kept')).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'kept', 'k.json')).mode & 0o777).toBe(0o600)
    expect(warnings).toEqual([])
  })

  it('counts as missing if its file is cut at any byte or has another format', async () => {
    await open().save('k', end('c1'))
    const file = join(folder, 'kept', 'k.json')
    const whole = readFileSync(file, 'utf8')
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(file, whole.slice(0, length))
      expect(await open().load('k')).toBeUndefined()
    }
    for (const text of [
      '[]',
      'null',
      '{"format":1}',
      '{"format":1,"conversationId":1,"state":"","blobs":[]}',
      '{"format":2}',
    ]) {
      writeFileSync(file, text)
      expect(await open().load('k')).toBeUndefined()
    }
  })

  it('is loaded once: a concurrent request gets a fork; a forgotten one is gone', async () => {
    const kept = open()
    const before = new Conversations(kept)
    before.add(key('a'), Promise.resolve(end('c1')))
    await expect.poll(() => readdirSync(folder)).toEqual(['kept'])
    await expect.poll(() => readdirSync(join(folder, 'kept'))).toHaveLength(1)
    const known = new Conversations(kept)
    const both = await Promise.all([known.find(key('a'), newId), known.find(key('a'), newId)])
    expect(both.map((found) => found?.conversationId)).toEqual(['c1', 'new'])
    await known.forget(key('a'))
    expect(await known.find(key('a'), newId)).toBeUndefined()
    expect(await new Conversations(kept).find(key('a'), newId)).toBeUndefined()
  })

  it('is pruned by age, and oldest first by size', async () => {
    const kept = open()
    for (const name of ['old', 'young']) await kept.save(name, end(name))
    const week = 8 * 24 * 3600
    utimesSync(join(folder, 'kept', 'old.json'), Date.now() / 1000 - week, Date.now() / 1000 - week)
    await kept.save('third', end('third'))
    expect(readdirSync(join(folder, 'kept')).sort()).toEqual(['third.json', 'young.json'])
    // Larger than the limit of a file.
    await kept.save('huge', end('huge', 20 * 1024 * 1024))
    expect(readdirSync(join(folder, 'kept'))).not.toContain('huge.json')
  })

  it('warns once about a folder that cannot be written, and goes on', async () => {
    writeFileSync(join(folder, 'kept'), 'a file where the folder should be')
    const kept = open()
    await kept.save('a', end('a'))
    await kept.save('b', end('b'))
    expect(await kept.load('a')).toBeUndefined()
    expect(warnings).toHaveLength(1)
    chmodSync(folder, 0o700)
  })
})
