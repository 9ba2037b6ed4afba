// Hand-written prompts that follow the contract, for the tests of the simulators.

import { type Markup, toMarkup } from './markup.ts'

export const jsonMarkup = toMarkup('tool_call', 'json')
export const xmlMarkup = toMarkup('action', 'xml')

export const readSignature = {
  name: 'read',
  description: 'Reads a file',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, lines: { type: 'integer' } },
    required: ['path'],
  },
}

const writeSignature = {
  name: 'write',
  description: 'Writes a file',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
}

const EXAMPLES = {
  json: '{"name": "TOOL", "arguments": {"PARAMETER": "VALUE"}}',
  xml: '<function=TOOL>\n<parameter=PARAMETER>\nVALUE\n</parameter>\n</function>',
}

export function toolsSection({ callTag, format }: Markup, ...closing: string[]): string {
  const lines = [readSignature, writeSignature].map((tool) =>
    JSON.stringify({ type: 'function', function: tool }),
  )
  return [
    '# Tools',
    'These tools are there for you.',
    '<tools>',
    ...lines,
    '</tools>',
    'A call is a block of this shape, which must hold exactly one call; several calls are several blocks.',
    `<${callTag}>`,
    EXAMPLES[format],
    `</${callTag}>`,
    ...closing,
  ].join('\n')
}

export function callBlock({ callTag }: Markup, name: string, input: object): string {
  return `<${callTag}>\n${JSON.stringify({ name, arguments: input })}\n</${callTag}>`
}

export function resultBlock({ resultTag }: Markup, content: string): string {
  return `<${resultTag}>\n${content}\n</${resultTag}>`
}
