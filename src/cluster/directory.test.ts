import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type KeptLog, keptLog, peerSecret as secret } from '../../test/cluster-parts.ts'
import { isNightly } from '../../test/depth.ts'
import { until, watchProcess } from '../../test/end-to-end/wire.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../../test/redis.ts'
import { randomId } from '../base/ids.ts'
import { type DirectoryOptions, type Owner, SessionDirectory } from './directory.ts'
import { instanceRecord } from './instance-record.ts'
import { type LinkTiming, RedisLink } from './redis-link.ts'

interface Member {
  directory: SessionDirectory
  url: string
  lost: string[]
  log: KeptLog
}

const members: Member[] = []
let watch: ReturnType<typeof watchProcess>
beforeEach(() => {
  watch = watchProcess()
})
afterEach(async () => {
  await Promise.all(members.splice(0).map(({ directory }) => directory.close()))
  await sleep(20)
  watch.stop()
  expect(watch.stray).toEqual([])
})

type More = Partial<DirectoryOptions> & { timing?: Partial<LinkTiming> }

async function join({ url }: { url: string }, { timing, ...more }: More = {}): Promise<Member> {
  const lost: string[] = []
  const log = keptLog()
  const directory = new SessionDirectory({
    openLink: (beat) => new RedisLink({ url, log, timing, beat }),
    ...{ secret, idleMs: 60_000, log },
    onLost: (sessionId) => lost.push(sessionId),
    ...more,
  })
  const member = { directory, url: `http://10.0.0.${members.length + 1}:80`, lost, log }
  members.push(member)
  await directory.start(member.url)
  return member
}

/** A proxy to Redis that can lose bytes, like a router that has forgotten its connections. */
async function startForwarder(port: number) {
  let open: net.Socket[] = []
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far).pipe(near)
    open.push(near, far)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as net.AddressInfo
  return {
    url: `redis://127.0.0.1:${own}`,
    /** Affects open connections; new ones work. */
    swallow() {
      for (const socket of open) socket.unpipe().resume()
      open = []
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const seconds = (value: number) => value * 1_000
const epochOf = (owner: unknown) => Number((owner as Owner).value.split('|')[1])

describeWithRedis('a directory of sessions', () => {
  let redis: TestRedis
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.stop())

  it('a registered session is found by every instance, a released one by none', async () => {
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    expect(await b.directory.find(session)).toBeUndefined()
    await a.directory.claim(session)
    const value = a.directory.valueOf(session)
    expect(await a.directory.find(session)).toBe('here')
    expect(await b.directory.find(session)).toEqual({ value, url: a.url })
    expect(await a.directory.holds(session)).toBe(true)
    a.directory.release(session)
    expect(await b.directory.find(session)).toBeUndefined()
    await a.directory.claim(session)
    expect(epochOf(await b.directory.find(session))).toBeGreaterThan(1)
  })

  it('keys are those of the data model, and expire', async () => {
    const a = await join(redis)
    const session = randomId(12)
    await a.directory.claim(session)
    const left = Number((await redis.command('PTTL', `dragoman:s:{${session}}`)).slice(1))
    expect(left).toBeGreaterThan(110_000)
    expect(left).toBeLessThanOrEqual(120_000)
    const lives = Number((await redis.command('PTTL', `dragoman:i:${a.directory.instance}`)).slice(1))
    expect(lives).toBeGreaterThan(9_000)
    expect(lives).toBeLessThanOrEqual(15_000)
    expect(await redis.command('PTTL', 'dragoman:epoch')).toBe(':-1')
    expect(await redis.command('GET', `dragoman:i:${a.directory.instance}`)).not.toContain(secret)
  })

  it('a former owner cannot release what another took over', async () => {
    const [a, b, c] = [await join(redis), await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    const seen = (await b.directory.find(session)) as Owner
    expect(await b.directory.takeOver(session, seen)).toBe('taken')
    a.directory.release(session)
    expect(await c.directory.find(session)).toMatchObject({ url: b.url })
  })

  it('of two concurrent takeovers one succeeds, and the other learns the owner', async () => {
    const [a, b, c] = [await join(redis), await join(redis), await join(redis)]
    for (let round = 0; round < 20; round++) {
      const session = randomId(12)
      if (round % 2 === 0) await a.directory.claim(session)
      const seen = (await b.directory.find(session)) as Owner | undefined
      const outcomes = await Promise.all([b, c].map(({ directory }) => directory.takeOver(session, seen)))
      const winner = outcomes[0] === 'taken' ? b : c
      expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(1)
      expect(outcomes.find((outcome) => outcome !== 'taken')).toMatchObject({ url: winner.url })
    }
  })

  it('a former owner learns of the takeover when it asks, and cannot reclaim the session', async () => {
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    await b.directory.takeOver(session, (await b.directory.find(session)) as Owner)
    expect(await a.directory.holds(session)).toBe(false)
    expect(a.lost).toEqual([session])
    await a.directory.claim(session)
    expect(await b.directory.find(session)).toBe('here')
  })

  it('a missing key is written again by the owner of the session', async () => {
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    await redis.command('DEL', `dragoman:s:{${session}}`)
    expect(await a.directory.holds(session)).toBe(true)
    expect(await b.directory.find(session)).toMatchObject({ url: a.url })
  })

  it('an instance that stops announcing itself is gone, and its sessions can be taken over', async () => {
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    await a.directory.withdraw()
    const seen = (await b.directory.find(session)) as Owner
    expect(seen.url).toBeUndefined()
    expect(await b.directory.takeOver(session, seen)).toBe('taken')
  })

  it('an instance whose record expired checks its sessions at the next beat, and drops lost ones', async () => {
    const [a, b] = [await join(redis, { timing: { renewMs: 150 }, instanceMs: 1_000 }), await join(redis)]
    const [kept, taken] = [randomId(12), randomId(12)]
    await a.directory.claim(kept)
    await a.directory.claim(taken)
    // As if the process had been suspended.
    await redis.command('DEL', `dragoman:i:${a.directory.instance}`)
    const seen = (await b.directory.find(taken)) as Owner
    await b.directory.takeOver(taken, seen)
    await until(() => a.lost.length > 0)
    expect(a.lost).toEqual([taken])
    expect(await b.directory.find(kept)).toMatchObject({ url: a.url })
  })

  it('a record with an invalid signature is ignored', async () => {
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    const key = `dragoman:i:${a.directory.instance}`
    const evil = 'http://evil.example'
    for (const record of [
      instanceRecord('another-secret-of-32-characters!!', a.directory.instance, evil),
      instanceRecord(secret, b.directory.instance, evil),
      instanceRecord(secret, a.directory.instance, a.url).replace(a.url, evil),
      JSON.stringify({ url: evil }),
      'nonsense',
      'null',
    ]) {
      await redis.command('SET', key, record)
      expect(((await b.directory.find(session)) as Owner).url).toBeUndefined()
    }
    expect(b.log.count('warn', /peerSecret/)).toBe(1)
    for (const value of ['nonsense', '|', `${a.directory.instance}`, '../../x|1']) {
      await redis.command('SET', `dragoman:s:{${session}}`, value)
      expect(await b.directory.find(session)).toEqual({ value, url: undefined })
    }
  })

  it('epochs never decrease, even if Redis starts empty', async () => {
    const [a, b] = [await join(redis), await join(redis)]
    const epochs: number[] = []
    const turn = async () => {
      const session = randomId(12)
      await a.directory.claim(session)
      epochs.push(epochOf(await b.directory.find(session)))
    }
    for (let round = 0; round < 5; round++) await turn()
    await redis.restart()
    await until(() => a.directory.up && b.directory.up, seconds(10))
    for (let round = 0; round < 5; round++) await turn()
    expect(epochs).toEqual([...new Set(epochs)].sort((x, y) => x - y))
  })
})

describeWithRedis('a Redis that fails', () => {
  let redis: TestRedis
  afterEach(() => redis.stop())

  async function recovered(member: Member, others: Member, session: string): Promise<void> {
    await until(() => member.directory.up && others.directory.up, seconds(10))
    expect(await others.directory.find(session)).toMatchObject({ url: member.url })
    expect(member.lost).toEqual([])
    for (const { log } of [member, others]) {
      expect(log.count('warn', /Redis cannot be used/)).toBe(1)
      expect(log.count('info', /Redis is back/)).toBe(1)
    }
  }

  it.each([
    ['a socket file', false],
    ['a port', true],
  ])('restarted empty on %s: all sessions are written again, also new ones', async (_where, tcp) => {
    redis = await startRedis({ tcp })
    const timing = { commandMs: 30_000 }
    const [a, b] = [await join(redis, { timing }), await join(redis, { timing })]
    const [before, during] = [randomId(12), randomId(12)]
    await a.directory.claim(before)
    await redis.kill()
    await until(() => !a.directory.up && !b.directory.up)
    const since = Date.now()
    await a.directory.claim(during)
    expect(await a.directory.holds(before)).toBe(true)
    expect(await a.directory.find(before)).toBeUndefined()
    expect(await a.directory.takeOver(randomId(12), undefined)).toBe('taken')
    // The link is down: commands fail without a wait.
    expect(Date.now() - since).toBeLessThan(timing.commandMs / 2)
    await redis.restart()
    await recovered(a, b, before)
    expect(await b.directory.find(during)).toMatchObject({ url: a.url })
  })

  it('killed connections', async () => {
    redis = await startRedis()
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await until(() => a.log.lines.length > 0 && b.log.lines.length > 0)
    await recovered(a, b, session)
  })

  it.runIf(isNightly)('an endless pause: no call waits longer than a command may take', async () => {
    redis = await startRedis()
    const [a, b] = [await join(redis), await join(redis)]
    const [before, during] = [randomId(12), randomId(12)]
    await a.directory.claim(before)
    redis.freeze()
    await Promise.all([a.directory.claim(during), b.directory.find(before)])
    expect([a.directory.up, b.directory.up]).toEqual([false, false])
    expect(await a.directory.holds(before)).toBe(true)
    redis.thaw()
    await recovered(a, b, before)
    expect(await b.directory.find(during)).toMatchObject({ url: a.url })
  })

  it.runIf(isNightly)('a stalled server with open connections: the link reconnects', async () => {
    redis = await startRedis({ tcp: true })
    const timing = { renewMs: 100, hangMs: 600, commandMs: 200 }
    const [a, b] = [await join(redis, { timing }), await join(redis, { timing })]
    const session = randomId(12)
    await a.directory.claim(session)
    redis.freeze()
    await until(() => !a.directory.up && !b.directory.up)
    await sleep(1_500)
    redis.thaw()
    await recovered(a, b, session)
  })

  it.runIf(isNightly)('a dead connection is replaced', async () => {
    redis = await startRedis({ tcp: true })
    const between = await startForwarder(Number(new URL(redis.url).port))
    const timing = { renewMs: 100, hangMs: 600, commandMs: 200 }
    const [a, b] = [await join(between, { timing }), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    between.swallow()
    await until(() => !a.directory.up)
    await until(() => a.directory.up, seconds(10))
    expect(await b.directory.find(session)).toMatchObject({ url: a.url })
    await a.directory.close()
    await between.close()
  })

  it('a session that another instance took over meanwhile is lost here', async () => {
    redis = await startRedis()
    const [a, b] = [await join(redis), await join(redis)]
    const session = randomId(12)
    await a.directory.claim(session)
    await redis.kill()
    await redis.restart()
    await until(() => b.directory.up, seconds(10))
    // The former owner may come back at any moment: then the session is taken over from it.
    let seen = await b.directory.find(session)
    while (seen !== 'here') {
      const outcome = await b.directory.takeOver(session, seen)
      seen = outcome === 'taken' ? 'here' : outcome
    }
    await until(() => a.directory.up, seconds(10))
    expect(await a.directory.holds(session)).toBe(false)
    expect([...new Set(a.lost)]).toEqual([session])
  })

  it('a Redis that is down at startup does not prevent it, and is found later', async () => {
    redis = await startRedis({ tcp: true })
    await redis.kill()
    const since = Date.now()
    const a = await join(redis)
    expect(Date.now() - since).toBeLessThan(30_000)
    const session = randomId(12)
    await a.directory.claim(session)
    expect(a.log.lines).toMatchObject([
      { level: 'warn', fields: { error: expect.stringContaining('ECONNREFUSED') } },
    ])
    await redis.restart()
    await until(() => a.directory.up, seconds(10))
    const b = await join(redis)
    expect(await b.directory.find(session)).toMatchObject({ url: a.url })
  })

  it.runIf(isNightly)('a server that accepts and is silent, or sends nonsense', async () => {
    redis = await startRedis()
    for (const answer of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n', '-ERR max number of clients reached\r\n']) {
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined)
        if (answer !== '') socket.end(answer)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as net.AddressInfo
      const a = await join({ url: `redis://user:redis-password-canary@127.0.0.1:${port}` })
      await a.directory.claim(randomId(12))
      expect(a.directory.up).toBe(false)
      expect(JSON.stringify(a.log.lines)).not.toContain('canary')
      await a.directory.close()
      server.close()
    }
  })
})
