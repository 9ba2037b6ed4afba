import { describe, expect, it } from 'vitest'
import { findStrictExcess, findUnsupportedKeyword } from '../../../sim/anthropic/strict-schema.ts'
import { agentSchemas } from '../../../test/tool-schemas/agent-schemas.ts'
import { type NamedSchema, strictNote, toStrictTools } from './strict-tools.ts'

const tool = (name: string, properties: Record<string, unknown>, more = {}): NamedSchema => ({
  name,
  schema: { type: 'object', properties, ...more },
})
const text = { type: 'string' }
const strictNames = (tools: readonly NamedSchema[], form: 'openai' | 'cerebras' | 'xgrammar' | 'anthropic') =>
  (toStrictTools(tools, form)?.tools ?? []).flatMap(({ name, strict }) => (strict ? [name] : []))

const open = tool('open', { a: text }, { additionalProperties: true })
const plain = tool('plain', { a: text })
const empty = tool('empty', {})

it.each([
  ['openai', ['plain', 'empty']],
  ['cerebras', []],
  ['xgrammar', ['open', 'plain']],
  ['anthropic', ['plain', 'empty']],
] as const)('%s: which tools are strict', (form, expected) => {
  expect(strictNames([open, plain, empty], form)).toEqual(expected)
})

it('an unfit tool goes out as it is', () => {
  const made = toStrictTools([open, plain], 'openai')
  expect(made?.tools[0]).toEqual({ ...open, strict: false })
  expect(made && strictNote(made)).toBe(
    'strict was asked for 1 of 2 tools, 1 of them with a rewritten schema: the service holds the model to their schemas',
  )
})

it('two definitions of one name are not both strict on SGLang', () => {
  const using = (name: string, one: unknown) =>
    tool(name, { a: { $ref: '#/$defs/One' } }, { $defs: { One: one } })
  const tools = [using('first', text), using('second', { type: 'integer' }), using('third', text)]
  expect(strictNames(tools, 'xgrammar')).toEqual(['first', 'third'])
})

describe('Anthropic', () => {
  const many = (count: number, properties: Record<string, unknown>) =>
    Array.from({ length: count }, (_, at) => tool(`t${at}`, properties))

  it.each<[string, NamedSchema[], number]>([
    ['20 tools', many(30, {}), 20],
    ['24 optional parameters', many(10, { a: text, b: text, c: text, d: text, e: text }), 4],
    ['16 unions', many(10, { a: { type: ['string', 'null'] }, b: { type: ['string', 'null'] } }), 8],
  ])('%s at most', (_, tools, expected) => {
    const made = toStrictTools(tools, 'anthropic')
    expect(made?.count).toBe(expected)
    const schemas = (made?.tools ?? []).flatMap(({ schema, strict }) => (strict ? [schema] : []))
    expect([findStrictExcess(schemas), ...schemas.map(findUnsupportedKeyword)].filter(Boolean)).toEqual([])
  })

  it('the tools with the fewest optional parameters first', () => {
    const wide = tool('wide', Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`p${at}`, text])))
    expect(strictNames([wide, plain], 'anthropic')).toEqual(['plain'])
  })

  it('the tools of agents keep within the limits', () => {
    const tools = Object.entries(agentSchemas).map(([name, schema]) => ({ name, schema }))
    const schemas = (toStrictTools(tools, 'anthropic')?.tools ?? []).flatMap(({ schema, strict }) =>
      strict ? [schema] : [],
    )
    expect(schemas.length).toBeGreaterThan(5)
    expect(findStrictExcess(schemas)).toBeUndefined()
  })
})
