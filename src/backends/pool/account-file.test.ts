import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atTestEnd } from '../../../test/at-end.ts'
import { GatewayError } from '../../core/errors.ts'
import { AccountFile } from './account-file.ts'
import { Pools } from './create-pool.ts'

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-accounts-'))
  atTestEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const accounts = ['a', 'b'].map((name) => ({
  name,
  apiKey: `sk-canary-${name}-0123`,
  priority: 0,
  weight: 1,
}))
const box = { kind: 'openai', baseUrl: 'https://box.test/v1' }
const fail = (warning: string) => expect.fail(warning)

it('keeps what is known of an account over a restart, without its key', async () => {
  const folder = emptyFolder()
  const before = new AccountFile(folder, fail)
  const pool = new Pools(undefined, {}, before).create('box', { ...box, accounts })
  const error = new GatewayError('quota-exhausted', 'no', { retryAfterMs: 60_000 })
  pool.saw('a', error, { model: 'm', startedAt: Date.now() })
  await before.flush()
  const path = join(folder, 'accounts.json')
  expect(readFileSync(path, 'utf8')).not.toContain('canary')
  expect(statSync(path).mode & 0o077).toBe(0)
  const create = (from: typeof accounts) =>
    new Pools(undefined, {}, new AccountFile(folder, fail)).create('box', { ...box, accounts: from })
  expect(
    create(accounts)
      .views()
      .map(({ state }) => state),
  ).toEqual(['out-of-quota', 'ready'])
  const renewed = accounts.map((one) => ({ ...one, apiKey: `${one.apiKey}-new` }))
  expect(
    create(renewed)
      .views()
      .map(({ state }) => state),
  ).toEqual(['ready', 'ready'])
})

it('begins anew from a file that is none', () => {
  const folder = emptyFolder()
  for (const text of ['', '{', '[]', '{"x":1}', '{"box@a:x":"{}"}']) {
    writeFileSync(join(folder, 'accounts.json'), text)
    const pool = new Pools(undefined, {}, new AccountFile(folder, fail)).create('box', {
      ...box,
      accounts,
    })
    expect(pool.views().map(({ state }) => state)).toEqual(['ready', 'ready'])
  }
})

it('says that it cannot be written, and goes on', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'file'), '')
  const warnings: string[] = []
  const file = new AccountFile(join(folder, 'file', 'below'), (warning) => warnings.push(warning))
  file.set('a', 'b')
  await file.flush()
  expect([file.get('a'), warnings.length]).toEqual(['b', 1])
})
