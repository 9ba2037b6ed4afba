// Requests without the key, or with the key in a wrong place or form.

import { createHash } from 'node:crypto'
import { peerSecret } from '../../cluster-parts.ts'

export const key = 'Gateway-Canary-Key-3141592653'

/** How many headers of any bytes are tried. */
export const fuzzedHeaders = 10_000

export interface KeyCase {
  name: string
  /** Header lines beside Host. */
  lines: readonly string[]
  query?: string
  /** Fields of a JSON body. */
  body?: Record<string, unknown>
}

const authorization = (...values: string[]) => values.map((value) => `Authorization: ${value}`)
const header = (name: string, value: string) => [`${name}: ${value}`]
const base64 = (text: string) => Buffer.from(text).toString('base64')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const withoutKey: readonly KeyCase[] = [
  { name: 'no key', lines: [] },
  { name: 'an empty header', lines: authorization('') },
  { name: 'an empty x-api-key', lines: header('x-api-key', '') },
  { name: 'Bearer alone', lines: authorization('Bearer') },
  { name: 'Bearer and blanks', lines: authorization('Bearer   ') },
  { name: 'a wrong Bearer', lines: authorization('Bearer wrong') },
  { name: 'a wrong x-api-key', lines: header('x-api-key', 'wrong') },
  { name: 'the key without a scheme', lines: authorization(key) },
  { name: 'the key as Basic', lines: authorization(`Basic ${key}`) },
  { name: 'the key as a Basic password', lines: authorization(`Basic ${base64(`:${key}`)}`) },
  { name: 'the key as Token', lines: authorization(`Token ${key}`) },
  { name: 'the key in lower case', lines: authorization(`Bearer ${key.toLowerCase()}`) },
  { name: 'the key in capitals', lines: authorization(`Bearer ${key.toUpperCase()}`) },
  { name: 'the key behind a tab', lines: authorization(`Bearer\t${key}`) },
  { name: 'the key without the blank', lines: authorization(`Bearer${key}`) },
  { name: 'the key in quotes', lines: authorization(`Bearer "${key}"`) },
  { name: 'the key twice in a header', lines: authorization(`Bearer ${key} ${key}`) },
  { name: 'the key in a list', lines: authorization(`Bearer wrong, Bearer ${key}`) },
  { name: 'the key in the second header', lines: authorization('Bearer wrong', `Bearer ${key}`) },
  { name: 'the key in the first of two', lines: authorization(`Bearer ${key}`, 'Bearer wrong') },
  { name: 'the same header twice', lines: authorization(`Bearer ${key}`, `Bearer ${key}`) },
  { name: 'x-api-key twice', lines: [...header('x-api-key', key), ...header('x-api-key', key)] },
  { name: 'x-api-key with Bearer', lines: header('x-api-key', `Bearer ${key}`) },
  { name: 'all but the last character', lines: authorization(`Bearer ${key.slice(0, -1)}`) },
  { name: 'all but the first character', lines: authorization(`Bearer ${key.slice(1)}`) },
  { name: 'the first twenty characters', lines: authorization(`Bearer ${key.slice(0, 20)}`) },
  { name: 'one character more', lines: authorization(`Bearer ${key}x`) },
  { name: 'a no-break space behind it', lines: authorization(`Bearer ${key}\u00a0`) },
  { name: 'the key in base64', lines: authorization(`Bearer ${base64(key)}`) },
  { name: 'the key percent-encoded', lines: authorization(`Bearer ${key.replaceAll('-', '%2D')}`) },
  { name: 'what is kept of it', lines: authorization(`Bearer ${sha256(key)}`) },
  { name: 'its name', lines: authorization('Bearer laptop') },
  { name: 'the word undefined', lines: authorization('Bearer undefined') },
  { name: 'a name of JavaScript', lines: authorization('Bearer __proto__') },
  { name: 'SQL', lines: authorization("Bearer ' OR '1'='1") },
  { name: 'a pattern', lines: authorization('Bearer .*') },
  { name: 'Proxy-Authorization', lines: header('Proxy-Authorization', `Bearer ${key}`) },
  { name: "Azure's header", lines: header('api-key', key) },
  { name: "a wrong key in Google's header", lines: header('x-goog-api-key', 'wrong') },
  {
    name: "Google's header twice",
    lines: [...header('x-goog-api-key', key), ...header('x-goog-api-key', key)],
  },
  { name: 'a cookie', lines: header('Cookie', `key=${key}; authorization=Bearer ${key}`) },
  { name: 'the query string', lines: [], query: `?api_key=${key}&access_token=${key}&KEY=${key}` },
  { name: 'the query string, twice', lines: [], query: `?key=${key}&key=${key}` },
  { name: 'a wrong key in the query string', lines: [], query: '?key=wrong' },
  { name: 'the body', lines: [], body: { key, api_key: key, authorization: `Bearer ${key}` } },
  { name: 'the secret of the instances', lines: authorization(`Bearer ${peerSecret}`) },
  { name: 'a signature of nobody', lines: header('x-dragoman-peer', `v1 0 x ${key}`) },
  { name: 'a claim to be the gateway itself', lines: header('x-forwarded-for', '127.0.0.1') },
]

/** Beside those of the table: each asks for something else than a route offers. */
export const otherMethods = [
  'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'PURGE', 'QUERY',
] as const // biome-ignore format: a list to be read as one

export const unknownPaths = [
  '/nowhere',
  '/v1/embeddings',
  '/v1/models/',
  '//v1/models',
  '/V1/models',
  '/v1/models%00',
  '/v1/../v1/models',
  '/healthz/',
  '/healthz/../v1/models',
  '/healthz;/v1/models',
  '/healthz%2f..%2fv1%2fmodels',
  '/api/hello/x',
  '/metrics/',
  '/internal/v1/turns/x',
  '/__proto__',
  '*',
]

/** Ways out of HTTP/1.1, which would lead past every check that is made for it. */
export const upgrades = [
  {
    name: 'WebSocket',
    lines: ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: eA=='],
  },
  { name: 'h2c', lines: ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'] },
  { name: 'TLS', lines: ['Upgrade: TLS/1.0'] },
]
