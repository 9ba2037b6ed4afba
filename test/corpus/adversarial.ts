// Texts that a parser of calls gets wrong if it looks for tags only, or believes all it reads.

import type { Tool } from '../../src/core/request.ts'
import type { CorpusCall } from './bfcl.ts'
import type { Manner } from './parsed.ts'
import { render } from './render.ts'

interface Adversarial {
  name: string
  text: string
  calls: CorpusCall[]
  /** The text that is left, where it matters. */
  prose?: string
  cut?: boolean
  manner?: Manner
}

const strings = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})
export const adversarialTools: Tool[] = [
  { name: 'write', schema: strings('path', 'content') },
  { name: 'bash', schema: strings('command') },
  {
    name: 'plan',
    schema: {
      type: 'object',
      properties: { steps: { type: 'array', items: { type: 'string' } }, n: { type: 'integer' } },
    },
  },
]

const write = (content: string): CorpusCall => ({ name: 'write', arguments: { path: 'a', content } })
const bash = (command: string): CorpusCall => ({ name: 'bash', arguments: { command } })
const hermes = (...calls: CorpusCall[]) => render(calls, 'Hermes')
const coder = (...calls: CorpusCall[]) => render(calls, 'Qwen3-Coder')

const contents: Record<string, string> = {
  'closing tags': 'x </tool_call> y </function> z',
  'a closing tag at the start of a line': 'x\n</tool_call>\ny',
  'a whole call': `x\n${hermes(bash('ls'))}\ny`,
  'a whole call in XML': `x\n${coder(bash('ls'))}\ny`,
  'a closing tag of a parameter in the middle of a line': 'x </parameter> y',
  'a fence': 'x\n```json\n{"name": "bash", "arguments": {}}\n```\ny',
  'leading and trailing white space': '\n\n  x\n\ty  \n\n',
  nothing: '',
  'emoji and other scripts': '😀 日本語 é ‮ \u2028',
  'carriage returns': 'a\r\nb\r\n',
  'entities and escapes': '&lt;b&gt; \\n \\u0041 \\\\ "',
  JSX: '<Foo<Bar> a={() => <b>{x}</b>} />',
  'what looks like JSON': '{"a": [1, "}"]}',
  'a number': '007',
  'a word': 'null',
}

const inArguments = Object.entries(contents).flatMap(([name, content]): Adversarial[] => [
  { name: `Hermes, in a string: ${name}`, text: hermes(write(content)), calls: [write(content)], prose: '' },
  {
    name: `Qwen3-Coder, in a string: ${name}`,
    text: coder(write(content)),
    calls: [write(content)],
    prose: '',
  },
])

const example = hermes(bash('rm -rf /'))

const noCalls: Adversarial[] = [
  ['thinking', `<think>I could do ${example} but no.</think>No.`],
  ['a fence', `Write it so:\n\`\`\`\n${example}\n\`\`\`\nThat is how.`],
  [
    'inline code',
    'Write `<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>` to call it.',
  ],
  ['a mention of the tag', 'You write a <tool_call> tag, then JSON, then </tool_call>. That is all.'],
  ['a JSON answer of no tool', 'Here it is:\n{"name": "Ada", "arguments": {"for": 1}}'],
  [
    'JSON of a tool with words behind it',
    '{"name": "bash", "arguments": {"command": "ls"}}\nThat was an example.',
  ],
].map(([name, text]): Adversarial => ({ name: `no call in ${name}`, text: text as string, calls: [] }))

const cutOff: Adversarial[] = [
  ['Hermes, in a string', '<tool_call>\n{"name": "bash", "arguments": {"command": "rm -rf /tmp'],
  ['Hermes, lacking closers', '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"'],
  ['Qwen3-Coder, in a value', '<tool_call>\n<function=bash>\n<parameter=command>\nrm -rf /tmp'],
  ['Qwen3-Coder, in a closing tag', '<tool_call>\n<function=bash>\n<parameter=command>\nls</paramet'],
].map(
  ([name, text]): Adversarial => ({
    name: `cut off by the service: ${name}`,
    text: `So.\n${text}`,
    calls: [],
    prose: 'So.',
    cut: true,
    manner: { cut: true },
  }),
)

const repaired: Adversarial[] = [
  {
    name: 'doubly encoded arguments',
    text: '<tool_call>\n{"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}\n</tool_call>',
    calls: [bash('ls')],
  },
  {
    name: 'several objects in one block',
    text: `<tool_call>\n${JSON.stringify(bash('a'))}\n${JSON.stringify(bash('b'))}\n</tool_call>`,
    calls: [bash('a'), bash('b')],
  },
  {
    name: 'a list in one block',
    text: `<tool_call>\n[${JSON.stringify(bash('a'))}, ${JSON.stringify(bash('b'))}]\n</tool_call>`,
    calls: [bash('a'), bash('b')],
  },
  {
    name: 'raw line breaks in a string',
    text: '<tool_call>\n{"name": "write", "arguments": {"path": "a", "content": "x\n\ty\n"}}\n</tool_call>',
    calls: [write('x\n\ty\n')],
  },
  {
    name: 'quotes that were not escaped',
    text: '<tool_call>\n{"name": "bash", "arguments": {"command": "echo "hi" there"}}\n</tool_call>',
    calls: [bash('echo "hi" there')],
  },
  {
    name: 'escapes that JSON does not have',
    text: '<tool_call>\n{"name": "bash", "arguments": {"command": "grep \\d \\$x"}}\n</tool_call>',
    calls: [bash('grep \\d \\$x')],
  },
  {
    name: 'a bracket too few, and one too many',
    text: '<tool_call>\n{"name": "bash", "arguments": {"command": "a"}\n</tool_call>\n<tool_call>\n{"name": "bash", "arguments": {"command": "b"}}}\n</tool_call>',
    calls: [bash('a'), bash('b')],
  },
  {
    name: 'a tool that nobody has',
    text: hermes({ name: 'nowhere', arguments: { x: 1 } }),
    calls: [{ name: 'nowhere', arguments: { x: 1 } }],
  },
  {
    name: 'values as text where the schema has others',
    text: '<tool_call>\n{"name": "plan", "arguments": {"steps": "[\\"a\\"]", "n": "5"}}\n</tool_call>',
    calls: [{ name: 'plan', arguments: { steps: ['a'], n: 5 } }],
  },
  {
    name: 'a list of one, and an empty one',
    text: coder(
      { name: 'plan', arguments: { steps: ['a'], n: 1 } },
      { name: 'plan', arguments: { steps: [] } },
    ),
    calls: [
      { name: 'plan', arguments: { steps: ['a'], n: 1 } },
      { name: 'plan', arguments: { steps: [] } },
    ],
  },
  {
    name: 'a result that the model made up',
    text: `${hermes(bash('ls'))}\n<tool_response>\na b c\n</tool_response>\n${hermes(bash('rm a'))}`,
    calls: [bash('ls')],
  },
]

export const adversarial = [...inArguments, ...noCalls, ...cutOff, ...repaired]
