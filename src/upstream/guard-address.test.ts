import { describe, expect, it } from 'vitest'
import { createUpstreamClient } from './client.ts'
import { guardedLookup, isForbiddenAddress } from './guard-address.ts'

describe('isForbiddenAddress', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
  ])('%s', (address) => {
    expect(isForbiddenAddress(address)).toBe(true)
  })

  it.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', '1.1.1.1', '2606:4700::1111', 'example.com', ''])(
    'not %s',
    (address) => {
      expect(isForbiddenAddress(address)).toBe(false)
    },
  )
})

describe('base URLs', () => {
  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
  ])('%s is refused, however it is written', (url) => {
    expect(() => createUpstreamClient(url)).toThrow(/metadata/)
  })
})

describe('guardedLookup', () => {
  it('passes other names, in both forms of the answer', async () => {
    const one = await new Promise((resolve) =>
      guardedLookup('localhost', { family: 4 }, (_error, address) => resolve(address)),
    )
    expect(one).toBe('127.0.0.1')
    const all = await new Promise((resolve) =>
      guardedLookup('localhost', { family: 4, all: true }, (_error, addresses) => resolve(addresses)),
    )
    expect(all).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  it('refuses a name with a forbidden address', async () => {
    const error = await new Promise((resolve) =>
      guardedLookup('169.254.169.254', {}, (failure) => resolve(failure)),
    )
    expect(String(error)).toContain('metadata')
  })
})
