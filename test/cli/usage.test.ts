// `dragoman usage`: what the usage record says, by model, client, key and day.

import { beforeAll, describe, expect, it } from 'vitest'
import { Home } from './program.ts'

const home = new Home()
const hourMs = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString()

const record = (hours: number, more: Record<string, unknown> = {}) => ({
  ...{ time: ago(hours), turn: 'turn_1', key: 'desk', client: 'codex', model: 'box/small', backend: 'box' },
  ...{ outcome: 'stop', calls: 0, inputTokens: 1_000_000, outputTokens: 100_000, milliseconds: 5, ...more },
})

const lines = (...records: unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')

beforeAll(() => {
  const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: '{env:NOT_SET}' }
  home.write('config/dragoman/config.jsonc', {
    backends: { box },
    prices: { 'box/small': { input: 2, output: 10, cacheRead: 0.5 } },
  })
  const cached = { cacheReadTokens: 400_000, reasoningTokens: 30_000, calls: 2, outcome: 'tool-calls' }
  home.write('state/dragoman/usage.jsonl.1', lines(record(24 * 30), record(60, cached)))
  home.write(
    'state/dragoman/usage.jsonl',
    `${lines(
      record(2, { key: 'lab', client: undefined, outcome: 'rate-limited', inputTokens: 0, outputTokens: 0 }),
      record(1, { model: 'box/large', estimated: true }),
    )}{"time":"torn`,
  )
})

describe.concurrent('as lines', () => {
  it('sums by model, with cache and reasoning apart, costs and their source', async () => {
    const { code, stdout, stderr } = await home.run(['usage'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^1 lines of .* could not be read/)
    const table = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
    expect(table[0]).toEqual(
      ['MODEL', 'TURNS', 'CALLS', 'ERRORS', 'INPUT', 'CACHE READ', 'CACHE WRITE', 'OUTPUT', 'REASONING', 'COST'], // biome-ignore format: a row
    )
    // 600,000 fresh and 400,000 cached tokens in, 100,000 out: 1.2 + 0.2 + 1 dollars.
    expect(table).toContainEqual([
      'box/small',
      '2',
      '2',
      '1',
      '1.0M',
      '400k',
      '0',
      '100k',
      '30.0k',
      '$2.40 +',
    ])
    expect(table).toContainEqual(['box/large', '1', '0', '0', '1.0M', '0', '0', '100k', '0', 'unknown'])
    expect(stdout).toContain('The cost does not contain 1 turn without a price, 1 turn without usage.')
    expect(stdout).toContain('box/small: $2.00 in, $10.00 out per million tokens (configuration)')
    expect(stdout).not.toContain('\x1b')
  })

  it('draws bars by day, in the signs that the terminal has', async () => {
    const plain = await home.run(['usage', '--by', 'day'])
    expect(plain.stdout).toMatch(/^\d{4}-\d\d-\d\d {2}#+ 1\.1M$/m)
    const blocks = await home.run(['usage', '--by', 'day'], { env: { LANG: 'C.UTF-8', FORCE_COLOR: '1' } })
    expect(blocks.stdout).toContain('█\x1b[39m 1.1M\n')
  })

  it('says where the record would be, if there is none', async () => {
    const empty = new Home()
    const { code, stdout } = await empty.run(['usage', '--since', '24h'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      `No turn in the last 24h: \`dragoman serve\` writes the record in ${empty.path('state')}`,
    )
  })
})

describe.concurrent('as JSON', () => {
  it.each<[string, string[]]>([
    ['client', ['codex', 'unknown']],
    ['key', ['desk', 'lab']],
  ])('by %s', async (by, names) => {
    const { stdout } = await home.run(['usage', '--json', '--by', by, '--since', '4w'])
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      by,
      unreadable: 1,
      total: { turns: 3, errors: 1, inputTokens: 2_000_000 },
    })
    expect(report.groups.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(report.prices).toMatchObject([{ model: 'box/small', input: 2, source: 'configuration' }])
  })
})
