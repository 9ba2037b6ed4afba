// Whatever stands in a client's file: it keeps its values and comments beside what is added, and comes back to the byte.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Node, parseTree } from 'jsonc-parser'
import { afterAll, expect, it } from 'vitest'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import { applyChange, undoEntry } from './apply.ts'
import type { SetupClientName } from './client-names.ts'
import { setupClients } from './clients.ts'
import { openJournal } from './journal.ts'
import { NotUnderstood } from './plan.ts'
import { scanToml } from './toml-scan.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-any-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const path = join(folder, 'file')
const key = { text: 'dgm_abcdefgh', file: undefined, needed: true }
const model = { id: 'a/b', contextTokens: 5 }

/** What set-up makes of it, or nothing if it is refused. */
function changed(name: SetupClientName, text: string): string | undefined {
  try {
    const { files } = setupClients[name].plan({
      url: 'http://127.0.0.1:1',
      key,
      model,
      models: [model],
      home: '/h',
      configHome: '/h',
      projectFolder: '/p',
      project: false,
      plugin: undefined,
      shell: 'sh',
      system: 'linux',
      variable: () => undefined,
      exists: () => true,
      read: () => text,
    })
    const file = files.at(-1)
    if (!file) throw new Error('one file was expected')
    return file.after
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined
    throw error
  }
}

/** Set up and taken back. Gives what it was between. */
function roundTrip(name: SetupClientName, text: string): string | undefined {
  const after = changed(name, text)
  if (after === undefined) return undefined
  writeFileSync(path, text)
  const journal = openJournal(join(folder, 'data'))
  applyChange(
    journal,
    { path, before: text, after },
    { client: name, project: undefined, secret: undefined, now: new Date(0) },
  )
  expect(readFileSync(path, 'utf8')).toBe(after)
  const [entry] = journal.entries()
  if (entry) undoEntry(journal, entry)
  expect(readFileSync(path, 'utf8')).toBe(text)
  return after
}

const name = fc.constantFrom(
  'env',
  'model',
  'name',
  'provider',
  'providers',
  'models',
  'dragoman',
  'options',
  'plugin',
  'a',
  '',
  '__proto__',
  'ü"',
)
const leaf = fc.oneof(
  fc.constantFrom('1', 'true', 'null', '-1.5e3'),
  fc.string().map((text) => JSON.stringify(text)),
)
const gap = fc.constantFrom('', ' ', '\n', '\r\n\t', ' // c\n', '/* d */', ' // c, "e": 1\n', '\n  ')
const { value, object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(', ')}]`),
  ),
  object: fc
    .tuple(
      fc.array(fc.tuple(gap, name, gap, tie('value'), gap), { maxLength: 4 }),
      fc.constantFrom('', ','),
      gap,
    )
    .map(([members, comma, end]) => {
      const inner = members.map(([a, key, b, inside, c]) => `${a}${JSON.stringify(key)}:${b}${inside}${c}`)
      return `{${inner.join(',')}${inner.length > 0 ? comma : ''}${end}}`
    }),
}))
const jsonText = fc.tuple(fc.constantFrom('', '\uFEFF'), gap, value, gap).map((parts) => parts.join(''))

const strangers = fc
  .tuple(gap, object, gap)
  .map((parts) => parts.join(''))
  .filter((text) => !/"(?:env|models?|providers?)"/.test(text))

/** Every leaf with its way, duplicates too. */
function leaves(node: Node | undefined, way: string[] = []): [string, unknown][] {
  if (!node) return []
  const children = node.children ?? []
  if (node.type === 'array') return children.flatMap((child, at) => leaves(child, [...way, String(at)]))
  if (node.type === 'object')
    return children.flatMap((property) =>
      leaves(property.children?.[1], [...way, String(property.children?.[0]?.value)]),
    )
  return [[JSON.stringify(way), node.value]]
}
const leavesOf = (text: string) =>
  leaves(parseTree(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }))
const count = (text: string, part: string) => text.split(part).length

const jsonClients = [
  'opencode',
  'claude-code',
  'qwen-code',
  'cline',
  'pi',
  'kilo',
  'grok-cli',
  'crush',
] as const

/** What set-up may change in a file, by the way to it. */
const commonJson = /"(?:env|model|provider|modelProviders|security|apiKeyHelper|\$version)"/
const ownJson = new Map<string, RegExp>([
  ['cline', /^\["(?:version|lastUsedProvider|modelSettings)"|^\["providers","openai-compatible"/],
  ['pi', /^\["providers","dragoman"/],
  ['crush', /^\["providers","dragoman"|^\["models","(?:large|small)"/],
])

it.each(jsonClients)('%s: any JSON with comments', (client) => {
  const runs = fuzzShare(0.3)
  let taken = 0
  fc.assert(
    fc.property(jsonText, (text) => {
      const after = roundTrip(client, text)
      if (after === undefined) return
      taken++
      const now = leavesOf(after)
      const set = ownJson.get(client) ?? commonJson
      for (const [way, was] of leavesOf(text)) if (!set.test(way)) expect(now).toContainEqual([way, was])
      // Claude Code ignores a file with comments: its own has none afterwards.
      if (client === 'claude-code') JSON.parse(after.replace('\uFEFF', ''))
      else for (const comment of ['// c', '/* d */']) expect(count(after, comment)).toBe(count(text, comment))
    }),
    runs,
  )
  expect(taken / runs.numRuns).toBeGreaterThan(20 / 300)
})

it.each(jsonClients)('%s: JSON without its names is accepted', (client) => {
  fc.assert(
    fc.property(strangers, (text) => void expect(changed(client, text)).toBeTypeOf('string')),
    fuzzShare(0.2),
  )
})

const bare = fc.constantFrom(
  'model',
  'model_provider',
  'model_providers',
  'dragoman',
  'base_url',
  'a',
  'b-1',
  '"q.x"',
  "'l'",
)
const dotted = fc.array(bare, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))
const tomlLeaf = fc.constantFrom(
  '1',
  'true',
  '"s # t"',
  "'l'",
  '"""\n[x]\nmodel = 1\n"""',
  '[\n 1, # c\n "]",\n]',
  '{ a = 1, b = "}" }',
  '1979-05-27',
)
const eol = fc.constantFrom('\n', '\n\n', ' # c\n', '\r\n')
const statement = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(dotted, tomlLeaf, eol).map(([key, one, end]) => `${key} = ${one}${end}`) },
  { weight: 2, arbitrary: fc.tuple(dotted, eol).map(([key, end]) => `[${key}]${end}`) },
  { weight: 1, arbitrary: fc.tuple(dotted, eol).map(([key, end]) => `[[${key}]]${end}`) },
  { weight: 1, arbitrary: fc.constantFrom('# comment\n', '\n', 'broken\n') },
)
const tomlText = fc
  .tuple(fc.array(statement, { maxLength: 6 }), fc.constantFrom('', 'last = 1', '# end'))
  .map(([all, last]) => [...all, last].join(''))

const ownToml = {
  codex: /^(?:model|model_provider|model_catalog_json|model_context_window|model_providers\ndragoman\n\w+)$/,
  kimi: /^(?:default_model|(?:providers|models)\ndragoman\n\w+)$/,
  'grok-build': /^(?:models\ndefault|model\ndragoman\n\w+)$/,
}

it.each(['codex', 'kimi', 'grok-build'] as const)('%s: any TOML', (client) => {
  const runs = fuzzShare(0.5)
  let taken = 0
  fc.assert(
    fc.property(tomlText, (text) => {
      const after = roundTrip(client, text)
      if (after === undefined) return
      taken++
      const values = (toml: string) =>
        scanToml(toml)
          .filter(({ kind }) => kind === 'pair')
          .map(({ path: way, valueStart, valueEnd }) => [way.join('\n'), toml.slice(valueStart, valueEnd)])
      const now = values(after)
      const set = ownToml[client]
      for (const [way, was] of values(text))
        if (!set.test(String(way))) expect(now).toContainEqual([way, was])
      expect(count(after, '# c')).toBe(count(text, '# c'))
    }),
    runs,
  )
  expect(taken / runs.numRuns).toBeGreaterThan(50 / 500)
})

it.each([...jsonClients, 'codex', 'kimi', 'grok-build', 'continue'] as const)('%s: any text', (client) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]"\':,=#\n\r\t -a1.&*|') }),
      (text) => void roundTrip(client, text),
    ),
    fuzzShare(0.3),
  )
})

it.each([
  ['codex', `a = "${'x'.repeat(2e7)}"\n`],
  ['codex', `a = ${'['.repeat(1e5)}${']'.repeat(1e5)}\n`],
  ['opencode', `{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`],
] as const)('%s: what is too much to be read is left alone', (client, text) => {
  expect(changed(client, text)).toBeUndefined()
})
