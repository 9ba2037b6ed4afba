// Every code block of the documents is of a kind that a test checks as it stands.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCursorScript } from '../../sim/cursor.ts'
import { parseScript } from '../../sim/script.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { type Block, blocks, documents, root } from './doc-blocks.ts'

/** What becomes of the blocks of a language. */
const languages: Record<string, string> = {
  sh: 'doc-commands.test.ts: every command exists, with these options; doc-runs.test.ts runs ours; doc-answers.test.ts sends what curl sends',
  console: 'the same for what follows a prompt; doc-transcripts.test.ts compares what `setup` says',
  jsonc: 'here: a configuration that the gateway accepts',
  json: 'here: JSON; doc-answers.test.ts compares answers',
  jsonl: 'here: a script of a simulator; test/tapes/docs.test.ts: frames of a tape',
  js: 'doc-answers.test.ts runs it',
  nginx: 'deploy.test.ts finds it in deploy/nginx.conf',
  yaml: 'here: what it needs of the gateway',
  ts: 'not run: a sketch with a gap ("talk to sim.url"); sim/*.test.ts use each of its names',
  text: 'not run: output, a picture or what a model writes, no command and no configuration',
}

const named = (...wanted: string[]) =>
  blocks
    .filter(({ language }) => wanted.includes(language))
    .map((block): [string, Block] => [block.at, block])

it('there are blocks of every kind, and of no other', () => {
  expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(Object.keys(languages).sort())
  expect(blocks.length).toBeGreaterThan(100)
})

it('no indented block hides from the others', () => {
  const hidden = documents.filter((document) =>
    /\n\n {4}(?:dragoman|npm|curl|node|docker) /.test(readFileSync(join(root, document), 'utf8')),
  )
  expect(hidden).toEqual([])
})

describe('configurations', () => {
  it.each(named('jsonc'))('%s: is accepted', (_at, { text }) => {
    const variables = [...text.matchAll(/\{env:(\w+)\}/g)].map(([, name = '']) => [
      name,
      name.padEnd(40, '0'),
    ])
    const environment = readEnvironment({ HOME: '/nonexistent', ...Object.fromEntries(variables) })
    expect(() => parseConfig(text, { environment })).not.toThrow()
  })

  it('a wrong one is not', () => {
    const environment = readEnvironment({ HOME: '/nonexistent' })
    expect(() => parseConfig('{ "backends": { "a": { "kind": "cursr" } } }', { environment })).toThrow()
  })
})

describe('JSON', () => {
  it.each(named('json'))('%s: is JSON', (_at, { text }) => {
    expect(() => JSON.parse(text)).not.toThrow()
  })
})

describe('scripts', () => {
  const scripts = named('jsonl').filter(([, { document }]) => document === 'docs/simulators.md')

  it.each(scripts)('%s: can be played', (_at, { text }) => {
    const { kind } = JSON.parse(text.split('\n', 1)[0] ?? '')
    const parse = kind === 'cursor' ? parseCursorScript : parseScript
    expect(() => parse(text)).not.toThrow()
  })
})

it('the scrape of Prometheus is that of the defaults: port, and a file with a key', () => {
  const [[, { text }] = ['', { text: '' }]] = named('yaml')
  const { config } = parseConfig('{ "backends": { "c": { "kind": "cursor" } } }', {
    environment: readEnvironment({ HOME: '/nonexistent' }),
  })
  expect(text).toContain(`"127.0.0.1:${config.listen.port}"`)
  expect(text).toContain('authorization: { credentials_file:')
})

it.skipIf(process.platform === 'win32')('every shell block is a shell script', () => {
  const wrong = named('sh').flatMap(([at, { text }]) => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })
    return status === 0 ? [] : [`${at}: ${stderr}`]
  })
  expect(wrong).toEqual([])
})
