// Unexpected answers of Redis: errors for single keys, errors for every write, foreign values.

import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type KeptLog, keptLog, peerSecret as secret } from '../../test/cluster-parts.ts'
import { isNightly } from '../../test/depth.ts'
import { until, watchProcess } from '../../test/end-to-end/wire.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../../test/redis.ts'
import { randomId } from '../base/ids.ts'
import { type Owner, SessionDirectory } from './directory.ts'
import type { OpenLink } from './directory-store.ts'
import { type LinkTiming, RedisLink } from './redis-link.ts'

interface Member {
  directory: SessionDirectory
  url: string
  log: KeptLog
}

/** A proxy that delays each answer of Redis. */
async function startDelay(redis: TestRedis, delayMs: number) {
  const sockets: net.Socket[] = []
  const server = net.createServer((near) => {
    const far = net.connect(new URL(redis.url).pathname)
    sockets.push(near, far)
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far)
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), delayMs))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `redis://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const sessionKey = (session: string) => `dragoman:s:{${session}}`

describeWithRedis('a Redis that answers otherwise', () => {
  let redis: TestRedis
  let watch: ReturnType<typeof watchProcess>
  const members: Member[] = []
  beforeEach(async () => {
    watch = watchProcess()
    redis = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(members.splice(0).map(({ directory }) => directory.close()))
    await redis.stop()
    watch.stop()
    expect(watch.stray).toEqual([])
  })

  async function join(timing: Partial<LinkTiming> = {}, url = redis.url): Promise<Member> {
    const log = keptLog()
    const onLost = () => undefined
    const openLink: OpenLink = (beat) => new RedisLink({ url, log, timing, beat })
    const directory = new SessionDirectory({ openLink, secret, idleMs: 60_000, log, onLost })
    const member = { directory, url: `http://10.0.0.${members.length + 1}:80`, log }
    members.push(member)
    await directory.start(member.url)
    return member
  }

  const connections = async () => {
    const lua = "return tonumber(string.match(redis.call('info', 'stats'), 'connections_received:(%d+)'))"
    return Number((await redis.command('EVAL', lua, '0')).slice(1))
  }

  it.each([
    ['a list', ['LPUSH', 'x']],
    ['text of any length', ['SET', 'x'.repeat(1024 * 1024)]],
  ])(
    '%s in place of a session: it has no owner, and other sessions continue',
    async (_case, [word = '', value = '']) => {
      const timing = { renewMs: 50, retryMs: 50 }
      const [a, b] = [await join(timing), await join(timing)]
      const [spoilt, sound] = [randomId(12), randomId(12)]
      await redis.command(word, sessionKey(spoilt), value)
      const found = (await b.directory.find(spoilt)) as Owner | undefined
      expect(found?.url).toBeUndefined()
      expect(JSON.stringify(found ?? '').length).toBeLessThan(10_000)
      expect(await b.directory.takeOver(spoilt, found)).toBe('taken')
      await redis.command('DEL', sessionKey(spoilt))
      await a.directory.claim(spoilt)
      await redis.command('DEL', sessionKey(spoilt))
      await redis.command('LPUSH', sessionKey(spoilt), 'x')
      expect(await a.directory.holds(spoilt)).toBe(true)
      await a.directory.claim(sound)
      await sleep(200)
      expect(await b.directory.find(sound)).toMatchObject({ url: a.url })
      expect([a.log.lines, b.log.lines]).toEqual([[], []])
    },
  )

  it.each([
    ['a list', ['LPUSH', 'x']],
    ['a word', ['SET', 'x']],
    ['the highest number', ['SET', '9223372036854775807']],
    ['a number that no others would follow', ['SET', '999999999999999']],
  ])('%s in place of the epoch: counting restarts', async (_case, [word = '', value = '']) => {
    const [a, b] = [await join(), await join()]
    const session = randomId(12)
    await redis.command('DEL', 'dragoman:epoch')
    await redis.command(word, 'dragoman:epoch', value)
    await a.directory.claim(session)
    expect(await b.directory.find(session)).toMatchObject({ url: a.url })
    expect([a.log.lines, b.log.lines]).toEqual([[], []])
  })

  it('an impossible epoch is not counted up from', async () => {
    const [a, b] = [await join(), await join()]
    const [forged, sound] = [randomId(12), randomId(12)]
    await redis.command('SET', sessionKey(forged), `${a.directory.instance}|999999999999999`)
    await b.directory.find(forged)
    await b.directory.claim(sound)
    expect(await a.directory.find(sound)).toMatchObject({ url: b.url })
  })

  it.each([
    [
      'takes no writes for lack of memory',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
    ],
    ['has become a follower', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('a Redis that %s: one warning, no busy retries, and recovery', async (_case, spoil, mend) => {
    const timing = { renewMs: 200, commandMs: 30_000 }
    const [a, b] = [await join(timing), await join(timing)]
    const session = randomId(12)
    await a.directory.claim(session)
    await redis.command(...spoil)
    await until(() => !a.directory.up && !b.directory.up)
    const before = await connections()
    await sleep(1_000)
    // Those of both instances and of the observer.
    expect((await connections()) - before).toBeLessThan(8)
    const since = Date.now()
    expect(await a.directory.holds(session)).toBe(true)
    await a.directory.claim(randomId(12))
    expect(Date.now() - since).toBeLessThan(timing.commandMs / 2)
    await redis.command(...mend)
    await until(() => a.directory.up && b.directory.up, 10_000)
    expect(await b.directory.find(session)).toMatchObject({ url: a.url })
    for (const { log } of [a, b]) expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  it('commands that fail between successful beats do not log a line each', async () => {
    const timing = { renewMs: 50, retryMs: 50 }
    const a = await join(timing)
    // An operator forgot to allow this command.
    await redis.command('ACL', 'SETUSER', 'default', '-getrange')
    for (let round = 0; round < 8; round++) {
      await a.directory.find(randomId(12))
      await until(() => a.directory.up)
    }
    expect(a.log.count('warn', /Redis cannot be used/)).toBe(1)
    expect(a.log.lines.length).toBeLessThan(4)
  })

  it('a pause of this process is not an outage, however long', async () => {
    const timing = { commandMs: 50, renewMs: 20 }
    const a = await join(timing)
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8 * timing.commandMs)
    for (let round = 0; round < 3; round++) {
      const asked = a.directory.find(randomId(12))
      pause()
      await asked
      // A beat may be under way, too.
      await sleep(timing.renewMs)
      expect(a.directory.up).toBe(true)
    }
    expect(a.log.lines).toEqual([])
  })

  it.runIf(isNightly)('a slow Redis: no call waits for several answers in a row', async () => {
    const timing = { commandMs: 2_000, renewMs: 60_000 }
    const a = await join(timing)
    const between = await startDelay(redis, 1_500)
    const b = await join(timing, between.url)
    const session = randomId(12)
    await a.directory.claim(session)
    await until(() => b.directory.up, 10_000)
    const since = Date.now()
    const found = (await b.directory.find(session)) as Owner | undefined
    expect(await b.directory.takeOver(session, found)).toBe('taken')
    expect(Date.now() - since).toBeLessThan(3_000)
    await between.close()
  })
})
