// Calls and text that only resembles calls, in every markup, complete and broken. Each text is parsed in three chunkings.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolTextParser } from '../../src/protocols/tool-text/parse.ts'
import type { Piece } from '../../src/protocols/tool-text/pieces.ts'
import { fuzz } from '../fuzz/settings.ts'
import { documents, inPieces, type Manner, markup, ownMarkup, parsed, tools } from './documents.ts'

function read(text: string, manner?: Manner): Piece[] {
  const whole = parsed([text], manner)
  expect(parsed(inPieces(text, [1]), manner)).toEqual(whole)
  expect(parsed(inPieces(text, [3, 7]), manner)).toEqual(whole)
  return whole
}

const call = (name: string, input: unknown) => ({ name, input })

/** Calls as name and parsed arguments. */
const callsIn = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => (piece.type === 'call' ? [call(piece.name, JSON.parse(piece.input))] : []))
const textIn = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('')
const changesIn = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => (piece.type === 'call' ? piece.changes : []))

const hermes = (name: string, input: unknown) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`
const coder = (name: string, values: Record<string, string>) =>
  [
    '<tool_call>',
    `<function=${name}>`,
    ...Object.entries(values).flatMap(([key, value]) => [`<parameter=${key}>`, value, '</parameter>']),
    '</function>',
    '</tool_call>',
  ].join('\n')

const readA = call('read', { path: 'a' })
const readB = call('read', { path: 'b' })
const json = '{"name": "read", "arguments": {"path": "a"}}'

describe('a call of read, as models write it', () => {
  it.each<[string, string]>([
    ['Hermes', `<tool_call>\n${json}\n</tool_call>`],
    ['Hermes on one line', `<tool_call>${json}</tool_call>`],
    ['Hermes in a fence inside the tag', `<tool_call>\n\`\`\`json\n${json}\n\`\`\`\n</tool_call>`],
    ['Qwen3-Coder', coder('read', { path: 'a' })],
    [
      'Qwen3-Coder without line ends',
      '<tool_call><function=read><parameter=path>a</parameter></function></tool_call>',
    ],
    ['Qwen3-Coder without the tag', '<function=read>\n<parameter=path>\na\n</parameter>\n</function>'],
    [
      'Qwen3-Coder with only the closing tag',
      '<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>',
    ],
    ['JSON in a function tag', '<function=read>{"path": "a"}</function>'],
    ['GLM', '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>'],
    [
      'invoke',
      '<function_calls>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>',
    ],
    ['invoke without a wrapper', '<invoke name="read"><parameter name="path">a</parameter></invoke>'],
    [
      'MiniMax',
      '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    [
      'DSML',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    ['Mistral, a list', `[TOOL_CALLS] [${json}]`],
    ['Mistral, named', '[TOOL_CALLS]read[ARGS]{"path": "a"}'],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    [
      'DeepSeek V3',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    [
      'DeepSeek V3.1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    ['Llama 3', `<|python_tag|>${json.replace('arguments', 'parameters')}`],
    ['Granite', `<|tool_call|>[${json}]`],
    ['Hunyuan', `<tool_calls>[${json}]</tool_calls>`],
    ['InternLM', `<|action_start|><|plugin|>${json}<|action_end|>`],
    ['bare JSON', json],
    ['bare JSON after text', `I will look.\n\n${json}\n`],
    ['fenced JSON', `I will look.\n\`\`\`json\n${json}\n\`\`\`\n`],
    ['bare JSON with only the closing tag', `${json}\n</tool_call>`],
  ])('%s', (_, text) => {
    const pieces = read(text)
    expect(callsIn(pieces)).toEqual([readA])
    expect(textIn(pieces)).not.toMatch(/[<{[`]/)
  })
})

describe('no call', () => {
  const block = `<tool_call>${json}</tool_call>`
  it.each<[string, string]>([
    ['a mention of the tag', 'You write a <tool_call> tag, e.g. like this. Then </tool_call> closes it.'],
    ['a mention of the tag in braces', 'The form is <tool_call>{...}</tool_call> and no other.'],
    ['in a fence', `An example:\n\`\`\`\n${block}\n\`\`\`\nThat was it.`],
    ['in a fence with a language', `\`\`\`xml\n${block}\n\`\`\``],
    ['in a fence of tildes', `~~~\n${block}\n~~~\n`],
    ['in a longer fence that holds a shorter one', `\`\`\`\`md\n\`\`\`\n\`\`\`\n${block}\n\`\`\`\`\n`],
    ['in a fence that is never closed', `\`\`\`\n${block}`],
    ['in inline code', `Write \`${block}\` to read.`],
    ['in inline code of two backticks', `Write \`\`a\`${block}\`\` to read.`],
    ['in quotes', `It said "${block}" to me.`],
    ['in quotes with words', `It said "please use ${block} for it".`],
    ['in typographic quotes', `It said “${block}” to me.`],
    ['in a quoted line', `> ${block}\n`],
    ['a mention of a function tag', 'Use <function=read> to read.'],
    ['a function tag of an unknown tool', '<function=nothing>\n<parameter=a>\n1\n</parameter>\n</function>'],
    ['bare JSON of an unknown tool', '{"name": "nothing", "arguments": {}}'],
    ['bare JSON in the middle', `${json}\nis how a call looks.`],
    ['fenced JSON in the middle', `\`\`\`json\n${json}\n\`\`\`\nis how a call looks.`],
    ['other JSON', '{"title": "read", "arguments": {"path": "a"}}'],
    ['a list of numbers', '[1, 2, 3]'],
    ['plain prose', 'Nothing to do here: 1 < 2, a[0] and {x}.\n\n    indented\n'],
    ['html', '<div class="a"><tool>x</tool></div>'],
  ])('%s: the text comes through byte for byte', (_, text) => {
    expect(read(text)).toEqual([{ type: 'text', text }])
  })

  it('in thinking', () => {
    const pieces = read(`<think>I could ${hermes('read', { path: '/' })}</think>\nDone.`)
    expect(callsIn(pieces)).toEqual([])
    expect(textIn(pieces)).toBe('Done.')
    expect(pieces[0]).toMatchObject({ type: 'reasoning' })
  })

  it('bare JSON that repeats what the model was shown', () => {
    expect(callsIn(parsed([json], { salvage: false }))).toEqual([])
  })
})

describe('text around a call', () => {
  it('text before, between and after calls is kept', () => {
    const pieces = read(
      `First.\n${hermes('read', { path: 'a' })}\nThen.\n${hermes('read', { path: 'b' })}\nLast.`,
    )
    expect(callsIn(pieces)).toEqual([readA, readB])
    expect(textIn(pieces)).toBe('First.\nThen.\nLast.')
  })

  it('repeated calls are kept', () => {
    const text = hermes('read', { path: 'a' })
    expect(callsIn(read(`${text}\n${text}`))).toEqual([readA, readA])
  })

  it('several objects in one tag', () => {
    expect(callsIn(read(`<tool_call>\n${json}\n${json.replace('"a"', '"b"')}\n</tool_call>`))).toEqual([
      readA,
      readB,
    ])
    expect(callsIn(read(`<tool_call>[${json}, ${json.replace('"a"', '"b"')}]</tool_call>`))).toEqual([
      readA,
      readB,
    ])
  })

  it('closed fences, inline code and quotes hide nothing after them', () => {
    const text = `Do \`x\` as "said":\n\`\`\`\ncode\n\`\`\`\n${hermes('read', { path: 'a' })}`
    expect(callsIn(read(text))).toEqual([readA])
  })

  it('results that the model makes up are cut', () => {
    const made = `${hermes('read', { path: 'a' })}\n<tool_response>\nfine\n</tool_response>\nSo it is fine.`
    expect(read(made)).toEqual([expect.objectContaining({ type: 'call' })])
    expect(read(`${hermes('read', { path: 'a' })}\nObservation: fine`)).toHaveLength(1)
  })

  it('thinking that never ends, with a call at its very end, was a call', () => {
    expect(callsIn(read(`<think>Let me look.\n${hermes('read', { path: 'a' })}`))).toEqual([readA])
    expect(callsIn(read(`<think>${hermes('read', { path: 'a' })} is what I could do`))).toEqual([])
    expect(callsIn(read(`<think>${hermes('read', { path: 'a' })}`, { cut: true }))).toEqual([])
  })

  it('another tag, in another format', () => {
    const own = coder('read', { path: 'a' }).replaceAll('tool_call>', 'use_tool>')
    expect(callsIn(read(own, { markup: ownMarkup }))).toEqual([readA])
    expect(callsIn(read(`<use_tool>${json}</use_tool>`, { markup: ownMarkup }))).toEqual([readA])
  })
})

/** What files hold. */
const contents: [string, string][] = [
  ['closing tags', 'a </tool_call> b\n</tool_call>\nc </think> d'],
  ['opening tags', '<tool_call>\n<tools>\n<tool_response>'],
  ['a whole call', hermes('read', { path: 'x' })],
  ['fences', '```json\n{"a": 1}\n```\n'],
  ['braces and quotes', 'if (a) { b["c"] = \'d\' } // }}}'],
  ['leading and trailing line ends', '\n\n  first\n\nlast\n\n'],
  ['indentation', '    def f():\n\treturn 1\n'],
  ['emoji and other planes', '🙂 𐀀 é ﷽'],
  ['CRLF', 'a\r\nb\r\n'],
  ['entities', '&lt;b&gt; &amp;amp;'],
  ['escapes', 'C:\\new\\table "quoted" \\" \\\\'],
  ['control characters', 'a\u0000b\u001bc'],
  ['things that look like other types', '007'],
  ['null', 'null'],
  ['nothing', ''],
]

describe('the content of files survives', () => {
  it.each(contents)('%s, in JSON', (_, content) => {
    const pieces = read(`Now.\n${hermes('write_file', { path: 'a', content })}\nDone.`)
    expect(callsIn(pieces)).toEqual([call('write_file', { path: 'a', content })])
    expect(changesIn(pieces)).toEqual([])
    expect(textIn(pieces)).toBe('Now.\nDone.')
  })

  it.each([
    ...contents.filter(([name]) => name !== 'control characters'),
    ['a closing parameter tag', 'a </parameter> b'],
    ['a closing function tag', 'a </function> b </function>\nc'],
    ['an opening parameter tag', 'use <parameter=path> for it'],
    ['a whole call in the same form', coder('read', { path: 'x' })],
  ] as [string, string][])('%s, in raw tags', (_, content) => {
    const pieces = read(`Now.\n${coder('write_file', { path: 'a', content })}\nDone.`)
    expect(callsIn(pieces)).toEqual([call('write_file', { path: 'a', content })])
    expect(textIn(pieces)).toBe('Now.\nDone.')
  })
})

describe('what models get wrong', () => {
  const wrong: [string, string, string?][] = [
    ['no closing tag', `<tool_call>\n${json}`],
    ['the closing tag of thinking', `<tool_call>\n${json}\n</think>`],
    ['a brace too many', `<tool_call>\n${json}}\n</tool_call>`],
    ['a brace too few', `<tool_call>\n${json.slice(0, -1)}\n</tool_call>`, 'missing closing brackets'],
    ['a brace too few and no closing tag', `<tool_call>\n${json.slice(0, -1)}`, 'missing closing brackets'],
    ['a trailing comma', `<tool_call>${json.replace('"a"', '"a",')}</tool_call>`, 'comma'],
    ['single quotes', `<tool_call>${json.replaceAll('"', "'")}</tool_call>`, 'quote'],
    [
      'doubly encoded arguments',
      `<tool_call>{"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>`,
      'doubly',
    ],
    ['other keys', '<tool_call>{"tool": "read", "parameters": {"path": "a"}}</tool_call>', 'parameters'],
    [
      'the shape of the API',
      '<tool_call>{"type": "function", "function": {"name": "read", "arguments": {"path": "a"}}}</tool_call>',
    ],
    ['arguments beside the name', '<tool_call>{"name": "read", "path": "a"}</tool_call>', 'beside'],
    [
      'another spelling of the name',
      '<tool_call>{"name": "functions.Read", "arguments": {"path": "a"}}</tool_call>',
      'was read as',
    ],
    [
      'a closing parameter tag too few',
      '<tool_call>\n<function=read>\n<parameter=path>\na\n</function>\n</tool_call>',
    ],
  ]
  it.each(wrong)('%s', (_, text, change) => {
    const pieces = read(text)
    expect(callsIn(pieces)).toEqual([readA])
    if (change !== undefined) expect(changesIn(pieces).join()).toContain(change)
  })

  it('raw line breaks and unescaped quotes in a string', () => {
    const text =
      '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "say "hi"\nto 5" all"}}\n</tool_call>\nDone.'
    const pieces = read(text)
    expect(callsIn(pieces)).toEqual([call('write_file', { path: 'a', content: 'say "hi"\nto 5" all' })])
    expect(textIn(pieces)).toBe('Done.')
  })

  it('a value without its closing tag in the middle', () => {
    const text = coder('write_file', { path: 'a', content: 'b' }).replace('a\n</parameter>\n', 'a\n')
    expect(callsIn(read(text))).toEqual([call('write_file', { path: 'a', content: 'b' })])
  })

  it('types that the schema tells', () => {
    expect(callsIn(read(coder('read', { path: '5', limit: '5' })))).toEqual([
      call('read', { path: '5', limit: 5 }),
    ])
    const pieces = read(hermes('read', { path: '5', limit: '5' }))
    expect(callsIn(pieces)).toEqual([call('read', { path: '5', limit: 5 })])
    expect(changesIn(pieces)).toHaveLength(1)
  })

  it('an unknown name in a tag is passed on', () => {
    expect(callsIn(read(hermes('nothing', { a: 1 })))).toEqual([call('nothing', { a: 1 })])
  })

  it('a tag that closes itself', () => {
    const pieces = read('Now.\n<invoke name="read"/>')
    expect(pieces.map(({ type }) => type)).toEqual(['text', 'call'])
    expect(callsIn(pieces)).toEqual([call('read', {})])
    expect(callsIn(read('<invoke name="read"/>', { cut: true }))).toEqual([call('read', {})])
  })

  it('valid arguments are unchanged', () => {
    const text =
      '<tool_call>{"name": "read", "arguments": { "path": "a",\n "limit": 12345678901234567890 }}</tool_call>'
    expect(read(text)).toEqual([
      expect.objectContaining({ input: '{ "path": "a",\n "limit": 12345678901234567890 }', changes: [] }),
    ])
  })
})

describe('a call that was cut off is none', () => {
  const whole = [
    hermes('write_file', { path: 'a', content: 'b' }),
    coder('write_file', { path: 'a', content: 'b' }),
  ]
  it.each(whole)('%#', (text) => {
    for (let at = 12; at < text.length; at++) {
      const pieces = parsed([text.slice(0, at)], { cut: true })
      if (at > Math.max(text.lastIndexOf('}'), text.lastIndexOf('</function>') + 10)) continue
      expect(callsIn(pieces), text.slice(0, at)).toEqual([])
      expect(textIn(pieces)).toBe('')
    }
  })

  it('without a word of the service, only closing brackets may be missing', () => {
    const [text = ''] = whole
    for (let at = 12; at < text.length; at++) {
      for (const { input } of callsIn(parsed([text.slice(0, at)]))) {
        expect([{}, { path: 'a' }, { path: 'a', content: 'b' }]).toContainEqual(input)
      }
    }
  })
})

describe('beyond repair', () => {
  it.each([
    '<tool_call>\n{"name": "read", "arguments": {"path": ???\n</tool_call>',
    '<tool_call>\n{"foo": 1}\n</tool_call>',
    '<tool_call>\n{"name": "read", "arguments": [1, 2]}\n</tool_call>',
  ])('%j', (source) => {
    const pieces = read(`Now.\n${source}\nDone.`)
    expect(pieces.map(({ type }) => type)).toEqual(['text', 'malformed', 'text'])
    expect(pieces[1]).toMatchObject({ problem: expect.stringMatching(/\.$/) })
    expect(source.startsWith((pieces[1] as { source: string }).source)).toBe(true)
  })
})

it('a bracket with many spaces after it is parsed the same in any chunks', () => {
  expect(read(`<|tool_call_begin|>[${' '.repeat(80)}\n\`\`\`\n`, { cut: true })).toHaveLength(1)
})

it('no more than ten characters are held back that cannot begin a call', () => {
  const prose = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'The ',
          'a < b',
          '\n',
          '\n    ',
          '"x"',
          '`y`',
          'z[0]',
          ' {q} ',
          '\n{"id": 1}',
          '<div>',
          '\n# ',
        ),
        fc.string({ unit: 'grapheme', maxLength: 8 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(prose, (text) => {
      const parser = new ToolTextParser({ markup, tools, salvage: true })
      let shown = ''
      for (let at = 0; at < text.length; at++) {
        shown += textIn(parser.push(text.charAt(at)))
        expect(text.startsWith(shown)).toBe(true)
        expect(at + 1 - shown.length).toBeLessThanOrEqual(10)
      }
    }),
    fuzz,
  )
})

it('text without a call is forwarded byte for byte', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const pieces = parsed([text], { markup })
      if (pieces.every(({ type }) => type === 'text') && !text.includes('<think'))
        expect(textIn(pieces)).toBe(text)
      for (const piece of pieces)
        if (piece.type === 'call') expect(JSON.parse(piece.input)).toBeTypeOf('object')
    }),
    fuzz,
  )
})
