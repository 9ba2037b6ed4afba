import { describe, expect, it } from 'vitest'
import { readLenientJson } from './lenient-json.ts'

const read = (text: string) => {
  const json = readLenientJson(text)
  return json && { value: json.value, complete: json.complete, changes: json.changes }
}
const closed = (value: unknown, ...changes: string[]) => ({ value, complete: 'closed', changes })
const unclosed = (value: unknown, ...changes: string[]) => ({
  value,
  complete: 'unclosed',
  changes: [...changes, 'missing closing brackets'],
})

describe('repairs', () => {
  it.each<[string, unknown, ...string[]]>([
    ['{"a":"x\ny"}', { a: 'x\ny' }, 'raw line breaks in strings'],
    ['{"a":"x\r\n\\n"}', { a: 'x\r\n\n' }, 'raw line breaks in strings'],
    ['{"a":"x\ty\u0001"}', { a: 'x\ty\u0001' }, 'raw control characters in strings'],
    ['{"a":1,}', { a: 1 }, 'trailing commas'],
    ['{"a":[1,2,],}', { a: [1, 2] }, 'trailing commas'],
    ['{"a":1\n"b":2}', { a: 1, b: 2 }, 'missing commas'],
    ['{"a":"x"\n"b":2}', { a: 'x', b: 2 }, 'missing commas'],
    ['["a"\n"b"]', ['a', 'b'], 'missing commas'],
    ['{"a":{} "b":2}', { a: {}, b: 2 }, 'missing commas'],
    ["{'a': 'b'}", { a: 'b' }, 'single-quoted strings'],
    ["{'a': 'say \"b\"'}", { a: 'say "b"' }, 'single-quoted strings'],
    ["{'a': 'it\\'s'}", { a: "it's" }, 'single-quoted strings', 'bad escapes'],
    ["{'a': 'it's'}", { a: "it's" }, 'single-quoted strings', 'unescaped quotes in strings'],
    ['{a: 1, b_2: "x"}', { a: 1, b_2: 'x' }, 'unquoted keys'],
    ['{"a": True, "b": [False, None]}', { a: true, b: [false, null] }, 'Python literals'],
    ['{"a": // why\n 1, /* and */ "b": 2}', { a: 1, b: 2 }, 'comments'],
    ['{"a": "x" // why\n}', { a: 'x' }, 'comments'],
    ['{"a": "// no comment /* here"}', { a: '// no comment /* here' }],
    ['{“a”: “b ‘c’”}', { a: 'b ‘c’' }, 'typographic quotes'],
    ['{"a": “b”, "c": "“d”"}', { a: 'b', c: '“d”' }, 'typographic quotes'],
    ['{"a": """x\n"y" """}', { a: 'x\n"y" ' }, 'triple-quoted strings', 'raw line breaks in strings'],
    ['{"a": .5, "b": +3, "c": 5.}', { a: 0.5, b: 3, c: 5 }, 'numbers in another notation'],
    ['{"a":\u00a01}', { a: 1 }, 'unusual white space'],
    ['{"__proto__": 1,}', JSON.parse('{"__proto__":1}'), 'trailing commas'],
  ])('%j', (text, value, ...changes) => {
    expect(read(text)).toEqual(closed(value, ...changes))
  })
})

describe('escapes keep their meaning', () => {
  it.each<[string, string]>([
    [String.raw`{"a":"\d+\.\w"}`, String.raw`\d+\.\w`],
    [String.raw`{"a":"echo \$HOME"}`, String.raw`echo \$HOME`],
    [String.raw`{"a":"C:\Users\me"}`, String.raw`C:\Users\me`],
    [String.raw`{"a":"it\'s"}`, "it's"],
    [String.raw`{"a":"echo 'it'\''s'"}`, String.raw`echo 'it'\''s'`],
    [String.raw`{"a":"\x41\x4"}`, String.raw`A\x4`],
    [String.raw`{"a":"\u00e9\u12 \$"}`, String.raw`é\u12 \$`],
    [String.raw`{"a":"\033[0m"}`, String.raw`\033[0m`],
    ['{"a":"make \\\n  all"}', 'make \\\n  all'],
  ])('%j', (text, value) => {
    expect(readLenientJson(text)).toMatchObject({ value: { a: value }, complete: 'closed' })
    expect(readLenientJson(text)?.changes).toContain('bad escapes')
  })
})

describe('unescaped quotes', () => {
  it.each<[string, unknown]>([
    ['{"a":"say "hi" ok","b":1}', { a: 'say "hi" ok', b: 1 }],
    ['{"a":"5" tall","b":2}', { a: '5" tall', b: 2 }],
    ['{"a":"f("x", "y")","b":1}', { a: 'f("x", "y")', b: 1 }],
    ['{"a":["say "hi" ok","b"]}', { a: ['say "hi" ok', 'b'] }],
    ['{"code":"if (a == "x") { b = "y"}"}', { code: 'if (a == "x") { b = "y"}' }],
    ['{"a":{"b":"x = {"k": "v"}; y"}}', { a: { b: 'x = {"k": "v"}; y' } }],
    ['{a: "say "hi", b", b: 1}', { a: 'say "hi", b', b: 1 }],
    ['["say "hi"}; there"]', ['say "hi"}; there']],
    ['{"a":"he said" "b": no","c":1}', { a: 'he said" "b": no', c: 1 }],
    ['{"a":"<p class="b">"c"</p>"}', { a: '<p class="b">"c"</p>' }],
    ['{"a":"print("x")\nprint("y")\n","b":1}', { a: 'print("x")\nprint("y")\n', b: 1 }],
  ])('%j', (text, value) => {
    const json = readLenientJson(text)
    expect(json).toMatchObject({ value, complete: 'closed' })
    expect(json?.changes).toContain('unescaped quotes in strings')
  })

  it.each([
    '{"body":"{"name":"x","n":1}","b":1}',
    '{"name":"f","arguments":{"body":"{"name":"x","n":1}","b":1}}',
  ])('%s could be read in two ways, and is in none', (text) => {
    expect(readLenientJson(text)).toBeUndefined()
  })

  it('doubts one at the end of the text if there are others', () => {
    expect(read('{"cmd":"echo "a" "')).toMatchObject({ value: undefined, complete: 'cut' })
  })
})

describe('the end of the text', () => {
  it.each<[string, unknown]>([
    ['{"a":"x"', { a: 'x' }],
    ['{"a":[1,2]', { a: [1, 2] }],
    ['{"a":{"b":[{"c":"d"', { a: { b: [{ c: 'd' }] } }],
    ['{"a":{}  \n', { a: {} }],
    ['{"a":1 ', { a: 1 }],
    ['{"a":["x"}', { a: ['x'] }],
  ])('%j lacks nothing but closers', (text, value) => {
    expect(read(text)).toEqual(unclosed(value))
  })

  it.each([
    '{',
    '[',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a": ',
    '{"a":"x',
    '{"a":"x\\',
    '{"a":"x\\u00',
    '{"a":12',
    '{"a":-',
    '{"a":1e',
    '{"a":tru',
    '{"a":true',
    '{"a":Non',
    '{"a":1,',
    '{"a":"x", ',
    '{"a":1, "b',
    '{"a":"x" /',
    '{"a":"x" // y}',
    '{"a":"x" /* y}',
    "{'a': 'x",
    '{"a":"""x"',
  ])('%j was cut, and gives no value', (text) => {
    expect(readLenientJson(text)).toMatchObject({
      value: undefined,
      text: '',
      complete: 'cut',
      end: text.length,
    })
  })

  it('stops before surplus closing brackets', () => {
    expect(readLenientJson('  {"a":1}}}')).toMatchObject({ value: { a: 1 }, complete: 'closed', end: 9 })
    expect(readLenientJson('{"a":1}]')).toMatchObject({ complete: 'closed', end: 7 })
  })

  it('begins at the given position', () => {
    expect(readLenientJson('x {"a":1,} y', 1)).toMatchObject({ value: { a: 1 }, end: 10 })
  })
})

describe('refusals', () => {
  it.each([
    '',
    'null',
    '"a"',
    'x {"a":1}',
    '{"a": NaN}',
    '{"a": undefined}',
    '{"a": hello}',
    '{"a": 2024-01-01}',
    '{"a": 01}',
    '{"a" 1}',
    '{"a":}',
    '{"a":1]',
    '{,}',
    '[1,,2]',
    '[1 2]',
    '{"a","b"}',
    '{"a":1}'.padStart(7 + 129, '[').padEnd(7 + 2 * 129, ']'),
  ])('%j', (text) => {
    expect(readLenientJson(text)).toBeUndefined()
  })
})

it('keeps the source of numbers', () => {
  expect(readLenientJson('{"a": 12345678901234567890, "b": 1.0,}')?.text).toBe(
    '{"a":12345678901234567890,"b":1.0}',
  )
})
