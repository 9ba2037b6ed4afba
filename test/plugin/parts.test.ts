// The plugin's parts by themselves.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import type { ListedModel } from '../../src/doors/models.ts'
import { leaseGateway } from '../../src/plugin/gateways.ts'
import { toHostModels } from '../../src/plugin/models.ts'
import { optionsSchema, parseOptions } from '../../src/plugin/options.ts'
import { anthropic, configured, cursor, openai } from '../../src/plugin/providers.ts'
import { createReport } from '../../src/plugin/report.ts'
import { backendSettings, inProcess } from '../../src/plugin/settings.ts'

const providers = [cursor, anthropic, openai, configured]
const environment = readEnvironment({ HOME: '/nowhere' })
const options = { prefix: 'cursor/', efforts: 'reasoning-effort' } as const
const model = (id: string, more: Partial<ListedModel> = {}): ListedModel => ({
  id: `cursor/${id}`,
  backend: 'cursor',
  displayName: 'GPT',
  ...more,
})

it('efforts are variants; what OpenCode would offer beside them is switched off', () => {
  const facts = { reasoning: true, efforts: ['low', 'xhigh'] as const }
  const models = toHostModels(
    [model('gpt', facts), model('gpt[effort=low]', facts), model('gpt[effort=low,fast=true]', facts)],
    options,
  )
  expect(Object.keys(models)).toEqual(['gpt', 'gpt[effort=low,fast=true]'])
  expect(models.gpt?.variants).toEqual({
    low: { reasoningEffort: 'low' },
    medium: { disabled: true },
    high: { disabled: true },
    xhigh: { reasoningEffort: 'xhigh' },
  })
  expect(models['gpt[effort=low,fast=true]']?.name).toBe('GPT (effort low, fast)')
})

it('a model that does not think, or says nothing of it, has no variants', () => {
  expect(toHostModels([model('gpt')], options).gpt).not.toHaveProperty('variants')
})

it('one gateway for the same settings, closed by the last who leaves', async () => {
  const settings = () =>
    backendSettings('openai', { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1' }, environment)
  const quiet = () => undefined
  const [one, two] = await Promise.all([leaseGateway(settings(), quiet), leaseGateway(settings(), quiet)])
  expect(two.gateway).toBe(one.gateway)
  await one.release()
  await one.release()
  const three = await leaseGateway(settings(), quiet)
  expect(three.gateway).toBe(one.gateway)
  await two.release()
  const health = async () => (await one.gateway.fetch(new Request('http://x/readyz'))).status
  expect(await health()).toBe(200)
  await three.release()
  expect(await health()).toBe(503)
  const four = await leaseGateway(settings(), quiet)
  expect(four.gateway).not.toBe(one.gateway)
  await four.release()
})

it('its log goes to a host that still runs', async () => {
  const backend = { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1' }
  const lines: string[] = []
  const lease = (name: string) =>
    leaseGateway(backendSettings('logged', backend, environment), () => lines.push(name))
  const [first, second] = [await lease('first'), await lease('second')]
  first.gateway.log.warn('one')
  await first.release()
  first.gateway.log.warn('two')
  await second.release()
  expect(lines).toEqual(['first', 'second'])
})

const configOf = (text: unknown) => parseConfig(JSON.stringify(text), { environment }).config

it('Bun runs go by HTTP/1.1 unless the user says otherwise', () => {
  const transportOf = (transport: string, isBun: boolean) => {
    const config = configOf({ auth: 'none', backends: { cursor: { kind: 'cursor', transport } } })
    return inProcess(config, isBun).backends.cursor
  }
  expect(transportOf('auto', true)).toMatchObject({ transport: 'sse' })
  expect(transportOf('http2', true)).toMatchObject({ transport: 'http2' })
  expect(transportOf('auto', false)).toMatchObject({ transport: 'auto' })
})

it('a gateway without a port has no peers', () => {
  const sessions = {
    redis: 'redis://127.0.0.1:6379',
    peerUrl: 'http://127.0.0.1:1',
    peerSecret: 'x'.repeat(32),
  }
  const config = configOf({ auth: 'none', sessions, backends: { cursor: { kind: 'cursor' } } })
  expect(inProcess(config).sessions).not.toHaveProperty('redis')
})

it('runs no tools, whatever the configuration says: OpenCode has its own', () => {
  const config = configOf({ auth: 'none', exec: { enabled: true }, backends: { cursor: { kind: 'cursor' } } })
  expect(inProcess(config).exec.enabled).toBe(false)
})

describe('docs/opencode.md', () => {
  const root = join(import.meta.dirname, '..', '..')
  const text = readFileSync(join(root, 'docs/opencode.md'), 'utf8')
  const cells = (heading: string) =>
    [...(text.split(heading)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+) \|/gm)].map(
      (row) => row[1] ?? '',
    )
  const spans = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((span) => span[1] ?? '')

  it('has every option and every provider', () => {
    expect(cells('## Options').flatMap(spans).toSorted()).toEqual(Object.keys(optionsSchema.shape).toSorted())
    expect(cells('## Providers').flatMap(spans)).toEqual(providers.map(({ id }) => id))
  })

  it('has every way to log in', () => {
    const methods = providers.flatMap(
      ({ methods }) =>
        methods?.({
          options: () => parseOptions({}),
          environment,
          report: createReport(undefined),
          signal: AbortSignal.abort(),
        }) ?? [],
    )
    for (const { label } of methods) expect(text).toContain(`"${label}"`)
  })

  it('quotes messages that the program has', () => {
    const sources = ['plugin/options', 'plugin/providers', 'plugin/settings', 'server/catalog']
      .concat(
        'plugin/opencode-2/setup',
        'credentials/api-key-source',
        'credentials/login-source',
        'config/load',
      )
      .map((name) => readFileSync(join(root, `src/${name}.ts`), 'utf8'))
      .join('\n')
    const pieces = cells('## When something is wrong')
      .flatMap(spans)
      .filter((span) => span.includes(' ') && !span.startsWith('opencode '))
      .flatMap((span) => span.replace(/^the API key /, '').split('…'))
      .map((piece) => piece.trim())
    expect(pieces.filter((piece) => piece !== '' && !sources.includes(piece))).toEqual([])
  })
})
