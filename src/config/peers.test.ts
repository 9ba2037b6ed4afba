import { describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { parseConfig } from './load.ts'

const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }
const peerSecret = 'peer-secret-canary-0123456789abcdef'
const redis = 'redis://127.0.0.1:6379'
const parse = (sessions: object, more: object = {}) =>
  parseConfig(JSON.stringify({ backends, sessions, ...more }), {
    environment: readEnvironment({ HOME: '/nonexistent' }),
  })

describe('several instances', () => {
  it.each([
    'redis://127.0.0.1:6379',
    'redis://redis.internal',
    'redis://:password@redis.internal:6379/2',
    'rediss://user:password@redis.internal:6380',
    'redis://[::1]:6379',
    'unix:///run/redis/redis.sock',
  ])('%s is taken', (url) => expect(parse({ redis: url, peerSecret }).config.sessions.redis).toBe(url))

  it.each([
    'redis.internal:6379',
    'http://redis.internal:6379',
    'redis://',
    'redis://redis.internal/db',
    'redis://redis.internal?family=6',
    'unix://run/redis.sock',
    'unix:///',
    '',
  ])('%j is no Redis', (url) =>
    expect(() => parse({ redis: url, peerSecret })).toThrow(/sessions\.redis: must be redis:\/\//),
  )

  it.each<[string, object, object, RegExp]>([
    ['no secret', { redis }, {}, /sessions\.peerSecret: is needed with "sessions\.redis".*32 characters/],
    [
      'a short secret',
      { redis, peerSecret: 'short' },
      {},
      /sessions\.peerSecret: needs at least 32 characters/,
    ],
    [
      'a wildcard',
      { redis, peerSecret },
      { listen: { host: '0.0.0.0' } },
      /sessions\.peerUrl: is needed.*0\.0\.0\.0/,
    ],
    ['a wildcard of IPv6', { redis, peerSecret }, { listen: { host: '::' } }, /sessions\.peerUrl: is needed/],
    [
      'a path',
      { redis, peerSecret, peerUrl: 'http://10.0.0.7:80/v1' },
      {},
      /sessions\.peerUrl: must have no path/,
    ],
    [
      'a query',
      { redis, peerSecret, peerUrl: 'http://10.0.0.7?x' },
      {},
      /sessions\.peerUrl: must have no query/,
    ],
    [
      'another scheme',
      { redis, peerSecret, peerUrl: '10.0.0.7:80' },
      {},
      /sessions\.peerUrl: must be an http/,
    ],
    ['a metadata address', { redis, peerSecret, peerUrl: 'http://169.254.169.254' }, {}, /link-local/],
    ['a secret alone', { peerSecret }, {}, /sessions\.peerSecret: does nothing without "sessions\.redis"/],
    ['a URL alone', { peerUrl: 'http://10.0.0.7' }, {}, /sessions\.peerUrl: does nothing/],
  ])('%s is refused, in words that help', (_case, sessions, more, problem) => {
    expect(() => parse(sessions, more)).toThrow(problem)
  })

  it('a wildcard with a URL is fine', () => {
    const sessions = { redis, peerSecret, peerUrl: 'http://10.0.0.7:18741' }
    expect(() => parse(sessions, { listen: { host: '0.0.0.0' } })).not.toThrow()
  })

  it('secret and password are secrets, however they are written', () => {
    const { secrets } = parse({ redis: 'redis://u:pass%2Fword-canary@h', peerSecret })
    expect(secrets).toEqual(expect.arrayContaining([peerSecret, 'pass%2Fword-canary', 'pass/word-canary']))
  })
})
