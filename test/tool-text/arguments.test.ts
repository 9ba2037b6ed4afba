// Arguments are parsed exactly or not at all: to the last digit, and never from truncated text.

import { describe, expect, it } from 'vitest'
import { ToolTextParser } from '../../src/protocols/tool-text/parse.ts'
import { TextTurnReader } from '../../src/protocols/tool-text/read.ts'
import { scaled } from '../depth.ts'
import { markup, parsed } from './documents.ts'

const tools = [
  {
    name: 'put',
    schema: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        limit: { type: 'integer' },
        text: { $ref: '#/$defs/text' },
        more: { type: 'object' },
      },
      $defs: { text: { type: 'string' } },
    },
  },
  {
    name: 'write_file',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path'],
    },
  },
]

const inputs = (text: string, cut = false) =>
  parsed([text], { tools, cut }).flatMap((piece) => (piece.type === 'call' ? [piece.input] : []))
const tagged = (json: string) => `<tool_call>${json}</tool_call>`
const coder = (name: string, values: Record<string, string>) =>
  `<function=${name}>\n${Object.entries(values)
    .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`)
    .join('')}</function>`

describe('numbers keep their digits', () => {
  const id = '12345678901234567890'
  it.each<[string, string, string]>([
    [
      'where another value is put right',
      tagged(`{"name": "put", "arguments": {"id": ${id}, "limit": "5"}}`),
      `{"id":${id},"limit":5}`,
    ],
    ['in a list of calls', tagged(`[{"name": "put", "arguments": {"id":${id}}}]`), `{"id":${id}}`],
    [
      'under tool_calls',
      tagged(`{"tool_calls": [{"name": "put", "arguments": {"id":${id}}}]}`),
      `{"id":${id}}`,
    ],
    ['in JSON that is put right', tagged(`{'name': 'put', 'arguments': {'id': ${id}}}`), `{"id":${id}}`],
    ['beside the name', tagged(`{"name": "put", "id": ${id}, "limit": "5"}`), `{"id":${id},"limit":5}`],
    ['in raw tags', coder('put', { id }), `{"id":${id}}`],
    ['inside of an object in raw tags', coder('put', { more: `{"id":${id}}` }), `{"more":{"id":${id}}}`],
  ])('%s', (_, text, input) => {
    expect(inputs(text)).toEqual([input])
  })
})

it('numbers keep their digits where text gets its own spelling back', () => {
  const reader = new TextTurnReader({
    markup,
    tools,
    salvage: true,
    turnId: 'turn_1',
    parallelCalls: true,
    callRequired: false,
    secondTry: false,
    unescape: (text) => text.replaceAll('&lt;', '<'),
    note: () => undefined,
  })
  const text = tagged('{"name": "put", "arguments": {"id":12345678901234567890,"text":"&lt;b>"}}')
  const events = reader.push([{ type: 'text-delta', block: 0, delta: text }])
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-call-end', input: '{"id":12345678901234567890,"text":"<b>"}' }),
  )
})

describe('values between tags', () => {
  it('a tag of a value that is given elsewhere is content', () => {
    const content = 'write\n<parameter=path> in front'
    expect(inputs(coder('write_file', { path: 'a', content }))).toEqual([
      JSON.stringify({ path: 'a', content }),
    ])
    expect(inputs(coder('write_file', { content, path: 'a' }))).toEqual([
      JSON.stringify({ content, path: 'a' }),
    ])
  })

  it('a mention of a call does not join two values', () => {
    const values = { path: '<function=x>', content: 'a </function> b' }
    expect(inputs(coder('write_file', values))).toEqual([JSON.stringify(values)])
  })

  it('text stays text where the schema says so elsewhere', () => {
    expect(inputs(coder('put', { text: '{"a": 1}' }))).toEqual([JSON.stringify({ text: '{"a": 1}' })])
  })
})

describe('a truncated call is not a call', () => {
  it.each([
    '<tool_call>{"name": "put"',
    '<tool_call>[{"name": "put"',
    '<function=put>\n<parameter=text>\na\n</parameter>\n<param',
    '<function=put>\n<parameter=text>\na\n</parameter>\n<',
    '<function=put><parameter=text>a</parameter><parameter=more>{}</parameter><para',
  ])('%j', (text) => {
    expect(inputs(text)).toEqual([])
    expect(inputs(text, true)).toEqual([])
  })

  it('a name alone is a call of a tool that needs nothing else', () => {
    expect(inputs(tagged('{"name": "put"}'))).toEqual(['{}'])
    expect(inputs(tagged('{"name": "write_file"}'))).toEqual([])
  })
})

describe('arguments that are nested too deeply are not a call', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const json = `{"limit": "5", "more": ${deep}}`
  it.each<[string, string]>([
    ['Hermes', tagged(`{"name": "put", "arguments": ${json}}`)],
    ['doubly encoded', tagged(JSON.stringify({ name: 'put', arguments: json }))],
    ['Mistral', `[TOOL_CALLS]put[ARGS]${json}`],
    ['JSON in a function tag', `<function=put>${json}</function>`],
  ])('%s', (_, text) => {
    expect(inputs(text).length).toBe(0)
  })
})

describe('models that repeat themselves', () => {
  const many = scaled(200_000, 40_000)
  const open = '<function=put><parameter=text>a'
  it.each([
    ['the closing tag of the function', '</function>'],
    ['the closing tag of the call', '</function></tool_call>'],
  ])('%s, over and over, is seen for what it is before the reply ends', (_, tag) => {
    const parser = new ToolTextParser({ markup, tools, salvage: true })
    const call = expect.objectContaining({ type: 'call', input: '{"text":"a"}' })
    expect(parser.push(open + tag.repeat(20))).toEqual([call])
    expect(parser.push(`${tag.repeat(many)} Done.`)).toEqual([{ type: 'text', text: 'Done.' }])
  })

  it('white space after closing tags', () => {
    expect(inputs(`${open}</function></tool_call>${' '.repeat(many)}`)).toHaveLength(1)
  })

  it('a comma and white space after a call, in small pieces', () => {
    const text = `<tool_call>{"name": "put", "arguments": {}},${' '.repeat(10 * many)}`
    const pieces = parsed(text.match(/.{1,64}/gs) ?? [], { tools })
    expect(pieces.map(({ type }) => type)).toEqual(['call', 'text'])
  })

  it('values that are never closed', () => {
    const values = Array.from({ length: many }, (_, at) => `\n<parameter=p${at}>x`).join('')
    const names = Array.from({ length: many }, (_, at) => [`p${at}`, { type: 'string' }])
    const wide = [{ name: 'put', schema: { type: 'object', properties: Object.fromEntries(names) } }]
    const [call] = parsed([`<function=put><parameter=a>x${values}</parameter></function>`], { tools: wide })
    expect(call).toMatchObject({ type: 'call', name: 'put' })
  })
})
