// Text that models write around calls and about calls.

import { expect, it } from 'vitest'
import type { Piece } from '../../src/protocols/tool-text/pieces.ts'
import { inPieces, type Manner, parsed } from './documents.ts'

function read(text: string, manner?: Manner): Piece[] {
  const whole = parsed([text], manner)
  expect(parsed(inPieces(text, [1]), manner)).toEqual(whole)
  expect(parsed(inPieces(text, [3, 7]), manner)).toEqual(whole)
  return whole
}

const json = '{"name": "read", "arguments": {"path": "a"}}'
const block = `<tool_call>\n${json}\n</tool_call>`
const line = `<tool_call>${json}</tool_call>`
const readsA = { type: 'call', name: 'read', input: '{"path": "a"}', changes: [] }

it.each<[string, string, string?]>([
  ['after a size in inches', `The 5" one: ${line}`, 'The 5" one:'],
  ['after an apostrophe', `the users'${line}`, "the users'"],
  ['after a fence that is closed on its own line', `\`\`\`code\`\`\`\n${block}`, '```code```'],
  ['after a fence in a list', `1. \`\`\`sh\n   ls\n   \`\`\`\n${block}`, '1. ```sh\n   ls\n   ```'],
  ['after a fence of tildes in a list', `- ~~~\n  ls\n  ~~~\n${block}`, '- ~~~\n  ls\n  ~~~'],
  ['a tag with a blank', block.replaceAll('call>', 'call >'), ''],
  ['a tag with attributes', block.replace('call>', 'call id="1">'), ''],
  ['a tag in capitals', block.replaceAll('tool_call', 'TOOL_CALL'), ''],
  ['the name in front of the JSON', '<tool_call>read\n{"path": "a"}\n</tool_call>', ''],
  ['after a mention of thinking', `I use the <think> tag.\n${block}`, 'I use the <think> tag.'],
])('a call %s', (_, text, said = '') => {
  const pieces = read(text)
  expect(pieces.filter(({ type }) => type === 'call')).toEqual([readsA])
  expect(pieces.filter(({ type }) => type === 'text')).toEqual(
    said === '' ? [] : [{ type: 'text', text: said }],
  )
})

it.each([
  `<invoke name='read'><parameter name='path'>a</parameter></invoke>`,
  '<invoke name="read"><parameter name="path" type="string">a</parameter></invoke>',
])('a call with other attributes: %s', (text) => {
  expect(read(text)).toEqual([{ ...readsA, input: '{"path":"a"}' }])
})

it('several calls in tags with attributes', () => {
  const text = [1, 2, 3].map((id) => block.replace('call>', `call id="${id}">`)).join('\n')
  expect(read(text)).toEqual([readsA, readsA, readsA])
})

it.each([
  ['after a nested fence', `\`\`\`markdown\n# Use\n\`\`\`sh\nls\n\`\`\`\n${block}\n\`\`\``],
  ['in a fence in a list', `- \`\`\`\n  ${line}\n  \`\`\``],
  ['in a quoted line of a list', `- > ${line}`],
  ['in single typographic quotes', `It said ‘${line}’ to me.`],
  ['with a backslash in front', `Write \\${line} there.`],
  ['in a result that the model repeats', `<tool_response>\n${block}\n</tool_response>\nThat was it.`],
  ['in a result that does not end', `<tool_response>\n${block}`],
  ['a name and much white space', `<tool_call>read${' '.repeat(300)}<arg_key>path</arg_key> is GLM's.`],
  ['a name without arguments', '{"name": "read"}'],
  ['the definition of a tool', '{"name": "read", "parameters": {"type": "object", "properties": {}}}'],
  ['the definition of a tool in a fence', '```json\n{"name": "read", "parameters": {"type": "object"}}\n```'],
])('no call: %s', (_, text) => {
  expect(read(text)).toEqual([{ type: 'text', text }])
})

it('thinking after text is thinking', () => {
  for (const text of [
    `Hm. <think> maybe ${line}</think> No.`,
    `So <think>maybe ${line}</think> No.`,
    `So\n<think> maybe ${line}</think> No.`,
  ])
    expect(read(text).map(({ type }) => type)).toEqual(['text', 'reasoning', 'text'])
})

it('a comma and much white space after a call hide nothing', () => {
  const gap = ' '.repeat(1_100)
  expect(read(`<tool_call>${json},${gap}The rest.`)).toEqual([
    readsA,
    { type: 'text', text: `,${gap}The rest.` },
  ])
})
