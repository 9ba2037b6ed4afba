// Credentials of clouds, by the real libraries of AWS and Google against a metadata service on this machine.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type MetadataOptions, type MetadataSim, startMetadataSim } from '../../sim/clouds/metadata.ts'
import { atTestEnd } from '../../test/at-end.ts'
import { type AwsSettings, createAwsKeys } from './aws-keys.ts'
import { createGoogleToken, type GoogleSettings } from './google-token.ts'
import { RenewedCredential } from './renewed-credential.ts'

const hour = 3_600_000
let metadata: MetadataSim | undefined

afterEach(async () => {
  vi.unstubAllEnvs()
  await metadata?.close()
  metadata = undefined
})

async function onMachine(options: MetadataOptions): Promise<MetadataSim> {
  metadata = await startMetadataSim(options)
  for (const name of [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_PROFILE',
    'GOOGLE_APPLICATION_CREDENTIALS',
  ])
    vi.stubEnv(name, undefined)
  vi.stubEnv('HOME', '/nonexistent')
  vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', metadata.url)
  vi.stubEnv('GCE_METADATA_HOST', metadata.host)
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present')
  return metadata
}

const secrets: string[] = []
const keepSecret = (value: string) => secrets.push(value)
const aws = (more: Partial<AwsSettings> = {}) =>
  createAwsKeys({ backend: 'cloud', region: 'eu-west-1', variable: () => undefined, keepSecret, ...more })
const google = (more: Partial<GoogleSettings> = {}) =>
  createGoogleToken({ backend: 'cloud', project: 'mine', keepSecret, ...more })

/** AWS's file of credentials, in a new folder. `write` replaces it by one profile. */
function credentialsFile() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-aws-'))
  atTestEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'credentials')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file)
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'))
  const write = (profile: string, session: string) =>
    writeFileSync(
      file,
      `[${profile}]\naws_access_key_id = ASIAFILE\naws_secret_access_key = file-secret\naws_session_token = ${session}\n`,
    )
  return { write }
}

const role = { accessKeyId: 'ASIAROLE', secretAccessKey: 'role-secret', sessionToken: 'role-session' }

describe('AWS', () => {
  it('takes the role of the machine, and asks once for all waiters', async () => {
    const { asked } = await onMachine({ role: () => role })
    const keys = await aws()
    expect(asked).toEqual([])
    const got = await Promise.all([keys.get(), keys.get(), keys.get()])
    expect(got).toEqual([role, role, role])
    expect(asked.filter((path) => path.endsWith('/the-role'))).toHaveLength(1)
    expect(secrets).toEqual(expect.arrayContaining(['role-secret', 'role-session']))
  })

  it('loads anew what the service refused', async () => {
    let session = 'first'
    await onMachine({ role: () => ({ ...role, sessionToken: session }) })
    const keys = await aws()
    const first = await keys.get()
    session = 'second'
    expect(keys.reject(first)).toBe(true)
    const second = await keys.get()
    expect(second.sessionToken).toBe('second')
    // Another request had the first keys, too: it is sent again with the second ones.
    expect(keys.reject(first)).toBe(true)
    expect(await keys.get()).toBe(second)
  })

  it.each([
    ['a named profile', 'work', 'work'],
    ['the default profile', undefined, 'default'],
  ])('reads %s again, for keys that the service refused', async (_, profile, section) => {
    await onMachine({})
    const { write } = credentialsFile()
    write(section, 'first')
    const keys = await aws({ profile })
    const first = await keys.get()
    write(section, 'second')
    expect(await keys.get()).toBe(first)
    expect([first.sessionToken, keys.reject(first)]).toEqual(['first', true])
    expect((await keys.get()).sessionToken).toBe('second')
  })

  it('finds a profile that was written after the first request', async () => {
    await onMachine({})
    const { write } = credentialsFile()
    const keys = await aws({ profile: 'work' })
    await expect(keys.get()).rejects.toThrow('could not be loaded')
    write('work', 'first')
    expect((await keys.get()).sessionToken).toBe('first')
  })

  it('says where to look if the metadata service hangs', async () => {
    await onMachine({ hangs: true })
    const keys = await aws({ timeoutMs: 50 })
    await expect(keys.get()).rejects.toMatchObject({
      code: 'upstream-credential',
      message:
        'cloud: the source of the AWS credentials did not answer within 0.05 s; check the role of this machine, the variables AWS_…, or name a "profile".',
    })
  })

  it('says where to look if a profile does not exist', async () => {
    await onMachine({})
    const keys = await aws({ profile: 'work' })
    await expect(keys.get()).rejects.toMatchObject({
      message: expect.stringContaining('the AWS credentials could not be loaded; check the profile "work"'),
      upstream: { excerpt: expect.stringContaining('Could not load credentials') },
    })
  })

  it('takes configured keys, then those of the environment unless a profile is named, without the library', async () => {
    const loadLibrary = () => Promise.reject(new Error('absent'))
    const environment: Record<string, string> = { AWS_ACCESS_KEY_ID: 'AKIAENV', AWS_SECRET_ACCESS_KEY: 's' }
    const variable = (name: string) => environment[name]
    const own = await aws({ accessKeyId: 'AKIAOWN', secretAccessKey: 'o', variable, loadLibrary })
    expect((await own.get()).accessKeyId).toBe('AKIAOWN')
    const found = await aws({ variable, loadLibrary })
    expect(await found.get()).toEqual({ accessKeyId: 'AKIAENV', secretAccessKey: 's' })
    await expect(aws({ variable, profile: 'work', loadLibrary })).rejects.toThrow(
      'backends.cloud: the credentials of a profile or role need the package @aws-sdk/credential-provider-node, which is not installed beside the gateway. Install it: npm install @aws-sdk/credential-provider-node@3',
    )
  })
})

describe('Google', () => {
  it('takes the service account of the machine, and asks once for all waiters', async () => {
    const { asked } = await onMachine({ token: () => ({ token: 'ya29.machine', expiresInSeconds: 3_600 }) })
    const source = await google()
    const got = await Promise.all([source.get(), source.get()])
    expect(got.map(({ token }) => token)).toEqual(['ya29.machine', 'ya29.machine'])
    expect(asked.filter((path) => path.includes('/token'))).toHaveLength(1)
    expect(secrets).toContain('ya29.machine')
  })

  it('loads anew what the service refused', async () => {
    let token = 'ya29.one'
    await onMachine({ token: () => ({ token, expiresInSeconds: 3_600 }) })
    const source = await google()
    const first = await source.get()
    token = 'ya29.two'
    expect(source.reject(first)).toBe(true)
    expect((await source.get()).token).toBe('ya29.two')
  })

  it('says where to look if the metadata service hangs, or a key file is missing', async () => {
    await onMachine({ hangs: true })
    await expect((await google({ timeoutMs: 50 })).get()).rejects.toThrow('did not answer within 0.05 s')
    await expect((await google({ keyFile: '/nonexistent.json' })).get()).rejects.toThrow(
      'check the key file "/nonexistent.json"',
    )
  })

  it('needs the library, except for a fixed token', async () => {
    const loadLibrary = () => Promise.reject(new Error('absent'))
    const fixed = await google({ accessToken: 'ya29.fixed', loadLibrary })
    expect(await fixed.get()).toEqual({ token: 'ya29.fixed' })
    await expect(google({ loadLibrary })).rejects.toThrow('npm install google-auth-library@10')
  })
})

describe('renewal', () => {
  function renewing(lifetimes: (number | Error)[]) {
    let now = 1_000_000
    let loads = 0
    const credential = new RenewedCredential({
      backend: 'cloud',
      what: 'credentials',
      remedy: 'renew them',
      now: () => now,
      load: async () => {
        const next = lifetimes[loads++]
        if (next instanceof Error) throw next
        return { value: loads, expiresAt: next === undefined ? undefined : now + next }
      },
    })
    return { credential, pass: (ms: number) => (now += ms), loads: () => loads }
  }

  it('comes five minutes before the end', async () => {
    const { credential, pass } = renewing([hour, hour])
    expect(await credential.get()).toBe(1)
    pass(hour - 5 * 60_000 - 1)
    expect(await credential.get()).toBe(1)
    pass(1)
    expect(await credential.get()).toBe(2)
  })

  it('is not repeated for every request of a short lifetime', async () => {
    const { credential, pass, loads } = renewing([60_000, 60_000])
    await credential.get()
    pass(29_000)
    await credential.get()
    expect(loads()).toBe(1)
  })

  it('that fails leaves the old one while it lasts, and no longer', async () => {
    const { credential, pass } = renewing([hour, new Error('no'), new Error('no')])
    await credential.get()
    pass(hour - 4 * 60_000)
    expect(await credential.get()).toBe(1)
    pass(4 * 60_000)
    await expect(credential.get()).rejects.toThrow('cloud: the credentials could not be loaded; renew them.')
  })

  it('that brings expired credentials says so', async () => {
    const { credential } = renewing([-1])
    await expect(credential.get()).rejects.toThrow('cloud: the credentials have expired; renew them.')
  })
})
