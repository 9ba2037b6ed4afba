// The tools section of the prompt: the list of tools, and how to write a call. These texts steer models: every word counts.

import { hasSpelling, writeAll } from '../../base/exact-json.ts'
import { sameJson } from '../../base/json-source.ts'
import type { Tool, TurnRequest } from '../../core/request.ts'
import { createEscaper, type Escaper } from './escape.ts'
import { callBlock } from './history-text.ts'
import type { Markup } from './markup.ts'

type ToolRequest = Pick<TurnRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>

/** Undefined if no tool may be called. */
export function toolsSection(request: ToolRequest, markup: Markup, escaper: Escaper): string | undefined {
  if (!offersTools(request)) return undefined
  const several = request.parallelToolCalls !== false
  const lines = [
    '# Tools',
    '',
    'You can call tools. Each line below describes one: its name, what it does, and the JSON Schema of its arguments.',
    '<tools>',
    ...request.tools.map((tool) => escaper.escapeJson(signatureOf(tool))),
    '</tools>',
    '',
    'When a tool can do what is needed, call it right away instead of saying that you will. A call is a block of text in the shape shown below. Rules:',
    ...rules(markup, several).map((rule) => `- ${rule}`),
    '',
    'The shape of a call, in which TOOL, PARAMETER and VALUE are placeholders:',
    callShape(markup),
    ...demand(request, escaper, several),
  ]
  return lines.join('\n')
}

export const offersTools = ({ tools, toolChoice }: ToolRequest): boolean =>
  tools.length > 0 && toolChoice?.type !== 'none'

const shapeCall = { name: 'TOOL', input: '{"PARAMETER": "VALUE"}' }

/** An example of a call with placeholders instead of a tool's name and arguments. */
export const callShape = (markup: Markup): string => callBlock(shapeCall, markup, createEscaper([]))

/** The description of a tool for the model. */
export function signatureOf({ name, description, schema }: Tool): string {
  const entry = { name, ...(description ? { description } : {}), parameters: schema }
  const described = { type: 'function', function: entry }
  return hasSpelling(schema) ? writeAll(described) : JSON.stringify(described)
}

/** The model copied the placeholders of the shape. */
export const isCallShape = ({ name, input }: { name: string; input: string }): boolean =>
  name === shapeCall.name && sameJson(input, shapeCall.input)

function rules(markup: Markup, several: boolean): string[] {
  return [
    several
      ? 'Write one block per call, beginning on a new line. For several calls, write several blocks, one after the other.'
      : 'Write one block per call, beginning on a new line, and make at most one call per message.',
    'Use the name of the tool and of each argument exactly as listed. Give every required argument.',
    ...(markup.format === 'json' ? jsonRules : xmlRules),
    'Do not put a block into a code fence or into quotes.',
    'What you write outside of blocks is shown to the user. Words in front of the first block are fine; write nothing after the last block, and stop there.',
    `The results come in the next message, in \`${markup.resultTag}\` blocks. Never write a result yourself, and do not guess it. When you need no more tools, answer without a block.`,
  ]
}

const jsonRules = [
  'Inside the block stands one JSON object with "name" and "arguments", and nothing else. "arguments" is an object that fits the schema of the tool, {} where it takes none.',
  'It must be valid JSON: in strings write a double quote as \\", a backslash as \\\\ and a line break as \\n.',
  'If a string must hold one of the tags around a block, write the "<" of that tag as \\u003c.',
]

const xmlRules = [
  'Each argument is a parameter element, its value on lines of its own between the two tags. Leave out arguments that you do not need.',
  'Write a string as it is: no quotes around it, nothing escaped, line breaks and indentation kept. Write numbers, booleans, null, arrays and objects as JSON.',
  'There is one exception: if a string must hold one of the tags of a block itself, write the "<" of that tag as &lt;.',
]

function demand({ toolChoice }: ToolRequest, escaper: Escaper, several: boolean): string[] {
  if (toolChoice?.type === 'tool')
    return ['', `You must call the tool \`${escaper.escape(toolChoice.name)}\` in your next message.`]
  if (toolChoice?.type !== 'required') return []
  return ['', `You must call ${several ? 'at least' : 'exactly'} one tool in your next message.`]
}
