import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atTestEnd } from '../../test/at-end.ts'
import { isObject } from '../base/json.ts'
import { privatePaths } from '../cli/private-paths.ts'
import { readEnvironment } from './environment.ts'
import { loadConfig } from './load.ts'
import { ownPaths } from './own-paths.ts'
import { configJsonSchema, configSchema } from './schema.ts'

/** Every place of the schema that takes a free string; `*` is any name, `[]` any element. */
function textSettings(schema: unknown, at = ''): string[] {
  if (!isObject(schema)) return []
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].filter(Array.isArray).flat()
  const under = (name: string) => (at === '' ? name : `${at}.${name}`)
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const found = [
    ...alternatives.flatMap((one) => textSettings(one, at)),
    ...properties.flatMap(([name, one]) => textSettings(one, under(name))),
    ...textSettings(schema.additionalProperties, under('*')),
    ...textSettings(schema.items, `${at}[]`),
  ]
  const isText = schema.type === 'string' && schema.enum === undefined && schema.const === undefined
  return [...new Set(isText ? [at, ...found] : found)]
}

/** Paths that the gateway keeps or trusts: hidden from local tools. */
const hidden = ['backends.*.connect.ca', 'backends.*.keyFile', 'sessions.redis', 'tapes.folder']
/** Folders that local tools may see. */
const shown = ['exec.root', 'exec.readable[]']
const noPaths = [
  '$schema',
  'allow.hosts[]',
  'allow.origins[]',
  'auth.keys[].accounts[]',
  'auth.keys[].key',
  'auth.keys[].name',
  'backends.*.accessKeyId',
  'backends.*.accessToken',
  'backends.*.accounts[].accessToken',
  'backends.*.accounts[].apiKey',
  'backends.*.accounts[].headers.*',
  'backends.*.accounts[].models[]',
  'backends.*.accounts[].name',
  'backends.*.apiKey',
  'backends.*.authHeader',
  'backends.*.baseUrl',
  'backends.*.clientType',
  'backends.*.clientVersion',
  'backends.*.connect.proxy',
  'backends.*.cookie',
  'backends.*.headers.*',
  'backends.*.models[]',
  'backends.*.profile',
  'backends.*.project',
  'backends.*.query.*',
  'backends.*.region',
  'backends.*.secretAccessKey',
  'backends.*.sessionToken',
  'backends.*.token',
  'backends.*.toolText.tag',
  'backends.*.userAgent',
  'backends.*.version',
  'backends.*.websiteUrl',
  // Sent to the service, never opened.
  'backends.*.workspace',
  'lacks.fetch.models[]',
  'lacks.images.describedBy',
  'lacks.images.models[]',
  'lacks.search.apiKey',
  'lacks.search.baseUrl',
  'lacks.search.models[]',
  'listen.host',
  'models.*',
  'models.*[]',
  'models.*[].use',
  'models.*[].use[]',
  'models.*[].when.client',
  'models.*[].when.inputTokens',
  'models.*[].when.key',
  'sessions.peerSecret',
  'sessions.peerUrl',
  'telemetry.endpoint',
  'telemetry.headers.*',
  'telemetry.serviceName',
]

it('classifies every string setting as a path or not', () => {
  expect(textSettings(configJsonSchema()).sort()).toEqual([...hidden, ...shown, ...noPaths].sort())
})

it('lists every path that belongs to the gateway', () => {
  const config = configSchema.parse({
    backends: {
      one: { kind: 'openai', baseUrl: 'https://x.test/v1', connect: { ca: '/a/ca.pem' } },
      two: { kind: 'cursor' },
      three: {
        kind: 'anthropic',
        provider: 'vertex',
        region: 'global',
        project: 'mine',
        models: ['claude-opus-5'],
        keyFile: '/a/key.json',
      },
    },
    sessions: { redis: 'unix:///a/redis%20one.sock' },
    tapes: { folder: '/a/tapes' },
  })
  expect(ownPaths(config).sort()).toEqual(['/a/ca.pem', '/a/key.json', '/a/redis one.sock', '/a/tapes'])
  expect(hidden).toHaveLength(4)
})

it.each([
  ['tapes', (folder: string) => join(folder, 'tapes')],
  ['~/tapes', (_folder: string, home: string) => join(home, 'tapes')],
  ['/elsewhere/tapes', () => '/elsewhere/tapes'],
])('a tape folder %s is relative to the file, and hidden', (written, place) => {
  const home = mkdtempSync(join(tmpdir(), 'dragoman-own-'))
  atTestEnd(() => rmSync(home, { recursive: true, force: true }))
  const folder = mkdtempSync(join(home, 'project-'))
  const file = join(folder, 'dragoman.jsonc')
  const secret = join(folder, 'secret')
  writeFileSync(secret, 'x-secret-x')
  const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: '{file:secret}' }
  writeFileSync(file, JSON.stringify({ backends: { openai }, tapes: { folder: written } }))
  const environment = readEnvironment({ HOME: home, NODE_EXTRA_CA_CERTS: '/extra/ca.pem' })
  const loaded = loadConfig(file, environment)
  const tapes = place(folder, home)
  expect(loaded.config.tapes.folder).toBe(tapes)
  const known = [file, secret, tapes, '/extra/ca.pem']
  const { dataFolder, stateFolder, userConfigFile } = environment
  expect(privatePaths(loaded, environment).sort()).toEqual(
    [...known, dataFolder, stateFolder, join(userConfigFile, '..')].sort(),
  )
})
