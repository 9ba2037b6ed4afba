// Changes of a backend's settings in a configuration that people write by hand.

import { describe, expect, it } from 'vitest'
import { jsonValue } from './json-edit.ts'
import { type BackendChange, editBackend } from './own-config.ts'
import { CannotEdit } from './plan.ts'

const file = `// mine
{
  "backends": {
    // the box under the desk
    "box": {
      "kind": "openai", // vLLM
      "baseUrl": "http://127.0.0.1:8000/v1",
      "tools": "text", /* it has no parser */
      // for coders
      "toolText": { "formats": { "*coder*": "xml" } } // see the docs
    },
    "other": { "kind": "anthropic", "apiKey": "{env:KEY}" },
  },
}
`

const edit = (text: string, ...changes: BackendChange[]) => editBackend(text, 'box', changes)

describe('a setting', () => {
  it('is set in its place', () => {
    expect(edit(file, { path: ['tools'], value: 'native' })).toBe(
      file.replace('"tools": "text"', '"tools": "native"'),
    )
  })

  it('is added behind the others', () => {
    expect(edit(file, { path: ['strict'], value: 'on' })).toBe(
      file.replace('} } // see the docs', '} }, // see the docs\n      "strict": "on"'),
    )
    const after = edit(file, { path: ['calls', 'check'], value: 'retry' })
    expect(jsonValue(after, ['backends', 'box', 'calls'])).toEqual({ check: 'retry' })
  })

  it('is removed with its line and the comma before it, and all other comments stay', () => {
    expect(edit(file, { path: ['toolText'] })).toBe(
      file
        .replace('      "toolText": { "formats": { "*coder*": "xml" } } // see the docs\n', '')
        .replace('"tools": "text",', '"tools": "text"'),
    )
    expect(edit(file, { path: ['kind'] })).toBe(file.replace('      "kind": "openai", // vLLM\n', ''))
  })

  it.each([
    ['{"backends":{"box":{"a":1,"b":2}}}', 'a', '{"backends":{"box":{"b":2}}}'],
    ['{"backends":{"box":{"a":1,"b":2}}}', 'b', '{"backends":{"box":{"a":1}}}'],
    ['{"backends":{"box":{ "a": 1, "b": 2, "c": 3 }}}', 'b', '{"backends":{"box":{ "a": 1, "c": 3 }}}'],
    ['{"backends":{"box":{ "a": 1 }}}', 'a', '{"backends":{"box":{ }}}'],
    [
      '{"backends":{"box":{\r\n\t"a": 1,\r\n\t"b": 2,\r\n}}}',
      'b',
      '{"backends":{"box":{\r\n\t"a": 1,\r\n}}}',
    ],
    ['\uFEFF{"backends":{"box":{"a":1}}}', 'none', '\uFEFF{"backends":{"box":{"a":1}}}'],
  ])('is removed from %j', (text, name, expected) => {
    expect(edit(text, { path: [name] })).toBe(expected)
  })
})

describe('a row that must count', () => {
  const row = (value: string): BackendChange => ({
    path: ['toolText', 'formats', 'qwen-coder'],
    value,
    isFirst: true,
  })

  it('goes before the patterns that would fit as well', () => {
    const after = edit(file, row('json'))
    expect(after).toBe(file.replace('{ "*coder*"', '{ "qwen-coder": "json", "*coder*"'))
    const lines = file.replace(
      '{ "*coder*": "xml" }',
      '{\n          // all\n          "*coder*": "xml"\n        }',
    )
    expect(edit(lines, row('json'))).toBe(
      lines.replace('{\n          // all', '{\n          "qwen-coder": "json",\n          // all'),
    )
  })

  it('replaces its own, wherever that stood', () => {
    const own = file.replace('"*coder*": "xml"', '"*coder*": "xml", "qwen-coder": "xml"')
    expect(edit(own, row('json'))).toBe(file.replace('{ "*coder*"', '{ "qwen-coder": "json", "*coder*"'))
    const first = file.replace('"*coder*"', '"qwen-coder": "xml", "*coder*"')
    expect(edit(first, row('json'))).toBe(first.replace('"qwen-coder": "xml"', '"qwen-coder": "json"'))
  })

  it('creates its table', () => {
    const after = edit('{ "backends": { "box": { "tools": "text" } } }', row('xml'))
    expect(jsonValue(after, ['backends', 'box', 'toolText', 'formats'])).toEqual({ 'qwen-coder': 'xml' })
  })
})

it('refuses what cannot be changed safely', () => {
  const twice = '{"backends":{"box":{"tools":"text","tools":"text"}}}'
  expect(() => edit(twice, { path: ['tools'], value: 'native' })).toThrow(CannotEdit)
  expect(() => edit(twice, { path: ['tools'] })).toThrow(CannotEdit)
  expect(() => edit('{"backends":["box"]}', { path: ['tools'], value: 'native' })).toThrow(CannotEdit)
})
