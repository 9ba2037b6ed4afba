import { describe, expect, it } from 'vitest'
import { CannotEdit } from './plan.ts'
import { editToml, tomlValue } from './toml-edit.ts'
import { scanToml } from './toml-scan.ts'

const wanted = [
  { path: [], values: { model: 'm/1', size: 5 } },
  { path: ['p', 'ours'], values: { url: 'http://x', args: ['a', 'b"c'] } },
]
const edit = (text: string) => editToml(text, wanted)

describe('editToml', () => {
  it('creates a new text', () => {
    expect(edit('')).toBe('model = "m/1"\nsize = 5\n\n[p.ours]\nurl = "http://x"\nargs = ["a", "b\\"c"]\n')
  })

  it('puts keys before the first table, tables at the end, and keeps the rest', () => {
    const text =
      '# my file\nmodel = "old" # why\n\n[p.other]   # theirs\nurl = "y"\n\n[mcp.x]\nargs = [\n  "-y", # yes\n  "[not.a.table]",\n]\ntext = """\nmodel = "no"\n[p.ours]\n"""\n'
    expect(edit(text)).toBe(
      `${text.replace('"old"', '"m/1"').replace('# why\n', '# why\nsize = 5\n')}\n[p.ours]\nurl = "http://x"\nargs = ["a", "b\\"c"]\n`,
    )
  })

  it('changes an existing table in place', () => {
    const text = '[p.ours]\n# kept\nurl = "old"\nmore = true\n\n[z]\na = 1\n'
    expect(edit(text)).toBe(
      'model = "m/1"\nsize = 5\n\n[p.ours]\n# kept\nurl = "http://x"\nmore = true\nargs = ["a", "b\\"c"]\n\n[z]\na = 1\n',
    )
  })

  it('changes nothing the second time', () => {
    expect(edit(edit('a = 1'))).toBe(edit('a = 1'))
  })

  it('keeps line ends, a byte order mark and a last line without an end', () => {
    expect(edit('\uFEFFa = 1\r\n[b]\r\nc = 2')).toBe(
      '\uFEFFa = 1\r\nmodel = "m/1"\r\nsize = 5\r\n[b]\r\nc = 2\r\n\r\n[p.ours]\r\nurl = "http://x"\r\nargs = ["a", "b\\"c"]\r\n',
    )
  })

  it('finds values by any spelling of their names', () => {
    expect(tomlValue('"model" = 1', ['model'])).toBe('1')
    expect(tomlValue("[ p . 'ours' ]\nurl=\t'x' # y", ['p', 'ours', 'url'])).toBe("'x'")
  })

  it.each([
    ['model = ', 'line 1'],
    ['model', 'line 1'],
    ['ok = 1\nmodel = "a', 'line 2'],
    ['a = 1 b = 2', 'line 1'],
    ['a = """never\nclosed', 'line 1'],
    ['a = [1, 2', 'line 1'],
    ['[p.ours\nurl = 1', 'line 1'],
    ['a = {x = 1', 'line 1'],
    ['this is no TOML', 'line 1'],
    ['a = 1\na = 2', '"a" stands there twice'],
    ['[a]\n[b]\n[a]', '"a" stands there twice'],
    ['p = { ours = { url = "x" } }', 'leaves no room'],
    ['p.ours.url = "x"', 'leaves no room'],
    ['p.other.url = "x"', 'leaves no room'],
    ['[p]\nours = { url = "x" }', 'leaves no room'],
    ['[p]\nours.url = "x"', 'leaves no room'],
    ['[[p]]\na = 1', 'leaves no room'],
    ['[[p.ours]]\nurl = "x"', 'leaves no room'],
    ['model = 5', '"model" is no plain value'],
    ['model = ["a"]', '"model" is no plain value'],
    ['model = """a"""', '"model" is no plain value'],
    ['[model]\na = 1', '"model" is no plain value'],
    ['model.a = 1', '"model" is no plain value'],
    ['[model.deep]\na = 1', '"model" is no plain value'],
    ['[p.ours.url]\na = 1', '"p.ours.url" is no plain value'],
  ])('refuses %j', (text, reason) => {
    expect(() => edit(text)).toThrow(CannotEdit)
    expect(() => edit(text)).toThrow(reason)
  })
})

it('scanToml finds the end of every kind of value', () => {
  const values = [
    '"a # b"',
    "'c:\\path'",
    '"""x\n" "" \\""""',
    "'''y\n'' '''",
    '-1.5e+3',
    'true',
    '1979-05-27 07:32:00Z',
    '1979-05-27T07:32:00-07:00',
    '[ [1, 2], ["]"], # c\n]',
    '{ a = 1, "b.c" = { d = "}" } }',
    '{}',
    '[]',
    'nan',
    '"""five"""""',
  ]
  const text = values.map((value, at) => `k${at} = ${value} # end\n`).join('')
  expect(scanToml(text).map(({ valueStart, valueEnd }) => text.slice(valueStart, valueEnd))).toEqual(values)
})
