import { describe, expect, it } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { pageHeader } from './api.ts'
import { Logins, linkMs, type NewSession, setCookie } from './login.ts'

const asked = (headers: Record<string, string>) =>
  ({ header: (name: string) => ({ host: '127.0.0.1:18741', ...headers })[name] }) as unknown as Exchange

const cookieFor = (value: string, host = '127.0.0.1:18741') =>
  (setCookie(asked({ host }), value).split(';')[0] ?? '') as string

const withSession = ({ cookie, page }: NewSession) => asked({ cookie: cookieFor(cookie), [pageHeader]: page })

function begun(logins: Logins): NewSession {
  const found = logins.redeem(logins.link('all'))
  if ('problem' in found) throw new Error(found.problem)
  return found
}

describe('links', () => {
  it('are valid once', () => {
    const logins = new Logins()
    const token = logins.link('all')
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(logins.redeem(token)).toMatchObject({ cookie: expect.any(String), page: expect.any(String) })
    expect(logins.redeem(token)).toEqual({ problem: 'used' })
  })

  it('are valid for ten minutes', () => {
    let now = 0
    const logins = new Logins(() => now)
    const [early, late] = [logins.link('all'), logins.link('all')]
    now = linkMs
    expect(logins.redeem(early)).not.toHaveProperty('problem')
    now = linkMs + 1
    expect(logins.redeem(late)).toEqual({ problem: 'expired' })
  })

  it('with unknown tokens are refused, and guessing is blocked for a minute', () => {
    let now = 0
    const logins = new Logins(() => now)
    for (let nth = 0; nth < 20; nth++) expect(logins.redeem(`guess ${nth}`)).toEqual({ problem: 'unknown' })
    expect(logins.redeem('guess')).toEqual({ problem: 'too-many' })
    now = 60_000
    expect(logins.redeem('guess')).toEqual({ problem: 'unknown' })
  })

  it('that are valid work while others guess', () => {
    const logins = new Logins()
    const token = logins.link('all')
    for (let nth = 0; nth < 100; nth++) logins.redeem(`guess ${nth}`)
    expect(logins.redeem(token)).not.toHaveProperty('problem')
    expect(logins.redeem(token)).toEqual({ problem: 'too-many' })
  })

  it('of one key do not displace those of another', () => {
    const logins = new Logins()
    const [token, all] = [logins.link({ key: 'laptop' }), logins.link('all')]
    for (let nth = 0; nth < 100; nth++) logins.link({ key: 'all' })
    expect(logins.redeem(token)).not.toHaveProperty('problem')
    expect(logins.redeem(all)).not.toHaveProperty('problem')
  })

  it('are limited in number: the oldest is dropped', () => {
    const logins = new Logins()
    const tokens = Array.from({ length: 21 }, () => logins.link('all'))
    expect(logins.redeem(tokens[0] ?? '')).toEqual({ problem: 'unknown' })
    expect(logins.redeem(tokens[1] ?? '')).not.toHaveProperty('problem')
  })
})

describe('sessions', () => {
  it('see what their link allows', () => {
    const logins = new Logins()
    const found = logins.redeem(logins.link({ key: 'laptop' }))
    expect('page' in found && logins.find(withSession(found))?.scope).toEqual({ key: 'laptop' })
  })

  it('need both halves of the same session', () => {
    const logins = new Logins()
    const [one, other] = [begun(logins), begun(logins)]
    expect(logins.find(withSession(one))).toBeDefined()
    expect(logins.find(withSession({ ...one, page: other.page }))).toBeUndefined()
    expect(logins.find(asked({ cookie: cookieFor(one.cookie) }))).toBeUndefined()
    expect(logins.find(asked({ [pageHeader]: one.page }))).toBeUndefined()
    const twice = `${cookieFor(one.cookie)}; ${cookieFor(other.cookie)}`
    expect(logins.find(asked({ cookie: twice, [pageHeader]: one.page }))).toBeUndefined()
  })

  it('have a cookie per port that scripts and other sites cannot read', () => {
    expect(setCookie(asked({}), 'x')).toBe(
      'dragoman_inspector_18741=x; Path=/inspector/; HttpOnly; SameSite=Strict',
    )
    expect(setCookie(asked({ host: 'gate.example' }), '')).toMatch(
      /^dragoman_inspector_default=;.* Max-Age=0$/,
    )
    const logins = new Logins()
    const { cookie, page } = begun(logins)
    const elsewhere = asked({ cookie: cookieFor(cookie, '127.0.0.1:9'), [pageHeader]: page })
    expect(logins.find(elsewhere)).toBeUndefined()
  })

  it('end after twelve hours without use and by logging out, and listeners are notified', () => {
    let now = 0
    const logins = new Logins(() => now)
    const [one, other] = [begun(logins), begun(logins)]
    let told = 0
    logins.find(withSession(one))?.onEnd.add(() => told++)
    now = 11 * 3_600_000
    expect(logins.find(withSession(one))).toBeDefined()
    now = 22 * 3_600_000
    expect(logins.find(withSession(other))).toBeUndefined()
    const session = logins.find(withSession(one))
    if (session) logins.end(session)
    expect(told).toBe(1)
    expect(logins.find(withSession(one))).toBeUndefined()
  })

  it('of one key do not end those of another', () => {
    const logins = new Logins()
    const operators = begun(logins)
    for (let nth = 0; nth < 100; nth++) logins.redeem(logins.link({ key: 'laptop' }))
    expect(logins.find(withSession(operators))).toBeDefined()
  })

  it('are limited in number: the oldest ends', () => {
    const logins = new Logins()
    const sessions = Array.from({ length: 21 }, () => begun(logins))
    expect(sessions.map((session) => logins.find(withSession(session)) !== undefined)).toEqual([
      false,
      ...Array.from({ length: 20 }, () => true),
    ])
  })
})
