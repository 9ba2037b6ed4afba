import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sealSecret } from './seal-secret.ts'

let folder: string
const warnings: string[] = []
const secretOf = (places: { shared?: string; file?: string }) =>
  Buffer.from(
    sealSecret({ shared: undefined, file: undefined, warn: (text) => warnings.push(text), ...places })(),
  ).toString('hex')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seal-'))
  warnings.length = 0
})
afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

describe('sealSecret', () => {
  it('is kept in a private file, for the next process too', () => {
    const file = join(folder, 'state', 'seal.key')
    const first = secretOf({ file })
    expect(secretOf({ file })).toBe(first)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'state'))).toEqual(['seal.key'])
    expect(first).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is that of all instances, where they share one', () => {
    expect(secretOf({ shared: 'of all', file: join(folder, 'seal.key') })).toBe(
      Buffer.from('of all').toString('hex'),
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('without a place it is of this process, and a file that cannot be used is told', () => {
    expect(secretOf({})).not.toBe(secretOf({}))
    expect(warnings).toEqual([])
    const file = join(folder, 'seal.key')
    writeFileSync(file, 'something else')
    expect(secretOf({ file })).not.toBe(secretOf({ file }))
    expect(warnings).toHaveLength(2)
  })
})
