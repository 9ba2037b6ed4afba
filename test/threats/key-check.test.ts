// The key check with ten thousand malformed headers.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { GatewayError } from '../../src/core/errors.ts'
import type { Exchange } from '../../src/http/exchange.ts'
import { createGuard } from '../../src/http/guard.ts'
import { exchangeBytes, expectNothingStray, hostLine } from '../end-to-end/wire.ts'
import { anyCharacter } from '../fuzz/any-character.ts'
import { fuzz } from '../fuzz/settings.ts'
import { fuzzedHeaders, key } from './cases/keys.ts'
import { allowedOrigin as origin, useLockedBench } from './gateways.ts'
import { pipelined, requestBytes } from './pipeline.ts'

const compared: number[] = []
const { timingSafeEqual } = crypto
beforeAll(() => {
  crypto.timingSafeEqual = (a, b) => {
    compared.push(a.byteLength, b.byteLength)
    return timingSafeEqual(a, b)
  }
  syncBuiltinESMExports()
})
afterAll(() => {
  crypto.timingSafeEqual = timingSafeEqual
  syncBuiltinESMExports()
})
afterEach(() => {
  compared.length = 0
})

expectNothingStray()
const bench = useLockedBench()

const perConnection = 500

/** What HTTP allows in a header, as Latin-1. */
const byte = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0x21, max: 0x7e }) },
  fc.integer({ min: 0x80, max: 0xff }),
  fc.constantFrom(0x09, 0x20),
)
const bytes = fc.array(byte, { maxLength: 80 }).map((codes) => String.fromCharCode(...codes))
const nearKey = fc
  .tuple(fc.nat({ max: key.length - 1 }), bytes)
  .map(([at, text]) => key.slice(0, at) + text + key.slice(at + 1))
const value = fc.oneof(
  bytes,
  bytes.map((text) => `Bearer ${text}`),
  nearKey.map((text) => `Bearer ${text}`),
  fc.constantFrom(
    key,
    `Bearer\t${key}`,
    `Bearer\u00a0${key}`,
    `Basic ${key}`,
    `Bearer ${key}${key}`,
    'Bearer',
  ),
)

const isKey = (header: string) => /^\s*Bearer +(\S+) *$/i.exec(header)?.[1] === key

it(`${fuzzedHeaders} Authorization headers over the wire: always 401`, async () => {
  const settings = { numRuns: fuzzedHeaders, ...(fuzz.seed === undefined ? {} : { seed: fuzz.seed }) }
  const values = fc.sample(value, settings).filter((text) => !isKey(text))
  const requests = values.map((text, at) =>
    requestBytes('GET', '/v1/models', [
      hostLine(bench.url),
      at % 5 === 0 ? `x-api-key: ${text.trim() === key ? '' : text}` : `Authorization: ${text}`,
    ]),
  )
  const statuses = new Map<number, number>()
  for (let at = 0; at < requests.length; at += perConnection) {
    const answers = await pipelined(bench.url, requests.slice(at, at + perConnection))
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect([...statuses]).toEqual([[401, values.length]])
  bench.logs.length = 0
})

it('bytes that no header may hold: 400 by HTTP itself', async () => {
  for (const code of [0x00, 0x01, 0x0b, 0x0d, 0x1f, 0x7f]) {
    const head = `GET /v1/models HTTP/1.1\r\n${hostLine(bench.url)}\r\nAuthorization: Bearer `
    const sent = Buffer.concat([Buffer.from(head), Buffer.from([code]), Buffer.from(`${key}\r\n\r\n`)])
    expect([code, (await exchangeBytes(bench.url, [sent])).status]).toEqual([code, 400])
  }
})

describe('the comparison', () => {
  const keys = ['first-key-of-three', key, 'x'.repeat(500)].map((one, at) => ({ name: `key${at}`, key: one }))
  const guard = createGuard({ hosts: [], origins: [origin], keys })
  const exchange = (headers: Record<string, string>) =>
    ({
      inProcess: false,
      ambiguousHost: false,
      ambiguousKey: false,
      header: (name: string) => headers[name],
    }) as unknown as Exchange

  function outcome(run: () => unknown): unknown {
    try {
      return run()
    } catch (error) {
      if (error instanceof GatewayError) return error.code
      throw error
    }
  }

  // Not a timing test: it counts that no comparison is skipped.
  it.each([
    ['nothing in common', 'z'],
    ['all but the last character', key.slice(0, -1)],
    ['the first key', 'first-key-of-three'],
    ['the second key', key],
    ['something long', 'y'.repeat(10_000)],
  ])('%s: every key is compared, by digests of one length', (_name, presented) => {
    outcome(() =>
      guard.authenticate(exchange({ authorization: `Bearer ${presented}`, 'x-api-key': 'other' })),
    )
    expect(compared).toEqual(Array.from({ length: keys.length * 2 * 2 }, () => 32))
  })

  it('a key in quotes is told so, whichever it is', () => {
    const said = (header: string) => () => guard.authenticate(exchange({ 'x-api-key': header }))
    for (const wrong of [key, 'another'])
      expect(said(`"${wrong}"`)).toThrow('It has quotes around it: send it without.')
    expect(said('another')).not.toThrow('quotes')
  })

  const anything = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string().map((text) => `Bearer ${text}`),
    fc.constantFrom(key, `Bearer ${key}\n`, `Bearer\u00a0${key}`, 'Bearer'),
    fc.string({ unit: 'grapheme', maxLength: 3000 }),
  )

  it('any Host and Origin: refused, and only by an error of ours', () => {
    const served = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$/i
    fc.assert(
      fc.property(anything, anything, (host, from) => {
        const found = outcome(() => guard.checkHost(exchange({ host })))
        expect(found).toBe(served.test(host) ? undefined : 'misdirected')
        const page = outcome(() => guard.checkOrigin(exchange({ origin: from })))
        expect(page).toBe(from === origin ? undefined : 'forbidden')
      }),
      fuzz,
    )
  })
})
