// The documentation matches the program: every code, key, default and quoted message.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configJsonSchema } from '../../src/config/schema.ts'
import { type ErrorCode, errorCodes, GatewayError } from '../../src/core/errors.ts'
import { openaiErrorBody } from '../../src/protocols/errors/openai-error.ts'
import { launchClientNames, setupClientNames } from '../../src/setup/client-names.ts'
import { setupClients } from '../../src/setup/clients.ts'
import { commandNames, optionsOf } from './command-source.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The cells of every table row, header and rule left out. */
const rows = (markdown: string) =>
  [...markdown.matchAll(/^\| (.*) \|$/gm)]
    .map((match) => (match[1] ?? '').split('|').map((cell) => cell.trim()))
    .filter(([first]) => first?.startsWith('`'))

const codeSpan = (cell: string | undefined) => /`([^`]+)`/.exec(cell ?? '')?.[1]

const section = (markdown: string, from: string, to?: string) =>
  markdown.slice(markdown.indexOf(from), to === undefined ? undefined : markdown.indexOf(to))

/** All that the program can say. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => read(join('src', file)))
  .join('\n')
  .replaceAll('\\', '')

describe('docs/errors.md', () => {
  const text = read('docs/errors.md')
  const documented = rows(section(text, '## Codes', '## From the text'))

  it('has every code, once, and no other', () => {
    expect(documented.map(([code]) => codeSpan(code)).sort()).toEqual([...errorCodes].sort())
  })

  it.each(documented)(
    '%s: status, type and code are those of the program',
    (code, status, type, wireCode) => {
      const error = new GatewayError(codeSpan(code) as ErrorCode, 'x')
      const body = (openaiErrorBody(error) as { error: { type: string; code: string | null } }).error
      expect([status, codeSpan(type), codeSpan(wireCode)]).toEqual([
        String(error.status),
        body.type,
        String(body.code),
      ])
      expect(code?.includes('↻')).toBe(error.retryable)
    },
  )

  it.each(documented)('%s: has a meaning and a remedy', (_code, _status, _type, _wire, means, remedy) => {
    expect(means?.length).toBeGreaterThan(10)
    expect(remedy?.length).toBeGreaterThan(5)
  })

  it('quotes messages that the program really has', () => {
    const gone = rows(section(text, '## From the text'))
      .flatMap(([quoted]) => [...(quoted ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
      // What is filled in at run time is not in the source.
      .map((message) => message.replace(/\bECONNREFUSED\b|\b32\b/, '…'))
      .flatMap((message) => message.split('…'))
      .map((piece) => piece.replace(/^[):]+/, '').trim())
      .filter((piece) => piece.length > 3 && !sources.includes(piece))
    expect(gone).toEqual([])
  })
})

type JsonSchema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  required?: string[]
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | false
  items?: JsonSchema
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
}

interface Key {
  type: string
  /** The default as JSON, `required`, or nothing. */
  value: string
}

/** The type cell of a key: `string`, `list of string`, `"auto"`, `"off"`. */
function typeOf(schema: JsonSchema): string {
  const inCode = (value: unknown) => `\`${JSON.stringify(value)}\``
  if (schema.const !== undefined) return inCode(schema.const)
  if (schema.enum) return schema.enum.map(inCode).join(', ')
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) {
    const isString = ({ type, const: fixed }: JsonSchema) => type === 'string' && fixed === undefined
    const own = branches.some(isString)
      ? branches.filter(({ const: fixed }) => fixed === undefined)
      : branches
    return [...new Set(own.map(typeOf))].join(' or ')
  }
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (schema.type !== 'object') return schema.type ?? ''
  const members = schema.additionalProperties
  if (!members || schema.properties) return 'object'
  return `map of ${members.type === 'object' || members.oneOf ? 'objects' : typeOf(members)}`
}

function keyOf(schema: JsonSchema, isRequired: boolean): Key {
  const type = typeOf(schema)
  if (schema.default !== undefined) return { type, value: `\`${JSON.stringify(schema.default)}\`` }
  return { type, value: isRequired ? 'required' : '' }
}

/** Every key of the schema: `listen.port`, `backends.NAME.kind`, `auth.keys[].key`. */
function keysOf(schema: JsonSchema, path = ''): Map<string, Key> {
  const found = new Map<string, Key>()
  const add = (more: Map<string, Key>) => {
    for (const [key, value] of more) found.set(key, found.get(key) ?? value)
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`
    add(new Map([[key, keyOf(child, schema.required?.includes(name) ?? false)]]))
    add(keysOf(child, key))
  }
  for (const branch of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) add(keysOf(branch, path))
  if (schema.items) add(keysOf(schema.items, `${path}[]`))
  if (schema.additionalProperties) add(keysOf(schema.additionalProperties, `${path}.NAME`))
  return found
}

describe('docs/configuration.md', () => {
  const text = read('docs/configuration.md')
  const schema = configJsonSchema() as JsonSchema
  const keys = keysOf(schema)
  const members = schema.properties?.backends?.additionalProperties
  // A kind with several providers has a section for each.
  const branches = (members ? (members.oneOf ?? []) : []).flatMap((kind) => kind.oneOf ?? [kind])
  const kinds = branches.map((kind) => ({
    name: String(kind.properties?.provider?.const ?? kind.properties?.kind?.const),
    keys: keysOf(kind),
  }))
  const kindSection = (name: string) => section(text, `\n### ${name}\n`).split(/\n(?=## |### )/)[1] ?? ''
  const documented = (part: string) =>
    rows(part).map(([key, type, value, means]): [string, Key & { means: string }] => [
      codeSpan(key) ?? '',
      { type: type ?? '', value: value ?? '', means: means ?? '' },
    ])
  const facts = (found: ReturnType<typeof documented>) =>
    Object.fromEntries(found.map(([key, { type, value }]) => [key, { type, value }]))

  it('has every key outside of backends, once, with its type and default, and no other', () => {
    const found = documented(
      kinds.reduce(
        (rest, { name }) => rest.replace(kindSection(name), ''),
        section(text, '# Configuration', '## Variables'),
      ),
    ).filter(([key]) => key !== 'models.NAME')
    expect(new Set(found.map(([key]) => key)).size).toBe(found.length)
    const expected = [...keys].filter(([key]) => !key.startsWith('backends.NAME.'))
    expect(facts(found)).toEqual(Object.fromEntries(expected))
  })

  it.each(kinds)('$name: has every key, once, with type, default and meaning, and no other', (kind) => {
    const found = documented(kindSection(kind.name))
    expect(new Set(found.map(([key]) => key)).size).toBe(found.length)
    expect(facts(found)).toEqual(Object.fromEntries(kind.keys))
    expect(found.filter(([, { means }]) => means.length < 10).map(([key]) => key)).toEqual([])
  })

  const examples = [...text.matchAll(/```jsonc\n(.*?)```/gs)].map((match) => match[1] ?? '')

  it('shows every key in an example', () => {
    const shown = examples.join('\n')
    const last = (key: string) =>
      key
        .split(/[.[\]]+/)
        .filter((part) => part !== '')
        .at(-1)
    const optional = ['$schema', 'sessions.reuse', 'sessions.idleMs', 'sessions.max']
    const missing = [...keys.keys()].filter(
      (key) => !optional.includes(key) && !shown.includes(`"${last(key)}"`),
    )
    expect(missing).toEqual([])
  })

  it('names every client that the program knows', () => {
    const known = [...read('src/doors/clients.ts').matchAll(/name: '([^']+)'/g)].map((match) => match[1])
    expect(known.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })
})

describe('docs/clients.md', () => {
  const text = read('docs/clients.md')

  it('has every client that can be set up, and no other', () => {
    const documented = rows(section(text, '# Clients', '## Options')).map(([client]) => codeSpan(client))
    expect(documented).toEqual([...setupClientNames])
  })

  it('has every option, and no other', () => {
    const documented = rows(section(text, '## Options', '## What it does')).map(([option]) =>
      codeSpan(option),
    )
    expect(documented.sort()).toEqual([...optionsOf('setup'), '--config'].sort())
  })
})

it('docs/clients.md has every client and option of launch, and docs/getting-started.md every option of init', () => {
  const text = section(read('docs/clients.md'), '## For one session', '## OpenCode')
  expect(optionsOf('launch').filter((option) => !text.includes(`\`${option}`))).toEqual([])
  const titles = launchClientNames.filter((name) => name !== 'env').map((name) => setupClients[name].title)
  const named = (title: string) => text.includes(title.replace(' Code CLI', '').replace(' CLI', ''))
  expect(titles.filter((title) => !named(title))).toEqual([])
  const init = read('docs/getting-started.md')
  expect(optionsOf('init').filter((option) => !init.includes(`${option}`))).toEqual([])
})

it('docs/commands.md has every command', () => {
  const text = read('docs/commands.md')
  expect(commandNames.length).toBeGreaterThan(10)
  expect(commandNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
})

describe('docs/troubleshooting.md', () => {
  const text = read('docs/troubleshooting.md')

  it('quotes messages that the program really has, where they are its own', () => {
    const own = [
      ...text.matchAll(/^\| (`.*?) \| (?:any|OpenAI clients) \|/gm),
      ...section(text, '## `dragoman setup`').matchAll(/^\| (`.*?) \|/gm),
    ]
    const pieces = own
      .flatMap((match) => [...(match[1] ?? '').matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? ''))
      .flatMap((message) => message.split('…'))
      .map((piece) => piece.replace(/^[):]+/, '').trim())
      .filter((piece) => piece.length > 3)
    expect(pieces.length).toBeGreaterThan(15)
    expect(pieces.filter((piece) => !sources.includes(piece))).toEqual([])
  })
})
