import { describe, expect, it } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { pageHeader } from './api.ts'
import type { LoginChange, NewSession } from './login.ts'
import { LoginRegistry, SharedLogins } from './shared-logins.ts'

const request = ({ cookie, page }: NewSession) => {
  const headers: Record<string, string> = {
    host: 'x:1',
    cookie: `dragoman_inspector_1=${cookie}`,
    [pageHeader]: page,
  }
  return { header: (name: string) => headers[name] } as Exchange
}

/** Two workers and their parent; messages become plain data, as between processes. */
function crew() {
  const workers: SharedLogins[] = []
  const tell = async (change: LoginChange) => {
    for (const worker of workers) worker.take(JSON.parse(JSON.stringify(change)) as LoginChange)
  }
  const parent = new LoginRegistry(tell)
  const join = () => {
    const worker = new SharedLogins(parent)
    for (const change of parent.all) worker.take(JSON.parse(JSON.stringify(change)) as LoginChange)
    workers.push(worker)
    return worker
  }
  return { join, one: join(), other: join() }
}

async function begin({ one, other }: ReturnType<typeof crew>): Promise<NewSession> {
  const session = await other.redeem(await one.link({ key: 'me' }))
  if ('problem' in session) throw new Error(session.problem)
  return session
}

describe('logins of several workers', () => {
  it('are known to all as soon as they are made, and to a worker that starts later', async () => {
    const all = crew()
    const session = await begin(all)
    for (const worker of [all.one, all.other, all.join()])
      expect(worker.find(request(session))?.scope).toEqual({ key: 'me' })
    expect(all.one.find(request({ ...session, page: 'wrong' }))).toBeUndefined()
  })

  it('end everywhere, with the streams that they have open', async () => {
    const all = crew()
    const session = await begin(all)
    const ended: string[] = []
    all.one.find(request(session))?.onEnd.add(() => ended.push('one'))
    const found = all.other.find(request(session))
    if (found) all.other.end(found)
    expect(ended).toEqual(['one'])
    expect([all.one, all.other, all.join()].map((worker) => worker.find(request(session)))).toEqual([
      ...[undefined, undefined, undefined],
    ])
  })

  it('end with their key, and so do links that nobody has used', async () => {
    const all = crew()
    const session = await begin(all)
    const unused = await all.one.link({ key: 'me' })
    all.other.endKey('me')
    for (const worker of [all.one, all.other, all.join()])
      expect(worker.find(request(session))).toBeUndefined()
    expect(await all.one.redeem(unused)).toEqual({ problem: 'unknown' })
  })

  it('by one link are one, whichever workers are asked', async () => {
    const { one, other } = crew()
    const token = await one.link('all')
    const both = await Promise.all([one.redeem(token), other.redeem(token)])
    expect(both.filter((answer) => 'problem' in answer)).toEqual([{ problem: 'used' }])
  })

  it('beyond the limit of a key end the oldest everywhere', async () => {
    const all = crew()
    const first = await begin(all)
    for (let at = 0; at < 20; at++) await begin(all)
    expect(all.one.find(request(first))).toBeUndefined()
  })
})
