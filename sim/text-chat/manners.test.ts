// Each manner of writing calls, word for word: readers are tested against these texts.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Step } from '../script.ts'
import { MANNERS, type Manner } from './manners.ts'
import { type Markup, toMarkup } from './markup.ts'
import { type MannerChoice, MannerSource, speak } from './speak.ts'

const json = toMarkup('tool_call', 'json')
const xml = toMarkup('act', 'xml')
const calls: Step[] = [
  { call: { name: 'read', arguments: { path: 'a "b"\nc', lines: 3 } } },
  { call: { name: 'now', arguments: {} } },
]

const text = (manner: MannerChoice, markup: Markup, steps: readonly Step[] = calls) => {
  const manners = new MannerSource(manner)
  return speak(steps, { markup, manner: () => manners.next() })
    .map((step) => ('say' in step ? step.say : `[${Object.values(step)[0]}]`))
    .join('')
}

const READ = '{"name": "read", "arguments": {"path":"a \\"b\\"\\nc","lines":3}}'
const NOW = '{"name": "now", "arguments": {}}'
const hermes = (tag: string) => `<${tag}>\n${READ}\n</${tag}>\n<${tag}>\n${NOW}\n</${tag}>`
const READ_XML =
  '<function=read>\n<parameter=path>\na "b"\nc\n</parameter>\n<parameter=lines>\n3\n</parameter>\n</function>'
const NOW_XML = '<function=now>\n</function>'
const coder = (tag: string) => `<${tag}>\n${READ_XML}\n</${tag}>\n<${tag}>\n${NOW_XML}\n</${tag}>`

const TEXTS: Record<Manner, { json: string; xml: string }> = {
  asked: { json: hermes('tool_call'), xml: coder('act') },
  hermes: { json: hermes('tool_call'), xml: hermes('act') },
  'qwen3-coder': { json: coder('tool_call'), xml: coder('act') },
  native: { json: hermes('tool_call'), xml: coder('tool_call') },
  'bare-function': same(`${READ_XML}\n${NOW_XML}`),
  'fenced-json': same(`\`\`\`json\n[\n${READ},\n${NOW}\n]\n\`\`\``),
  'bare-json': same(`${READ}\n${NOW}`),
  glm: same(
    '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a "b"\nc</arg_value>\n<arg_key>lines</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n<tool_call>now\n</tool_call>',
  ),
  invoke: same(
    '<function_calls>\n<invoke name="read">\n<parameter name="path">a "b"\nc</parameter>\n<parameter name="lines">3</parameter>\n</invoke>\n<invoke name="now">\n</invoke>\n</function_calls>',
  ),
  dsml: same(
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">a "b"\nc</｜DSML｜parameter>\n<｜DSML｜parameter name="lines" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ),
  mistral: same(`[TOOL_CALLS][${READ}, ${NOW}]`),
  'mistral-v11': same('[TOOL_CALLS]read[ARGS]{"path":"a \\"b\\"\\nc","lines":3}[TOOL_CALLS]now[ARGS]{}'),
  kimi: same(
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"a \\"b\\"\\nc","lines":3}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
  ),
  'deepseek-v3': same(
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path":"a \\"b\\"\\nc","lines":3}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ),
  'deepseek-v3.1': same(
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path":"a \\"b\\"\\nc","lines":3}<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ),
  llama3: same(
    '<|python_tag|>{"name": "read", "parameters": {"path":"a \\"b\\"\\nc","lines":3}}; {"name": "now", "parameters": {}}',
  ),
  'no-close-tag': {
    json: `<tool_call>\n${READ}\n<tool_call>\n${NOW}`,
    xml: `<act>\n${READ_XML}\n<act>\n${NOW_XML}`,
  },
  'missing-brace': inTags((line) => line.slice(0, -1)),
  'raw-newlines': inTags((line) => line.replace('\\n', '\n')),
  'unescaped-quotes': inTags((line) => line.replaceAll('\\"', '"')),
  'double-encoded': inTags((line) => {
    const { name, arguments: input } = JSON.parse(line)
    return `{"name": "${name}", "arguments": ${JSON.stringify(JSON.stringify(input))}}`
  }),
  'array-in-one-tag': {
    json: `<tool_call>\n[${READ}, ${NOW}]\n</tool_call>`,
    xml: `<act>\n[${READ}, ${NOW}]\n</act>`,
  },
  'alias-keys': inTags((line) => line.replace('"name"', '"tool"').replace('"arguments"', '"parameters"')),
  hopeless: inTags((line) => `{"name": "${JSON.parse(line).name}", "arguments": {"path": ]%, :: oh }{`),
  'no-call': same('I will use read and now for this.'),
  cut: {
    json: `${hermes('tool_call').slice(0, -'}}\n</tool_call>'.length)}[length]`,
    xml: `${coder('act').slice(0, -'</function>\n</act>'.length)}[length]`,
  },
  'thinks-aloud': {
    json: `<think>\nI could try this:\n${hermes('tool_call').replace('a \\"b\\"\\nc', 'not-meant')}\nBut no.\n</think>\n\n${hermes('tool_call')}`,
    xml: `<think>\nI could try this:\n${coder('act').replace('a "b"\nc', 'not-meant')}\nBut no.\n</think>\n\n${coder('act')}`,
  },
  'invents-results': {
    json: `${hermes('tool_call')}\n${twice('<tool_response>\nan invented result\n</tool_response>')}\nSo the answer is: an invented result`,
    xml: `${coder('act')}\n${twice('<act_result>\nan invented result\n</act_result>')}\nSo the answer is: an invented result`,
  },
  talkative: {
    json: `Let me look at this.\n\n${hermes('tool_call')}\n\nI wait for what comes.`,
    xml: `Let me look at this.\n\n${coder('act')}\n\nI wait for what comes.`,
  },
}

function same(written: string) {
  return { json: written, xml: written }
}

function inTags(spoil: (line: string) => string) {
  const blocks = (tag: string) => [READ, NOW].map((line) => `<${tag}>\n${spoil(line)}\n</${tag}>`).join('\n')
  return { json: blocks('tool_call'), xml: blocks('act') }
}

function twice(block: string): string {
  return `${block}\n${block}`
}

describe.each(Object.keys(MANNERS) as Manner[])('%s', (manner) => {
  it('in a prompt that asks for JSON', () => {
    expect(text(manner, json)).toBe(TEXTS[manner].json)
  })

  it('in a prompt that asks for XML in a custom tag', () => {
    expect(text(manner, xml)).toBe(TEXTS[manner].xml)
  })

  it('is documented', () => {
    const page = readFileSync(new URL('../../docs/simulators.md', import.meta.url), 'utf8')
    const row = `| \`${manner}\` | ${MANNERS[manner].about} |`
    expect(page.includes(row), row).toBe(true)
  })
})

describe('speech', () => {
  it('puts a single call alone in a fence', () => {
    expect(text('fenced-json', json, calls.slice(1))).toBe(`\`\`\`json\n${NOW}\n\`\`\``)
  })

  it('sends the arguments of a script unchanged', () => {
    expect(text('asked', json, [{ call: { name: 'x', arguments: '{"a": ' } }])).toContain(
      '"arguments": {"a": }',
    )
    expect(text('glm', json, [{ call: { name: 'x', arguments: '{"a": ' } }])).toBe(
      '<tool_call>x\n</tool_call>',
    )
  })

  it('returns to the requested format when its manner is used up', () => {
    const manners = new MannerSource({ manner: 'hopeless', times: 2 })
    expect([manners.next(), manners.next(), manners.next(), manners.next()]).toEqual([
      'hopeless',
      'hopeless',
      'asked',
      'asked',
    ])
  })

  it('uses one manner per answer, and none for an answer without calls', () => {
    let asked = 0
    const manner = (): Manner => {
      asked++
      return 'bare-json'
    }
    speak([{ say: 'x' }, { call: { name: 'x', arguments: {} }, as: 'glm' }], { markup: json, manner })
    expect(asked).toBe(0)
    speak([...calls, { say: 'x' }, ...calls], { markup: json, manner })
    expect(asked).toBe(1)
  })

  it('sends nothing after a cut, unless the script sets another end', () => {
    const steps: Step[] = [...calls, { say: 'never said' }, ...calls]
    expect(text('cut', json, steps)).toBe(TEXTS.cut.json)
    expect(text('cut', json, [...steps, { end: 'odd' }])).toBe(TEXTS.cut.json.replace('length', 'odd'))
  })

  it('is cut in the middle of the arguments', () => {
    const [first] = calls
    expect(text('cut', json, first ? [first] : [])).toBe(
      '<tool_call>\n{"name": "read", "arguments": {"path":"a \\"b\\[length]',
    )
    expect(text('cut', xml, first ? [first] : [])).toBe(
      '<act>\n<function=read>\n<parameter=path>\na "b"\nc\n</paramete[length]',
    )
  })

  it('keeps all other steps in place', () => {
    const steps: Step[] = [{ think: 'hm' }, { say: 'a' }, { wait: 1 }, ...calls.slice(1), { fault: 'fin' }]
    expect(text('bare-json', json, steps)).toBe(`[hm]a[1]\n${NOW}[fin]`)
  })
})
