import { describe, expect, it } from 'vitest'
import { peerAddress } from '../process/workers/peer-address.ts'
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
  ])('%s is accepted', (url) => expect(parse({ redis: url, peerSecret }).config.sessions.redis).toBe(url))

  it.each([
    'redis.internal:6379',
    'http://redis.internal:6379',
    'redis://',
    'redis://redis.internal/db',
    'redis://redis.internal?family=6',
    'unix://run/redis.sock',
    'unix:///',
    '',
  ])('%j is not a Redis URL', (url) =>
    expect(() => parse({ redis: url, peerSecret })).toThrow(/sessions\.redis: must be redis:\/\//),
  )

  it.each<[string, object, object, RegExp]>([
    ['no secret', { redis }, {}, /sessions\.peerSecret: is required with "sessions\.redis".*32 characters/],
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
      /sessions\.peerUrl: is required.*0\.0\.0\.0/,
    ],
    [
      'a wildcard of IPv6',
      { redis, peerSecret },
      { listen: { host: '::' } },
      /sessions\.peerUrl: is required/,
    ],
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
    [
      'a port that workers would share with clients',
      { redis, peerSecret, peerUrl: 'http://10.0.0.7:18740' },
      { workers: 4 },
      /sessions\.peerUrl: 4 workers listen .* 18740 to 18743; .*18741, which is for clients/,
    ],
    [
      'more workers than ports',
      { redis, peerSecret, peerUrl: 'http://10.0.0.7:65534' },
      { workers: 4 },
      /sessions\.peerUrl: 4 workers listen.*65537 is not a port/,
    ],
    [
      'a TLS proxy before workers',
      { redis, peerSecret, peerUrl: 'https://10.0.0.7:9000' },
      { workers: 2 },
      /sessions\.peerUrl: 2 workers.*they use plain http/,
    ],
    ['a metadata address', { redis, peerSecret, peerUrl: 'http://169.254.169.254' }, {}, /link-local/],
    ['a secret alone', { peerSecret }, {}, /sessions\.peerSecret: has no effect without "sessions\.redis"/],
    ['a URL alone', { peerUrl: 'http://10.0.0.7' }, {}, /sessions\.peerUrl: has no effect/],
  ])('%s is refused with advice', (_case, sessions, more, problem) => {
    expect(() => parse(sessions, more)).toThrow(problem)
  })

  it('a wildcard address with a peerUrl is valid', () => {
    const sessions = { redis, peerSecret, peerUrl: 'http://10.0.0.7:18741' }
    expect(() => parse(sessions, { listen: { host: '0.0.0.0' } })).not.toThrow()
  })

  it('workers listen for other instances on consecutive ports', () => {
    const sessions = { redis, peerSecret, peerUrl: 'http://10.0.0.7:19000' }
    const listen = { host: '0.0.0.0' }
    const { config } = parse(sessions, { workers: 2, listen })
    expect([1, 2].map((worker) => peerAddress(config, worker))).toEqual([
      { listen: { host: '0.0.0.0', port: 19_000 }, url: 'http://10.0.0.7:19000' },
      { listen: { host: '0.0.0.0', port: 19_001 }, url: 'http://10.0.0.7:19001' },
    ])
    const near = parse({ redis, peerSecret }, { workers: 2 }).config
    expect(peerAddress(near, 2)).toEqual({ listen: { host: '127.0.0.1', port: 0 }, url: undefined })
    const alone = parse({}, { workers: 2, listen: { host: '10.0.0.7' }, auth: undefined }).config
    expect(peerAddress(alone, 1)).toEqual({ listen: { host: '127.0.0.1', port: 0 }, url: undefined })
  })

  it('peerSecret and the password of Redis are secrets in every encoding', () => {
    const { secrets } = parse({ redis: 'redis://u:pass%2Fword-canary@h', peerSecret })
    expect(secrets).toEqual(expect.arrayContaining([peerSecret, 'pass%2Fword-canary', 'pass/word-canary']))
  })
})
