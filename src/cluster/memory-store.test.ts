// Both stores of the directory behave alike: the same commands in the same order give the same answers.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keptLog } from '../../test/cluster-parts.ts'
import { until } from '../../test/end-to-end/wire.ts'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../../test/redis.ts'
import { type DirectoryStore, highestEpoch, type ScriptName } from './directory-store.ts'
import { MemoryStore, mostBindings } from './memory-store.ts'
import { RedisLink } from './redis-link.ts'

type Operation = readonly [ScriptName | 'read' | 'delete', key: string, ...values: string[]]

async function play(store: DirectoryStore, operations: readonly Operation[]): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const [name, key, ...values] of operations)
    if (name === 'read') answers.push(await store.read(key, Number(values[0])))
    else if (name === 'delete') answers.push(await store.delete(key))
    else answers.push(await store.run(name, key, ...values))
  return answers
}

const long = '600000'
const [a1, a2, b1] = ['aaaa|1', 'aaaa|2', 'bbbb|1']

const table: readonly (readonly [string, readonly Operation[], readonly unknown[]])[] = [
  ['an unwritten session has no owner', [['owner', 's']], ['']],
  [
    'a claimed session is found, and its owner may claim it again with another epoch',
    [
      ['claim', 's', a1, 'aaaa|', long],
      ['owner', 's'],
      ['claim', 's', a2, 'aaaa|', long],
      ['owner', 's'],
    ],
    [a1, a1, a2, a2],
  ],
  [
    'a session of another instance cannot be claimed: the answer names the owner',
    [
      ['claim', 's', a1, 'aaaa|', long],
      ['claim', 's', b1, 'bbbb|', long],
      ['owner', 's'],
    ],
    [a1, a1, a1],
  ],
  [
    'a takeover succeeds only if the owner is as seen, or none',
    [
      ['takeOver', 's', b1, a1, long],
      ['takeOver', 's', a1, '', long],
      ['takeOver', 's', a2, b1, long],
      ['owner', 's'],
    ],
    [b1, b1, a2, a2],
  ],
  [
    'only the owner can release a session',
    [
      ['claim', 's', a1, 'aaaa|', long],
      ['release', 's', a2],
      ['release', 's', b1],
      ['release', 's', a1],
      ['release', 's', a1],
      ['owner', 's'],
    ],
    [a1, 0, 0, 1, 0, ''],
  ],
  [
    'epochs increase from the highest known one',
    [
      ['nextEpoch', 'e', '0'],
      ['nextEpoch', 'e', '0'],
      ['nextEpoch', 'e', '40'],
      ['nextEpoch', 'e', '7'],
    ],
    [1, 2, 41, 42],
  ],
  [
    'a counter that holds something else begins anew',
    [
      ['announce', 'e', 'no number', long],
      ['nextEpoch', 'e', '5'],
      ['announce', 'e', String(highestEpoch), long],
      ['nextEpoch', 'e', '6'],
    ],
    [0, 6, 1, 7],
  ],
  [
    'a list has the names whose time has not come, and replaces what is no list',
    [
      ['enlist', 'l', 'b', '0'],
      ['enlist', 'l', 'b', '600000'],
      ['enlist', 'l', 'a', '700000'],
      ['enlist', 'l', 'b', '800000'],
      ['enlist', 'l', 'a', '0'],
      ['announce', 'x', 'text', long],
      ['enlist', 'x', 'c', long],
    ],
    ['', 'b', 'b,a', 'a,b', 'b', 0, 'c'],
  ],
  [
    'a record says whether there was one, and is read as far as one wants',
    [
      ['announce', 'i', 'record', long],
      ['announce', 'i', 'another', long],
      ['read', 'i', '4'],
      ['read', 'i', '100'],
      ['delete', 'i'],
      ['delete', 'i'],
      ['read', 'i', '100'],
      ['announce', 'i', 'again', long],
    ],
    [0, 1, 'anot', 'another', 1, 0, '', 0],
  ],
  [
    'what is too long for an owner is none',
    [
      ['announce', 's', 'x'.repeat(64), long],
      ['owner', 's'],
      ['release', 's', 'x'.repeat(64)],
      ['claim', 's', a1, 'aaaa|', long],
    ],
    [0, '', 0, a1],
  ],
]

const key = fc.constantFrom('s1', 's2')
const owner = fc.constantFrom('aaaa|1', 'aaaa|2', 'bbbb|1', 'bbbb|30', 'x'.repeat(63), 'x'.repeat(64))
const prefix = fc.constantFrom('aaaa|', 'bbbb|', 'x', '')
const operation = fc.oneof(
  fc.tuple(fc.constant('announce' as const), key, owner, fc.constant(long)),
  fc.tuple(fc.constant('owner' as const), key),
  fc.tuple(fc.constant('claim' as const), key, owner, prefix, fc.constant(long)),
  fc.tuple(fc.constant('takeOver' as const), key, owner, fc.oneof(owner, fc.constant('')), fc.constant(long)),
  fc.tuple(fc.constant('release' as const), key, owner),
  fc.tuple(
    fc.constant('nextEpoch' as const),
    fc.constantFrom('e', 's1'),
    fc.constantFrom('0', '3', '500', String(highestEpoch - 1)),
  ),
  fc.tuple(fc.constant('read' as const), fc.oneof(key, fc.constant('e')), fc.constantFrom('1', '64', '4096')),
  fc.tuple(fc.constant('delete' as const), fc.oneof(key, fc.constant('e'))),
)

describe('a store in memory', () => {
  it.each(table)('%s', async (_case, operations, answers) => {
    expect(await play(new MemoryStore(), operations)).toEqual(answers)
  })

  it('forgets expired entries, also those that are never read again', async () => {
    let now = 0
    const store = new MemoryStore(() => now)
    await play(store, [
      ['claim', 's1', a1, 'aaaa|', '100'],
      ['claim', 's2', a1, 'aaaa|', '100'],
      ['nextEpoch', 'e', '0'],
    ])
    now = 99
    expect(await store.run('owner', 's1')).toBe(a1)
    now = 100
    expect(
      await play(store, [
        ['owner', 's1'],
        ['claim', 's1', b1, 'bbbb|', '100'],
      ]),
    ).toEqual(['', b1])
    expect(store.size).toBe(3)
    await store.run('announce', 'i', 'record', '100')
    expect(store.size).toBe(3)
    now = 1e9
    expect(await store.run('nextEpoch', 'e', '0')).toBe(2)
  })

  it('looks for expired entries once a minute at most', async () => {
    let now = 0
    const store = new MemoryStore(() => now)
    await store.run('announce', 'i', 'record', long)
    await store.run('claim', 's1', a1, 'aaaa|', '100')
    await store.run('takeOver', 'dragoman:pool:bind:k', 'one', '', '100')
    now = 59_999
    await store.run('announce', 'i', 'record', long)
    expect(store.size).toBe(3)
    now = 60_000
    await store.run('announce', 'i', 'record', long)
    expect(store.size).toBe(1)
  })

  it('keeps the bindings of pools that were written last, and every session', async () => {
    const store = new MemoryStore()
    const [sessions, more] = [100, 5_000]
    const bind = (key: string | number) =>
      store.run('takeOver', `dragoman:pool:bind:${key}`, 'one', 'one', long)
    for (let at = 0; at < sessions; at++) await store.run('claim', `dragoman:s:{${at}}`, a1, 'aaaa|', long)
    await bind('renewed')
    for (let at = 0; at < mostBindings + more; at++) {
      if (at === mostBindings / 2) await bind('renewed')
      await bind(at)
    }
    expect(store.size).toBeGreaterThan(0.9 * mostBindings)
    expect(store.size).toBeLessThanOrEqual(mostBindings + sessions)
    const owner = (key: string) => store.run('owner', key)
    expect(
      await Promise.all(
        [0, more - 1, 2 * more, 'renewed', mostBindings + more - 1].map((key) =>
          owner(`dragoman:pool:bind:${key}`),
        ),
      ),
    ).toEqual(['', '', 'one', 'one', 'one'])
    for (let at = 0; at < sessions; at++) expect(await owner(`dragoman:s:{${at}}`)).toBe(a1)
  })
})

describeWithRedis('a store in Redis', () => {
  let redis: TestRedis
  let link: RedisLink
  beforeAll(async () => {
    redis = await startRedis()
    link = new RedisLink({ url: redis.url, log: keptLog(), beat: async () => undefined })
    await link.start(5_000)
    await until(() => link.up)
  })
  afterAll(async () => {
    link.close()
    await redis.stop()
  })

  it.each(table)('%s', async (_case, operations, answers) => {
    await redis.command('FLUSHALL')
    expect(await play(link, operations)).toEqual(answers)
  })

  it('answers like the store in memory, for any sequence of commands', async () => {
    const property = fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      await redis.command('FLUSHALL')
      expect(await play(link, operations)).toEqual(await play(new MemoryStore(), operations))
    })
    await fc.assert(property, fuzzShare(0.3))
  })
})
